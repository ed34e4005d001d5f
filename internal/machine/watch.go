package machine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"resolwe/internal/input"
)

// Size is a number of bytes, written 512MiB, 4GiB, 2GB or 1000000.
type Size uint64

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n == 0 || n > math.MaxInt64 {
		return fmt.Errorf("%q is no size, as 512MiB or 4GB", text)
	}
	*s = Size(n)
	return nil
}

// String prints a size with three digits and its unit.
func (s Size) String() string { return humanize.IBytes(uint64(s)) }

// MemoryError says that a program took more memory than it may have.
type MemoryError struct {
	Bound Size
	Of    string // whose bound it is
}

// Error names the bound.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("more memory is needed than the %s of %s; fewer workers, or subgraphs that are smaller, take less", e.Bound, e.Of)
}

const (
	ofSpace       = "ulimit -v"
	watchInterval = 10 * time.Millisecond
	slack         = 8 // of a bound, one part is kept free for what comes between two looks

	// Of mapped files an eighth of the bound may be in memory, too, but these bytes, and any number where it would be that many.
	leastMapped, mostMapped = 96 << 20, 1 << 30
)

// Watch bounds the memory of the process, mapped files aside: its garbage is collected the sooner, and where what it holds is
// more than the bound, over is called, once. Mapped files are released as they take an eighth of a small bound, or 96 MB.
// bound 0 stands for the variable GOMEMLIMIT, where that is set, else for what the process may use of the machine; a limit of
// its address space (ulimit -v) bounds it too. flag is what a bound above 0 is called. stop ends it.
func Watch(bound Size, flag string, over func(error)) (stop func()) {
	set := debug.SetMemoryLimit(-1)
	switch {
	case bound > 0:
	case set < math.MaxInt64:
		bound, flag = Size(set), "GOMEMLIMIT" // #nosec G115 -- not negative
	default:
		bound, flag = Size(Memory()), "this machine" // #nosec G115 -- not negative
	}
	beyond := &MemoryError{bound, flag}
	limit, used := addressSpace()
	room := limit - min(used, limit)
	if b := Size(Held() + room); limit > 0 && (bound == 0 || b < bound) {
		bound, beyond = b, &MemoryError{Size(limit), ofSpace}
	}
	if bound == 0 {
		return func() {}
	}
	most, mapped := uint64(bound-bound/slack), max(uint64(bound/slack), leastMapped)
	g := gauge{some: uint64(bound / 8 * 3), step: uint64(bound / 2 / slack)}
	debug.SetMemoryLimit(int64(most - most/slack)) // #nosec G115 -- checked by UnmarshalText
	if mapped < mostMapped {
		mappedBound.Store(mapped)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if Held() > most {
				over(beyond)
				return
			}
			g.look()
			ReleaseMapped()
			if limit == 0 {
				continue
			}
			if _, used := addressSpace(); used > limit-min(room/2, limit/4) { // mapped files count, and what grows may double
				over(&MemoryError{Size(limit), ofSpace})
				return
			}
		}
	}()
	return func() {
		cancel()
		debug.SetMemoryLimit(set)
		mappedBound.Store(0)
		tight.Store(false)
	}
}

// tight is whether what is in use takes more than three eighths of a watched bound.
var tight atomic.Bool

// Tight reports whether memory is short: what is in use takes more than three eighths of the bound that Watch watches. Who works on several
// things at once then does better with one at a time. Where it may be garbage it is collected before Tight returns.
func Tight() bool {
	for unsure.Load() {
		time.Sleep(time.Millisecond)
	}
	return tight.Load()
}

// unsure is whether garbage is being collected, to tell it from what is in use.
var unsure atomic.Bool

// gauge tells what is in use from garbage, which it collects once objects take more than some bytes, and a step more than after
// the last collection.
type gauge struct{ some, step uint64 }

func (g *gauge) look() {
	objects, live := heap()
	if objects <= max(g.some, live+g.step) {
		tight.Store(live > g.some)
		return
	}
	if unsure.CompareAndSwap(false, true) {
		go func() { // the bound is watched meanwhile
			defer unsure.Store(false)
			runtime.GC()
			_, live := heap()
			tight.Store(live > g.some)
		}()
	}
}

// heap returns the bytes of all objects, and of those that the last collection of garbage has found in use.
func heap() (objects, live uint64) {
	samples := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}

// mappedBound is how many bytes of mapped files may be in memory, 0 for any number.
var mappedBound atomic.Uint64

// ReleaseMapped releases mapped files where more of them is in memory than a watched bound leaves to them. What maps fast calls
// it too: between two looks of Watch cores that are busy map hundreds of megabytes.
func ReleaseMapped() {
	if bound := mappedBound.Load(); bound > 0 && Mapped() > bound {
		input.ReleaseAll()
	}
}

// Held returns the bytes that the process has of the system, mapped files aside.
func Held() uint64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
