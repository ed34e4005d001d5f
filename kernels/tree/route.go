package tree

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// Router decides how the components of models are solved. The zero value is ready for use; its memory is reused.
type Router struct {
	tree   Tree
	routes []loglinear.Route
	widths []int
	states int
}

// alwaysEnumerated is the largest component for which no tree is looked for, and treeEntry how many states take as long to
// enumerate as an entry of a table takes on a tree.
const (
	alwaysEnumerated = 12
	treeEntry        = 8
)

// Bounds say what a junction tree may cost.
type Bounds struct {
	Entries int // of all tables of a component
	PerAtom int // the same, by atom of the component
}

// Affordable are the bounds of what is computed once.
var Affordable = Bounds{MostEntries, MostEntries}

// Divide sets the routes of a bound model's components: of at most maxAtoms atoms they are enumerated, or eliminated where
// that is cheaper; larger ones are eliminated where [Tree.Bind] finds a tree within the bounds, and else left to sampling.
// Where maxAtoms is below 2, every component of two or more atoms is. It depends on the network alone.
func (r *Router) Divide(m *loglinear.Model, maxAtoms int, bounds Bounds) {
	r.states = 0
	r.routes, r.widths = grow.To(r.routes, m.Components.Len()), grow.Zeroed(r.widths, m.Components.Len())
	for c := range r.routes {
		r.routes[c] = r.route(m, c, maxAtoms, bounds)
	}
	m.SetRoutes(r.routes)
}

// States returns how many states of the components are enumerated, those of single atoms left out; an entry of a tree's tables
// counts as the states that take as long.
func (r *Router) States() int { return r.states }

// Routes returns the routes that were set, until the next Divide.
func (r *Router) Routes() []loglinear.Route { return r.routes }

// Width returns the width of the junction tree of an eliminated component, and of one that is too large for it what
// [WidthError] says.
func (r *Router) Width(component int) int { return r.widths[component] }

func (r *Router) route(m *loglinear.Model, component, maxAtoms int, bounds Bounds) loglinear.Route {
	atoms := m.Components.Atoms(component)
	n := len(atoms)
	switch {
	case n == 1 && maxAtoms >= 1:
		return loglinear.Enumerate
	case maxAtoms < 2:
		return loglinear.Sample
	}
	if n > min(maxAtoms, alwaysEnumerated) {
		err := r.tree.Bind(m, atoms, min(bounds.Entries, bounds.PerAtom*n))
		r.widths[component] = r.tree.Width()
		if states := treeEntry * r.tree.Entries(); err == nil && (n > maxAtoms || states <= 1<<n) {
			r.states += states
			return loglinear.Eliminate
		}
	}
	if n > maxAtoms {
		return loglinear.Sample
	}
	r.states += 1 << n
	return loglinear.Enumerate
}
