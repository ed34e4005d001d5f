package cut

import (
	"cmp"
	"fmt"

	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// Cutter cuts subgraphs, one at a time, reusing its memory. It is not safe for concurrent use: each worker needs its own.
type Cutter struct {
	plan *RecipePlan
	*evaluator
	sampler   sampler
	numbering []numbering // by type
	drawn     Drawn       // of all centers
	here      Drawn       // of the current center
}

// NewCutter returns a cutter.
func (p *RecipePlan) NewCutter() *Cutter {
	e := newEvaluator(&p.graph, p.fixed, p.domains)
	e.covered = newCoverage(p)
	c := &Cutter{plan: p, evaluator: e, drawn: Drawn{}, here: Drawn{}}
	for t := range p.recipe.Schema.Types {
		if p.recipe.Schema.IsNumber(t) {
			c.numbering = append(c.numbering, new(valueNumbering))
		} else {
			c.numbering = append(c.numbering, &entityNumbering{dict: p.universe.Dicts[t]})
		}
	}
	return c
}

// Cut writes the subgraph of a center, an index of [RecipePlan.Centers], to dst, except its Index. The memory is dst's own, except that of
// most names, which is the universe's. If the center fails a requirement it returns false and leaves dst unchanged. The result depends only
// on the recipe, the tables and the center. The error is a *UsageError if rules give an atom two truth values; otherwise a sum exceeds
// 64 bits.
func (c *Cutter) Cut(dst *subgraph.Subgraph, center int) (bool, error) {
	p, at := c.plan, &c.plan.centers[center]
	c.begin(uint64(at.Entity))
	clear(c.here)
	for _, i := range p.recipe.Order {
		r := &p.recipe.Relations[i]
		switch {
		case r.View != nil:
			p.views[i].fill(&c.local[i], center, p.centers, &c.sorter)
		case r.Local:
			if !c.relation(i, len(r.Columns), p.rules[i]) {
				return false, fmt.Errorf("relation %s, center %s: a sum is beyond 64 bits", r.Name, at.Name)
			}
			c.sample(i, at.Name)
		}
		if !c.meets(i) {
			return false, nil
		}
	}
	relations, domains, err := c.collect(at)
	if err != nil {
		return false, err
	}
	dst.Name, dst.Center, dst.Fold, dst.Time = at.Name, at.Name, at.Fold, at.Time
	dst.Domains, dst.Relations = domains, relations
	c.settle()
	return true, nil
}

// relation evaluates the rules of a relation. It reports whether all sums fit.
func (e *evaluator) relation(i, width int, plans []rulePlan) bool {
	dst := &e.local[i]
	dst.reset(width)
	for _, p := range plans {
		src, first := e.rows(p.root), dst.n
		switch own := e.fixed[p.root] == nil && e.graph.nodes[p.root].kind != nodeRelation; {
		case p.aggregate != nil:
			if !e.aggregate(p.aggregate, src, dst) {
				return false
			}
		case own && len(plans) == 1: // takes over the memory; another rule would evaluate the node again
			*dst, e.slots[p.root] = e.slots[p.root], *dst
			e.done[p.root] = false
		default:
			dst.data = append(dst.data, src.data...)
			dst.n += src.n
		}
		for _, c := range p.floats {
			dst.toFloat(c, first)
		}
		note(e.covered.Rules, p.rule, dst.n > first)
	}
	e.normalize(dst)
	return true
}

// sample reduces a relation to the sample that the recipe requests.
func (c *Cutter) sample(i int, center string) {
	s := c.plan.recipe.Relations[i].Sample
	if s == nil {
		return
	}
	c.tally(i, 0)
	defer c.tally(i, 1)
	per := c.tuples(s.Per)
	k := min(int64(s.N)*int64(per.n), int64(c.local[i].n))
	var quotas map[uint64]int
	if s.Stratified {
		quotas = map[uint64]int{} // by the value in the last column
		for i := range per.n {
			quotas[per.row(i)[per.width-1]]++
		}
		for value, n := range quotas {
			quotas[value] = int(min(int64(s.N)*int64(n), int64(c.local[i].n)))
		}
	}
	c.sampler.draw(&c.local[i], int(k), quotas, s.Seed, elementary.Hash(center), c.plan.names[i], &c.sorter)
}

// meets tests the requirements that become testable once a relation is known.
func (c *Cutter) meets(relation int) bool {
	for _, k := range c.plan.requires[relation] {
		r := &c.plan.recipe.Requires[k]
		left, right := float64(c.tuples(r.Left).n), r.Number
		if r.Right >= 0 {
			right = float64(c.tuples(r.Right).n)
		}
		ok := r.Op.HoldsFor(cmp.Compare(left, right))
		note(c.covered.Requires, k, ok)
		if !ok {
			return false
		}
	}
	return true
}
