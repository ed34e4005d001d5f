package ground

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// Program is a model's formulas prepared for grounding in one mode. It is read-only and may be shared by several grounders.
type Program struct {
	// Factoring determines which joins stay bilinear factors. The zero value is for normal use; the others force one route.
	Factoring Factoring
	// Constants requires the constants of formulas to fit in 63 bits. In mode Counting they always must.
	Constants bool

	schema   *mln.Schema       // of the model
	derived  *derive.Relations // of the formulas
	prog     *plan.Program     // over the schema of derived
	mode     Mode
	least    int // FactoredAtoms
	formulas []*compiled
	whole    bool // some formula reads evidence outside its selector
	// exchangeable means that all formulas have an index-driven route: they treat the first arguments of a target alike.
	exchangeable bool
	scale        []float64 // Network.Scale
	measures     []measures
}

// Compile prepares formulas. Their weights are ignored; hard ones constrain the network, except in modes Counting and Heading.
func Compile(schema *mln.Schema, formulas []*mln.Formula, mode Mode) *Program {
	p := &Program{schema: schema, derived: derive.New(schema), mode: mode, least: network.FactoredAtoms, exchangeable: true}
	p.prog, p.scale = plan.NewProgram(p.derived.Schema()), scales(formulas)
	for _, f := range formulas {
		c := cmp.Or(p.compileRule(f), p.compileValued(f))
		if c == nil {
			c = compile(p.prog, p.derived.Formula(f), mode)
		}
		c.text = func() string { return mln.FormatFormula(f) }
		p.exchangeable = p.exchangeable && c.byLists()
		p.formulas = append(p.formulas, c)
		p.whole = p.whole || !c.simple
	}
	for i := range p.measures {
		p.measures[i].program = derive.NewMeasures(schema, p.measures[i].items)
	}
	return p
}

// Scale returns the factors, by formula, that multiply its counts, as in Network.Scale; nil if all are 1.
func (p *Program) Scale() []float64 { return p.scale }

// Grounder grounds one subgraph at a time. Each goroutine needs its own. Its results remain valid.
type Grounder struct {
	// Trace, unless nil, is called with the index of each formula before it is grounded.
	Trace func(i int)
	// Stop, unless nil, is called now and then; an error ends Ground.
	Stop func() error
	// Watch, unless nil, is called now and then with a formula's progress, for the first time (see Effort.First) soon after its start.
	Watch func(Effort)

	p       *Program
	derive  *derive.Scratch
	scratch *join.Scratch
	atoms   *Atoms
	net     *builder
	shaped  []float64    // values, by formula
	heads   []headCounts // in mode Heading, by formula

	// The formula being grounded.
	c     *compiled
	i     uint32
	body  int64 // groundings that exist and whose selector holds
	err   error
	bound binding

	meeting meeting // shared by formulas whose atoms meet in entities
	shares  shares  // for formulas with a shape

	whole     bool // atoms of unknown truth exist in any mode
	measurers []*derive.Measurer
	measured  [][][]float64 // by Program.measures, item, query atom; nil until needed
}

// NewGrounder returns a grounder.
func NewGrounder(p *Program) *Grounder {
	g := &Grounder{p: p, net: &builder{}, derive: derive.NewScratch(p.derived), scratch: join.NewScratch(p.prog)}
	g.measurers, g.measured = make([]*derive.Measurer, len(p.measures)), make([][][]float64, len(p.measures))
	g.scratch.Stop = g.poll
	g.derive.Stop(g.ended)
	return g
}

// Ground builds the network of a subgraph, whose relations are in the order of the model's schema. The error is a *ViolationError, a
// *TooManyAtomsError, a *derive.NumberError, that of Stop, or wraps join.ErrOverflow.
func (g *Grounder) Ground(sub *subgraph.Subgraph) (*network.Network, *Atoms, error) {
	if g.p.whole {
		sub = sub.Complete(g.p.schema)
	}
	extended, err := g.derive.Extend(sub)
	if err != nil {
		return nil, nil, err
	}
	g.scratch.Reset(extended)
	if g.atoms, err = newAtoms(g.scratch, g.p.mode); err != nil {
		return nil, nil, err
	}
	g.atoms.Schema, g.atoms.Sub = g.p.schema, sub
	clear(g.measured)
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
	g.atoms.own()
	return net, g.atoms, nil
}

// network builds the network for the given number of replicas of its first atoms. The error is errUnlike if other parts differ between
// replicas.
func (g *Grounder) network(replicas int) (net *network.Network, err error) {
	g.net = newBuilder(len(g.p.formulas), len(g.atoms.back), replicas, g.net)
	g.net.exact = g.p.Constants || g.p.mode == Counting
	g.shaped, g.heads = make([]float64, len(g.p.formulas)), make([]headCounts, len(g.p.formulas))
	g.meeting = meeting{spaces: map[string]*space{}, incidences: map[string]*incidence{}, pairLists: map[pairsKey]*pairList{}}
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
	if err := g.ended(); err != nil {
		return nil, err
	}
	err = g.scratch.Counting(func() error {
		net = g.net.build(g.p.least)
		net.Scale = g.p.scale
		return nil
	})
	return net, err
}

// Values returns the values of the formulas with a shape, by formula, after Ground in mode Counting. They are borrowed until the next call.
func (g *Grounder) Values() []float64 { return g.shaped }

// formula adds the ground formulas of one formula to the network.
func (g *Grounder) formula(i uint32, c *compiled) error {
	g.c, g.i, g.body, g.err = c, i, 0, nil
	g.scratch.Steps = 0
	if c.heads != nil && !g.p.mode.fixes() { // if the network consists of replicas, at least the shares of the first
		g.shares.times, g.shares.among = 1, grow.Zeroed(g.shares.among, g.atoms.Len())
		g.eachAtom(c.heads.evidence, g.net.replicas, func(atom int, m int64) { g.shares.among[atom] = m })
	}
	switch {
	case g.p.mode == Heading:
		g.countHeads(&g.heads[i])
	case c.rule != nil:
		g.rule()
	case c.valued != nil:
		g.err = g.compare()
	case c.heads != nil && g.p.mode == Counting:
		g.shaped[i] = g.dataValue()
	case c.counts != nil:
		for k := range c.counts {
			t := &c.counts[k]
			g.net.constant(i, product(t.count(g.scratch), t.n))
		}
	case c.linear:
		g.eachAtom(c, 1, g.addAtom)
	case c.query.Reduced && g.shortened():
	case g.net.replicas > 1:
		g.err = errUnlike
	default:
		g.each(g.emit)
	}
	switch {
	case g.err != nil || c.groups == nil:
		return g.err
	case !c.hard:
		return g.addGroups(i, c)
	case !c.fallback && g.body != c.groups.count(g.scratch):
		return g.unheld()
	}
	return nil
}

// addGroups adds the number of groups as a constant, or notes that it is too large to be stated where that is allowed.
func (g *Grounder) addGroups(i uint32, c *compiled) error {
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

// shortened adds a formula without listing its bindings, and returns false if they must be listed.
func (g *Grounder) shortened() bool {
	n := g.scalar()
	if g.c.heads != nil && n > 1 {
		defer func() { g.shares.times = 1 }()
		g.shares.times, n = n, 1
	}
	return n == 0 || g.factored(n) || g.paired(n)
}

// emit adds the ground formula of the current binding n times.
func (g *Grounder) emit(n int64) {
	c := g.c
	g.body = join.Add(g.body, n)
	switch {
	case !c.simple && !g.general(n):
		return
	case c.simple && c.hard:
		for _, clause := range c.clauses {
			if lits, open := g.literals(clause, true); open {
				g.hardClause(lits)
			}
		}
	case c.simple:
		if c.heads != nil {
			n = g.shares.share(n, g.shares.among[g.bound.found[headSlot]])
		}
		for _, t := range c.terms {
			if lits, open := g.literals(t.lits, false); open {
				g.net.add(g.i, product(n, t.n), lits)
			}
		}
	}
	if c.fallback && !c.hard {
		g.net.constant(g.i, -n)
	}
}

// general adds a formula that needs its tree n times. It returns false if that contains an atom that does not exist.
func (g *Grounder) general(n int64) bool {
	g.bound.inner = grow.To(g.bound.inner, len(g.c.formula.Vars))
	tree, exists := g.tree(g.c.residual)
	if !exists {
		return false
	}
	if g.c.hard {
		clauses, ok := clausal(tree, false)
		if !ok {
			g.net.hardFeatures = append(g.net.hardFeatures, network.Feature{Atoms: tree.Atoms(), Root: tree})
		}
		for _, lits := range clauses {
			g.hardClause(lits)
		}
		return true
	}
	p, ok := polynomial(tree)
	if !ok {
		coefs := []network.Coef{{Formula: g.i, Mult: n}}
		g.net.features = append(g.net.features, network.Feature{Atoms: tree.Atoms(), Root: tree, Coefs: coefs})
	}
	for _, t := range p {
		g.net.add(g.i, product(n, t.n), t.lits)
	}
	return true
}

// addAtom adds n groundings of a soft formula over one atom.
func (g *Grounder) addAtom(atom int, n int64) { g.addTimes(&g.c.form, atom, g.c.worth(n)) }

// addTimes adds n times a form of one atom.
func (g *Grounder) addTimes(f *form, atom int, n int64) {
	g.net.constant(g.i, product(n, f.one))
	switch free := g.atoms.free[atom]; {
	case free >= 0 && f.leftOnly != 0:
		g.net.unary.append(g.i, uint32(free), product(n, f.leftOnly))
	case free == fixedTrue:
		g.net.constant(g.i, product(n, f.leftOnly))
	}
}

// literals replaces slots by free atoms and omits the others. It returns false if one of those has the value decides, which makes its
// literal decide the formula, or if an atom occurs with both signs. The result is borrowed.
func (g *Grounder) literals(slots []network.Lit, decides bool) ([]network.Lit, bool) {
	out := g.bound.lits[:0]
	for _, s := range slots {
		switch free := g.atoms.free[g.bound.found[s.Atom()]]; {
		case free >= 0:
			out = append(out, network.NewLit(uint32(free), s.Negated()))
		case ((free == fixedTrue) != s.Negated()) == decides:
			return nil, false
		}
	}
	g.bound.lits = out
	return normal(out)
}

// hardClause adds a hard clause. It does not keep lits.
func (g *Grounder) hardClause(lits []network.Lit) {
	lits, ok := normal(slices.Clone(lits))
	switch {
	case !ok:
	case len(lits) == 0:
		g.err = g.violation()
	default:
		g.net.clauses = append(g.net.clauses, lits)
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
