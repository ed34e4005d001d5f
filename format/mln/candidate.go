package mln

import (
	"slices"

	"resolwe/format/lex"
)

// Candidate is an unweighted formula read for selection (docs/methods.md): a conjunction of evidence literals and
// comparisons, the selector E, and one or more un-negated literals of target predicates, the enforcer Q.
// Both are over Formula.Vars; equal literals are kept once.
type Candidate struct {
	Formula  *Formula // the first of the formulas that give this candidate
	Selector []Literal
	Enforcer []*Atom
}

// Candidates reads the unweighted formulas of a model for selection, as [Candidate] describes. Those equal up to renaming variables and
// reordering literals are merged. It warns of target literals whose negation it dropped, and returns an [ErrorList] if a formula has
// another form, a head with an evidence literal, or no target literal.
func Candidates(m *Model) ([]*Candidate, []Diagnostic, error) {
	r := candidateReader{model: m, warned: map[Position]bool{}}
	var out []*Candidate
	seen := map[string]bool{}
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			continue
		}
		c := r.read(f)
		if c == nil {
			continue
		}
		if key := Canonical(c.Joint()); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	if err := r.errs.Err(); err != nil {
		return nil, nil, err
	}
	return out, r.warnings, nil
}

// candidateReader reads formulas as candidates.
type candidateReader struct {
	model    *Model
	errs     lex.Collector
	warnings []Diagnostic
	warned   map[Position]bool // places
}

// read returns the candidate for a formula, nil if it reported an error.
func (r *candidateReader) read(f *Formula) *Candidate {
	if f.Shape != ShapeNone {
		return r.refuse(f.Pos, "a candidate has no shape: %s", FormatFormula(f))
	}
	literals, inHead, ok := conjunctions(f.Body)
	if !ok {
		return r.refuse(f.Pos, "not a conjunction of literals, nor an implication between two: %s", FormatFormula(f))
	}
	for _, l := range inHead {
		if !r.model.Schema.isTarget(l) {
			return r.refuse(l.positive().pos(), "evidence literal %s in the head of a candidate", FormatLiteral(l, f.Vars))
		}
	}
	c := &Candidate{Formula: f}
	seen := map[string]bool{}
	for _, l := range append(literals, inHead...) {
		target := r.model.Schema.isTarget(l)
		if target && l.Negated {
			r.warn(l, f)
			l.Negated = false
		}
		key := CanonicalLiteral(l, f.Vars)
		switch {
		case seen[key]:
		case target:
			c.Enforcer = append(c.Enforcer, l.Atom)
		default:
			c.Selector = append(c.Selector, l)
		}
		seen[key] = true
	}
	if len(c.Enforcer) == 0 {
		hint := ""
		if !slices.ContainsFunc(r.model.Schema.Predicates, func(p Predicate) bool { return p.Role.IsTarget() }) {
			hint = ": the model marks no target predicate"
		}
		return r.refuse(f.Pos, "no target literal in candidate %s%s", FormatFormula(f), hint)
	}
	return c
}

// refuse records an error and returns no candidate.
func (r *candidateReader) refuse(pos Position, format string, args ...any) *Candidate {
	r.errs.Add(r.model.sources.At(pos, format, args...))
	return nil
}

// warn records a negated target literal, once for each place.
func (r *candidateReader) warn(l Literal, f *Formula) {
	if pos := l.positive().pos(); !r.warned[pos] {
		r.warned[pos] = true
		e := r.model.sources.At(pos, "target literal %s is read without its negation", FormatLiteral(l, f.Vars))
		r.warnings = append(r.warnings, e.Diagnostic)
	}
}

// conjunctions returns the literals of a conjunction, or of an implication's two; false for another formula.
func conjunctions(x Expr) (body, head []Literal, ok bool) {
	if i, is := x.(*Implies); is {
		if head, ok = LiteralsOf(i.R); !ok {
			return nil, nil, false
		}
		x = i.L
	}
	body, ok = LiteralsOf(x)
	return body, head, ok
}

// LiteralsOf returns the literals of a conjunction of one or more; false for another expression.
func LiteralsOf(x Expr) ([]Literal, bool) {
	xs := Conjuncts(x)
	out := make([]Literal, len(xs))
	for i, y := range xs {
		var ok bool
		if out[i], ok = LiteralOf(y); !ok {
			return nil, false
		}
	}
	return out, true
}

// conjunction returns the conjunction of one or more expressions.
func conjunction(xs []Expr) Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	return &And{xs}
}

// Joint returns E ^ Q1 ^ .. ^ Ql as a separate unweighted formula.
func (c *Candidate) Joint() *Formula { return c.formula(-1) }

// Conditional returns E ^ (Qi, i != k) => Qk as a separate unweighted formula, or Qk alone if nothing precedes it.
func (c *Candidate) Conditional(k int) *Formula { return c.formula(k) }

// formula builds a formula from the literals. The enforcer's literal at head, if not -1, is the head. Its variables are numbered by first
// appearance, those of counting literals last.
func (c *Candidate) formula(head int) *Formula {
	f := &Formula{Pos: c.Formula.Pos}
	renumber := NewRenumbering(c.Formula, f)
	var literals []Expr
	for _, l := range c.Selector {
		literals = append(literals, l.Expr())
	}
	for i, a := range c.Enforcer {
		if i != head {
			literals = append(literals, a)
		}
	}
	if head >= 0 {
		literals = append(literals, c.Enforcer[head])
	}
	for _, x := range literals {
		renumber.Free(x)
	}
	xs := make([]Expr, len(literals))
	for i, x := range literals {
		xs[i] = renumber.Expr(x)
	}
	if last := len(xs) - 1; head >= 0 && last > 0 {
		f.Body = &Implies{conjunction(xs[:last]), xs[last]}
	} else {
		f.Body = conjunction(xs)
	}
	return f
}
