package exact

import (
	"resolwe/kernels/loglinear"
)

// Router decides how the components of models are solved. The zero value is ready to use; its memory is reused.
type Router struct {
	tree   Tree
	plans  []plan
	routes []loglinear.Route
	states int
}

// plan is how a component is solved.
type plan struct {
	route   loglinear.Route
	width   int
	entries int
}

// treeWork returns the cost of a junction tree of n atoms as a number of states that take as long to enumerate.
func treeWork(atoms, entries int) int {
	const atom, entriesOfState = 20, 4
	return atom*atoms + entries/entriesOfState
}

// Bounds limit the cost of a junction tree.
type Bounds struct {
	Entries int // of all tables of a component
	PerAtom int // the same, per atom of a component too large to enumerate
}

// Affordable are the bounds for one-time computations.
var Affordable = Bounds{MostEntries, MostEntries}

// Divide sets the routes of a bound model's components. Those of at most maxAtoms atoms are enumerated, or eliminated if that is cheaper;
// larger ones are eliminated if [Tree.Bind] finds a tree within the bounds, and otherwise sampled. If maxAtoms is below 2, every component
// of two or more atoms is sampled. The routes depend only on the network.
func (r *Router) Divide(m *loglinear.Model, maxAtoms int, bounds Bounds) {
	r.states, r.plans, r.routes = 0, r.plans[:0], r.routes[:0]
	for c := range m.Components.Len() {
		var p plan
		if like, ok := replicated(m, c); ok {
			p = r.plans[like]
		} else {
			p = r.plan(m, c, maxAtoms, bounds)
		}
		r.plans, r.routes = append(r.plans, p), append(r.routes, p.route)
		r.states += p.states(len(m.Components.Atoms(c)))
	}
	m.SetRoutes(r.routes)
}

func (r *Router) plan(m *loglinear.Model, component, maxAtoms int, bounds Bounds) plan {
	atoms := m.Components.Atoms(component)
	n := len(atoms)
	p := plan{route: loglinear.Sample}
	entries := bounds.Entries
	if n <= maxAtoms {
		p.route = loglinear.Enumerate
	} else {
		entries = min(entries, bounds.PerAtom*n)
	}
	if maxAtoms < 2 || n <= maxAtoms && treeWork(n, 0) >= 1<<n {
		return p
	}
	err := r.tree.Bind(m, atoms, entries)
	p.width, p.entries = r.tree.Width(), r.tree.Entries()
	if err == nil && (n > maxAtoms || treeWork(n, p.entries) < 1<<n) {
		p.route = loglinear.Eliminate
	}
	return p
}

// states returns the number of states enumerated for a component: see [Router.States].
func (p *plan) states(atoms int) int {
	switch {
	case p.route == loglinear.Eliminate:
		return treeWork(atoms, p.entries)
	case p.route == loglinear.Enumerate && atoms > 1:
		return 1 << atoms
	}
	return 0
}

// replicated returns the component of the first replica that equals a component of another replica.
func replicated(m *loglinear.Model, component int) (like int, ok bool) {
	x, net := &m.Bilinear, m.Net
	if !x.Any() || len(net.Conjunctions)+len(net.Features)+len(net.Clauses)+len(net.HardFeatures) > 0 {
		return 0, false
	}
	place, replica := x.Replicas.Of(m.Components.Atoms(component)[0])
	if replica == 0 {
		return 0, false
	}
	return m.Components.Of(x.Replicas.Atom(place, 0)), true
}

// States returns the number of states enumerated in all components of two or more atoms; a junction tree counts as the states that take as
// long.
func (r *Router) States() int { return r.states }

// Routes returns the routes set by Divide, until its next call.
func (r *Router) Routes() []loglinear.Route { return r.routes }

// Width returns the width of the junction tree of an eliminated component, or the width in the [WidthError] of one too large.
func (r *Router) Width(component int) int { return r.plans[component].width }
