package recipe

import (
	"slices"
	"strings"
)

// order sorts the relations by their dependencies, marks those that reach @center, and reports recursion.
func (c *checker) order() {
	g := graph{checker: c, state: make([]visit, len(c.recipe.Relations))}
	for i, r := range c.recipe.Relations {
		if r.Role != RoleTable && !g.visit(i) {
			return
		}
	}
	if center := &c.recipe.Relations[c.recipe.Center]; center.Local {
		c.fail(center.Pos, "the centers depend on @center: %s", strings.Join(g.reach(c.recipe.Center), " -> "))
	}
}

// visit is how far a relation's dependencies are known.
type visit uint8

const (
	visitNone visit = iota
	visitOpen
	visitDone
)

// graph is the dependencies between relations.
type graph struct {
	*checker
	state []visit
	path  []int
}

// dependsOn returns the relations that one depends on, in the order of its rules.
func (r *Recipe) dependsOn(relation int) []int {
	of := &r.Relations[relation]
	var out []int
	for _, i := range of.Rules {
		for _, a := range r.Rules[i].atoms() {
			out = append(out, a.Relation)
		}
	}
	if of.Sample != nil {
		out = append(out, of.Sample.Per)
	}
	if of.View != nil {
		out = append(out, of.View.Of)
	}
	return out
}

// visit puts a relation into the order after what it depends on. It reports whether there is no recursion.
func (g *graph) visit(relation int) bool {
	if g.state[relation] == visitDone {
		return true
	}
	if g.state[relation] == visitOpen {
		g.recursion(relation)
		return false
	}
	r := &g.recipe.Relations[relation]
	if r.Role == RoleTable {
		return true
	}
	g.state[relation] = visitOpen
	g.path = append(g.path, relation)
	r.Local = r.Sample != nil || r.View != nil || slices.ContainsFunc(r.Rules, g.mentionsCenter)
	for _, n := range g.recipe.dependsOn(relation) {
		if !g.visit(n) {
			return false
		}
		r.Local = r.Local || g.recipe.Relations[n].Local
	}
	g.path = g.path[:len(g.path)-1]
	g.state[relation] = visitDone
	g.recipe.Order = append(g.recipe.Order, relation)
	return true
}

// mentionsCenter reports whether @center stands in a rule.
func (g *graph) mentionsCenter(rule int) bool {
	r := &g.recipe.Rules[rule]
	is := func(t Term) bool { return t.Kind == TermCenter }
	return slices.ContainsFunc(r.Terms, func(h HeadTerm) bool { return is(h.Term) }) ||
		slices.ContainsFunc(r.atoms(), func(a Atom) bool { return slices.ContainsFunc(a.Args, is) }) ||
		slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return is(c.A) || is(c.B) })
}

// recursion reports the cycle that ends the path.
func (g *graph) recursion(relation int) {
	path := g.path[slices.Index(g.path, relation):]
	cycle := make([]string, len(path), len(path)+1)
	for i, on := range path {
		cycle[i] = g.recipe.Relations[on].describe()
	}
	r := &g.recipe.Relations[relation]
	cycle = append(cycle, r.describe())
	g.fail(r.Pos, "relation %s depends on itself: %s", r.describe(), strings.Join(cycle, " -> "))
}

// reach returns how a local relation depends on @center.
func (g *graph) reach(relation int) []string {
	r := &g.recipe.Relations[relation]
	path := []string{r.describe()}
	if slices.ContainsFunc(r.Rules, g.mentionsCenter) {
		return append(path, "@center")
	}
	for _, n := range g.recipe.dependsOn(relation) {
		if g.recipe.Relations[n].Local {
			return append(path, g.reach(n)...)
		}
	}
	return append(path, "sample")
}
