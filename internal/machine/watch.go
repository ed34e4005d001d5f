package machine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
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
		return fmt.Errorf("%q is not a size such as 512MiB or 4GB", text)
	}
	*s = Size(n)
	return nil
}

// MarshalText writes the exact number of bytes, which UnmarshalText reads.
func (s Size) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(s), 10), nil }

// String prints a size with three digits and its unit.
func (s Size) String() string { return humanize.IBytes(uint64(s)) }

// MemoryError reports that a program needs more memory than allowed.
type MemoryError struct {
	Bound Size
	Of    string // the flag or variable that sets the limit
	Less  string // what takes less memory, "" for what mostly does
}

// Error names the bound.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("more memory is needed than the %s of %s; %s take less", e.Bound, e.Of, cmp.Or(e.Less, "fewer workers or smaller subgraphs"))
}

// watched is the error of the bound given to Watch.
var watched atomic.Pointer[MemoryError]

// Exceeded returns the error of a caller that would need more memory than the bound given to Watch, or else than Memory returns. less names
// what takes less.
func Exceeded(less string) *MemoryError {
	e := MemoryError{Bound: Size(Memory()), Of: thisMachine} // #nosec G115 -- not negative
	if w := watched.Load(); w != nil {
		e = *w
	}
	e.Less = less
	return &e
}

// Afford returns an error where n bytes more would exceed what Watch allows. It lets a caller that takes much at once ask before, as Watch
// looks only now and then. less names what takes less.
func Afford(n uint64, less string) error {
	most := mostHeld.Load()
	if most == 0 || Held()+n <= most {
		return nil
	}
	if debug.FreeOSMemory(); Held()+n <= most { // some was garbage
		return nil
	}
	return Exceeded(less)
}

// Within returns an error where n bytes alone would exceed what Watch allows. less names what takes less.
func Within(n uint64, less string) error {
	if most := mostHeld.Load(); most == 0 || n <= most {
		return nil
	}
	return Exceeded(less)
}

// mostHeld is what Held may return while Watch watches, 0 for any.
var mostHeld atomic.Uint64

const (
	ofSpace       = "ulimit -v"
	thisMachine   = "this machine"
	watchInterval = 10 * time.Millisecond
	slack         = 8 // 1/slack of a limit is kept free for growth between two checks

	// In addition, an eighth of the bound in mapped files may be in memory, but at least leastMapped bytes; from mostMapped on there is
	// no limit.
	leastMapped, mostMapped = 96 << 20, 1 << 30
)

// Watch limits the memory of the process, without mapped files. Garbage is collected earlier, and if live memory exceeds the bound,
// over is called once. Mapped files are released when they take an eighth of a small bound, or 96 MB. A bound of 0 stands for
// GOMEMLIMIT if that is set, or else for what the process may use of the machine; a limit of its address space (ulimit -v) applies
// too. flag is the name of a bound above 0. stop ends the watching.
func Watch(bound Size, flag string, over func(error)) (stop func()) {
	set := debug.SetMemoryLimit(-1)
	switch {
	case bound > 0:
	case set < math.MaxInt64:
		bound, flag = Size(set), "GOMEMLIMIT" // #nosec G115 -- not negative
	default:
		bound, flag = Size(Memory()), thisMachine // #nosec G115 -- not negative
	}
	beyond := &MemoryError{Bound: bound, Of: flag}
	limit, used := addressSpace()
	room := limit - min(used, limit)
	if b := Size(Held() + room); limit > 0 && (bound == 0 || b < bound) {
		bound, beyond = b, &MemoryError{Bound: Size(limit), Of: ofSpace}
	}
	if bound == 0 {
		return func() {}
	}
	most, mapped := uint64(bound-bound/slack), max(uint64(bound/slack), leastMapped)
	g := gauge{some: uint64(bound / 8 * 3), step: uint64(bound / 2 / slack)}
	debug.SetMemoryLimit(int64(most - most/slack)) // #nosec G115 -- checked by UnmarshalText
	watched.Store(beyond)
	mostHeld.Store(most)
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
			if _, used := addressSpace(); used > limit-min(room/2, limit/4) { // mapped files count, and growing memory may double
				over(&MemoryError{Bound: Size(limit), Of: ofSpace})
				return
			}
		}
	}()
	return func() {
		cancel()
		debug.SetMemoryLimit(set)
		watched.Store(nil)
		mostHeld.Store(0)
		mappedBound.Store(0)
		tight.Store(false)
	}
}

// tight reports whether memory in use exceeds three eighths of a watched bound.
var tight atomic.Bool

// Tight reports whether memory is short, that is, whether memory in use exceeds three eighths of the bound given to Watch. Callers
// that work on several things at once should then work on one at a time. If some of the memory may be garbage, Tight collects it
// first.
func Tight() bool {
	for unsure.Load() {
		time.Sleep(time.Millisecond)
	}
	return tight.Load()
}

// unsure reports whether a collection is running to distinguish garbage from memory in use.
var unsure atomic.Bool

// gauge distinguishes memory in use from garbage. It collects garbage when objects exceed a number of bytes, and a step more than
// after the last collection.
type gauge struct{ some, step uint64 }

func (g *gauge) look() {
	objects, live := heap()
	if objects <= max(g.some, live+g.step) {
		tight.Store(live > g.some)
		return
	}
	if unsure.CompareAndSwap(false, true) {
		go func() { // meanwhile the bound is still watched
			defer unsure.Store(false)
			runtime.GC()
			_, live := heap()
			tight.Store(live > g.some)
		}()
	}
}

// heap returns the bytes of all objects, and of those that the last garbage collection found in use.
func heap() (objects, live uint64) {
	samples := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}

// mappedBound is how many bytes of mapped files may be in memory, with 0 for no limit.
var mappedBound atomic.Uint64

// ReleaseMapped releases mapped files if more of them are in memory than a watched bound allows. Code that maps quickly calls it
// too, because busy cores map hundreds of megabytes between two checks of Watch.
func ReleaseMapped() {
	if bound := mappedBound.Load(); bound > 0 && Mapped() > bound {
		input.ReleaseAll()
	}
}

// Held returns the bytes that the process has obtained from the system, without mapped files.
func Held() uint64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
