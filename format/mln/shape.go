package mln

import (
	"math"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/internal/printable"
)

// Shape says how the groundings of a formula are aggregated (docs/language.md). If n is the number of groundings of a head atom in which
// the rest of the formula holds, the formula's value is the sum of a function of n over the true head atoms.
type Shape uint8

// The shapes. The zero value means no shape: the value is the number of true groundings.
const (
	ShapeNone Shape = iota
	ShapeOnce       // 1 if n >= 1
	ShapeLog        // log2(1 + n)
	ShapeMean       // n / m, where m is the number of the atom's groundings for which the evidence holds; 0 if m is 0
	// ShapeRank is the place of a measured value (Formula.Measures) among knots, and ShapeRelative how far the value, or without a number
	// log2(1 + n), is above its mean over the subgraph's query atoms: Formula.Phi.
	ShapeRank
	ShapeRelative
)

var shapeNames = [...]string{
	ShapeNone: "", ShapeOnce: "once", ShapeLog: "log", ShapeMean: "mean", ShapeRank: "rank", ShapeRelative: "relative",
}

// String returns the word of the task language, "" for none.
func (s Shape) String() string { return shapeNames[s] }

// prefix returns the text of the shape before a formula.
func (f *Formula) prefix() string {
	if f.Shape == ShapeNone {
		return ""
	}
	if f.Numbers == nil {
		return f.Shape.String() + ": "
	}
	texts := make([]string, len(f.Numbers))
	for i, v := range f.Numbers {
		texts[i] = FormatNumber(v)
	}
	return f.Shape.String() + "(" + strings.Join(texts, ", ") + "): "
}

// Measures reports whether a formula with a shape is about a measured value: that of an aggregate, a counting literal or a stated number,
// which [Formula.Quantity] returns. It stands alone beside the head.
func (f *Formula) Measures() bool { return measures(f.Shape, f.Numbers) }

func measures(s Shape, numbers []float64) bool {
	return s == ShapeRank || s == ShapeRelative && numbers != nil
}

// Compares reports whether a formula has a shape whose feature is the Phi of an atom's value.
func (f *Formula) Compares() bool { return f.Shape == ShapeRank || f.Shape == ShapeRelative }

// farthest is the most standard deviations by which ShapeRelative puts a value above or below the mean.
const farthest = 1e6

// Phi returns the feature of an atom with a finite value, for a shape that compares it. For ShapeRank it is the share of the knots below the
// value, linear between two knots, minus 1/2. For ShapeRelative it is the distance from the mean of the values, in standard deviations if
// the shape has one, at most a million.
func (f *Formula) Phi(v, mean float64) float64 {
	if f.Shape == ShapeRelative {
		if v -= mean; f.Numbers != nil {
			v = min(max(v/f.Numbers[0], -farthest), farthest)
		}
		return v
	}
	knots := f.Numbers
	below, _ := slices.BinarySearch(knots, v) // knots below the value
	share := float64(below)
	if below > 0 && below < len(knots) {
		low, high := knots[below-1], knots[below]
		if math.IsInf(high-low, 0) { // of halves no difference is too large
			v, low, high = v/2, low/2, high/2
		}
		share = float64(below-1) + float64(v-low)/float64(high-low)
	}
	return share/float64(len(knots)) - .5
}

// shape parses the shape of a formula, if any, with its numbers.
func (p *parser) shape(r *rule) {
	if next := p.Peek(); !next.Is(":") && (!next.Is("(") || !p.numbersAhead()) {
		return
	}
	i := slices.Index(shapeNames[1:], p.Tok.Text)
	if i < 0 {
		p.Fail(p.Sources.Near(p.Tok.Text, shapeNames[1:], p.Tok.Pos, "unknown shape %q: there are once, log, mean, rank and relative", p.Tok.Text))
	}
	r.Shape = Shape(i + 1)
	pos := p.Tok.Pos
	p.Advance()
	if p.Accept("(") {
		p.arguments(func() { r.Numbers = append(r.Numbers, p.bound()) })
		p.Expect(")", `"," or ")"`)
	}
	p.Expect(":", `":"`)
	if why := r.numbersFault(); why != "" {
		p.Fail(p.Sources.At(pos, "%s: %s", r.Shape, why))
	}
}

// numbersAhead reports whether the name before an open bracket is that of a shape, since a colon follows the bracketed list.
func (p *parser) numbersAhead() bool {
	ahead := p.Lexer
	for t := ahead.Next(); ; t = ahead.Next() {
		switch {
		case t.Is(")"):
			return ahead.Next().Is(":")
		case t.Kind == lex.End:
			return false
		}
	}
}

// numbersFault says what is wrong with the numbers of a shape, "" for nothing.
func (r *rule) numbersFault() string {
	switch n := r.Numbers; {
	case r.Shape == ShapeRank && n == nil:
		return "needs knots, as in rank(3, 5, 8):"
	case r.Shape == ShapeRank && !ascend(n):
		return "the knots ascend, and none is listed twice"
	case r.Shape == ShapeRelative && n != nil && (len(n) > 1 || !(n[0] > 0)):
		return "takes one number above 0, the standard deviation"
	case r.Shape != ShapeRank && r.Shape != ShapeRelative && n != nil:
		return "takes no numbers"
	}
	return ""
}

// ascend reports whether each number is above the one before it.
func ascend(n []float64) bool {
	for i := range n[1:] {
		if n[i] >= n[i+1] {
			return false
		}
	}
	return true
}

// shaped returns the body of an expanded formula with a shape as a conjunction whose last literal is the head; nil if it reported an error.
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
		c.refuse(r.Pos, "%s: needs %s, found %d", r.Shape, printable.Count(want, "target literal"), found)
		return nil
	}
	switch {
	case measures(r.Shape, r.Numbers) && len(literals) != 2:
		c.refuse(r.Pos, "%s: needs %s", r.Shape, measurable)
		return nil
	case r.Shape == ShapeRelative && len(literals) == 1:
		c.refuse(r.Pos, "%s: needs evidence beside the target literal", r.Shape)
		return nil
	}
	return join(OpAnd, movedLast(literals, head))
}

// measurable is what a formula that measures a value needs beside its head.
const measurable = "one literal beside the target's, which has a value: an aggregate or counting literal without a comparison, " +
	"or an atom that states a number and otherwise mentions only variables of the target literal"

// movedLast returns a list with one of its elements moved to the end.
func movedLast[T any](list []T, i int) []T {
	return slices.Concat(list[:i], list[i+1:], list[i:i+1])
}

// conjuncts appends the literals of a conjunction, which may include implications between conjunctions. It returns false for other
// formulas.
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

// isTarget reports whether a literal's predicate is a target.
func (c *checker) isTarget(l *Node) bool {
	for l.Op == OpNot {
		l = l.Xs[0]
	}
	p, ok := c.declared[l.plainName()]
	return l.Op == OpAtom && ok && c.model.Schema.Predicates[p.index].Role.IsTarget()
}

// headed returns a formula's tree with the head marked for its canonical form, if it has a shape.
func headed(f *Formula) *Node {
	n := toNode(f.Body, f.Vars)
	if f.Shape == ShapeNone || n.Op != OpAnd {
		return n
	}
	last := len(n.Xs) - 1
	return &Node{Op: OpImplies, Xs: []*Node{join(OpAnd, n.Xs[:last]), n.Xs[last]}}
}

// Head returns the rest and the head of a formula with a shape, which is a conjunction of literals.
func (f *Formula) Head() (rest []Literal, head Literal) {
	literals, _ := LiteralsOf(f.Body)
	last := len(literals) - 1
	return literals[:last], literals[last]
}

// Headed returns a formula as a conjunction whose last literal is its head, the last target literal. The formula is a conjunction of
// literals, or an implication from one to target literals; for others, or without a target literal, it returns false. The literals are
// shared.
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

// HeadApart splits a formula with a head (see Formula.Headed) into formulas that together have those of its groundings in which no other
// target literal is the head's atom, each once.
func (f *Formula) HeadApart() []*Formula {
	rest, head := f.Head()
	parts := [][]Expr{nil} // literals to add, for each part
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
