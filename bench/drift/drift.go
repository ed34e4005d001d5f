// Package drift generates streams of small subgraphs for the task examples/drift, whose causes or evidence change at a known
// position.
package drift

import (
	"fmt"
	"strconv"
	"strings"

	"resolwe/bench/draw"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// Kinds are the ways in which a stream changes.
var Kinds = []string{"none", "abrupt", "gradual", "recurring", "covariate"}

// Options say which stream to generate.
type Options struct {
	Kind      string  // one of Kinds
	At        int     // subgraphs before the change, at least 1; for a recurring change, in each period
	Subgraphs int     // in all
	Size      float64 // how much the causes change, 0 to 1
	Seed      uint64
}

// habits are unary predicates of the task. The first two are causes before the change, the next two after it: to read and to know
// somebody who plays; to cook and to know somebody who sings.
var habits = [...]string{"reads", "plays", "cooks", "sings", "travels", "paints"}

// The log-odds of buys(x), and the rates of evidence.
const (
	base       = -1.5
	own        = 1.25 // for one's own habit
	neighbors  = .8   // for knowing somebody with the habit
	habitRate  = .3
	knowsRate  = .25
	otherRate  = .5 // of habits after covariates have changed, with .4 for knows
	otherKnows = .4
	fewest     = 6 // minimum number of persons; the maximum is 10
)

// Stats describe the true probabilities of a stream, before and after the change.
type Stats struct {
	opt   Options
	atoms [2]int
	loss  [2]float64 // of the true probabilities, in nats
	far   [2]float64 // excess loss of the probabilities from before the change
}

// String says what was generated.
func (s *Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "buys(x): log-odds %g", base)
	for m, when := range []string{"before the change", "after it"} {
		fmt.Fprintf(&b, "\n  %s: %+.3g reads(x), %+.3g knows(x, y) ^ plays(y), %+.3g cooks(x), %+.3g knows(x, y) ^ sings(y)", when,
			own*(1-s.share(m)), neighbors*(1-s.share(m)), own*s.share(m), neighbors*s.share(m))
	}
	for m, when := range []string{"before", "after"} {
		if n := float64(s.atoms[m]); n > 0 {
			fmt.Fprintf(&b, "\n%s: %d atoms, CLL of the truth %.5f, of the causes before the change %.5f", when, s.atoms[m], -s.loss[m]/n, -(s.loss[m]+s.far[m])/n)
		}
	}
	return b.String()
}

// share returns the share of the later causes before the change, or after it.
func (s *Stats) share(when int) float64 {
	if when == 0 || s.opt.Kind == "none" || s.opt.Kind == "covariate" {
		return 0
	}
	return s.opt.Size
}

// later returns the share of the later causes at a position, and whether it is after the change.
func (s *Stats) later(i int) (float64, int) {
	at, behind := s.opt.At, 0
	if i >= at {
		behind = 1
	}
	switch s.opt.Kind {
	case "gradual": // over as many subgraphs as came before it
		return s.share(1) * min(1, max(0, float64(i-at)/float64(at))), behind
	case "recurring":
		behind = i / at % 2
	}
	return s.share(behind), behind
}

// Generate passes the subgraphs of a stream to emit, which must not retain them. Each depends only on the options and its position.
func Generate(schema *mln.Schema, opt Options, emit func(*subgraph.Subgraph) error) (*Stats, error) {
	s := &Stats{opt: opt}
	b := subgraph.NewBuilder(schema)
	for i := range opt.Subgraphs {
		b.Reset("s"+strconv.Itoa(i+1), "", -1)
		s.draw(b, schema, i)
		sub, err := b.Finish()
		if err != nil {
			return nil, err
		}
		sub.Index = i
		if err := emit(sub); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// draw draws the subgraph at a position.
func (s *Stats) draw(b *subgraph.Builder, schema *mln.Schema, place int) {
	r := draw.New(s.opt.Seed, uint64(place))
	later, when := s.later(place)
	habit, knows := habitRate, knowsRate
	if s.opt.Kind == "covariate" && when == 1 {
		habit, knows = otherRate, otherKnows
	}
	persons := fewest + r.IntN(5)
	var has [len(habits)][]bool
	for i := range persons {
		b.Entity(schema.Type("person"), "P"+strconv.Itoa(i+1))
	}
	for h, name := range habits {
		has[h] = make([]bool, persons)
		for i := range persons {
			if has[h][i] = r.Chance(habit); has[h][i] {
				b.Add(schema.Predicate(name), []uint32{uint32(i)}, subgraph.True)
			}
		}
	}
	for i := range persons {
		var met [len(habits)]float64
		for j := range persons {
			if i == j || !r.Chance(knows) {
				continue
			}
			b.Add(schema.Predicate("knows"), []uint32{uint32(i), uint32(j)}, subgraph.True)
			for h := range met {
				if has[h][j] {
					met[h] = 1
				}
			}
		}
		causes := [2]float64{float64(neighbors * met[1]), float64(neighbors * met[3])}
		for m := range causes {
			if has[2*m][i] {
				causes[m] += own
			}
		}
		p := elementary.Sigmoid(base + float64((1-later)*causes[0]) + float64(later*causes[1]))
		before, truth := elementary.Sigmoid(base+causes[0]), r.Chance(p)
		if truth {
			b.Add(schema.Predicate("buys"), []uint32{uint32(i)}, subgraph.True)
		} else {
			p, before = 1-p, 1-before
		}
		s.atoms[when]++
		s.loss[when] -= elementary.Log(p)
		s.far[when] += elementary.Log(p / before)
	}
}
