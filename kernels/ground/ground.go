package ground

import (
	"errors"
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Program is a model's formulas prepared for grounding in one mode. It is read-only and may be shared by many grounders.
type Program struct {
	// Factoring says which joins stay products. The zero value is for use, the others force one route.
	Factoring Factoring

	prog     *plan.Program
	mode     Mode
	least    int // FactoredAtoms
	formulas []*compiled
	batches  []batch
	whole    bool // whether some formula reads evidence outside of its selector
	alike    bool // whether all formulas have a direct route: they treat the first arguments of a listed target alike
}

// Compile prepares formulas. Their weights play no part; hard ones constrain the network, but in mode Counting.
func Compile(schema *mln.Schema, formulas []*mln.Formula, mode Mode) *Program {
	p := &Program{prog: plan.NewProgram(schema), mode: mode, least: FactoredAtoms, alike: true}
	for _, f := range formulas {
		c := compile(p.prog, f, mode)
		if c.direct != nil {
			c.direct.batch = p.addBatch(c.direct)
		}
		p.formulas = append(p.formulas, c)
		p.whole = p.whole || !c.simple
		p.alike = p.alike && c.direct != nil
	}
	return p
}

// Grounder grounds one subgraph at a time. It belongs to one goroutine; what it returns does not borrow from it.
type Grounder struct {
	// Trace, unless nil, is called with the index of each formula before it is grounded.
	Trace func(i int)

	p       *Program
	scratch *join.Scratch
	atoms   *Atoms
	spare   *Atoms
	tables  []subgraph.Table // by predicate, the atoms of listed targets
	net     builder
	rows    rows

	// The formula being grounded.
	c       *compiled
	i       uint32
	binding []uint32 // by output
	found   []int    // by slot, the query atom
	lits    []Lit    // by slot, or the fixed truth
	inner   []uint32 // by variable, bindings of inner quantifiers
	tuple   []uint32
	stop    int           // how many outputs bind binds
	leaf    func(n int64) // what it calls then
	held    int64         // groundings that exist in which the selector holds
	err     error

	// What formulas share that meet in hubs.
	spaces   map[string]*space
	sides    map[string]int
	listings map[plan.NodeID]*listing
	built    []bool     // by batch
	hubs     []join.Vec // rows of a side's matrix
	members  members
	place    []int32
}

// NewGrounder returns a grounder.
func NewGrounder(p *Program) *Grounder {
	return &Grounder{
		p: p, scratch: join.NewScratch(p.prog), tables: make([]subgraph.Table, len(p.prog.Schema.Predicates)),
		rows:   rows{base: baseLists{limit: mostLanes}},
		spaces: map[string]*space{}, sides: map[string]int{}, listings: map[plan.NodeID]*listing{},
	}
}

// Ground builds the network of a subgraph whose relations are in the order of the model's schema. The error is a
// *ViolationError, a *TooManyAtomsError, or wraps join.ErrOverflow.
func (g *Grounder) Ground(sub *subgraph.Subgraph) (*Network, *Atoms, error) {
	if g.p.whole {
		sub = sub.Complete(g.p.prog.Schema)
	}
	g.scratch.Reset(sub)
	g.rows.reset(g.scratch)
	var err error
	g.atoms, g.spare = g.spare, nil
	if g.atoms == nil {
		g.atoms = &Atoms{}
	}
	if err = g.atoms.reset(g.scratch, g.p.mode, g.tables); err != nil {
		return nil, nil, err
	}
	copies := 1
	if g.p.alike {
		copies = g.atoms.copies()
	}
	net, err := g.network(copies)
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

// network builds the network, whose atoms are so many copies of the first of them. The error is errUnlike where the rest
// of it is not.
func (g *Grounder) network(copies int) (*Network, error) {
	g.net.reset(len(g.p.formulas), len(g.atoms.back), copies)
	g.net.exact = g.p.mode == Counting
	clear(g.spaces)
	clear(g.sides)
	clear(g.listings)
	g.built = resized(g.built, len(g.p.batches))
	for i, c := range g.p.formulas {
		if g.Trace != nil {
			g.Trace(i)
		}
		err := g.scratch.Counting(func() error { return g.formula(uint32(i), c) })
		if errors.Is(err, join.ErrOverflow) {
			err = fmt.Errorf("%s: %w", mln.FormatFormula(c.formula), err)
		}
		if err != nil {
			return nil, err
		}
	}
	var net *Network
	err := g.scratch.Counting(func() error {
		net = g.net.build(g.p.least)
		return nil
	})
	return net, err
}

// Recycle gives the memory of a network and its atoms to the next call of Ground. Both must be results of Ground for the
// same model that nobody uses any more, and are not to be used again.
func (g *Grounder) Recycle(net *Network, atoms *Atoms) { g.net.spare, g.spare = net, atoms }

// formula adds the ground formulas of one formula to the network.
func (g *Grounder) formula(i uint32, c *compiled) error {
	g.c, g.i, g.held, g.err = c, i, 0, nil
	g.net.begin(i)
	g.found = resized(g.found, len(c.slots))
	g.lits = resized(g.lits, len(c.slots))
	g.inner = resized(g.inner, len(c.formula.Vars))
	switch {
	case c.counts != nil:
		for k := range c.counts {
			t := &c.counts[k]
			g.net.constant(i, product(g.total(t), t.n))
		}
	case c.query.Reduced:
		g.reduced()
	default:
		g.scratch.Enumerate(c.query, true, func(binding []uint32, n int64) bool {
			g.binding = append(g.binding[:0], binding...)
			if g.locate(-1, len(binding)) {
				g.emit(n)
			}
			return g.err == nil
		})
	}
	if g.err != nil || c.groups == nil {
		return g.err
	}
	if c.hard {
		if !c.fallback && g.held != g.total(c.groups) {
			return g.unheld()
		}
		return nil
	}
	err := g.scratch.Counting(func() error {
		g.net.constant(i, g.total(c.groups))
		return nil
	})
	if err != nil && g.p.mode == Counting {
		return err
	}
	g.net.unstated[i] = g.net.unstated[i] || err != nil
	return nil
}

// total counts the groundings of a join.
func (g *Grounder) total(t *total) int64 {
	factors := make([]int64, 0, len(t.spare)+len(t.query.Scalars)+1)
	for _, typ := range t.spare {
		factors = append(factors, int64(g.scratch.Size(typ)))
	}
	switch {
	case !t.query.Reduced:
		found := int64(0)
		g.scratch.Enumerate(t.query, true, func(_ []uint32, k int64) bool {
			found = k
			return true
		})
		factors = append(factors, found)
	case !g.scratch.Guards(t.query.Conj):
		return 0
	}
	for _, id := range t.query.Scalars {
		factors = append(factors, g.scratch.Count(id))
	}
	if slices.Contains(factors, 0) { // however large the others are
		return 0
	}
	n := int64(1)
	for _, f := range factors {
		n = join.Mul(n, f)
	}
	return n
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
	g.held = join.Add(g.held, n)
	tree, exists := g.tree(c.rest)
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
	g.held = join.Add(g.held, n)
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
func (g *Grounder) conjunction(slots []Lit) ([]Lit, bool) {
	out := g.lits[:0]
	for _, s := range slots {
		switch free := g.atoms.free[g.found[s.Atom()]]; {
		case free >= 0:
			out = append(out, NewLit(uint32(free), s.Negated()))
		case (free == fixedTrue) == s.Negated():
			return nil, false
		}
	}
	return normal(out)
}

// clause adds a hard clause over slots.
func (g *Grounder) clause(slots []Lit) {
	var out []Lit
	for _, s := range slots {
		switch free := g.atoms.free[g.found[s.Atom()]]; {
		case free >= 0:
			out = append(out, NewLit(uint32(free), s.Negated()))
		case (free == fixedTrue) != s.Negated():
			return
		}
	}
	g.hardClause(out)
}

func (g *Grounder) hardClause(lits []Lit) {
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
func (g *Grounder) hardTree(tree *Node) {
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

// resized returns a slice of n zero elements in the memory of s where it suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// grown returns a slice of n elements of any content in the memory of s where it suffices, else in somewhat more than
// that takes, so that it will do for what is not much larger.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
