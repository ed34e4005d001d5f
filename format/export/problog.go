package export

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
)

// problog writes a ProbLog program with the network's distribution. Target atoms are fair coins. A grounding that makes its formula
// cost w is broken; a broken grounding is violated with probability 1 - exp(-w), and the evidence is that none is violated.
func problog(t *text) {
	t.line("%% A Markov logic network. Beside this program stand the facts of a subgraph: 'friends'('Ann', 'Bob'). for each true atom")
	t.line("%% of evidence, 'type_user'('Ann'). for each entity of a type, 'listed_p'('Ann'). for each query atom of a listed target, and")
	t.line("%% 'center'('Ann'). for the center.")
	t.line("'center'(_) :- fail.")
	s, domains := t.model.Schema, mln.Domains(t.model.Constants, t.model.Formulas)
	for typ, name := range s.Types {
		t.line("%s(_) :- fail.", quoted("type_"+name))
		for _, c := range domains[typ] {
			t.line("%s(%s).", quoted("type_"+name), quoted(c))
		}
	}
	for _, p := range s.Predicates {
		var vars, domain []string
		for i, typ := range p.Args {
			vars = append(vars, fmt.Sprint("X", i+1))
			domain = append(domain, fmt.Sprintf("%s(X%d)", quoted("type_"+s.Types[typ]), i+1))
		}
		args := "(" + strings.Join(vars, ", ") + ")"
		blank := "(" + strings.Join(slices.Repeat([]string{"_"}, len(vars)), ", ") + ")"
		switch p.Role {
		case mln.RoleListed:
			t.line("%s%s :- fail.", quoted("listed_"+p.Name), blank)
			t.line("0.5::%s%s :- %s%s.", quoted(p.Name), args, quoted("listed_"+p.Name), args)
		case mln.RoleTarget:
			t.line("0.5::%s%s :- %s.", quoted(p.Name), args, strings.Join(domain, ", "))
		case mln.RoleEvidence:
			t.line("%s%s :- fail.", quoted(p.Name), blank)
			continue
		}
		t.line("query(%s%s).", quoted(p.Name), blank)
	}
	t.line("violated :- fail.")
	for i := range t.model.Formulas {
		if f := t.factor(i); f != nil && (f.forbidden != nil || len(f.targets) > 0) {
			t.comment("%", i)
			t.broken(i, f)
		}
	}
	t.line("evidence(\\+violated).")
}

// centered binds the variable that stands for the center.
const centered = "'center'(C_)"

// broken writes the rules for broken and violated groundings of a formula.
func (t *text) broken(i int, f *factor) {
	formula := t.model.Formulas[i]
	literals, _, _ := conjunction(formula.Body)
	vars := append(make([]string, 0, 1+formula.Free), "x") // so that there is at least one argument
	var domain []string
	for i, v := range formula.Vars[:formula.Free] {
		name := logicVariable(i, v.Name)
		vars = append(vars, name)
		domain = append(domain, fmt.Sprintf("%s(%s)", quoted("type_"+t.model.Schema.Types[v.Type]), name))
	}
	args := "(" + strings.Join(vars, ", ") + ")"
	mln.EachTerm(formula.Body, func(term mln.Term) {
		if term.Kind == mln.TermCenter && !slices.Contains(domain, centered) {
			domain = append(domain, centered)
		}
	})
	for _, l := range literals {
		if l.Atom == nil || !t.isTarget(l.Atom.Pred) {
			continue
		}
		for k, a := range l.Atom.Args {
			if a.Kind != mln.TermVariable { // an atom over a missing entity does not exist
				typ := t.model.Schema.Predicates[l.Atom.Pred].Args[k]
				domain = append(domain, fmt.Sprintf("%s(%s)", quoted("type_"+t.model.Schema.Types[typ]), logicTerm(a)))
			}
		}
		if t.model.Schema.Predicates[l.Atom.Pred].Role == mln.RoleListed {
			domain = append(domain, prolog.atom("listed_"+l.Atom.Name, l.Atom.Args))
		}
	}
	for _, conj := range f.broken() {
		var positive, negative []string
		for _, l := range conj {
			if l.Atom != nil && !l.Negated {
				positive = append(positive, prolog.literal(l))
			} else {
				negative = append(negative, prolog.literal(l))
			}
		}
		body := slices.Concat(domain, positive, negative)
		t.line("broken_%d%s :- %s.", i+1, args, strings.Join(body, ", "))
	}
	if f.forbidden != nil {
		t.line("violated :- broken_%d%s.", i+1, args)
		return
	}
	spared := elementary.Exp(-max(f.weight, -f.weight))
	t.line("%s::spared_%d%s :- %s.", mln.FormatWeight(spared), i+1, args, strings.Join(append([]string{"true"}, domain...), ", "))
	t.line("violated :- broken_%d%s, \\+spared_%d%s.", i+1, args, i+1, args)
}
