package recipe

import (
	"slices"
	"strings"
)

// order sorts the relations by their dependencies, marks those that depend on @center, and reports recursion.
func (c *checker) order() {
	g := graph{checker: c, done: make([]bool, len(c.recipe.Relations))}
	for i, r := range c.recipe.Relations {
		if r.Role != RoleTable && !g.visit(i) {
			return
		}
	}
	if center := &c.recipe.Relations[c.recipe.Center]; center.Local {
		c.fail(center.Pos, "the centers depend on @center: %s", strings.Join(g.reach(c.recipe.Center), " -> "))
	}
}

// graph holds the dependencies between relations.
type graph struct {
	*checker
	done []bool // by relation: it and its dependencies are in the order
	path []int  // from a relation to the one that is being visited
}

// dependsOn returns the relations on which one depends, in the order of its rules.
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

// visit puts a relation into the order after its dependencies, and reports whether there is no recursion.
func (g *graph) visit(relation int) bool {
	r := &g.recipe.Relations[relation]
	if g.done[relation] || r.Role == RoleTable {
		return true
	}
	if slices.Contains(g.path, relation) {
		g.recursion(relation)
		return false
	}
	g.path = append(g.path, relation)
	r.Local = r.Sample != nil || r.View != nil || slices.ContainsFunc(r.Rules, g.mentionsCenter)
	for _, n := range g.recipe.dependsOn(relation) {
		if !g.visit(n) {
			return false
		}
		r.Local = r.Local || g.recipe.Relations[n].Local
	}
	g.path = g.path[:len(g.path)-1]
	g.done[relation] = true
	g.recipe.Order = append(g.recipe.Order, relation)
	return true
}

// mentionsCenter reports whether a rule mentions @center.
func (g *graph) mentionsCenter(rule int) bool {
	return g.recipe.Rules[rule].mentions(func(t Term) bool { return t.Kind == TermCenter })
}

// recursion reports the cycle that the path closes.
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

// reach returns the chain by which a local relation depends on @center.
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
