package recipe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/table"
)

// checkSafety reports variables that no positive atom binds.
func (c *checker) checkSafety() {
	for i := range c.recipe.Rules {
		r := &c.recipe.Rules[i]
		s := safety{checker: c, rule: r, bound: make([]bool, len(r.Vars)), asked: make([]bool, len(r.Vars))}
		s.check(r)
	}
}

// safety checks one rule.
type safety struct {
	*checker
	rule  *Rule
	bound []bool // by variable
	asked []bool // by variable: reported with a negated atom
}

func (s *safety) check(r *Rule) {
	for _, a := range r.Positive {
		for _, t := range a.Args {
			if t.Kind == TermVariable {
				s.bound[t.Var] = true
			}
		}
	}
	for _, h := range r.Terms {
		s.need(h.Term, "the head", "")
		s.need(h.Second, "the head", "")
	}
	for i := range r.Negative {
		a := &r.Negative[i]
		for _, t := range a.Args {
			s.need(t, "!"+a.Name, s.helper(a))
		}
	}
	for _, cmp := range r.Comparisons {
		for _, t := range cmp.Terms() {
			s.need(t, "a comparison", "")
		}
	}
}

// free reports whether a term is an unbound variable.
func (s *safety) free(t Term) bool { return t.Kind == TermVariable && !s.bound[t.Var] }

func (s *safety) need(t Term, where, remedy string) {
	if !s.free(t) || s.asked[t.Var] {
		return
	}
	s.asked[t.Var] = remedy != ""
	s.fail(t.Pos, "variable %s of %s is in no positive atom of the body, which would bind it%s", t.Name, where, remedy)
}

// helper suggests how to state that a negated atom holds for no binding of its free variables: with a separate relation over its other
// variables, which also takes the comparisons of the free ones. It returns "" if that relation would have no arguments.
func (s *safety) helper(a *Atom) string {
	var head []string
	keep := func(t Term) {
		if text := written(t); (t.Kind == TermCenter || t.Kind == TermVariable && s.bound[t.Var]) && !slices.Contains(head, text) {
			head = append(head, text)
		}
	}
	args, free := make([]string, len(a.Args)), make([]bool, len(s.rule.Vars))
	for i, t := range a.Args {
		keep(t)
		args[i] = written(t)
		if s.free(t) {
			free[t.Var] = true
		}
	}
	body, known := []string{a.Name + "(" + strings.Join(args, ", ") + ")"}, len(head)
	for _, c := range s.rule.Comparisons {
		if s.free(c.A) && free[c.A.Var] || s.free(c.B) && free[c.B.Var] {
			keep(c.A)
			keep(c.B)
			body = append(body, fmt.Sprintf("%s%s %s %s%s", written(c.A), c.added[0], c.Op, written(c.B), c.added[1]))
		}
	}
	if len(head) == 0 {
		return ""
	}
	if len(head) > known {
		body = append(body, "..") // binds the compared variables
	}
	name := s.unusedName("has" + strings.ToUpper(a.Name[:1]) + a.Name[1:])
	atom := name + "(" + strings.Join(head, ", ") + ")"
	return fmt.Sprintf("; where no such %s at all is meant, write a relation of its own, %s :- %s, and here !%s", a.Name, atom, strings.Join(body, ", "), atom)
}

// unusedName returns an unused name similar to a given one.
func (s *safety) unusedName(name string) string {
	for unused, n := name, 2; ; n++ {
		if _, ok := s.named[unused]; !ok && s.predicate(unused) < 0 {
			return unused
		}
		unused = name + strconv.Itoa(n)
	}
}

// written returns a head function as written in its rule.
func (h *HeadTerm) written() string {
	switch {
	case h.IsDays():
		return fmt.Sprintf("days(%s - %s)", h.Term.Name, h.Second.Name)
	case h.Quotient:
		return fmt.Sprintf("%s / %s", h.Term.Name, h.Second.Name)
	case h.Aggregate == AggregateRank:
		return fmt.Sprintf("rank(%s by %s)", h.Term.Name, h.Second.Name)
	}
	return fmt.Sprintf("%s(%s)", h.Aggregate, h.Term.Name)
}

// written returns a term as written in a rule.
func written(t Term) string {
	isDate := t.Kind == TermValue && !t.AsOf && (t.Type.Kind == table.KindDay || t.Type.Kind == table.KindTime)
	if t.Kind == TermEntity && (!lex.IsPlain(t.Name) || lex.IsVariable(t.Name)) || isDate {
		return lex.Quote(t.Name)
	}
	return t.Name
}
