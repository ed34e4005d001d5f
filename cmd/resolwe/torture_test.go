//go:build unix

package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// verdict is what came of an attack.
type verdict uint8

const (
	found    verdict = iota // there was an error, with its exit status and a message
	harmless                // the result is that of a run that was left alone
	other                   // what was read is something else, and nothing says that it was not meant
)

// attack does one thing to a command, or to what that reads. It says what, and reports faults by itself.
type attack func(t *testing.T) (what string, out verdict)

// TestTorture damages files of every kind, forges streams, kills, interrupts, fills disks and overwrites files while they are
// read: there is an error with its exit status, or what comes out is right; nothing hangs, panics, or leaves half a file.
// TORTURE=8m goes on for so long.
func TestTorture(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	whole, _ := time.ParseDuration(os.Getenv("TORTURE"))
	rows := [][3]int{}
	names := []string{}
	for _, kind := range []struct {
		name  string
		begin func(t *testing.T, r *rand.Rand) attack
		tries int           // of a short run
		share time.Duration // of the time of a long one, in hundredths
	}{
		{"damage", damaging, 100, 40},
		{"forge", forging, 100, 20},
		{"kill", killing, 12, 20},
		{"full", filling, 12, 8},
		{"change", changing, 9, 8},
		{"signal", signalling, 2, 4},
	} {
		t.Run(kind.name, func(t *testing.T) {
			try := kind.begin(t, r)
			first, end := len(rows), time.Now().Add(whole*kind.share/100)
			for n := 0; n < kind.tries && whole == 0 && (n < kind.tries/3 || !testing.Short()) || whole > 0 && time.Now().Before(end); n++ {
				what, out := try(t)
				i := first
				for i < len(names) && names[i] != what {
					i++
				}
				if i == len(names) {
					names, rows = append(names, what), append(rows, [3]int{})
				}
				rows[i][out]++
				if t.Failed() {
					t.Fatalf("seed %d, try %d: %s", seed, n, what)
				}
			}
		})
	}
	var table strings.Builder
	fmt.Fprintf(&table, "seed %d\n%9s %9s %9s %9s\n", seed, "tried", "found", "harmless", "other")
	for i, n := range rows {
		fmt.Fprintf(&table, "%9d %9d %9d %9d  %s\n", n[found]+n[harmless]+n[other], n[found], n[harmless], n[other], names[i])
	}
	t.Log(table.String())
}

// judge compares what a run of a command left with what one that was left alone prints. sealed says that whatever is another
// result is a fault.
func judge(t *testing.T, what string, got outcome, want string, sealed bool) verdict {
	t.Helper()
	var fault string
	switch {
	case strings.Contains(got.stderr, "panic") || strings.Contains(got.stderr, "goroutine "):
		fault = "it panics"
	case got.status < 0 || got.status > 4:
		fault = "it ends with another status"
	case got.status != 0 && (got.stdout != "" || got.stderr == ""):
		fault = "an error prints results, or says nothing"
	case got.status != 0:
		return found
	case got.stdout == want:
		return harmless
	case sealed:
		fault = "another result without a word"
	default:
		return other
	}
	t.Errorf("%s: %s: status %d\n%.300s\n%.300s", what, fault, got.status, got.stderr, got.stdout)
	return other
}

// nothingLeft expects no temporary file.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*resolwe-tmp*"))
	check.OK(t, err)
	check.Empty(t, left, "left")
}

// drawn returns one of a list.
func drawn[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
