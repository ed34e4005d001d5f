package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// compiled is a formula prepared for grounding: f = rest if its selector holds, else fallback. The selector is the part of the formula's
// structure that decides it: the evidence literals of a top conjunction, which is false if one fails, or of an implication's body, which is
// true if one fails.
type compiled struct {
	formula  *mln.Formula  // with derived relations instead of counting literals and orders of numbers
	text     func() string // the formula as written
	hard     bool
	fallback bool
	query    *plan.Query // the selector over the rest's variables
	slots    []slot      // target atoms of rest outside quantifiers
	at       []plan.Arg  // by variable of the formula: its place among the query's outputs, or its constant
	selector []mln.Literal
	residual mln.Expr
	atoms    []*mln.Atom     // target atoms of residual outside quantifiers, in order
	simple   bool            // rest consists of target atoms, without quantifiers
	terms    poly            // of rest over slots, if simple
	clauses  [][]network.Lit // of rest over slots, if simple and hard
	groups   *total          // all groundings that exist, if fallback or hardness needs their number

	// Ways to avoid enumerating the groundings of a formula.
	linear  bool     // one slot, simple and soft
	form    form     // for one or two slots, simple and soft
	counts  []total  // they sum to the number of true groundings, if no atom is free and rest is simple
	factor  *factor  // through shared entities
	indexed *indexed // through the lists of a target's atoms
	rule    *rule    // with thresholds on counts; excludes the others
	heads   *heads   // for a shape that needs more than the query
	valued  *valued  // for a shape that compares values; excludes the others

	witnesses []witness // for violations of a hard formula by its selector
}

// slot is a target atom over the query's outputs.
type slot struct {
	pred  int
	args  []plan.Arg // outputs by position, and constants
	level int        // its last output, -1 for none
}

// source returns the target predicates' atoms that exist in a mode.
func (m Mode) source() plan.Source {
	if m.unknownExist() {
		return plan.SourceAll
	}
	return plan.SourceKnown
}

// compile prepares a formula.
func compile(prog *plan.Program, f *mln.Formula, mode Mode) *compiled {
	c := &compiled{formula: f, hard: f.Hard && (mode == Checking || !mode.fixes())}
	c.selector, c.residual, c.fallback = split(prog.Schema, f.Body)
	c.fallback = c.fallback && len(c.selector) > 0
	c.atoms, _ = prog.Schema.Targets(c.residual)
	conj, binder := prog.Conjunction(f.Vars[:f.Free], c.selector)
	c.outputs(prog, conj, binder, variables(f, c.residual))
	if tree, ok := c.template(prog.Schema); ok {
		c.terms, c.simple = polynomial(tree)
		if c.hard && c.simple {
			c.clauses, c.simple = clausal(tree, false)
		}
	}
	if f.Shape != mln.ShapeNone || mode == Heading {
		if c.heads = newHeads(prog, c, mode); mode.fixes() {
			return c
		}
	}
	if mode != Counting && c.simple && !c.hard {
		if c.linear = len(c.slots) == 1; len(c.slots) < 3 {
			c.form = c.newForm()
		}
		c.factorize(prog, conj, binder)
		c.indexed = c.newIndexed(prog)
	}
	if c.fallback || c.hard {
		c.groups = newTotal(prog, mode, f, nil, c.atoms, f.FreeVariables())
	}
	if mode == Counting && c.simple {
		c.count(prog)
	}
	if c.hard {
		c.witnesses = witnesses(prog, c, mode)
	}
	return c
}

// form is a formula's value as a function of the truth l and r of one or two atoms: one + leftOnly l + rightOnly r + both l r.
type form struct{ one, leftOnly, rightOnly, both int64 }

// swapped exchanges the atoms if swap is set.
func (f form) swapped(swap bool) form {
	if swap {
		f.leftOnly, f.rightOnly = f.rightOnly, f.leftOnly
	}
	return f
}

// newForm computes the form of a simple formula over one or two slots, the first one left, less the value of the selector's groundings
// under fallback.
func (c *compiled) newForm() (f form) {
	if c.fallback {
		f.one--
	}
	for _, t := range c.terms {
		at, slope := [2]int64{1, 1}, [2]int64{} // by slot: a literal is at + slope * truth
		for _, l := range t.lits {
			at[l.Atom()], slope[l.Atom()] = 0, 1
			if l.Negated() {
				at[l.Atom()], slope[l.Atom()] = 1, -1
			}
		}
		f.one += t.n * at[0] * at[1]
		f.leftOnly += t.n * slope[0] * at[1]
		f.rightOnly += t.n * at[0] * slope[1]
		f.both += t.n * slope[0] * slope[1]
	}
	return f
}

// total is a number of groundings, times a coefficient, computed by a join without listing them.
type total struct {
	n     int64
	query *plan.Query
	lacks []int // types of free variables not in the query
}

// count must run under join's Counting.
func (t *total) count(s *join.Scratch) int64 { return s.Total(t.query, t.lacks...) }

// newTotal prepares to count the bindings of some variables for which literals hold and target atoms exist.
func newTotal(prog *plan.Program, mode Mode, f *mln.Formula, lits []mln.Literal, atoms []*mln.Atom, vars []int) *total {
	conj, binder := prog.Conjunction(f.Vars[:f.Free], lits)
	for _, a := range atoms {
		conj.Add(plan.Literal{Source: mode.source(), Pred: a.Pred, Args: binder.Args(a)})
	}
	t := &total{n: 1, query: prog.Query(conj, nil)}
	for _, v := range vars {
		if binder.Var(v) == plan.Arg(v) && !conj.Mentions(v) {
			t.lacks = append(t.lacks, f.Vars[v].Type)
		}
	}
	return t
}

// count prepares to count the true groundings on known atoms, adding each term of rest to the selector's conjunction. If there is a
// fallback, the selector's groundings are subtracted from those that exist.
func (c *compiled) count(prog *plan.Program) {
	terms := c.terms
	if c.fallback {
		terms = append(poly{{n: -1}}, terms...)
	}
	c.counts = []total{}
	for _, t := range terms {
		conj, binder := prog.Conjunction(c.formula.Vars[:c.formula.Free], c.selector)
		for k, a := range c.atoms {
			if !slices.Contains(t.lits, network.NewLit(uint32(k), false)) { // true literals have known truth
				conj.Add(plan.Literal{Source: plan.SourceKnown, Pred: a.Pred, Args: binder.Args(a)})
			}
		}
		for _, l := range t.lits {
			a := c.atoms[l.Atom()]
			conj.Add(plan.Literal{Source: plan.SourceTrue, Pred: a.Pred, Args: binder.Args(a), Negated: l.Negated()})
		}
		c.counts = append(c.counts, total{n: t.n, query: prog.Query(conj, nil)})
	}
}

// outputs compiles the selector's query over some variables, and finds the slots.
func (c *compiled) outputs(prog *plan.Program, conj *plan.Conj, binder *plan.Binder, vars []int) {
	c.query, c.at = bindings(prog, c.formula, conj, binder, vars)
	c.slots = nil
	for _, a := range c.atoms {
		s := slot{pred: a.Pred, level: -1}
		for _, x := range binder.Args(a) {
			if x.IsVar() {
				x = plan.Arg(slices.Index(c.query.Outputs, int(x)))
				s.level = max(s.level, int(x))
			}
			s.args = append(s.args, x)
		}
		c.slots = append(c.slots, s)
	}
}

// bindings compiles a conjunction into a query over some of a formula's free variables. It also returns each free variable's place among
// the outputs or its constant, 0 for others.
func bindings(prog *plan.Program, f *mln.Formula, conj *plan.Conj, binder *plan.Binder, vars []int) (*plan.Query, []plan.Arg) {
	var outputs []int
	for _, v := range vars {
		binder.Output(&outputs, v)
	}
	at := make([]plan.Arg, f.Free)
	for v := range at {
		if at[v] = binder.Var(v); at[v].IsVar() {
			at[v] = plan.Arg(max(slices.Index(outputs, int(at[v])), 0))
		}
	}
	return prog.Query(conj, outputs), at
}

// variables lists the free variables that an expression of a formula mentions.
func variables(f *mln.Formula, e mln.Expr) (vars []int) {
	mln.EachTerm(e, func(t mln.Term) {
		if t.Kind == mln.TermVariable && t.Var < f.Free && !slices.Contains(vars, t.Var) {
			vars = append(vars, t.Var)
		}
	})
	return vars
}

// template builds a tree of rest over the slots. It returns false if rest contains evidence or quantifiers.
func (c *compiled) template(schema *mln.Schema) (*network.Node, bool) {
	next := uint32(0)
	var tree func(e mln.Expr) (*network.Node, bool)
	tree = func(e mln.Expr) (*network.Node, bool) {
		if a, ok := e.(*mln.Atom); ok && schema.Predicates[a.Pred].Role.IsTarget() {
			next++
			return leaf(next - 1), true
		}
		return connect(e, tree)
	}
	return tree(c.residual)
}

// shape returns the operator and operands of a connective, 0 for atoms, comparisons and quantifiers. L => R is a disjunction whose first
// operand is still to be negated.
func shape(e mln.Expr) (network.NodeOp, []mln.Expr) {
	var op network.NodeOp
	switch e.(type) {
	case *mln.Not:
		op = network.OpNot
	case *mln.And:
		op = network.OpAnd
	case *mln.Or, *mln.Implies:
		op = network.OpOr
	case *mln.Iff:
		op = network.OpIff
	default:
		return 0, nil
	}
	return op, mln.Operands(e)
}

// split separates the selector of a formula, which is rest if the selector holds, else fallback. If the selector is all there is, rest is
// an empty conjunction (true) or disjunction (false).
func split(schema *mln.Schema, e mln.Expr) (selector []mln.Literal, rest mln.Expr, fallback bool) {
	if _, ok := literal(schema, e); ok {
		e = &mln.And{Xs: []mln.Expr{e}}
	}
	if n, ok := e.(*mln.Not); ok {
		selector, rest, fallback = split(schema, n.X)
		return selector, &mln.Not{X: rest}, !fallback
	}
	conjuncts, fallback := operands(e)
	if conjuncts == nil {
		return nil, e, false
	}
	var others []mln.Expr
	for _, x := range conjuncts {
		if l, ok := literal(schema, x); ok {
			selector = append(selector, l)
		} else {
			others = append(others, x)
		}
	}
	rest = &mln.And{Xs: others}
	if len(others) == 1 {
		rest = others[0]
	}
	if fallback {
		rest = &mln.Not{X: rest}
	}
	return selector, rest, fallback
}

// operands returns conjuncts whose conjunction is e or, if negated is true, its complement; nil if e is neither.
func operands(e mln.Expr) (conjuncts []mln.Expr, negated bool) {
	switch e := e.(type) {
	case *mln.And:
		for _, x := range e.Xs {
			if and, ok := x.(*mln.And); ok {
				inner, _ := operands(and)
				conjuncts = append(conjuncts, inner...)
			} else {
				conjuncts = append(conjuncts, x)
			}
		}
		return conjuncts, false
	case *mln.Or:
		for _, x := range e.Xs {
			conjuncts = append(conjuncts, denied(x)...)
		}
		return conjuncts, true
	case *mln.Implies:
		conjuncts = append(conjuncts, asserted(e.L)...)
		return append(conjuncts, denied(e.R)...), true
	}
	return nil, false
}

// asserted returns the conjuncts of e.
func asserted(e mln.Expr) []mln.Expr {
	if xs, negated := operands(e); xs != nil && !negated {
		return xs
	}
	return []mln.Expr{e}
}

// denied returns the conjuncts of the complement of e.
func denied(e mln.Expr) []mln.Expr {
	if n, ok := e.(*mln.Not); ok {
		return asserted(n.X)
	}
	if xs, negated := operands(e); xs != nil && negated {
		return xs
	}
	return []mln.Expr{&mln.Not{X: e}}
}

// literal returns e as a literal decided by evidence.
func literal(schema *mln.Schema, e mln.Expr) (mln.Literal, bool) {
	l, ok := mln.LiteralOf(e)
	return l, ok && (l.Atom == nil || !schema.Predicates[l.Atom.Pred].Role.IsTarget())
}
