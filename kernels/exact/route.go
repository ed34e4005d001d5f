package exact

import (
	"resolwe/kernels/loglinear"
)

// Router decides how the components of models are solved. The zero value is ready for use; its memory is reused.
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

// treeWork is what a junction tree of n atoms costs, measured in states that take as long to enumerate.
func treeWork(atoms, entries int) int {
	const atom, entriesOfState = 20, 4
	return atom*atoms + entries/entriesOfState
}

// Bounds say what a junction tree may cost.
type Bounds struct {
	Entries int // of all tables of a component
	PerAtom int // the same, by atom of a component that is too large to be enumerated
}

// Affordable are the bounds of what is computed once.
var Affordable = Bounds{MostEntries, MostEntries}

// Divide sets the routes of a bound model's components: of at most maxAtoms atoms they are enumerated, or eliminated where
// that is cheaper; larger ones are eliminated where [Tree.Bind] finds a tree within the bounds, and else left to sampling.
// Where maxAtoms is below 2, every component of two or more atoms is. It depends on the network alone.
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

// states returns how many states of a component of n atoms are enumerated: see [Router.States].
func (p *plan) states(atoms int) int {
	switch {
	case p.route == loglinear.Eliminate:
		return treeWork(atoms, p.entries)
	case p.route == loglinear.Enumerate && atoms > 1:
		return 1 << atoms
	}
	return 0
}

// replicated returns the component of the first replica that one of another replica is equal to.
func replicated(m *loglinear.Model, component int) (like int, ok bool) {
	x, net := &m.Bilinear, m.Net
	if !x.Any() || !x.Replicas.Pairs || len(net.Conjunctions)+len(net.Features)+len(net.Clauses)+len(net.HardFeatures) > 0 {
		return 0, false
	}
	place, replica := x.Replicas.Of(m.Components.Atoms(component)[0])
	if replica == 0 {
		return 0, false
	}
	return m.Components.Of(x.Replicas.Atom(place, 0)), true
}

// States returns how many states of the components are enumerated, those of single atoms left out; a junction tree
// counts as the states that take as long.
func (r *Router) States() int { return r.states }

// Routes returns the routes that were set, until the next Divide.
func (r *Router) Routes() []loglinear.Route { return r.routes }

// Width returns the width of the junction tree of an eliminated component, and of one that is too large for it what
// [WidthError] says.
func (r *Router) Width(component int) int { return r.plans[component].width }
