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

// MaxScale is the largest scale of the paper's counts.
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
	progress func(table string, done, total int64) // nil for none
	done     <-chan struct{}                       // closed to stop early
	out      *csvtables.Tables
	calendar []string // names of the days
	err      error    // the error that stopped writing
}

// newRun begins the tables of a task for a range of days.
func newRun(ctx context.Context, dir string, opt csvtables.Options, task, rule string, first, last time.Time) (*run, error) {
	out, err := csvtables.New(dir, ".tsv")
	if err != nil {
		return nil, err
	}
	stats := Stats{Task: task, Scale: opt.Scale, Seed: opt.Seed, Rule: rule}
	g := &run{Stats: stats, progress: opt.Progress, done: ctx.Done(), out: out}
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
	if g.progress != nil && g.err == nil {
		g.progress(table, int64(done), int64(total))
	}
	select {
	case <-g.done:
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
