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
	"resolwe/kernels/meanfield"
	"resolwe/kernels/network"
)

// Formulas of several target literals are judged by the marginals of about so many query atoms, inferred with so many
// samples.
const (
	verifiedAtoms   = 20_000
	verifiedSamples = 300
)

// tie goes on with formulas of several target literals: their counts, and of two literals the means with either as the
// head. As features of an atom they are what it adds to the expected count while the other atoms stand at the held-out
// probabilities of what is selected so far (stacking: Kou and Cohen, 2007). They stay where marginals that are inferred
// with them are better than those without.
func (t *gainTask) tie(ctx context.Context, s *Stream, candidates []*mln.Candidate) error {
	formulas := t.tiedFormulas(candidates)
	if len(formulas) == 0 || t.mostTied() == 0 {
		return nil
	}
	features := t.newTiedFeatures(formulas)
	for _, to := range t.targets {
		if to.result != nil {
			to.logOdds = to.result.HeldOut
		}
	}
	if err := features.compute(ctx, s); err != nil {
		return err
	}
	sample := t.verification()
	before := t.logLikelihoods(sample, func(to *gainTarget, row int) float64 { return to.result.HeldOut[row] })
	for most := t.mostTied(); most > 0; most /= 2 {
		extensions, size, err := t.extensions(most)
		if err != nil || size == 0 {
			return err
		}
		if err := t.settle(ctx, s, features, extensions); err != nil {
			return err
		}
		units, err := t.inferred(ctx, s, sample, extensions)
		if err != nil {
			return err
		}
		if better(units, before) {
			for i, to := range t.targets {
				to.extension = extensions[i]
			}
			return nil
		}
		most = min(most, size)
	}
	return nil
}

// mostTied bounds the formulas of several target literals for each target predicate.
func (t *gainTask) mostTied() int { return min(4, t.opt.Formulas/4) }

// tiedFormulas gives the targets their formulas of several target literals, and returns all of these.
func (t *gainTask) tiedFormulas(candidates []*mln.Candidate) (all []*mln.Formula) {
	seen := map[string]bool{}
	add := func(f *mln.Formula, head *mln.Atom) {
		at := slices.IndexFunc(t.targets, func(to *gainTarget) bool { return to.pred == head.Pred })
		if key := mln.Canonical(f); !seen[key] && t.targets[at].result != nil {
			seen[key] = true
			t.targets[at].tied = append(t.targets[at].tied, tiedFormula{f, len(all)})
			all = append(all, f)
		}
	}
	for _, c := range candidates {
		last := len(c.Enforcer) - 1
		if last == 0 {
			continue
		}
		if last == 1 {
			add(c.Shaped(mln.ShapeMean, 0), c.Enforcer[0])
			add(c.Shaped(mln.ShapeMean, 1), c.Enforcer[1])
		}
		add(c.Joint(), c.Enforcer[last])
	}
	return all
}

// tiedFeatures computes the features of formulas of several target literals.
type tiedFeatures struct {
	*gainTask
	formulas []*mln.Formula
	program  *ground.Program
	room     int // bytes left for networks that are kept; negative where none are
	kept     []tiedNetwork
	whole    bool // kept is all of them
}

// tiedNetwork is the ground network of a subgraph.
type tiedNetwork struct {
	name  string
	net   *network.Network
	spans [][2]int // by target, the places of its atoms
}

func (t *gainTask) newTiedFeatures(formulas []*mln.Formula) *tiedFeatures {
	for _, to := range t.targets {
		to.extras = make([]gain.Extra, len(to.tied))
		for i := range to.extras {
			to.extras[i].Values = make([]float64, to.matrix.Rows())
		}
	}
	return &tiedFeatures{gainTask: t, formulas: formulas, program: ground.Compile(t.model.Schema, formulas, ground.Learning), room: 256 << 20}
}

// compute sets the features at the targets' log-odds.
func (f *tiedFeatures) compute(ctx context.Context, s *Stream) error {
	if f.whole {
		f.parallel()(len(f.kept), func(i int) { f.set(&meanfield.Slopes{}, &f.kept[i]) })
		return nil
	}
	type scratch struct {
		*ground.Grounder
		meanfield.Slopes
	}
	work := func(g *scratch, sub *subgraph.Subgraph) (*tiedNetwork, error) {
		net, atoms, err := g.Ground(sub)
		if err != nil {
			return nil, err
		}
		n := &tiedNetwork{name: strings.Clone(sub.Name), net: net}
		for _, to := range f.targets {
			lo, hi := atoms.FreeOf(to.pred)
			if _, n := to.rowsOf(sub.Name); n != hi-lo {
				return nil, fmt.Errorf("it has %d atoms of %s, and had %d", hi-lo, f.model.Schema.Predicates[to.pred].Name, n)
			}
			n.spans = append(n.spans, [2]int{lo, hi})
		}
		f.set(&g.Slopes, n)
		return n, nil
	}
	newScratch := func() *scratch { return &scratch{Grounder: ground.NewGrounder(f.program)} }
	err := Process(ctx, s, &Run{Workers: f.run.Workers}, newScratch, work, func(n *tiedNetwork) error {
		if f.room >= 0 {
			f.kept = append(f.kept, *n)
			if f.room -= n.net.Bytes(); f.room < 0 {
				f.kept = nil
			}
		}
		return nil
	})
	f.whole = err == nil && f.room >= 0
	return err
}

// set sets the features of the rows of a subgraph.
func (f *tiedFeatures) set(s *meanfield.Slopes, n *tiedNetwork) {
	p := make([]float64, n.net.NumAtoms)
	for i, to := range f.targets {
		first, _ := to.rowsOf(n.name)
		for k := n.spans[i][0]; k < n.spans[i][1]; k++ {
			p[k] = probability(to.logOdds[first+k-n.spans[i][0]])
		}
	}
	slopes := make([][]float64, len(f.formulas))
	for k := range slopes {
		slopes[k] = make([]float64, len(p))
	}
	s.Add(slopes, n.net, p)
	for i, to := range f.targets {
		first, _ := to.rowsOf(n.name)
		for k, tied := range to.tied {
			copy(to.extras[k].Values[first:], slopes[tied.index][n.spans[i][0]:n.spans[i][1]]) // rows that are this subgraph's alone
		}
	}
}

// settle fits the weights of extensions again and again, each time at the held-out probabilities that the last ones give, until
// these stay as they are: then they are what inference has of the neighbours of an atom.
func (t *gainTask) settle(ctx context.Context, s *Stream, f *tiedFeatures, extensions []*gain.Extension) error {
	for _, to := range t.targets {
		if to.result != nil {
			to.logOdds = slices.Clone(to.result.HeldOut)
		}
	}
	for range settling {
		change := 0.0
		for i, to := range t.targets {
			if e := extensions[i]; e != nil {
				change += approach(to.logOdds, e.HeldOut)
			}
		}
		if change < settledAt {
			break
		}
		if err := f.compute(ctx, s); err != nil {
			return err
		}
		for i, to := range t.targets {
			e := extensions[i]
			if e == nil || e.Size == 0 {
				continue
			}
			var err error
			if extensions[i], err = to.matrix.Refit(e, to.result, to.extras, t.options()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Weights settle within so many fits, or once held-out probabilities change by so little.
const (
	settling  = 20
	settledAt = .003
)

// approach moves log-odds half of the way to others, along which weights do not swing, and returns the root of the mean square of
// what probabilities differ by.
func approach(z, to []float64) float64 {
	sum := 0.0
	for i := range z {
		d := probability(z[i]) - probability(to[i])
		sum += float64(d * d)
		z[i] = (z[i] + to[i]) / 2
	}
	return math.Sqrt(sum / float64(len(z)))
}

// extensions adds at most so many formulas of several target literals to what is selected for each target. It returns how
// many the largest addition has.
func (t *gainTask) extensions(most int) (out []*gain.Extension, size int, err error) {
	for _, to := range t.targets {
		var e *gain.Extension
		if len(to.extras) > 0 {
			opt := t.options()
			opt.Formulas = most
			if e, err = to.matrix.Extend(to.result, to.extras, opt); err != nil {
				return nil, 0, err
			}
			size = max(size, e.Size)
		}
		out = append(out, e)
	}
	return out, size, nil
}

// verification returns subgraphs with rows, in the order of the sample.
func (t *gainTask) verification() (names []string) {
	rows := 0
	for _, to := range t.targets {
		if to.result == nil {
			continue
		}
		for _, name := range to.matrix.Names() {
			if _, n := to.rowsOf(name); rows < verifiedAtoms && !slices.Contains(names, name) {
				names = append(names, name)
				rows += n
			}
		}
	}
	return names
}

// logLikelihoods returns the mean log-likelihood of the rows of each fold of each subgraph, given their log-odds.
func (t *gainTask) logLikelihoods(names []string, logOdds func(to *gainTarget, row int) float64) (units []float64) {
	for _, name := range names {
		var sum, n [gain.Folds]float64
		for _, to := range t.targets {
			first, count := to.rowsOf(name)
			for row := first; row < first+count; row++ {
				z, fold := logOdds(to, row), to.matrix.Fold()[row]
				if !to.matrix.Truth(row) {
					z = -z
				}
				sum[fold] += elementary.Log(min(max(probability(z), 1e-6), 1-1e-6))
				n[fold]++
			}
		}
		for fold := range sum {
			if n[fold] > 0 {
				units = append(units, sum[fold]/n[fold])
			}
		}
	}
	return units
}

// inferred returns logLikelihoods of marginals, those of a fold inferred with a model that has not seen it.
func (t *gainTask) inferred(ctx context.Context, s *Stream, names []string, extensions []*gain.Extension) ([]float64, error) {
	z := make([][]float64, len(t.targets))
	for i, to := range t.targets {
		if to.result != nil {
			z[i] = make([]float64, to.matrix.Rows())
		}
	}
	for fold := range uint8(gain.Folds) {
		var positions []int
		for _, name := range names {
			if t.has(name, fold) {
				positions = append(positions, t.positions[name])
			}
		}
		m := t.foldModel(int(fold), extensions)
		opt := InferOptions{Samples: verifiedSamples, Seed: t.opt.Seed, Run: Run{Workers: t.run.Workers}}
		err := Infer(ctx, m, s.Pick(positions), opt, func(r *Marginals) error {
			for i, to := range t.targets {
				row, n := to.rowsOf(r.Subgraph)
				if n == 0 {
					continue
				}
				for at, end := r.atoms.Of(to.pred); at < end; at++ {
					if r.Truth(at) == subgraph.Unknown {
						continue
					}
					if to.matrix.Fold()[row] == fold {
						p := min(max(r.P[at], 1e-9), 1-1e-9)
						z[i][row] = elementary.Log(p / (1 - p))
					}
					row++
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	at := map[*gainTarget]int{}
	for i, to := range t.targets {
		at[to] = i
	}
	return t.logLikelihoods(names, func(to *gainTarget, row int) float64 { return z[at[to]][row] }), nil
}

// has reports whether a subgraph has rows in a fold.
func (t *gainTask) has(name string, fold uint8) bool {
	for _, to := range t.targets {
		if first, n := to.rowsOf(name); n > 0 && slices.Contains(to.matrix.Fold()[first:first+n], fold) {
			return true
		}
	}
	return false
}

// foldModel returns the model of what is selected and extensions, as it is without a fold.
func (t *gainTask) foldModel(fold int, extensions []*gain.Extension) *Model {
	formulas := t.model.given()
	for i, to := range t.targets {
		if to.result == nil {
			continue
		}
		f := gain.ExtendedModel{Model: to.result.FoldModels[fold]}
		if extensions[i] != nil {
			f = extensions[i].FoldModels[fold]
		}
		formulas = append(to.weighted(&f), withBias(t.model.Schema, formulas, to.pred, f.Bias)...)
	}
	return t.model.With(formulas)
}

// better reports whether values are above others, pair by pair, by more than the standard error of their mean difference.
func better(values, others []float64) bool {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for i, v := range values {
		mean += (v - others[i]) / n
	}
	for i, v := range values {
		d := v - others[i] - mean
		square += float64(d * d)
	}
	return mean > math.Sqrt(square/max(n*(n-1), 1))
}

// probability returns that of log-odds.
func probability(z float64) float64 { return 1 / (1 + elementary.Exp(-z)) }
