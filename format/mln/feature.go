package mln

import (
	"slices"
	"strconv"
)

// Shaped returns E ^ Q1 .. Ql as an unweighted formula with a shape, whose head is the enforcer's atom with index head.
func (c *Candidate) Shaped(shape Shape, head int) *Formula {
	ordered := *c
	ordered.Enforcer = movedLast(c.Enforcer, head)
	f := ordered.Joint()
	f.Shape = shape
	if len(ordered.Selector)+len(ordered.Enforcer) == 1 { // nothing to count
		f.Shape = ShapeNone
	}
	return f
}

// Valued returns the candidate as a formula of ShapeRank, without knots, if its selector is about a value (see Formula.Quantity) that such
// a formula can measure; nil otherwise.
func (c *Candidate) Valued(schema *Schema) *Formula {
	if _, _, ok := c.Joint().Quantity(schema); !ok {
		return nil
	}
	value := *c
	l := c.Selector[0]
	if l.Compare != nil {
		l = c.Selector[1]
	}
	if l.Negated = false; l.Count != nil {
		n := *l.Count
		n.Op, n.K = 0, 0
		l.Count = &n
	}
	value.Selector = []Literal{l}
	f := value.Joint()
	f.Shape = ShapeRank
	if _, _, ok := f.Quantity(schema); !ok {
		return nil
	}
	return f
}

// Local reports whether a candidate with one target literal has variables that the literal does not mention, so that an atom may have
// several groundings.
func (c *Candidate) Local() bool {
	head := c.Enforcer[0].Args
	return slices.ContainsFunc(c.Selector, func(l Literal) bool {
		local := false
		EachTerm(l.Expr(), func(t Term) { local = local || t.Kind == TermVariable && !isIn(t.Var, head) })
		return local && l.Count == nil
	})
}

// Comparable reports whether a formula may compare the number of an atom's groundings with a number, as [Threshold] does. This requires one
// target literal, evidence, and counting literals and aggregates over variables of the target literal only: none can be within another.
func (c *Candidate) Comparable() bool {
	return len(c.Enforcer) == 1 && len(c.Selector) > 0 && !slices.ContainsFunc(c.Selector, func(l Literal) bool {
		local := false
		if n := l.Count; n != nil {
			own := slices.Concat(n.Listed, n.Inner)
			EachTerm(n.X, func(t Term) {
				local = local || t.Kind == TermVariable && !isIn(t.Var, c.Enforcer[0].Args) && !slices.Contains(own, t.Var)
			})
		}
		return local
	})
}

// Threshold holds for an atom of a candidate's target with at least AtLeast groundings in which the selector holds; negated, for one with
// fewer. The candidate is [Candidate.Comparable]. AtLeast is at least 1, and 1 if the candidate is not [Candidate.Local].
type Threshold struct {
	Candidate *Candidate
	AtLeast   int64
	Negated   bool
}

func (t Threshold) head() []Term { return t.Candidate.Enforcer[0].Args }

// AllOf returns the unweighted formula that is true of an atom if it is true and all thresholds hold for it. All candidates have one target
// predicate; the first one's variables are its arguments. So are its constants if all candidates have them there and one of the thresholds
// is not negated; otherwise the formula compares variables with constants.
func AllOf(thresholds []Threshold) *Formula {
	c := thresholds[0].Candidate
	f := &Formula{Pos: c.Formula.Pos}
	q, taken := *c.Enforcer[0], names{}
	q.Args = slices.Clone(q.Args)
	same := slices.ContainsFunc(thresholds, func(t Threshold) bool { return !t.Negated }) &&
		!slices.ContainsFunc(thresholds, func(t Threshold) bool { return !sameHead(t.head(), q.Args) })
	for i, t := range thresholds[0].head() {
		first := firstPlace(thresholds[0].head(), i)
		switch {
		case same && t.Kind != TermVariable:
		case same && first < i:
			q.Args[i] = q.Args[first]
		default:
			v := Variable{Name: "x", Type: t.Type}
			if t.Kind == TermVariable {
				v = c.Formula.Vars[t.Var]
			}
			v.Name = taken.fresh(v.Name)
			q.Args[i] = Term{Kind: TermVariable, Name: v.Name, Var: len(f.Vars), Type: v.Type, Pos: t.Pos}
			f.Vars = append(f.Vars, v)
		}
	}
	f.Free = len(f.Vars)
	xs := make([]Expr, 0, len(thresholds)+1)
	for _, t := range thresholds {
		xs = append(xs, t.literals(f, q.Args)...)
	}
	f.Body = &And{append(xs, &q)}
	return f
}

// firstPlace returns the place of the first term that is the same variable as the i-th term; of other terms i.
func firstPlace(head []Term, i int) int {
	if head[i].Kind != TermVariable {
		return i
	}
	return slices.IndexFunc(head, func(t Term) bool { return t.Kind == TermVariable && t.Var == head[i].Var })
}

// sameHead reports whether two heads match the same atoms.
func sameHead(a, b []Term) bool {
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].Kind == TermConstant && a[i].Name != b[i].Name || firstPlace(a, i) != firstPlace(b, i) {
			return false
		}
	}
	return true
}

// literals returns conjuncts equivalent to the threshold for an atom of f, over the variables of f, to which it may add some.
func (t Threshold) literals(f *Formula, atom []Term) []Expr {
	c := t.Candidate
	r := NewRenumbering(c.Formula, f)
	var xs, counted []Expr // conjuncts, and what is counted
	for i, a := range t.head() {
		first := firstPlace(t.head(), i)
		switch {
		case atom[i].Kind != TermVariable: // the same constant
		case a.Kind != TermVariable:
			xs = append(xs, &Equal{A: atom[i], B: a, Pos: a.Pos})
		case first == i:
			r.index[a.Var] = atom[i].Var
		case atom[first].Var != atom[i].Var:
			xs = append(xs, &Equal{A: atom[i], B: atom[first], Pos: a.Pos})
		}
	}
	var listed []int
	taken := namesOf(f.Vars[:f.Free])
	for _, l := range c.Selector {
		if l.Count != nil { // its variables are its own or the head's
			xs = append(xs, r.Expr(l.Expr()))
			continue
		}
		EachTerm(l.Expr(), func(t Term) {
			if _, known := r.index[t.Var]; t.Kind == TermVariable && !known {
				listed = append(listed, r.local(t.Var, taken))
			}
		})
		counted = append(counted, r.Expr(l.Expr()))
	}
	switch {
	case len(listed) == 0:
		xs = append(xs, counted...)
	case t.Negated && len(xs) == 0:
		return []Expr{&Count{Listed: listed, X: conjunction(counted), Op: Less, K: float64(t.AtLeast)}}
	default:
		xs = append(xs, &Count{Listed: listed, X: conjunction(counted), Op: AtLeast, K: float64(t.AtLeast)})
	}
	if t.Negated {
		return []Expr{denied(conjunction(xs))}
	}
	return xs
}

// denied returns the negation of an expression.
func denied(x Expr) Expr {
	switch x := x.(type) {
	case *Not:
		return x.X
	case *Compare:
		y := *x
		y.Op = x.Op.Opposite()
		return &y
	}
	return &Not{x}
}

// Renumbering copies literals from one formula into another, adding their variables.
type Renumbering struct {
	from, to *Formula
	index    map[int]int // of a variable in to, by its index in from
}

// NewRenumbering returns a renumbering into a formula without variables. Call Free for all expressions before Expr.
func NewRenumbering(from, to *Formula) *Renumbering { return &Renumbering{from, to, map[int]int{}} }

// Free assigns the next numbers to the variables of an expression that do not belong to a counting literal.
func (r *Renumbering) Free(x Expr) {
	r.free(x, nil)
	r.to.Free = len(r.to.Vars)
}

func (r *Renumbering) free(x Expr, local []int) {
	if c, ok := x.(*Count); ok {
		local = slices.Concat(c.Listed, c.Inner)
	}
	if len(Operands(x)) == 0 {
		EachTerm(x, func(t Term) {
			if _, known := r.index[t.Var]; t.Kind == TermVariable && !known && !slices.Contains(local, t.Var) {
				r.add(t.Var)
			}
		})
	}
	for _, y := range Operands(x) {
		r.free(y, local)
	}
}

// add assigns the next number to a variable.
func (r *Renumbering) add(v int) int {
	r.index[v] = len(r.to.Vars)
	r.to.Vars = append(r.to.Vars, r.from.Vars[v])
	return r.index[v]
}

// Expr returns a copy of a literal, or of what the braces of one hold, over the new variables.
func (r *Renumbering) Expr(x Expr) Expr {
	switch x := x.(type) {
	case *Atom:
		a := *x
		a.Args = make([]Term, len(x.Args))
		for i, t := range x.Args {
			a.Args[i] = r.term(t)
		}
		return &a
	case *Equal:
		return &Equal{A: r.term(x.A), B: r.term(x.B), Pos: x.Pos}
	case *Compare:
		return &Compare{X: r.term(x.X), Value: x.Value, Op: x.Op, Pos: x.Pos}
	case *Count:
		c := *x
		c.Listed = r.locals(x.Listed, namesOf(r.to.Vars[:r.to.Free]))
		c.Inner = r.locals(x.Inner, namesOf(r.to.Vars)) // nothing lists them: two literals that mention one name would share it
		return Mapped(&c, r.Expr)
	}
	return Mapped(x, r.Expr)
}

// local adds a variable of a counting literal under a name that is not taken: its own, or that with the least free number from 1.
func (r *Renumbering) local(v int, taken names) int {
	at := r.add(v)
	name := &r.to.Vars[at].Name
	for base, i := *name, 1; taken[*name]; i++ {
		*name = base + strconv.Itoa(i)
	}
	taken[*name] = true
	return at
}

func (r *Renumbering) locals(vars []int, taken names) []int {
	out := make([]int, len(vars))
	for i, v := range vars {
		out[i] = r.local(v, taken)
	}
	return out
}

func (r *Renumbering) term(t Term) Term {
	if t.Kind == TermVariable {
		t.Var = r.index[t.Var]
		t.Name = r.to.Vars[t.Var].Name
	}
	return t
}
