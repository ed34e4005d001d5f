package mln

import "slices"

// Shape says how a formula's groundings add up (docs/language.md). With n of an atom a of the formula's head the number of
// groundings of a in which the rest of the formula holds, its value is the sum of a function of n over the atoms for which
// the head holds.
type Shape uint8

// The shapes. The zero value is that of a formula without one, whose value is the number of its true groundings.
const (
	ShapeNone Shape = iota
	ShapeOnce       // 1 where n >= 1
	ShapeLog        // log2(1 + n)
	ShapeMean       // n / m, m being the number of groundings of the atom for which the evidence holds; 0 where m is 0
)

var shapeNames = [...]string{ShapeNone: "", ShapeOnce: "once", ShapeLog: "log", ShapeMean: "mean"}

// String returns the word of the task language, "" for none.
func (s Shape) String() string { return shapeNames[s] }

// prefix returns what stands before the formula.
func (s Shape) prefix() string {
	if s == ShapeNone {
		return ""
	}
	return s.String() + ": "
}

// shape parses the shape of a formula, where it has one.
func (p *parser) shape() Shape {
	if !p.Peek().Is(":") {
		return ShapeNone
	}
	i := slices.Index(shapeNames[1:], p.Tok.Text)
	if i < 0 {
		p.Fail(p.Sources.Near(p.Tok.Text, shapeNames[1:], p.Tok.Pos, "unknown shape %q: there are once, log and mean", p.Tok.Text))
	}
	p.Advance()
	p.Advance()
	return Shape(i + 1)
}

// shaped returns the body of an expanded formula that has a shape as a conjunction whose last literal is the head; nil
// where it reported an error.
func (c *checker) shaped(r *rule, body *Node) *Node {
	var literals []*Node
	if !conjuncts(stripForAll(body), &literals) {
		c.refuse(r.Pos, "%s: needs a conjunction of literals, or an implication between two", r.Shape)
		return nil
	}
	head, found := -1, 0
	for i, l := range literals {
		if c.isTarget(l) {
			head = i
			found++
		}
	}
	want := 1
	if r.Shape == ShapeMean {
		want = 2
	}
	if found != want {
		c.refuse(r.Pos, "%s: needs %s, found %d", r.Shape, plural(want, "target literal"), found)
		return nil
	}
	return join(OpAnd, movedLast(literals, head))
}

// movedLast returns a list with one of its elements behind the others.
func movedLast[T any](list []T, i int) []T {
	return slices.Concat(list[:i], list[i+1:], list[i:i+1])
}

// conjuncts appends the literals of a conjunction, an implication between conjunctions among them. It returns false for
// another formula.
func conjuncts(n *Node, dst *[]*Node) bool {
	if n.Op == OpAnd || n.Op == OpImplies {
		return !slices.ContainsFunc(n.Xs, func(x *Node) bool { return !conjuncts(x, dst) })
	}
	*dst = append(*dst, n)
	for n.Op == OpNot {
		n = n.Xs[0]
	}
	return n.Op == OpAtom || n.Op == OpEqual || n.Op == OpCompare || n.Op == OpCount
}

// isTarget reports whether a literal is one of a target predicate.
func (c *checker) isTarget(l *Node) bool {
	for l.Op == OpNot {
		l = l.Xs[0]
	}
	p, ok := c.declared[l.plainName()]
	return l.Op == OpAtom && ok && c.model.Schema.Predicates[p.index].Role.IsTarget()
}

// headed returns a formula's tree with what its canonical form tells apart: the head of one that has a shape.
func headed(f *Formula) *Node {
	n := toNode(f.Body, f.Vars)
	if f.Shape == ShapeNone || n.Op != OpAnd {
		return n
	}
	last := len(n.Xs) - 1
	return &Node{Op: OpImplies, Xs: []*Node{join(OpAnd, n.Xs[:last]), n.Xs[last]}}
}

// Head returns the rest and the head of a formula that has a shape, which is a conjunction of literals.
func (f *Formula) Head() (rest []Literal, head Literal) {
	literals, _ := literalsOf(f.Body)
	last := len(literals) - 1
	return literals[:last], literals[last]
}

// Headed returns a formula that is a conjunction of literals, or an implication of target literals by such a one, as a conjunction
// whose last literal is the last one of a target, its head; false for another formula, or one without a target literal. It shares
// the literals.
func (f *Formula) Headed(schema *Schema) (*Formula, bool) {
	literals, more, ok := conjunctions(f.Body)
	if !ok {
		return nil, false
	}
	evidence := func(l Literal) bool { return !schema.isTarget(l) }
	all := append(slices.Clip(literals), more...)
	head := len(all) - 1
	for head >= 0 && evidence(all[head]) {
		head--
	}
	if head < 0 || slices.ContainsFunc(more, evidence) {
		return nil, false
	}
	xs := make([]Expr, len(all))
	for i, l := range movedLast(all, head) {
		xs[i] = l.Expr()
	}
	out := *f
	out.Body = conjunction(xs)
	return &out, true
}

// HeadApart returns formulas that together have the groundings of one with a head (see Formula.Headed) in which no other target
// literal is over the head's atom, each of them once.
func (f *Formula) HeadApart() []*Formula {
	rest, head := f.Head()
	parts := [][]Expr{nil} // what is added to the literals
	for _, l := range rest {
		if l.Atom == nil || l.Atom.Pred != head.Atom.Pred {
			continue
		}
		var next [][]Expr
		for _, part := range parts {
			same := part
			for i, a := range l.Atom.Args {
				equal := &Equal{A: a, B: head.Atom.Args[i]}
				if sameTerm(equal.A, equal.B) {
					continue
				}
				next = append(next, append(slices.Clip(same), &Not{equal}))
				same = append(slices.Clip(same), equal)
			}
		}
		parts = next
	}
	out := make([]*Formula, len(parts))
	for i, part := range parts {
		g := *f
		and := f.Body.(*And).Xs
		g.Body = &And{slices.Concat(and[:len(and)-1], part, and[len(and)-1:])}
		out[i] = &g
	}
	return out
}

// sameTerm reports whether two terms are the same variable or have the same name.
func sameTerm(a, b Term) bool {
	return a.Kind == b.Kind && (a.Kind == TermVariable && a.Var == b.Var || a.Kind != TermVariable && a.Name == b.Name)
}
