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
	s, domains := t.model.Schema, t.model.Schema.Domains(t.model.Constants, t.model.Formulas)
	t.predicates()
	t.domains()
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

// predicates gives each predicate of the program a name. Those of one name and number of arguments would be one.
func (t *text) predicates() {
	key := func(name string, args int) string { return fmt.Sprint(name, "/", args) }
	for name := range strings.FieldsSeq(builtin) {
		t.claimed[name] = "a predicate of ProbLog"
	}
	for name := range strings.FieldsSeq(variadic) {
		for args := range 11 {
			t.claimed[key(name, args)] = "a predicate of ProbLog"
		}
	}
	t.claimed["center/1"] = "the predicate of the center"
	for i, f := range t.model.Formulas {
		for _, name := range []string{"broken_", "spared_"} {
			t.claimed[key(fmt.Sprint(name, i+1), 1+f.Free)] = fmt.Sprint("a predicate of formula ", i+1)
		}
	}
	for _, p := range t.model.Schema.Predicates {
		if p.Role == mln.RoleListed {
			t.claimed[key("listed_"+p.Name, len(p.Args))] = "the predicate of the listed atoms of " + p.Name
		}
	}
	for _, typ := range t.model.Schema.Types {
		t.claim(key("type_"+typ, 1), "type "+typ, typ)
	}
	for _, p := range t.model.Schema.Predicates {
		t.claim(key(p.Name, len(p.Args)), "predicate "+p.Name, p.Name)
	}
}

// Predicates that ProbLog has or asks about: those with one number of arguments, and those with up to ten.
const (
	builtin = "all/3 all_or_none/3 arg/3 atom/1 atom_number/2 atomic/1 between/3 callable/1 check_state/1 clause/2 clause/3 cmd_args/1 " +
		"compare/3 compound/1 condition/1 consult/1 create_scope/2 dbreference/1 evidence/1 evidence/2 find_scope/2 findall/3 float/1 " +
		"forall/2 functor/3 ground/1 integer/1 is/2 is_list/1 length/2 module/2 nocache/2 nonvar/1 not/1 number/1 numbervars/2 numbervars/3 " +
		"once/1 plus/3 possible/1 primitive/1 probabilityX/1 query/1 rational/1 sample_uniform1/3 seq/1 set_state/1 simple/1 sort/2 " +
		"subquery/2 subquery/3 subquery/5 subquery_in_scope/3 subquery_in_scope/4 subquery_in_scope/6 subsumes_chk/2 subsumes_term/2 " +
		"succ/2 unknown/1 use_module/1 use_module/2 var/1 varnumbers/2"
	variadic = "call call_in_scope call_nc debugprint error try_call write writeln writenl"
)

func problogName(name string) string {
	if strings.Contains(name, "'") {
		return "has an apostrophe in its name"
	}
	return matching(dashed, name)
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
		vars = append(vars, logicVariable(v.Name, i))
		domain = append(domain, fmt.Sprintf("%s(%s)", quoted("type_"+t.model.Schema.Types[v.Type]), vars[1+i]))
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
