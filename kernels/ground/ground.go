// Package ground turns a subgraph and formulas into the ground Markov network over the subgraph's query atoms.
package ground

import (
	"errors"
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// Program is a model's formulas prepared for grounding in one mode. It is read-only and may be shared by many
// grounders.
type Program struct {
	// Factoring says which joins stay bilinear factors. The zero value is for use, the others force one route.
	Factoring Factoring
	// Constants says that the constants of formulas have to fit in 63 bits. In mode Counting they always have to.
	Constants bool

	schema   *mln.Schema       // of the model
	derived  *derive.Relations // of the formulas
	prog     *plan.Program     // over the schema of derived
	mode     Mode
	least    int // FactoredAtoms
	formulas []*compiled
	whole    bool // whether some formula reads evidence outside of its selector
	// exchangeable says that all formulas have an index-driven route: they treat the first arguments of a listed target
	// alike.
	exchangeable bool
	scale        []float64 // Network.Scale
}

// Compile prepares formulas. Their weights play no part; hard ones constrain the network, but in mode Counting.
func Compile(schema *mln.Schema, formulas []*mln.Formula, mode Mode) *Program {
	p := &Program{schema: schema, derived: derive.New(schema), mode: mode, least: network.FactoredAtoms, exchangeable: true}
	p.prog, p.scale = plan.NewProgram(p.derived.Schema()), scales(formulas)
	for _, f := range formulas {
		c := p.compileRule(f)
		if c == nil {
			c = compile(p.prog, p.derived.Formula(f), mode)
		}
		c.text = func() string { return mln.FormatFormula(f) }
		if c.rule == nil {
			p.exchangeable = p.exchangeable && c.indexed != nil
		} else {
			for _, part := range c.rule.parts {
				p.exchangeable = p.exchangeable && part.indexed != nil
			}
		}
		p.formulas = append(p.formulas, c)
		p.whole = p.whole || !c.simple
	}
	return p
}

// Scale returns, by formula, what its counts are multiplied with, as Network.Scale has it; nil where all are 1.
func (p *Program) Scale() []float64 { return p.scale }

// Grounder grounds one subgraph at a time. It belongs to one goroutine; what it returns does not borrow from it.
type Grounder struct {
	// Trace, unless nil, is called with the index of each formula before it is grounded.
	Trace func(i int)
	// Stop, unless nil, is asked now and then; its error ends Ground.
	Stop func() error
	// Watch, unless nil, is told now and then how far a formula is: first, where Effort.First says so, soon after its beginning.
	Watch func(Effort)

	p        *Program
	derive   *derive.Scratch
	scratch  *join.Scratch
	atoms    *Atoms
	recycled *Atoms
	tables   []subgraph.Table // by predicate, the atoms of listed targets
	net      builder

	// The formula being grounded.
	c       *compiled
	i       uint32
	binding []uint32      // by output
	found   []int         // by slot, the query atom
	lits    []network.Lit // by slot, or the fixed truth
	inner   []uint32      // by variable, bindings of inner quantifiers
	tuple   []uint32
	bound   int           // how many outputs bind binds
	leaf    func(n int64) // what it calls then
	body    int64         // groundings that exist in which the selector holds
	err     error

	// What formulas share that meet in entities.
	spaces     map[string]*space
	incidences map[string]int
	pairLists  map[pairsKey]*pairList
	matrixRows []join.Vec // rows of an incidence matrix
	members    members
	place      []int32

	held []int32 // of a rule: see rule

	// Of formulas with a shape.
	shares, totals []int64      // by query atom; see setShares and dataValue
	shareOf        []int64      // of the heads p(x, y) of one x, by y
	weights        [2][]int64   // memory of rows of pairs
	shaped         []float64    // values, by formula
	headCounts     []headCounts // in mode Heading, by formula
}

// NewGrounder returns a grounder.
func NewGrounder(p *Program) *Grounder {
	g := &Grounder{
		p: p, derive: derive.NewScratch(p.derived), scratch: join.NewScratch(p.prog), tables: make([]subgraph.Table, len(p.prog.Schema.Predicates)),
		spaces: map[string]*space{}, incidences: map[string]int{}, pairLists: map[pairsKey]*pairList{},
	}
	g.scratch.Stop = g.poll
	g.derive.Stop(g.ended)
	return g
}

// Ground builds the network of a subgraph whose relations are in the order of the model's schema. The error is a
// *ViolationError, a *TooManyAtomsError, a *derive.NumberError, that of Stop, or wraps join.ErrOverflow.
func (g *Grounder) Ground(sub *subgraph.Subgraph) (*network.Network, *Atoms, error) {
	if g.p.whole {
		sub = sub.Complete(g.p.schema)
	}
	extended, err := g.derive.Extend(sub)
	if err != nil {
		return nil, nil, err
	}
	g.scratch.Reset(extended)
	g.atoms, g.recycled = g.recycled, nil
	if g.atoms == nil {
		g.atoms = &Atoms{}
	}
	if err = g.atoms.reset(g.scratch, g.p.mode, g.tables); err != nil {
		return nil, nil, err
	}
	g.atoms.Schema, g.atoms.Sub = g.p.schema, sub
	replicas := 1
	if g.p.exchangeable {
		replicas = g.atoms.replicas()
	}
	net, err := g.network(replicas)
	if errors.Is(err, errUnlike) {
		net, err = g.network(1)
	}
	if err != nil {
		return nil, nil, err
	}
	atoms := g.atoms
	g.atoms = nil
	atoms.own()
	return net, atoms, nil
}

// network builds the network, whose atoms are so many replicas of the first of them. The error is errUnlike where the
// rest of it is not.
func (g *Grounder) network(replicas int) (*network.Network, error) {
	g.net.reset(len(g.p.formulas), len(g.atoms.back), replicas)
	g.net.exact, g.net.scale = g.p.Constants || g.p.mode == Counting, g.p.scale
	g.shaped, g.headCounts = grow.Zeroed(g.shaped, len(g.p.formulas)), grow.Zeroed(g.headCounts, len(g.p.formulas))
	clear(g.spaces)
	clear(g.incidences)
	clear(g.pairLists)
	for i, c := range g.p.formulas {
		if g.Trace != nil {
			g.Trace(i)
		}
		err := g.scratch.Counting(func() error { return g.formula(uint32(i), c) })
		if errors.Is(err, join.ErrOverflow) {
			err = fmt.Errorf("%s: %w", c.text(), err)
		}
		if err != nil {
			return nil, err
		}
	}
	var net *network.Network
	err := g.scratch.Counting(func() error {
		net = g.net.build(g.p.least)
		return nil
	})
	return net, err
}

// Values returns, after Ground in mode Counting, the values of the formulas that have a shape, by formula. They are borrowed
// until the next call.
func (g *Grounder) Values() []float64 { return g.shaped }

// Recycle gives the memory of a network and its atoms to the next call of Ground. Both must be results of Ground for
// the same model that nobody uses any more, and are not to be used again.
func (g *Grounder) Recycle(net *network.Network, atoms *Atoms) {
	g.net.recycled, g.recycled = net, atoms
}

// formula adds the ground formulas of one formula to the network.
func (g *Grounder) formula(i uint32, c *compiled) error {
	g.c, g.i, g.body, g.err = c, i, 0, nil
	g.scratch.Steps = 0
	g.net.begin(i)
	g.found = grow.Zeroed(g.found, len(c.slots))
	g.lits = grow.Zeroed(g.lits, len(c.slots))
	g.inner = grow.Zeroed(g.inner, len(c.formula.Vars))
	if c.heads != nil && !g.p.mode.fixes() {
		g.setShares()
	}
	switch {
	case g.p.mode == Heading:
		g.countHeads(&g.headCounts[i])
	case c.rule != nil:
		g.rule()
	case c.heads != nil && g.p.mode == Counting:
		g.shaped[i] = g.dataValue()
	case c.counts != nil:
		for k := range c.counts {
			t := &c.counts[k]
			g.net.constant(i, product(t.count(g.scratch), t.n))
		}
	case c.query.Reduced:
		g.reduced()
	default:
		g.each(g.emit)
	}
	if g.err != nil || c.groups == nil {
		return g.err
	}
	if c.hard {
		if !c.fallback && g.body != c.groups.count(g.scratch) {
			return g.unheld()
		}
		return nil
	}
	err := g.scratch.Counting(func() error {
		g.net.constant(i, c.groups.count(g.scratch))
		return nil
	})
	if err != nil && (g.net.exact || !errors.Is(err, join.ErrOverflow)) {
		return err
	}
	g.net.unstated[i] = g.net.unstated[i] || err != nil
	return nil
}

// emit adds n times the ground formula of the current binding.
func (g *Grounder) emit(n int64) {
	c := g.c
	switch {
	case c.linear != nil:
		g.linear(n)
		return
	case c.simple:
		g.simple(n)
		return
	}
	g.body = join.Add(g.body, n)
	tree, exists := g.tree(c.residual)
	if !exists {
		return
	}
	if c.hard {
		g.hardTree(tree)
		return
	}
	if p, ok := polynomial(tree); ok {
		for _, t := range p {
			g.net.add(g.i, product(n, t.n), t.lits)
		}
	} else {
		g.net.feature(g.i, n, tree)
	}
	if c.fallback {
		g.net.constant(g.i, -n)
	}
}

// simple adds the terms of a formula that is a sum of conjunctions over its slots.
func (g *Grounder) simple(n int64) {
	c := g.c
	g.body = join.Add(g.body, n)
	if c.heads != nil {
		n = join.Mul(n, g.shares[g.found[headSlot]])
	}
	if c.hard {
		for _, clause := range c.clauses {
			g.clause(clause)
		}
		return
	}
	for _, t := range c.terms {
		if lits, ok := g.conjunction(t.lits); ok {
			g.net.add(g.i, product(n, t.n), lits)
		}
	}
	if c.fallback {
		g.net.constant(g.i, -n)
	}
}

// linear adds the terms of a soft formula over one atom.
func (g *Grounder) linear(n int64) {
	l := g.c.linear
	n = g.c.worth(n)
	if l.at != 0 {
		g.net.constant(g.i, product(n, l.at))
	}
	if l.slope == 0 {
		return
	}
	switch free := g.atoms.free[g.found[0]]; {
	case free >= 0:
		g.net.addUnary(uint32(free), product(n, l.slope))
	case free == fixedTrue:
		g.net.constant(g.i, product(n, l.slope))
	}
}

// conjunction replaces slots by atoms. It returns false where the conjunction is false for sure. Borrowed.
func (g *Grounder) conjunction(slots []network.Lit) ([]network.Lit, bool) {
	out := g.lits[:0]
	for _, s := range slots {
		switch free := g.atoms.free[g.found[s.Atom()]]; {
		case free >= 0:
			out = append(out, network.NewLit(uint32(free), s.Negated()))
		case (free == fixedTrue) == s.Negated():
			return nil, false
		}
	}
	return normal(out)
}

// clause adds a hard clause over slots.
func (g *Grounder) clause(slots []network.Lit) {
	var out []network.Lit
	for _, s := range slots {
		switch free := g.atoms.free[g.found[s.Atom()]]; {
		case free >= 0:
			out = append(out, network.NewLit(uint32(free), s.Negated()))
		case (free == fixedTrue) != s.Negated():
			return
		}
	}
	g.hardClause(out)
}

func (g *Grounder) hardClause(lits []network.Lit) {
	lits, ok := normal(lits)
	switch {
	case !ok:
	case len(lits) == 0:
		g.err = g.violation()
	default:
		g.net.clauses = append(g.net.clauses, lits)
	}
}

// hardTree adds a hard formula that was grounded as a tree.
func (g *Grounder) hardTree(tree *network.Node) {
	clauses, ok := clausal(tree, false)
	if !ok {
		g.net.hardFeatures = append(g.net.hardFeatures, newFeature(tree))
		return
	}
	for _, c := range clauses {
		g.hardClause(c)
	}
}

// product multiplies signed counts. It must run under join's Counting.
func product(n, k int64) int64 {
	if n < 0 {
		n, k = -n, -k
	}
	if k < 0 {
		return -join.Mul(n, -k)
	}
	return join.Mul(n, k)
}
