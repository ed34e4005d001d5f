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

// Explanation says why an atom has its probability.
type Explanation struct {
	Subgraph    string
	Atom        string
	Truth       subgraph.Truth // what the data says
	Probability float64        // its marginal
	LogOdds     float64        // of that
	Reasons     []Reason       // by decreasing size of Value, then by formula; those that add nothing left out
	// Sum is that of the reasons: LogOdds where the atom is neither Tied nor Constrained.
	Sum         float64
	Tied        bool // formulas tie it to other target atoms
	Constrained bool // hard formulas bear on it
	// Without is a minimal set of evidence, found greedily, without which the log-odds have the other sign, which are then
	// Otherwise; nil where none was found.
	Without   []string
	Otherwise float64
}

// Binding is an entity for a variable of a formula, or for an aggregate its value and what that is compared with: "7.25 >= 6.5",
// "7.25, not >= 20", or "undefined" where it is of nothing.
type Binding struct{ Variable, Entity string }

// Explainer explains the atoms of one subgraph after the other. It belongs to one goroutine.
type Explainer struct {
	Finder
	weights []float64
	limit   int // groundings of each reason
	links   *Links
	atoms   *ground.Atoms
	p       []float64
}

// NewExplainer returns an explainer of a model, whose weights are by formula, 0 of those that are hard, that lists so many groundings
// of each formula.
func NewExplainer(schema *mln.Schema, formulas []*mln.Formula, weights []float64, groundings int) *Explainer {
	return &Explainer{Finder: *NewFinder(schema, formulas), weights: weights, limit: groundings}
}

// Bind looks at a subgraph: its network, which it keeps, its atoms, and the marginals of the network's atoms.
func (e *Explainer) Bind(net *network.Network, atoms *ground.Atoms, p []float64) {
	e.links, e.atoms, e.p = NewLinks(net, e.weights), atoms, p
}

// Odds returns an atom's log-odds and what adds up to them, of the network's atoms.
func (e *Explainer) Odds(atom uint32) (logOdds, sum float64, list []Reason, tied, constrained bool) {
	list, tied = e.links.Contributions(e.p, atom)
	for _, c := range list {
		sum += c.Value
	}
	constrained = e.links.Constrained(atom)
	if logOdds = sum; tied || constrained {
		logOdds = elementary.Log(e.p[atom]) - elementary.Log(1-e.p[atom])
	}
	return logOdds, sum, list, tied, constrained
}

// Explain explains a query atom that is free. With a judge it looks for evidence to remove too. Errors are those of the judge, and of
// derive.Scratch.Extend.
func (e *Explainer) Explain(i int, judge Judge) (*Explanation, error) {
	if err := e.Reset(e.atoms.Sub); err != nil {
		return nil, err
	}
	free, _ := e.atoms.Free(i)
	pred, args := e.atoms.Args(i, nil)
	atom := Atom{pred, args}
	out := &Explanation{Subgraph: e.atoms.Sub.Name, Atom: e.atoms.Name(i), Truth: e.atoms.Truth(i)}
	out.LogOdds, out.Sum, out.Reasons, out.Tied, out.Constrained = e.Odds(uint32(free)) // #nosec G115 -- an atom's place
	if out.Probability = e.p[free]; !out.Tied && !out.Constrained {
		out.Probability = loglinear.Sigmoid(out.LogOdds)
	}
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

// Bindings returns a grounding that Groundings found by name.
func (x *Finder) Bindings(formula int, grounding []uint32) []Binding {
	f := &x.formulas[formula]
	out := make([]Binding, 0, len(grounding)+len(f.aggregates))
	for v, id := range grounding {
		variable := f.formula.Vars[v]
		out = append(out, Binding{variable.Name, x.sub.Domains[variable.Type].Names.Name(id)})
	}
	for i := range f.aggregates {
		out = append(out, x.aggregated(&f.aggregates[i], grounding))
	}
	return out
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
