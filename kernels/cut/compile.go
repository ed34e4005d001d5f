package cut

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// Center is an entity around which a subgraph is cut.
type Center struct {
	Entity uint32 // id in the dictionary of its type
	Name   string
	Fold   int           // cross-validation fold, -1 where the recipe gives none
	Time   subgraph.Time // that the recipe orders centers by, none where it orders them by nothing or by a number
}

// RecipePlan is a recipe over tables, ready to be run. It is read-only: any number of cutters may share it.
type RecipePlan struct {
	recipe   *recipe.Recipe
	universe *table.Universe
	centers  []Center
	graph    graph
	fixed    []*rows          // by node, see evaluator
	domains  []int            // by relation, see evaluator
	rules    [][]rulePlan     // by relation that is local
	shared   []*rows          // by relation that is not: its tuples, where they are facts or entities
	counts   []int            // by relation that is not: the number of its tuples
	strata   []map[uint64]int // by relation that is not, where a stratified sample is per it: its strata
	names    [][]*nameOrder   // by relation that is sampled: the orders of its columns
	views    []*view          // by relation that is a view
	requires [][]int          // by relation: the requirements that can be tested once it is known
	facts    []factRelations  // by predicate
	entities []int            // relations of role RoleEntity
	covered  Coverage         // of the rules that are the same for all centers
}

// UsageError is a recipe, or a table that it reads, which has to change.
type UsageError struct{ Message string }

// Error names the center, and what is wrong with it.
func (e *UsageError) Error() string { return e.Message }

// IsUsage reports true.
func (e *UsageError) IsUsage() bool { return true }

// Compile plans a recipe over its tables, in the recipe's order, whose entities the universe holds: it evaluates what is
// the same for all centers, finds the centers and builds indexes. Constants of the recipe that the tables do not have are
// added to the universe, which must not change afterwards; the tables are not kept. The error is a *UsageError where a
// center has two folds or an impossible one, or says that a table has too many rows or that a sum is beyond 64 bits.
func Compile(r *recipe.Recipe, u *table.Universe, tables []*table.Table) (*RecipePlan, error) {
	n := len(r.Relations)
	c := &compiler{
		planner: planner{recipe: r, universe: u, relations: make([]*relation, n), sizes: make([]*size, n)},
		plan: &RecipePlan{
			recipe: r, universe: u, rules: make([][]rulePlan, n), shared: make([]*rows, n), counts: make([]int, n), strata: make([]map[uint64]int, n),
			names: make([][]*nameOrder, n), views: make([]*view, n), requires: make([][]int, n),
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

// Centers returns the centers in the order in which they first appear in the tables, or that the recipe gives them; of equal
// places in that the one that appears first is first. The slice is the plan's.
func (p *RecipePlan) Centers() []Center { return p.centers }

type compiler struct {
	planner
	plan *RecipePlan
}

// clear forgets nodes and indexes, which serve one relation of the tables only or all local ones.
func (c *compiler) clear() {
	c.graph = graph{ids: map[string]int{}}
	c.indexes = map[string]*index{}
}

// load takes in the tables.
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

// evaluate computes a relation that is the same for all centers.
func (c *compiler) evaluate(i int) error {
	c.clear()
	r := &c.recipe.Relations[i]
	plans := make([]rulePlan, 0, len(r.Rules))
	for _, rule := range r.Rules {
		plan, _ := c.planner.plan(rule)
		plans = append(plans, plan)
	}
	n := len(c.recipe.Relations)
	e := newEvaluator(&c.graph, make([]*rows, len(c.graph.nodes)), make([]int, n))
	e.covered = c.plan.covered
	if !e.relation(i, len(r.Columns), plans) {
		return fmt.Errorf("relation %s: a sum is beyond 64 bits", r.Name)
	}
	result := &e.local[i]
	c.plan.counts[i] = result.n
	for _, r := range c.recipe.Relations {
		if s := r.Sample; s != nil && s.Stratified && s.Per == i {
			c.plan.strata[i] = strataOf(result)
		}
	}
	switch r.Role {
	case recipe.RoleCenter:
		if err := c.takeCenters(result); err != nil {
			return err
		}
	case recipe.RoleTrue, recipe.RoleFalse, recipe.RoleEntity:
		c.plan.shared[i] = result
	case recipe.RoleHelper, recipe.RoleTable:
	}
	sizes := make([]int, len(r.Columns))
	for k, t := range r.Columns {
		sizes[k] = c.domain(t)
	}
	c.relations[i] = fromRows(result, sizes)
	return nil
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

// timeOf returns the time that a value stands for, none for another kind of value, or far from our days.
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
		c.plan.views[i], c.sizes[i] = c.newView(r.View), c.viewSize(r.View)
		return
	}
	total := &size{distinct: map[int]float64{}}
	for _, rule := range r.Rules {
		plan, s := c.planner.plan(rule)
		c.plan.rules[i] = append(c.plan.rules[i], plan)
		total.union(s)
	}
	if s := r.Sample; s != nil {
		per := float64(c.plan.counts[s.Per])
		if c.sizes[s.Per] != nil {
			per = c.sizes[s.Per].rows
		}
		total.rows = min(total.rows, float64(s.N)*per)
		total.limit()
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
	p.facts = factsOf(c.recipe)
	p.fixed = c.fixedResults()
}

// fixedResults evaluates the nodes that are the same for all centers where others, or rules, read them.
func (c *compiler) fixedResults() []*rows {
	nodes := c.graph.nodes
	read := make([]bool, len(nodes))
	var visit func(int)
	visit = func(i int) {
		if read[i] {
			return
		}
		read[i] = true
		if n := &nodes[i]; !n.fixed && n.kind != nodeRelation {
			visit(n.child)
			if n.kind == nodeJoin {
				visit(n.other)
			}
		}
	}
	for _, plans := range c.plan.rules {
		for _, p := range plans {
			visit(p.root)
		}
	}
	fixed := make([]*rows, len(nodes))
	e := newEvaluator(&c.graph, fixed, make([]int, len(c.recipe.Relations)))
	for i := range nodes {
		if nodes[i].fixed && read[i] {
			e.normalize(e.rows(i)) // so that no cutter does
			fixed[i] = &e.slots[i]
		}
	}
	return fixed
}
