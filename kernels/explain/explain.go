package explain

import (
	"cmp"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Explanation explains the probability of an atom.
type Explanation struct {
	Subgraph    string
	Atom        string
	Truth       subgraph.Truth // in the data
	Probability float64        // its marginal
	LogOdds     float64        // of Probability
	Reasons     []Reason       // by decreasing size of Value, then by formula, without those that contribute nothing
	// Sum is the sum of the reasons: it equals LogOdds unless the atom is Tied or Constrained.
	Sum         float64
	Tied        bool // formulas connect it to other target atoms
	Constrained bool // it is subject to hard formulas
	// Without is a minimal set of evidence, found greedily, whose removal reverses the sign of the log-odds, to Otherwise; nil if none
	// was found.
	Without   []string
	Otherwise float64
}

// Binding is the entity bound to a variable of a formula. For an aggregate it is its value and the comparison: "7.25 >= 6.5" or "7.25,
// not >= 20", or "undefined" if it aggregates nothing.
type Binding struct{ Variable, Entity string }

// Explainer explains the atoms of one subgraph after another. Each goroutine needs its own.
type Explainer struct {
	Finder
	weights []float64
	limit   int // maximum number of groundings listed per reason
	model   loglinear.Model
	state   []bool // memory, by atom of the network
	atoms   *ground.Atoms
	p       []float64
}

// NewExplainer returns an explainer for a model. Weights are by formula, 0 for hard ones; groundings is the maximum number listed for
// each formula.
func NewExplainer(schema *mln.Schema, formulas []*mln.Formula, weights []float64, groundings int) *Explainer {
	return &Explainer{Finder: *NewFinder(schema, formulas), weights: weights, limit: groundings}
}

// Bind sets the subgraph: its network, which is kept, its atoms, and the marginals of the network's atoms.
func (e *Explainer) Bind(net *network.Network, atoms *ground.Atoms, p []float64) {
	e.state, e.atoms, e.p = make([]bool, net.NumAtoms), atoms, p
	e.model.Reset(net, e.weights)
}

// Odds explains the log-odds of a network atom: without names, groundings and evidence to remove, and with the reasons in order of the
// formulas.
func (e *Explainer) Odds(atom uint32) *Explanation {
	out := &Explanation{Probability: e.p[atom], Constrained: len(e.model.Hard.Of(atom)) > 0}
	out.Reasons, out.Tied = e.contributions(atom)
	for _, r := range out.Reasons {
		out.Sum += r.Value
	}
	if out.Tied || out.Constrained {
		out.LogOdds = elementary.Log(out.Probability) - elementary.Log(1-out.Probability)
	} else {
		out.LogOdds, out.Probability = out.Sum, elementary.Sigmoid(out.Sum)
	}
	return out
}

// Explain explains a free query atom. With a judge it also looks for evidence to remove. Errors are those of the judge, and of
// derive.Scratch.Extend.
func (e *Explainer) Explain(i int, judge Judge) (*Explanation, error) {
	if err := e.Reset(e.atoms.Sub); err != nil {
		return nil, err
	}
	free, _ := e.atoms.Free(i)
	pred, args := e.atoms.Args(i, nil)
	atom := Atom{pred, args}
	out := e.Odds(uint32(free)) // #nosec G115 -- an atom's place
	out.Subgraph, out.Atom, out.Truth = e.atoms.Sub.Name, e.atoms.Name(i), e.atoms.Truth(i)
	for i := range out.Reasons {
		r := &out.Reasons[i]
		for _, g := range e.Groundings(r.Formula, atom, e.limit) {
			r.Groundings = append(r.Groundings, e.Bindings(r.Formula, g))
		}
		for k := range r.Neighbours {
			n := &r.Neighbours[k]
			n.Atom, n.Probability = e.atoms.Name(e.atoms.Query(int(n.Place))), e.p[n.Place]
		}
	}
	slices.SortStableFunc(out.Reasons, func(a, b Reason) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	if judge == nil {
		return out, nil
	}
	facts, otherwise, err := e.Removal(e.atoms.Sub, atom, judge)
	if err != nil {
		return nil, err
	}
	out.Otherwise = otherwise
	for _, f := range facts {
		out.Without = append(out.Without, e.Name(f))
	}
	return out, nil
}

// Bindings returns a grounding found by Groundings, by name.
func (x *Finder) Bindings(formula int, grounding []uint32) []Binding {
	f := &x.formulas[formula]
	out := make([]Binding, 0, len(grounding))
	for v, id := range grounding {
		variable := f.formula.Vars[v]
		out = append(out, Binding{variable.Name, x.sub.Domains[variable.Type].Names.Name(id)})
	}
	return append(out, x.aggregated(f, grounding)...)
}

// Name returns a fact as text.
func (x *Finder) Name(f Atom) string {
	p := &x.schema.Predicates[f.Pred]
	a := &mln.Atom{Pred: f.Pred, Name: p.Name}
	for i, id := range f.Args {
		t := x.entity(p.Args[i], id)
		t.Number = x.schema.IsNumber(t.Type)
		a.Args = append(a.Args, t)
	}
	return mln.FormatAtom(a)
}
