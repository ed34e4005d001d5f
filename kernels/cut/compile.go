package cut

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// Center is an entity around which a subgraph is cut.
type Center struct {
	Entity uint32 // id in the dictionary of its type
	Name   string
	Fold   int           // cross-validation fold, -1 if the recipe gives none
	Time   subgraph.Time // by which the recipe orders centers; none if it does not, or by a number
}

// RecipePlan is a recipe compiled for its tables. It is read-only and may be shared by several cutters.
type RecipePlan struct {
	recipe   *recipe.Recipe
	universe *table.Universe
	centers  []Center
	graph    graph
	fixed    []func() *rows  // by node, see evaluator
	domains  []int           // by relation, see evaluator
	rules    [][]rulePlan    // by local relation
	shared   []*rows         // by shared relation: its tuples, if they are facts or entities, or are counted
	names    [][]*nameOrder  // by sampled relation: the orders of its columns
	views    []*view         // by relation that is a view
	requires [][]int         // by relation: the requirements to test once it is known
	facts    []factRelations // by predicate
	draws    []draw
	zeros    []zeros
	entities []int    // relations of role RoleEntity
	covered  Coverage // of the rules that do not depend on the center
}

// UsageError reports a recipe, or a table that it reads, that must be changed.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// IsUsage reports true.
func (e *UsageError) IsUsage() bool { return true }

// Compile plans a recipe over its tables, in the recipe's order, with their entities in the universe. It evaluates what does not depend on
// the center, finds the centers and builds indexes. Constants of the recipe that the tables lack are added to the universe, which must not
// change afterwards; the tables are not kept. The error is a *UsageError if a center has two folds or an invalid one; otherwise a table has
// too many rows or a sum exceeds 64 bits.
func Compile(r *recipe.Recipe, u *table.Universe, tables []*table.Table) (*RecipePlan, error) {
	r, zeros := withStated(r)
	n := len(r.Relations)
	c := &compiler{
		planner: planner{recipe: r, universe: u, relations: make([]*relation, n), sizes: make([]float64, n)},
		plan: &RecipePlan{
			recipe: r, universe: u, rules: make([][]rulePlan, n), shared: make([]*rows, n), names: make([][]*nameOrder, n),
			views: make([]*view, n), requires: make([][]int, n), zeros: zeros,
		},
	}
	c.plan.covered = newCoverage(c.plan)
	if err := c.load(tables); err != nil {
		return nil, err
	}
	for _, i := range r.Order {
		if r.Relations[i].Local {
			continue
		}
		if err := c.evaluate(i); err != nil {
			return nil, err
		}
	}
	c.clear()
	for _, i := range r.Order {
		if r.Relations[i].Local {
			c.planRelation(i)
		}
	}
	c.finish()
	return c.plan, nil
}

// Centers returns the centers in the recipe's order or, without one and for ties, in the order of first appearance in the tables. The slice
// is the plan's.
func (p *RecipePlan) Centers() []Center { return p.centers }

type compiler struct {
	planner
	plan *RecipePlan
}

// clear drops nodes and indexes, which serve only one shared relation or all local ones.
func (c *compiler) clear() {
	c.graph = graph{ids: map[string]int{}}
	c.indexes = map[string]*index{}
}

// load loads the tables.
func (c *compiler) load(tables []*table.Table) error {
	for i := range c.recipe.Relations {
		r := &c.recipe.Relations[i]
		if r.Role != recipe.RoleTable {
			continue
		}
		t := tables[r.Index]
		if uint64(t.Rows) > math.MaxUint32 {
			return fmt.Errorf("table %s: %d rows, at most 2^32 - 1 are possible", r.Name, t.Rows)
		}
		c.relations[i] = fromTable(t, c.universe)
	}
	return nil
}

// evaluate computes a relation that does not depend on the center.
func (c *compiler) evaluate(i int) error {
	c.clear()
	r := &c.recipe.Relations[i]
	plans := make([]rulePlan, 0, len(r.Rules))
	for _, rule := range r.Rules {
		plan, _ := c.planner.plan(rule)
		plans = append(plans, plan)
	}
	n := len(c.recipe.Relations)
	e := newEvaluator(&c.graph, make([]func() *rows, len(c.graph.nodes)), make([]int, n))
	e.covered = c.plan.covered
	if !e.relation(i, len(r.Columns), plans) {
		return fmt.Errorf("relation %s: a sum is beyond 64 bits", r.Name)
	}
	result := &e.local[i]
	if r.Role == recipe.RoleCenter {
		if err := c.takeCenters(result); err != nil {
			return err
		}
	} else if r.Role != recipe.RoleHelper || c.isCounted(i) {
		c.plan.shared[i] = result
	}
	sizes := make([]int, len(r.Columns))
	for k, t := range r.Columns {
		sizes[k] = c.domain(t)
	}
	c.relations[i] = fromRows(result, sizes)
	return nil
}

// isCounted reports whether a sample or requirement counts a relation's tuples.
func (c *compiler) isCounted(i int) bool {
	return slices.ContainsFunc(c.recipe.Relations, func(r recipe.Relation) bool { return r.Sample != nil && r.Sample.Per == i }) ||
		slices.ContainsFunc(c.recipe.Requires, func(q recipe.Require) bool { return q.Left == i || q.Right == i })
}

// domain returns the number of entities of a type, -1 for values.
func (c *compiler) domain(t recipe.Type) int {
	if t.Kind != table.KindEntity {
		return -1
	}
	return c.universe.Dicts[t.Entity].Len()
}

// takeCenters reads the relation of the centers.
func (c *compiler) takeCenters(r *rows) error {
	dict := c.universe.Dicts[c.recipe.Relations[c.recipe.Center].Columns[0].Entity]
	columns := c.recipe.Relations[c.recipe.Center].Columns
	kind := columns[len(columns)-1].Kind
	var places []uint64
	for i := range r.n {
		row := r.row(i)
		center := Center{Entity: uint32(row[0]), Name: dict.Name(uint32(row[0])), Fold: -1}
		again := i > 0 && r.row(i - 1)[0] == row[0]
		if c.recipe.Folds {
			fold := decodeInt(row[1])
			if fold < 0 || fold > math.MaxInt32 {
				return &UsageError{fmt.Sprintf("center %s is in fold %d: folds are from 0 to %d", center.Name, fold, math.MaxInt32)}
			}
			if again && r.row(i - 1)[1] != row[1] {
				return &UsageError{fmt.Sprintf("center %s is in folds %d and %d; give it one", center.Name, decodeInt(r.row(i - 1)[1]), fold)}
			}
			center.Fold = int(fold)
		}
		if c.recipe.By {
			center.Time = timeOf(kind, row[r.width-1])
		}
		if again {
			continue // with a later place in the order
		}
		c.plan.centers = append(c.plan.centers, center)
		places = append(places, row[r.width-1])
	}
	order := drawCenters(c.plan.centers, c.recipe.Drawn)
	if c.recipe.By {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	}
	centers := make([]Center, len(order))
	for i, k := range order {
		centers[i] = c.plan.centers[k]
	}
	c.plan.centers = centers
	return nil
}

// timeOf returns the time for a value, none for another kind of value or an implausible date.
func timeOf(kind table.Kind, value uint64) (t subgraph.Time) {
	switch kind {
	case table.KindDay:
		if day := decodeInt(value); day > -1<<30 && day < 1<<30 {
			t, _ = subgraph.TimeAt(day * isotime.SecondsOfDay)
		}
	case table.KindTime:
		t, _ = subgraph.TimeAt(decodeInt(value))
	case table.KindEntity, table.KindInt, table.KindFloat:
	}
	return t
}

// planRelation plans the rules of a local relation.
func (c *compiler) planRelation(i int) {
	r := &c.recipe.Relations[i]
	if r.View != nil {
		c.plan.views[i], c.sizes[i] = c.newView(r.View), c.relations[r.View.Of].columnStats(r.View.Center).fanOut
		return
	}
	total := 0.0
	for _, rule := range r.Rules {
		plan, rows := c.planner.plan(rule)
		c.plan.rules[i] = append(c.plan.rules[i], plan)
		total += rows
	}
	if s := r.Sample; s != nil {
		per := c.sizes[s.Per]
		if shared := c.plan.shared[s.Per]; shared != nil {
			per = float64(shared.n)
		}
		total = min(total, float64(s.N)*per)
	}
	c.sizes[i] = total
}

// finish completes the plan once all rules are planned.
func (c *compiler) finish() {
	p, n := c.plan, len(c.recipe.Relations)
	p.graph = c.graph
	p.domains = make([]int, n)
	orders := map[int]*nameOrder{}
	position := make([]int, n)
	for i := range c.recipe.Relations {
		r := &c.recipe.Relations[i]
		p.domains[i] = -1
		if r.Local && len(r.Columns) == 1 {
			p.domains[i] = c.domain(r.Columns[0])
		}
		if r.Sample != nil {
			p.names[i] = namesOf(r.Columns, c.universe, orders)
		}
		if r.Role == recipe.RoleEntity {
			p.entities = append(p.entities, i)
		}
	}
	for k, i := range c.recipe.Order {
		position[i] = k
	}
	for k, q := range c.recipe.Requires {
		last := q.Left
		if q.Right >= 0 && position[q.Right] > position[last] {
			last = q.Right
		}
		p.requires[last] = append(p.requires[last], k)
	}
	p.facts, p.draws = factsOf(c.recipe), drawsOf(c.recipe)
	p.fixed = make([]func() *rows, len(p.graph.nodes))
	for i := range p.graph.nodes {
		if node := &p.graph.nodes[i]; node.fixed {
			p.fixed[i] = sync.OnceValue(func() *rows { // by the first cutter that needs it
				e, dst := newEvaluator(&p.graph, p.fixed, make([]int, n)), &rows{}
				e.evaluate(node, dst)
				e.normalize(dst) // so that no cutter has to
				return dst
			})
		}
	}
}
