package resolwe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// Selection by gain chooses formulas of several target literals by so many query atoms, but so many subgraphs at least: what
// holds for few of them need not hold for others. Beyond mostTiedAtoms it takes fewer.
const (
	leastTiedAtoms, mostTiedAtoms = 10_000, 200_000
	tiedSubgraphs, fewestTied     = 128, 50
)

// TiedAtoms returns about how many query atoms of so many, of so many subgraphs, selection by gain chooses formulas of several
// target literals by.
func TiedAtoms(atoms, subgraphs float64) float64 {
	each := atoms / subgraphs
	return min(atoms, max(leastTiedAtoms, min(tiedSubgraphs*each, max(mostTiedAtoms, fewestTied*each))))
}

// tiedSample returns these rows.
func tiedSample(m *gain.Matrix) *gain.Matrix {
	return m.First(mostTiedAtoms, fewestTied).First(leastTiedAtoms, tiedSubgraphs)
}

// mostRefitted is the most rows of a sample that the first stage's weights are fitted on again, one by one.
const mostRefitted = 1 << 15

// mostTied bounds the formulas of several target literals for each target predicate.
func (t *gainTask) mostTied() int { return min(4, t.opt.Formulas/4) }

// tying selects formulas of several target literals, after what was selected of the others: candidates as they are, and of two
// literals the conditionals and the means with either as the head. As features of an atom they are what it adds to the
// expected count while the other atoms stand at held-out probabilities (stacking: Kou and Cohen, 2007).
type tying struct {
	*gainTask
	stages []*secondStage
}

// secondStage is that of a target.
type secondStage struct {
	*gainTarget
	sample    *gain.Matrix // the first subgraphs of the target's
	formulas  []*mln.Formula
	first     [][]float64 // their features at the predictions of the first stage
	features  [][]float64 // of those that extension has, at logOdds
	logOdds   []float64   // held out, by row of sample
	extension *gain.Result
	after     HeldOut // of marginals inferred with it
}

// tie selects formulas of several target literals. They stay where marginals that are inferred with them are better than those
// without.
func (t *gainTask) tie(ctx context.Context, again Again, candidates []*mln.Candidate) error {
	if t.mostTied() == 0 || !t.tieable {
		return nil
	}
	y := &tying{gainTask: t}
	for _, to := range t.targets {
		if to.result != nil {
			y.stages = append(y.stages, &secondStage{gainTarget: to, sample: tiedSample(to.matrix)})
		}
	}
	if !y.add(candidates) {
		return nil
	}
	s, err := again(y.sample())
	if err != nil {
		return err
	}
	if err := y.every().compute(ctx, s); err != nil {
		return err
	}
	for _, most := range []int{t.mostTied(), 1} {
		size, err := y.grow(ctx, most)
		if err != nil || size == 0 {
			return err
		}
		helps, err := y.settle(ctx, s)
		if err == nil && helps {
			helps, err = y.judge(ctx, s)
		}
		if err != nil {
			return err
		}
		if helps {
			for _, stage := range y.stages {
				stage.second = stage
			}
			return nil
		}
		if size == 1 { // as the next one would be
			return nil
		}
	}
	return nil
}

// add gives the stages their formulas. It returns false where there are none.
func (y *tying) add(candidates []*mln.Candidate) (some bool) {
	seen := map[string]bool{}
	add := func(f *mln.Formula, head *mln.Atom) {
		at := slices.IndexFunc(y.stages, func(g *secondStage) bool { return g.pred == head.Pred })
		if key := mln.Canonical(f); !seen[key] && at >= 0 {
			seen[key], some = true, true
			y.stages[at].formulas = append(y.stages[at].formulas, f)
		}
	}
	for _, c := range candidates {
		last := len(c.Enforcer) - 1
		if last == 1 {
			add(c.Shaped(mln.ShapeMean, 0), c.Enforcer[0])
			add(c.Shaped(mln.ShapeMean, 1), c.Enforcer[1])
			add(c.Conditional(0), c.Enforcer[0])
			add(c.Conditional(1), c.Enforcer[1])
		}
		if last > 0 {
			add(c.Joint(), c.Enforcer[last])
		}
	}
	return some
}

// sample returns the positions of the subgraphs that the stages' rows are of.
func (y *tying) sample() (positions []int) {
	for _, g := range y.stages {
		for _, name := range g.sample.Names() {
			positions = append(positions, y.positions[name])
		}
	}
	return positions
}

// waysToFit returns whether the first stage's weights are to be scaled: on all of its rows they are fitted again, on few of them
// both are tried.
func (g *secondStage) waysToFit() []bool {
	switch rows := g.sample.Rows(); {
	case rows == g.matrix.Rows():
		return []bool{false}
	case rows > mostRefitted:
		return []bool{true}
	}
	return []bool{false, true}
}

// grow fits second stages of at most so many formulas, of means alone and of all kinds, with the weights of the first stage each
// fitted again or all scaled, of which it takes what predicts held-out atoms best. It returns the most formulas that a stage has.
func (y *tying) grow(ctx context.Context, most int) (size int, err error) {
	opt := y.options(ctx)
	opt.Formulas = most
	for _, g := range y.stages {
		means := slices.Clone(g.first)
		for i, f := range g.formulas {
			if f.Shape != mln.ShapeMean {
				means[i] = make([]float64, g.sample.Rows()) // which gains nothing
			}
		}
		best := math.Inf(-1)
		for _, opt.Scaled = range g.waysToFit() {
			for _, columns := range [][][]float64{means, g.first} {
				x, err := g.sample.Extend(g.result, columns, opt)
				if err != nil {
					return 0, err
				}
				if after, _ := g.sample.Judge(x.HeldOut); after.CLL > best {
					best, g.extension = after.CLL, x
				}
			}
		}
		g.logOdds = slices.Clone(g.result.HeldOut[:g.sample.Rows()])
		g.features = slices.Clone(g.first)
		size = max(size, g.extension.Size)
	}
	return size, nil
}

// tiedFeatures computes features of formulas.
type tiedFeatures struct {
	*tying
	program *ground.Program
	slots   []featureSlot // by formula of the program
	kept    []tiedNetwork
	whole   bool // kept is all of them
	room    int  // bytes left for networks that are kept; negative where none are
}

// featureSlot is where the features of a formula belong.
type featureSlot struct {
	stage int
	to    []float64 // by row
}

// tiedNetwork is the ground network of a subgraph.
type tiedNetwork struct {
	name  string
	net   *network.Network
	spans [][2]int // by stage, the places of its atoms
}

// every returns what computes the features of all formulas, at the predictions of the first stage.
func (y *tying) every() *tiedFeatures {
	for _, g := range y.stages {
		g.first = make([][]float64, len(g.formulas))
		for i := range g.first {
			g.first[i] = make([]float64, g.sample.Rows())
		}
	}
	return y.newFeatures(-1, func(g *secondStage, at int) []float64 { return g.first[at] })
}

// chosen returns what computes the features that the stages' extensions have, at the stages' log-odds.
func (y *tying) chosen() *tiedFeatures {
	return y.newFeatures(256<<20, func(g *secondStage, at int) []float64 {
		for _, m := range append(g.extension.FoldModels[:], g.extension.Model) {
			if slices.ContainsFunc(m.Columns, func(c gain.Column) bool { return c.Kind == gain.KindExtra && c.Extra == at }) {
				g.features[at] = slices.Clone(g.first[at])
				return g.features[at]
			}
		}
		return nil
	})
}

func (y *tying) newFeatures(room int, of func(g *secondStage, at int) []float64) *tiedFeatures {
	f := &tiedFeatures{tying: y, room: room}
	var formulas []*mln.Formula
	for i, g := range y.stages {
		for at, formula := range g.formulas {
			if to := of(g, at); to != nil {
				formulas = append(formulas, formula)
				f.slots = append(f.slots, featureSlot{i, to})
			}
		}
	}
	f.program = ground.Compile(y.model.Schema, formulas, ground.Learning)
	return f
}

// compute sets the features. A second time it needs the stream only where networks take too much memory.
func (f *tiedFeatures) compute(ctx context.Context, s []*Stream) error {
	if f.whole {
		f.parallel()(len(f.kept), func(i int) {
			if ctx.Err() == nil {
				f.set(&network.Slopes{}, &f.kept[i])
			}
		})
		return context.Cause(ctx)
	}
	keeps := f.room >= 0
	type scratch struct {
		*ground.Grounder
		network.Slopes
	}
	work := func(g *scratch, sub *subgraph.Subgraph) (*tiedNetwork, error) {
		net, atoms, err := g.Ground(sub)
		if err != nil {
			return nil, err
		}
		n := &tiedNetwork{name: strings.Clone(sub.Name), net: net}
		for _, stage := range f.stages {
			lo, hi := atoms.FreeOf(stage.pred)
			if _, k := stage.rowsOf(sub.Name); k > 0 && k != hi-lo {
				return nil, fmt.Errorf("it has %d atoms of %s, and had %d", hi-lo, f.model.Schema.Predicates[stage.pred].Name, k)
			}
			n.spans = append(n.spans, [2]int{lo, hi})
		}
		f.set(&g.Slopes, n)
		return n, nil
	}
	keep := keeps
	newScratch := func() *scratch { return &scratch{Grounder: f.run.newGrounder(ctx, f.program, nil)} }
	for _, part := range s {
		err := Process(ctx, part, &Run{Workers: f.run.Workers}, newScratch, work, func(n *tiedNetwork) error {
			if keep {
				f.kept = append(f.kept, *n)
				f.room -= n.net.Bytes()
				keep = f.room >= 0
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if f.whole = keep; !f.whole {
		f.kept = nil
	}
	return nil
}

// set sets the features of the rows of a subgraph.
func (f *tiedFeatures) set(s *network.Slopes, n *tiedNetwork) {
	p := make([]float64, n.net.NumAtoms)
	for i, g := range f.stages {
		first, rows := g.rowsOf(n.name)
		for k := range rows {
			z := g.result.HeldOut[first+k]
			if first+k < len(g.logOdds) {
				z = g.logOdds[first+k]
			}
			p[n.spans[i][0]+k] = elementary.Sigmoid(z)
		}
	}
	slopes := make([][]float64, len(f.slots))
	for k := range slopes {
		slopes[k] = make([]float64, len(p))
	}
	s.Add(slopes, n.net, p)
	for k, slot := range f.slots {
		first, rows := f.stages[slot.stage].rowsOf(n.name)
		if span := n.spans[slot.stage]; first+rows <= len(slot.to) {
			copy(slot.to[first:first+rows], slopes[k][span[0]:span[1]])
		}
	}
}

// modelOf returns formulas for a model of the target.
func (g *secondStage) modelOf(m *gain.Model) *gainModel {
	out := &gainModel{bias: m.Bias}
	for i, c := range m.Columns {
		if c.Kind == gain.KindExtra {
			out.add(*g.formulas[c.Extra], m.Weights[i])
		} else {
			out.add(*g.formula(&c), m.Weights[i])
		}
	}
	return out
}
