package ground

import (
	"slices"

	"resolwe/kernels/join"
)

// Effort is the progress of a grounder on a formula in a subgraph. It is valid while [Grounder.Watch] runs.
type Effort struct{ g *Grounder }

// Subgraph returns the name of the subgraph.
func (e Effort) Subgraph() string { return e.g.atoms.Sub.Name }

// Formula returns the formula as written.
func (e Effort) Formula() string { return e.g.p.formulas[e.g.i].text() }

// Tried returns the number of values bound to variables one by one.
func (e Effort) Tried() int64 { return e.g.scratch.Steps }

// First reports whether this is the first report for the formula.
func (e Effort) First() bool { return e.Tried() == join.StopSteps }

// Most bounds the number of bindings of the variables bound one by one; 1e300 stands for more.
func (e Effort) Most() float64 {
	c, n := e.g.c, 1.0
	for v, t := range c.query.Conj.Types {
		if slices.Contains(c.query.Outputs, v) || !c.query.Reduced || c.counts != nil || c.groups != nil && !c.groups.query.Reduced {
			n *= float64(e.g.scratch.Size(t))
		}
	}
	for _, v := range c.formula.Vars[c.formula.Free:] {
		n *= float64(e.g.scratch.Size(v.Type))
	}
	return min(n, 1e300)
}

// poll is called now and then while a formula is grounded.
func (g *Grounder) poll() error {
	if g.Watch != nil {
		g.Watch(Effort{g})
	}
	return g.ended()
}

func (g *Grounder) ended() error {
	if g.Stop == nil {
		return nil
	}
	return g.Stop()
}
