package paperscale

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"

	"resolwe/bench/csvtables"
)

// Options say how much to generate.
type Options struct {
	Scale float64 // of the paper's counts; above 0, at most [MaxScale]
	Seed  uint64

	// Progress, if not nil, is called with the number of the entity whose rows in a table are being written. It is called on the
	// caller's goroutine.
	Progress func(table string, done, total int64)
	// Done, if not nil, is closed to stop early. The error then matches [context.Canceled].
	Done <-chan struct{}
}

// MaxScale is the largest scale.
const MaxScale = 16

// Streams of random numbers, one for each step, so that no step depends on how many numbers another draws.
const (
	streamArticles = iota + 1
	streamLinks
	streamSimilarity
	streamCategory
	streamExternal
	streamEditors
	streamTalk
	_
	streamNetwork
	streamTaggings
)

// run is the state that the generation of both tasks shares.
type run struct {
	Stats
	opt      Options
	out      *csvtables.Tables
	calendar []string // names of the days
	err      error    // the error that stopped writing
}

// newRun begins the tables of a task for a range of days.
func newRun(dir string, opt Options, task, rule string, first, last time.Time) (*run, error) {
	out, err := csvtables.New(dir, ".tsv")
	if err != nil {
		return nil, err
	}
	g := &run{opt: opt, Stats: Stats{Task: task, Scale: opt.Scale, Seed: opt.Seed, Rule: rule}, out: out}
	for d := first; !d.After(last); d = d.AddDate(0, 0, 1) {
		g.calendar = append(g.calendar, d.Format(time.DateOnly))
	}
	return g, nil
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// scaled returns a count of the paper at this scale, at least floor.
func (g *run) scaled(count, floor int) int {
	return max(floor, int(math.Round(float64(count)*g.Scale)))
}

// report reports progress on a table, and checks whether to stop.
func (g *run) report(table string, done, total int) {
	if g.opt.Progress != nil && g.err == nil {
		g.opt.Progress(table, int64(done), int64(total))
	}
	select {
	case <-g.opt.Done:
		g.err = cmp.Or(g.err, fmt.Errorf("%s: %w", table, context.Canceled))
	default:
		g.err = cmp.Or(g.err, g.out.Err())
	}
}

// each yields the numbers of the entities of a table, until generation is to stop.
func (g *run) each(table string, n int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range int32(n) {
			if i%4096 == 0 {
				g.report(table, int(i), n)
			}
			if g.err != nil || !yield(i) {
				return
			}
		}
		g.report(table, n, n)
	}
}

// id returns the name of an entity, counted from 1.
func id(prefix string, n int32) string { return prefix + strconv.Itoa(int(n)+1) }
