package cut

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
)

// Limits of the strata that are told apart.
const (
	maxStrata      = 200 // of a draw
	maxStratumName = 64  // bytes
)

// draw says by which sample the atoms of a target, of one truth, were drawn.
type draw struct {
	predicate int
	truth     subgraph.Truth
	sampled   int   // the relation; -1 for the atoms that are in no sample
	columns   []int // of it that make the atom, and the stratum as the last one if there are strata
	distinct  bool  // several of its tuples may make one atom
}

// drawsOf finds the samples of the targets' atoms: a rule that states them has an atom of a sampled relation, or of a helper with one rule that has.
// Targets without any have no draws.
func drawsOf(r *recipe.Recipe) (all []draw) {
	for predicate, facts := range factsOf(r) {
		var found []draw
		sampled := false
		for k, relation := range facts[:2] {
			truth := subgraph.True + subgraph.Truth(k)
			if relation < 0 {
				continue
			}
			for _, s := range samplesOf(r, relation, allColumns(&r.Relations[relation])) {
				known := slices.ContainsFunc(found, func(d draw) bool { return d.truth == truth && d.sampled == s.relation })
				if !known {
					columns, distinct := s.key(r)
					found, sampled = append(found, draw{predicate, truth, s.relation, columns, distinct}), true
				}
			}
			found = append(found, draw{predicate: predicate, truth: truth, sampled: -1})
		}
		if sampled && r.Schema.Predicates[predicate].Role != mln.RoleEvidence {
			all = append(all, found...)
		}
	}
	return all
}

func allColumns(r *recipe.Relation) []int {
	columns := make([]int, len(r.Columns))
	for i := range columns {
		columns[i] = i
	}
	return columns
}

// place is a sampled relation, and the columns that hold arguments of the atoms which are drawn by it.
type place struct {
	relation int
	columns  []int
}

// key returns the columns that tell an atom and its stratum, and whether several tuples may agree in them.
func (p place) key(r *recipe.Recipe) (columns []int, distinct bool) {
	last := len(r.Relations[p.relation].Columns) - 1
	columns = p.columns
	if r.Relations[p.relation].Sample.Stratified {
		columns = append(slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return c == last }), last)
	}
	return columns, len(columns) <= last
}

// samplesOf returns the samples by which some columns of a relation were drawn: one at most for each rule.
func samplesOf(r *recipe.Recipe, relation int, columns []int) (all []place) {
	of := &r.Relations[relation]
	if of.Sample != nil {
		return []place{{relation, columns}}
	}
	for _, i := range of.Rules {
		rule := &r.Rules[i]
		for _, a := range rule.Positive {
			var shared []int // columns of a that hold the variables of the head's columns
			for k, arg := range a.Args {
				in := func(c int) bool { t := rule.Terms[c].Term; return t.Kind == recipe.TermVariable && t.Var == arg.Var }
				if arg.Kind == recipe.TermVariable && slices.ContainsFunc(columns, in) {
					shared = append(shared, k)
				}
			}
			body := &r.Relations[a.Relation]
			if len(shared) == 0 || body.Sample == nil && len(body.Rules) != 1 {
				continue
			}
			if found := samplesOf(r, a.Relation, shared); len(found) > 0 {
				all = append(all, found...)
				break
			}
		}
	}
	return all
}

// stratum is a stratum of a draw, by index; its value is 0 if there are none.
type stratum struct {
	draw  int
	value uint64
}

// zeros finds the candidates that a match leaves out: those without rows have no count, and so no stratum.
type zeros struct {
	draws      [2]int // the draws of the true and the false atoms that belong to no sample
	candidates place  // all
	counted    place  // those with a count
	stated     int    // the relation of all atoms that are true
}

// withStated returns the recipe with relations of the atoms that are true before any are drawn, where they are drawn in strata by counts.
func withStated(r *recipe.Recipe) (*recipe.Recipe, []zeros) {
	var found []zeros
	out := *r
	draws := drawsOf(r)
	for k := range draws {
		d := &draws[k]
		if d.truth != subgraph.True || d.sampled < 0 || !r.Relations[d.sampled].Sample.Stratified {
			continue
		}
		z := zeros{draws: [2]int{-1, -1}, stated: len(out.Relations)}
		for i, o := range draws {
			if o.predicate == d.predicate && o.sampled < 0 {
				z.draws[o.truth-subgraph.True] = i
			}
		}
		facts := &r.Relations[factsOf(r)[d.predicate][0]]
		if z.draws[0] < 0 || z.draws[1] < 0 || len(facts.Rules) != 1 || !z.descend(r, place{d.sampled, d.columns[:len(d.columns)-1]}) {
			continue
		}
		rule := r.Rules[facts.Rules[0]]
		rule.Head = z.stated
		rule.Positive = slices.DeleteFunc(slices.Clone(rule.Positive), func(a recipe.Atom) bool { return r.Relations[a.Relation].Sample != nil })
		if !binds(&rule) {
			continue
		}
		found = append(found, z)
		out.Rules = append(slices.Clip(out.Rules), rule)
		out.Order = append(slices.Clip(out.Order), z.stated)
		out.Relations = append(slices.Clip(out.Relations), recipe.Relation{
			Role: recipe.RoleHelper, Name: facts.Name, Columns: facts.Columns, Index: -1, Rules: []int{len(out.Rules) - 1}, Local: true, Pos: facts.Pos,
		})
	}
	return &out, found
}

// binds reports whether positive atoms bind all variables of a rule.
func binds(rule *recipe.Rule) bool {
	bound := map[int]bool{}
	for _, a := range rule.Positive {
		for _, t := range a.Args {
			bound[t.Var] = bound[t.Var] || t.Kind == recipe.TermVariable
		}
	}
	free := func(t recipe.Term) bool { return t.Kind == recipe.TermVariable && !bound[t.Var] }
	return !slices.ContainsFunc(rule.Terms, func(h recipe.HeadTerm) bool { return h.Aggregate != 0 || free(h.Term) }) &&
		!slices.ContainsFunc(rule.Comparisons, func(c recipe.Comparison) bool { return slices.ContainsFunc(c.Terms(), free) }) &&
		!slices.ContainsFunc(rule.Negative, func(a recipe.Atom) bool { return slices.ContainsFunc(a.Args, free) })
}

// descend finds the count by which a relation's strata are told, and the candidates that were counted.
func (z *zeros) descend(r *recipe.Recipe, at place) bool {
	of := &r.Relations[at.relation]
	if len(of.Rules) != 1 {
		return false
	}
	rule := &r.Rules[of.Rules[0]]
	counts := rule.Terms[len(rule.Terms)-1].Aggregate == recipe.AggregateCount
	for i := range rule.Positive {
		a := &rule.Positive[i]
		body := &r.Relations[a.Relation]
		if body.Role != recipe.RoleHelper || !body.Local {
			continue
		}
		next := place{a.Relation, nil}
		for _, c := range at.columns {
			for k, arg := range a.Args {
				if t := rule.Terms[c].Term; t.Kind == recipe.TermVariable && arg.Kind == recipe.TermVariable && arg.Var == t.Var {
					next.columns = append(next.columns, k)
					break
				}
			}
		}
		switch {
		case len(next.columns) < len(at.columns):
		case counts:
			z.candidates, z.counted = next, at
			return true
		case z.descend(r, next):
			return true
		}
	}
	return false
}

// leftOut counts the candidates of a center that a match leaves out, by whether their atoms are true.
func (c *Cutter) leftOut(z *zeros) {
	all, counted := c.project(z.candidates), c.project(z.counted)
	stated := &c.local[z.stated]
	for i := range all.n {
		row := all.row(i)
		if has(counted, row) {
			continue
		}
		d := z.draws[1]
		if has(stated, row) {
			d = z.draws[0]
		}
		c.drawn.add(stratum{draw: d}, 0, 1)
	}
}

func has(r *rows, row []uint64) bool {
	lo, hi := r.find(row)
	return lo < hi
}

// project returns the distinct tuples in some columns of a relation.
func (c *Cutter) project(p place) *rows {
	of, out := &c.local[p.relation], &rows{}
	out.reset(len(p.columns))
	for i := range of.n {
		for _, column := range p.columns {
			out.data = append(out.data, of.row(i)[column])
		}
	}
	out.n = of.n
	c.normalize(out)
	return out
}

// Drawn counts the atoms of the draws: those that were eligible, and those that were kept.
type Drawn map[stratum][2]int64

// Merge adds the counts of others.
func (d Drawn) Merge(other Drawn) {
	for s, n := range other {
		d.add(s, 0, n[0])
		d.add(s, 1, n[1])
	}
}

func (d Drawn) add(s stratum, which int, n int64) {
	counts := d[s]
	counts[which] += n
	d[s] = counts
}

// Drawn returns the counts of the subgraphs that the cutter has cut: a view, which the next [Cutter.Cut] changes.
func (c *Cutter) Drawn() Drawn { return c.drawn }

// tally counts the tuples of a sampled relation, before or after it is drawn, for the center.
func (c *Cutter) tally(relation, which int) {
	for k := range c.plan.draws {
		if d := &c.plan.draws[k]; d.sampled == relation {
			c.count(k, d, which)
		}
	}
}

// count counts the atoms of a draw, before or after it.
func (c *Cutter) count(k int, d *draw, which int) {
	of := &c.local[d.sampled]
	stratified := c.plan.recipe.Relations[d.sampled].Sample.Stratified
	if d.distinct {
		of = c.project(place{d.sampled, d.columns})
	}
	if !stratified {
		c.here.add(stratum{draw: k}, which, int64(of.n))
		return
	}
	for i := range of.n {
		c.here.add(stratum{k, of.row(i)[of.width-1]}, which, 1)
	}
}

// settle adds the counts of a center that has a subgraph. Atoms that are in no sample were all kept.
func (c *Cutter) settle() {
	facts := c.plan.facts
	for s, n := range c.here {
		c.drawn.add(s, 0, n[0])
		c.drawn.add(s, 1, n[1])
	}
	for i := range c.plan.zeros {
		c.leftOut(&c.plan.zeros[i])
	}
	for k := range c.plan.draws {
		d := &c.plan.draws[k]
		if d.sampled >= 0 {
			continue
		}
		drawn := int64(0)
		for s, n := range c.here {
			if o := &c.plan.draws[s.draw]; o.predicate == d.predicate && o.truth == d.truth {
				drawn += n[1]
			}
		}
		rest := int64(c.tuples(facts[d.predicate][d.truth-subgraph.True]).n) - drawn
		if rest > 0 {
			c.drawn.add(stratum{draw: k}, 0, rest)
			c.drawn.add(stratum{draw: k}, 1, rest)
		}
	}
}

// Draws tells the counts of all cutters, by target, truth and stratum. A draw of more than 200 strata has none.
func (p *RecipePlan) Draws(drawn Drawn) (out []origin.Draw) {
	strata := make([]int, len(p.draws))
	for s := range drawn {
		strata[s.draw]++
	}
	keys := slices.SortedFunc(maps.Keys(drawn), func(a, b stratum) int {
		return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.value, b.value))
	})
	var all *origin.Origin
	for _, s := range keys {
		d := &p.draws[s.draw]
		one := origin.Draw{
			Target: p.recipe.Schema.Predicates[d.predicate].Name, Truth: d.truth == subgraph.True, Eligible: drawn[s][0], Kept: drawn[s][1],
		}
		if strata[s.draw] <= maxStrata {
			one.Stratum = p.stratumName(d, s.value)
		}
		all = origin.Join(all, &origin.Origin{Draws: []origin.Draw{one}})
	}
	if all == nil {
		return nil
	}
	return all.Draws
}

// stratumName returns the text of a stratum, none for one whose name is long.
func (p *RecipePlan) stratumName(d *draw, value uint64) (name string) {
	if d.sampled < 0 || !p.recipe.Relations[d.sampled].Sample.Stratified {
		return ""
	}
	columns := p.recipe.Relations[d.sampled].Columns
	switch t := columns[len(columns)-1]; t.Kind {
	case table.KindEntity:
		name = p.universe.Dicts[t.Entity].Name(uint32(value))
	case table.KindFloat:
		name = mln.FormatNumber(decodeFloat(value))
	case table.KindInt, table.KindDay, table.KindTime:
		name = strconv.FormatInt(decodeInt(value), 10)
	}
	if len(name) > maxStratumName {
		return ""
	}
	return name
}
