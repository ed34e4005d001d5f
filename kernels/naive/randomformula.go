package naive

import (
	"fmt"
	"slices"
	"strings"
)

// variable is a variable in scope.
type variable struct {
	name     string
	typ      int
	inAtom   bool // an atom mentions it
	compared bool // an equality mentions it
}

// formula writes a formula, with its weight or period where it is no candidate.
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

// scope draws the free variables of a formula, up to most of each type.
func (t *task) scope(most int) []*variable {
	var out []*variable
	for typ, names := range [2][]string{{"x", "y", "z"}, {"u", "w", "k"}} {
		for _, name := range names[:1+t.IntN(most)] {
			out = append(out, &variable{name: name, typ: typ})
		}
	}
	return out
}

// conjunction writes literals in the form of a candidate: an implication where the last is a target literal and chance
// has it so. negated is the probability of a target literal to be negated.
func (t *task) conjunction(negated float64) string {
	scope := t.scope(3)
	var body []string
	for range t.IntN(5) {
		body = append(body, t.literal(t.preds[:t.evidence], scope, 0.2))
	}
	for range t.IntN(3) {
		body = append(body, t.literal(t.preds[t.evidence:], scope, negated))
	}
	head := t.literal(t.preds[t.evidence:], scope, negated)
	if t.opt.Counts {
		for range 1 + t.IntN(2) {
			body = append(body, t.counting(scope))
		}
	}
	if t.chance(0.35) {
		body = append(body, t.comparison(slices.DeleteFunc(scope, func(v *variable) bool { return !v.inAtom })))
	}
	t.shuffle(body)
	if len(body) > 0 && t.chance(0.6) {
		return strings.Join(body, " ^ ") + " => " + head
	}
	return strings.Join(append(body, head), " ^ ")
}

// shaped writes a formula that has a shape.
func (t *task) shaped() string {
	scope := t.scope(2)
	var body []string
	for range t.IntN(3) {
		body = append(body, t.literal(t.preds[:t.evidence], scope, 0.2))
	}
	shape := t.pick("once: ", "log: ", "mean: ", "mean: ")
	targets := []string{t.literal(t.preds[t.evidence:], scope, 0.2)}
	if shape == "mean: " {
		targets = append(targets, t.literal(t.preds[t.evidence:], scope, 0.2))
	}
	if t.opt.Counts && t.chance(0.7) {
		body = append(body, t.counting(scope))
	}
	if t.chance(0.35) {
		body = append(body, t.comparison(slices.DeleteFunc(scope, func(v *variable) bool { return !v.inAtom })))
	}
	return shape + strings.Join(append(body, targets...), t.pick(" ^ ", " ^ ", " => "))
}

// constraint writes a clause that most worlds can satisfy.
func (t *task) constraint() string {
	scope := t.scope(2)
	body := []string{t.literal(t.preds[:t.evidence], scope, 0.2), t.literal(t.preds[:t.evidence], scope, 0.2)}
	head := []string{t.literal(t.preds[t.evidence:], scope, 0.4)}
	if t.chance(0.5) {
		head = append(head, t.literal(t.preds[t.evidence:], scope, 0.4))
	}
	if t.opt.Counts && t.chance(0.5) {
		body = append(body, t.counting(scope))
	}
	return strings.Join(body, " ^ ") + " => " + strings.Join(head, " v ")
}

// tree writes a formula of any shape. It has few variables, for its groundings are enumerated.
func (t *task) tree() string {
	for {
		scope := t.scope(1 + t.IntN(2))
		text, _ := t.expression(1+t.IntN(3), scope)
		// A variable that only equalities mention has no type.
		if !slices.ContainsFunc(scope, func(v *variable) bool { return v.compared && !v.inAtom }) {
			return text
		}
	}
}

// expression writes a tree of at most that depth; simple says that it needs no parentheses.
func (t *task) expression(depth int, scope []*variable) (text string, simple bool) {
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
		return strings.Join([]string{t.operand(depth-1, scope), t.operand(depth-1, scope), t.operand(depth-1, scope)}, t.pick(" ^ ", " v ")), false
	}
	return t.operand(depth-1, scope) + t.pick(" ^ ", " v ", " => ", " => ", " <=> ") + t.operand(depth-1, scope), false
}

// operand is an expression in parentheses where it needs them.
func (t *task) operand(depth int, scope []*variable) string {
	text, simple := t.expression(depth, scope)
	if simple {
		return text
	}
	return "(" + text + ")"
}

func (t *task) leaf(scope []*variable) (text string, simple bool) {
	if t.opt.Counts && t.chance(0.4) {
		return t.counting(scope), false
	}
	if t.chance(0.12) {
		return t.comparison(scope), false
	}
	preds := t.preds[:t.evidence]
	if t.chance(0.55) {
		preds = t.preds[t.evidence:]
	}
	return t.literal(preds, scope, 0.2), true
}

// quantified writes a quantifier over one or two variables, each of which some atom in its reach mentions. One may have
// the name of a variable that it hides.
func (t *task) quantified(depth int, scope []*variable) string {
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
		preds := slices.DeleteFunc(slices.Clone(t.preds), func(p predicate) bool { return !slices.Contains(p.args, q.typ) })
		p := preds[t.IntN(len(preds))]
		parts = append(parts, t.atom(p, scope, q))
	}
	parts = append(parts, t.operand(depth, scope))
	t.shuffle(parts)
	return fmt.Sprintf("%s %s (%s)", t.pick("EXIST", "FORALL"), strings.Join(names, ", "), strings.Join(parts, t.pick(" ^ ", " v ", " => ")))
}

// literal writes an atom of one of the predicates, negated with the given probability.
func (t *task) literal(preds []predicate, scope []*variable, negated float64) string {
	atom := t.atom(preds[t.IntN(len(preds))], scope, nil)
	if t.chance(negated) {
		return "!" + atom
	}
	return atom
}

// atom draws the arguments: mostly variables in scope, and first where its type allows it that one.
func (t *task) atom(p predicate, scope []*variable, first *variable) string {
	args := make([]string, len(p.args))
	for i, typ := range p.args {
		vars := slices.DeleteFunc(slices.Clone(scope), func(v *variable) bool { return v.typ != typ })
		if first != nil && first.typ == typ {
			vars = []*variable{first}
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

// constant draws a constant, which need not be in the domain, or the center.
func (t *task) constant(typ int) string {
	if typ == 0 && t.chance(0.4) {
		return "@center"
	}
	return entity(typ, t.IntN(t.opt.Entities+1))
}

// comparison writes an equality or inequality of a variable in scope, or a literal where none is.
func (t *task) comparison(scope []*variable) string {
	if len(scope) == 0 {
		return t.literal(t.preds[:t.evidence], nil, 0.2)
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

// pick draws one of the texts.
func (t *task) pick(texts ...string) string { return texts[t.IntN(len(texts))] }
