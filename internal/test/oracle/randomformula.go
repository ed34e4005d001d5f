package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// variable is a variable in scope.
type variable struct {
	name     string
	typ      int
	inAtom   bool // used in an atom
	compared bool // used in an equality
}

// variables are the variables in scope.
type variables []*variable

// Spellings of a few numbers.
var spellings = []string{"30", "3e1", "30.0", "-2.5", "-2.50", "0", "-0.0", "007", "7", "1e3"}

// formula writes a formula, with its weight or period unless it is a candidate.
func (t *task) formula() string {
	if !t.opt.General {
		return t.conjunction(0)
	}
	if t.opt.Hard && t.chance(0.25) {
		if t.chance(0.2) {
			return t.tree() + "."
		}
		return t.constraint() + "."
	}
	text := t.conjunction(0.2)
	if t.chance(0.5) {
		text = t.tree()
	}
	if t.opt.Shapes && t.chance(0.5) {
		text = t.shaped()
	}
	return fmt.Sprintf("%.2f %s", float64(4*t.Float64())-2, text)
}

// scope draws the free variables of a formula, at most most of each type.
func (t *task) scope(most int) (out variables) {
	for typ, names := range [2][]string{{"x", "y", "z"}, {"u", "w", "k"}} {
		for _, name := range names[:1+t.IntN(most)] {
			out = append(out, &variable{name: name, typ: typ})
		}
	}
	return out
}

// ofType returns the variables of a type.
func (vs variables) ofType(typ int) variables {
	return slices.DeleteFunc(slices.Clone(vs), func(v *variable) bool { return v.typ != typ })
}

// inAtoms returns the variables used in atoms.
func (vs variables) inAtoms() variables {
	return slices.DeleteFunc(slices.Clone(vs), func(v *variable) bool { return !v.inAtom })
}

// conjunction writes literals in the form of a candidate: a conjunction, or an implication of the last one, a target literal. negated is
// the probability that a target literal is negated.
func (t *task) conjunction(negated float64) string {
	scope := t.scope(3)
	body := t.literals(t.IntN(5), t.evidence, scope, 0.2)
	body = append(body, t.literals(t.IntN(3), t.targets, scope, negated)...)
	head := t.literal(t.targets, scope, negated)
	if t.opt.Counts {
		for range 1 + t.IntN(2) {
			body = append(body, t.counting(scope))
		}
	}
	if t.chance(0.35) {
		body = append(body, t.comparison(scope.inAtoms()))
	}
	t.shuffle(body)
	if len(body) > 0 && t.chance(0.6) {
		return strings.Join(body, " ^ ") + " => " + head
	}
	return strings.Join(append(body, head), " ^ ")
}

// shaped writes a formula with a shape.
func (t *task) shaped() string {
	scope := t.scope(2)
	if t.opt.Counts && t.chance(0.4) {
		return t.measuring(scope)
	}
	body := t.literals(t.IntN(3), t.evidence, scope, 0.2)
	shape, targets := t.pick("once: ", "log: ", "mean: ", "mean: ", "relative: "), 1
	if shape == "relative: " && len(body) == 0 {
		body = t.literals(1, t.evidence, scope, 0.2)
	}
	if shape == "mean: " {
		targets = 2
	}
	heads := t.literals(targets, t.targets, scope, 0.2)
	if t.opt.Counts && t.chance(0.7) {
		body = append(body, t.counting(scope))
	}
	if t.chance(0.35) {
		body = append(body, t.comparison(scope.inAtoms()))
	}
	return shape + strings.Join(append(body, heads...), t.pick(" ^ ", " ^ ", " => "))
}

// measuring writes a formula with a shape that measures a value.
func (t *task) measuring(scope variables) string {
	head := t.literal(t.targets, scope, 0.2)
	shape := t.pick("rank(7): ", "rank(-2.5, 7, 3e1): ", "rank(0, 1, 2, 3): ", "relative(2.5): ", "relative(1e-2): ")
	t.inner++
	value := fmt.Sprintf("age(%s, n%d)", t.constant(0), t.inner)
	items := scope.inAtoms().ofType(0)
	switch {
	case len(items) > 0 && t.chance(0.4):
		value = fmt.Sprintf("age(%s, n%d)", items[t.IntN(len(items))].name, t.inner)
	case t.chance(0.9):
		value = t.counting(scope)
		value = strings.TrimLeft(value[:strings.LastIndex(value, "}")+1], "!(")
	}
	return shape + t.pick(value+" ^ "+head, head+" ^ "+value, value+" => "+head)
}

// constraint writes a clause that most worlds can satisfy.
func (t *task) constraint() string {
	scope := t.scope(2)
	body := t.literals(2, t.evidence, scope, 0.2)
	head := t.literal(t.targets, scope, 0.4)
	if t.chance(0.5) {
		head += " v " + t.literal(t.targets, scope, 0.4)
	}
	if t.opt.Counts && t.chance(0.5) {
		body = append(body, t.counting(scope))
	}
	return strings.Join(body, " ^ ") + " => " + head
}

// tree writes a formula of any form. It has few variables, as its groundings are enumerated.
func (t *task) tree() string {
	for {
		scope := t.scope(1 + t.IntN(2))
		text, _ := t.expression(1+t.IntN(3), scope)
		// A variable used only in equalities has no type.
		if !slices.ContainsFunc(scope, func(v *variable) bool { return v.compared && !v.inAtom }) {
			return text
		}
	}
}

// expression writes a tree of at most the given depth; simple reports that it needs no parentheses.
func (t *task) expression(depth int, scope variables) (text string, simple bool) {
	if depth == 0 {
		return t.leaf(scope)
	}
	switch t.IntN(8) {
	case 0:
		return t.leaf(scope)
	case 1:
		return "!" + t.operand(depth-1, scope), true
	case 2, 3:
		if len(scope) < 5 {
			return t.quantified(depth-1, scope), false
		}
	case 4:
		operands := []string{t.operand(depth-1, scope), t.operand(depth-1, scope), t.operand(depth-1, scope)}
		return strings.Join(operands, t.pick(" ^ ", " v ")), false
	}
	return t.operand(depth-1, scope) + t.pick(" ^ ", " v ", " => ", " => ", " <=> ") + t.operand(depth-1, scope), false
}

// operand returns an expression, in parentheses if it needs them.
func (t *task) operand(depth int, scope variables) string {
	text, simple := t.expression(depth, scope)
	if simple {
		return text
	}
	return "(" + text + ")"
}

func (t *task) leaf(scope variables) (text string, simple bool) {
	if t.opt.Counts && t.chance(0.4) {
		return t.counting(scope), false
	}
	if t.chance(0.12) {
		return t.comparison(scope), false
	}
	preds := t.evidence
	if t.chance(0.55) {
		preds = t.targets
	}
	return t.literal(preds, scope, 0.2), true
}

// quantified writes a quantifier over one or two variables, each of which is used in an atom in its scope. One may hide a variable of the
// same name.
func (t *task) quantified(depth int, scope variables) string {
	n := 1 + t.IntN(2)
	names, parts := make([]string, 0, n), make([]string, 0, n+1)
	for range n {
		q := &variable{name: fmt.Sprintf("q%d", len(scope)), typ: t.IntN(2)}
		if t.chance(0.15) && !slices.Contains(names, scope[0].name) {
			q.name = scope[0].name
		}
		names = append(names, q.name)
		scope = append(slices.DeleteFunc(slices.Clone(scope), func(v *variable) bool { return v.name == q.name }), q)
	}
	for _, q := range scope[len(scope)-n:] {
		parts = append(parts, t.mention(slices.Concat(t.evidence, t.targets), scope, q))
	}
	parts = append(parts, t.operand(depth, scope))
	t.shuffle(parts)
	return fmt.Sprintf("%s %s (%s)", t.pick("EXIST", "FORALL"), strings.Join(names, ", "), strings.Join(parts, t.pick(" ^ ", " v ", " => ")))
}

// counting writes a counting literal that shares variables already used in atoms.
func (t *task) counting(scope variables) string {
	vars := scope.inAtoms()
	var listed, body []string
	local := func(name string) {
		v := &variable{name: name, typ: t.IntN(2)}
		vars = append(vars, v)
		body = append(body, t.mention(t.evidence, vars, v))
	}
	hidden := t.opt.Aggregates && t.chance(0.2)
	for i := range 1 + t.IntN(2) {
		name := fmt.Sprintf("c%d", i)
		if hidden { // variables that other literals do not use
			t.inner++
			name = fmt.Sprintf("h%d", t.inner)
		}
		listed = append(listed, name)
		local(name)
	}
	if t.chance(0.4) {
		t.inner++
		local(fmt.Sprintf("h%d", t.inner))
	}
	if t.chance(0.5) {
		body = append(body, t.literal(t.evidence, vars, 0.3))
	}
	if t.chance(0.2) {
		body = append(body, t.comparison(vars))
	}
	if items := vars.ofType(0); len(items) > 0 && t.chance(0.4) {
		t.inner++
		n := fmt.Sprintf("n%d", t.inner)
		if t.chance(0.5) {
			listed = append(listed, n)
		}
		age := fmt.Sprintf("age(%s, %s)", items[t.IntN(len(items))].name, n)
		body = append(body, age, n+" "+t.pick(">=", "<", ">", "<=", "=", "!=")+" "+t.pick(spellings...))
	}
	if items := vars.ofType(0); t.opt.Aggregates && len(items) > 0 && t.chance(0.4) {
		return t.aggregate(items, listed, body, hidden)
	}
	t.shuffle(body)
	text := fmt.Sprintf("#{%s: %s} %s %d", strings.Join(listed, ", "), strings.Join(body, " ^ "), t.pick(">=", ">", "<=", "<", "=", "!="), t.IntN(4))
	if t.chance(0.2) {
		return "!(" + text + ")"
	}
	return text
}

// aggregate writes an aggregate of numbers of some items, over the listed variables and the atoms that contain them.
func (t *task) aggregate(items variables, listed, body []string, hidden bool) string {
	t.inner++
	n, m := fmt.Sprintf("n%d", t.inner), fmt.Sprintf("m%d", t.inner)
	one, two := items[t.IntN(len(items))], items[t.IntN(len(items))]
	body = append(body, fmt.Sprintf("score(%s, %s)", one.name, n))
	kind := t.pick("avg", "sum", "min", "max", "last", "trend", "share")
	lead, part := []string{n}, ""
	if kind == "last" || kind == "trend" {
		body = append(body, fmt.Sprintf("%s(%s, %s)", t.pick("age", "score"), two.name, m))
		lead = append(lead, m)
	}
	if t.chance(0.3) {
		body = append(body, n+" "+t.pick(">=", "<", ">", "<=", "!=", "=")+" "+t.pick(spellings...))
	}
	if hidden { // unlisted variables are existential
		listed = nil
	}
	if kind == "share" {
		some := variables{one}
		if t.chance(0.3) {
			t.inner++
			some = append(some, &variable{name: fmt.Sprintf("h%d", t.inner), typ: t.IntN(2)})
		}
		if part = t.literal(t.evidence, some, 0.3); t.chance(0.5) {
			part += " ^ " + n + " " + t.pick(">=", "<") + " " + t.pick(spellings...)
		}
		part += " | "
	}
	t.shuffle(body)
	t.shuffle(listed)
	bound := t.pick(append(spellings, "2.5", "15", "18.5", "10", "14.666666666666666", ".5", "0", "1")...)
	text := fmt.Sprintf("%s{%s: %s%s} %s %s", kind, strings.Join(append(lead, listed...), ", "), part, strings.Join(body, " ^ "),
		t.pick(">=", ">", "<=", "<", "=", "!="), bound)
	return t.pick("", "", "", "!", "!!") + text
}

// mention writes an atom of one of the predicates with the given variable as an argument.
func (t *task) mention(preds []predicate, scope variables, v *variable) string {
	preds = slices.DeleteFunc(slices.Clone(preds), func(p predicate) bool { return !slices.Contains(p.args, v.typ) })
	return t.atom(preds[t.IntN(len(preds))], scope, v)
}

// literals writes n literals of the predicates, each negated with the given probability.
func (t *task) literals(n int, preds []predicate, scope variables, negated float64) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = t.literal(preds, scope, negated)
	}
	return out
}

func (t *task) literal(preds []predicate, scope variables, negated float64) string {
	atom := t.atom(preds[t.IntN(len(preds))], scope, nil)
	if t.chance(negated) {
		return "!" + atom
	}
	return atom
}

// atom draws the arguments: mostly variables in scope, and first at the first argument of its type.
func (t *task) atom(p predicate, scope variables, first *variable) string {
	args := make([]string, len(p.args))
	for i, typ := range p.args {
		vars := scope.ofType(typ)
		if first != nil && first.typ == typ {
			vars = variables{first}
		}
		if len(vars) == 0 || first == nil && t.chance(0.1) {
			args[i] = t.constant(typ)
			continue
		}
		v := vars[t.IntN(len(vars))]
		v.inAtom = true
		args[i] = v.name
		if v == first {
			first = nil
		}
	}
	return fmt.Sprintf("%s(%s)", p.name, strings.Join(args, ", "))
}

// constant draws the center or a constant, which may be outside the domain.
func (t *task) constant(typ int) string {
	if typ == 0 && t.chance(0.4) {
		return "@center"
	}
	c := t.IntN(t.opt.Entities + 1)
	if !slices.Contains(t.constants[typ], c) { // it belongs to domains
		t.constants[typ] = append(t.constants[typ], c)
		if t.atoms([2]int{1, 1}) > t.opt.MaxAtoms {
			t.constants[typ], c = t.constants[typ][:len(t.constants[typ])-1], 0
		}
	}
	return entity(typ, c)
}

// comparison writes an equality or inequality of a variable in scope, or a literal if there is none.
func (t *task) comparison(scope variables) string {
	if len(scope) == 0 {
		return t.literal(t.evidence, nil, 0.2)
	}
	a := scope[t.IntN(len(scope))]
	a.compared = true
	right := t.constant(a.typ)
	if b := scope[t.IntN(len(scope))]; b.typ == a.typ && (a != b || t.chance(0.1)) {
		b.compared = true
		right = b.name
	}
	return a.name + t.pick(" = ", " != ", " != ") + right
}
