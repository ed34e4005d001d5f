package cd

import (
	"fmt"
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// TiedError reports a component with too many atoms for exact expectations.
type TiedError struct{ Atoms int }

// Error gives the number of atoms.
func (e *TiedError) Error() string {
	return fmt.Sprintf("%d target atoms are tied to one another", e.Atoms)
}

// Evaluate adds to sums the exact log-likelihood of a subgraph, its gradient and its information. If a component has more than MaxExact
// atoms and no small junction tree, it adds the pseudo-log-likelihood (Besag, 1975) instead if pseudo is set, and otherwise returns a
// *TiedError. Unless nil, score is also set. The error may be a *loglinear.UnsatisfiableError.
func (w *Worker) Evaluate(sums *Sums, ex *Example, weights []float64, pseudo bool, score *Score) error {
	f := len(weights)
	w.atoms.reset(f, sums)
	if !independent(ex.Net) {
		if err := w.evaluateTied(ex, weights, pseudo, score); err != nil {
			return err
		}
	} else if w.atoms.addAtoms(ex, weights); score != nil {
		*score = Score{Atoms: ex.Net.NumAtoms, Pseudo: w.atoms.clipped, Exact: !ex.Conditioned}
		if score.Exact {
			score.Joint = w.atoms.likelihood
		}
	}
	sums.Subgraphs++
	sums.Atoms += ex.Net.NumAtoms
	w.atoms.addTo(sums, ex.Net.Scale)
	if Breaks(ex.Net, ex.Data) {
		sums.Broken++
	}
	return nil
}

// independent reports whether a network has only factors of single atoms.
func independent(net *network.Network) bool {
	return len(net.Pairs)+len(net.Bilinears)+len(net.Conjunctions)+len(net.Features)+len(net.Clauses)+len(net.HardFeatures) == 0
}

// Breaks reports whether a state violates a hard constraint.
func Breaks(net *network.Network, x []bool) bool {
	return slices.ContainsFunc(net.Clauses, func(c []network.Lit) bool { return loglinear.TrueLits(c, x) == 0 }) ||
		slices.ContainsFunc(net.HardFeatures, func(f network.Feature) bool { return !f.Root.True(x) })
}

// evaluateTied sets w.atoms from a network with any factors.
func (w *Worker) evaluateTied(ex *Example, weights []float64, pseudo bool, score *Score) error {
	w.use(ex, weights)
	m := &w.at.model
	if tied := m.Scope.Atoms; len(tied) > 0 {
		if !pseudo {
			return &TiedError{len(m.Components.Atoms(m.Components.Of(tied[0])))}
		}
		w.addPseudo(ex)
		if score != nil {
			*score = Score{Atoms: ex.Net.NumAtoms, Pseudo: w.atoms.clipped}
		}
		return nil
	}
	w.expect.Diagonal = w.atoms.diagonal
	err := w.expect.Compute(m, true)
	w.expect.Diagonal = false
	if err != nil {
		return err
	}
	if score != nil {
		w.score(score, ex)
	}
	w.atoms.likelihood = w.logLikelihood(m, w.at.counts)
	for i, n := range w.at.counts {
		w.atoms.gradient[i] = n - w.expect.Mean[i]
		w.atoms.touch(uint32(i))
	}
	copy(w.atoms.information, w.expect.Cov)
	return nil
}

// addPseudo sets w.atoms to the pseudo-log-likelihood of all atoms. It does not change which atoms are exact and which are sampled.
func (w *Worker) addPseudo(ex *Example) {
	w.at.model.SetExact(0)
	w.visit.Visit(&w.at.model, ex.Data, func(a uint32, h float64, formulas []uint32, values []float64) {
		w.atoms.addUnsorted(h, ex.Data[a], formulas, values)
	})
	w.at.model.SetRoutes(w.at.routes)
}

// atomSums sums a logistic model of the truth of atoms, in units of a network's counts.
type atomSums struct {
	diagonal    bool
	likelihood  float64
	clipped     float64   // with probabilities clipped
	gradient    []float64 // by formula
	information []float64 // F x F by rows, the lower half; or the diagonal
	touched     []uint32  // formulas whose entries are not all 0
	seen        []bool    // by formula: whether it is in touched
	scaled      []float64 // by formula: weights in the network's units
	formulas    []uint32
	values      []float64
}

func (r *atomSums) reset(formulas int, sums *Sums) {
	r.diagonal = !sums.Full()
	n := formulas * formulas
	if r.diagonal {
		n = formulas
	}
	r.likelihood, r.clipped, r.touched = 0, 0, r.touched[:0]
	r.gradient, r.information = grow.Zeroed(r.gradient, formulas), grow.Zeroed(r.information, n)
	r.seen = grow.Zeroed(r.seen, formulas)
}

func (r *atomSums) touch(i uint32) {
	if !r.seen[i] {
		r.seen[i] = true
		r.touched = append(r.touched, i)
	}
}

// addAtoms adds the atoms of a network with independent atoms.
func (r *atomSums) addAtoms(ex *Example, weights []float64) {
	net := ex.Net
	r.scaled = append(r.scaled[:0], weights...)
	for i, s := range net.Scale {
		r.scaled[i] *= s
	}
	for a, truth := range ex.Data {
		h := 0.0
		r.formulas, r.values = r.formulas[:0], r.values[:0]
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			n := float64(c.Mult)
			r.formulas, r.values = append(r.formulas, c.Formula), append(r.values, n)
			h += float64(r.scaled[c.Formula] * n)
		}
		r.add(h, truth, r.formulas, r.values)
	}
}

// addUnsorted is add for formulas in any order.
func (r *atomSums) addUnsorted(h float64, truth bool, formulas []uint32, values []float64) {
	r.formulas, r.values = append(r.formulas[:0], formulas...), append(r.values[:0], values...)
	for i := range r.formulas { // few, and mostly in order
		for k := i; k > 0 && r.formulas[k-1] > r.formulas[k]; k-- {
			r.formulas[k-1], r.formulas[k] = r.formulas[k], r.formulas[k-1]
			r.values[k-1], r.values[k] = r.values[k], r.values[k-1]
		}
	}
	r.add(h, truth, r.formulas, r.values)
}

// add adds an atom: its log-odds, and its additions to the true groundings of some formulas, ascending.
func (r *atomSums) add(h float64, truth bool, formulas []uint32, values []float64) {
	small := elementary.Exp(-math.Abs(h)) // the odds of the less probable value
	likely := (h >= 0) == truth
	ll, residual := -elementary.Log1p(small), 1/(1+small)
	if likely {
		residual *= small
	} else {
		ll -= math.Abs(h)
	}
	if !truth {
		residual = -residual
	}
	variance := small / ((1 + small) * (1 + small))
	r.likelihood += ll
	r.clipped += max(ll, leastLog)
	for j, i := range formulas {
		r.touch(i)
		v := values[j]
		r.gradient[i] += float64(residual * v)
		scaled := variance * v
		if r.diagonal {
			r.information[i] += float64(scaled * v)
			continue
		}
		row, before := r.information[int(i)*len(r.gradient):][:i+1], values[:j+1]
		for k, o := range formulas[:j+1] {
			row[o] += float64(scaled * before[k])
		}
	}
}

// leastLog is the logarithm of clip.
var leastLog = elementary.Log(clip)

// addTo adds the result to sums, in units of the formulas.
func (r *atomSums) addTo(sums *Sums, scale []float64) {
	unit := func(i uint32) float64 {
		if scale == nil {
			return 1
		}
		return scale[i]
	}
	sums.likelihood.Add(r.likelihood)
	f := len(r.gradient)
	for _, i := range r.touched {
		u := unit(i)
		sums.gradient[i].Add(r.gradient[i] * u)
		if r.diagonal {
			sums.information[i].Add(r.information[i] * u * u)
			continue
		}
		half := sums.information[int(i)*(int(i)+1)/2:][:i+1]
		row := r.information[int(i)*f:][:i+1]
		for _, j := range r.touched {
			if j <= i {
				if v := row[j]; v != 0 {
					half[j].Add(v * u * unit(j))
				}
			}
		}
	}
}
