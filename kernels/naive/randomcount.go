package naive

import (
	"fmt"
	"slices"
	"strings"
)

// spellings of a few numbers.
var spellings = []string{"30", "3e1", "30.0", "-2.5", "-2.50", "0", "-0.0", "007", "7", "1e3"}

// ages writes facts about numbers.
func (t *task) ages(items int) []string {
	out := make([]string, t.IntN(5))
	for i := range out {
		out[i] = fmt.Sprintf("age(%s, %s)", entity(0, t.IntN(items)), t.pick(spellings...))
	}
	return out
}

// counting writes a counting literal that shares variables which an atom mentions already.
func (t *task) counting(scope []*variable) string {
	vars := slices.DeleteFunc(slices.Clone(scope), func(v *variable) bool { return !v.inAtom })
	var listed, body []string
	local := func(name string) {
		v := &variable{name: name, typ: t.IntN(2)}
		vars = append(vars, v)
		preds := slices.DeleteFunc(slices.Clone(t.preds[:t.evidence]), func(p predicate) bool { return !slices.Contains(p.args, v.typ) })
		body = append(body, t.atom(preds[t.IntN(len(preds))], vars, v))
	}
	for i := range 1 + t.IntN(2) {
		listed = append(listed, fmt.Sprintf("c%d", i))
		local(listed[i])
	}
	if t.chance(0.4) {
		t.inner++
		local(fmt.Sprintf("h%d", t.inner))
	}
	if t.chance(0.5) {
		body = append(body, t.literal(t.preds[:t.evidence], vars, 0.3))
	}
	if t.chance(0.2) {
		body = append(body, t.comparison(vars))
	}
	if items := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool { return v.typ != 0 }); len(items) > 0 && t.chance(0.4) {
		t.inner++
		n := fmt.Sprintf("n%d", t.inner)
		if t.chance(0.5) {
			listed = append(listed, n)
		}
		age := fmt.Sprintf("age(%s, %s)", items[t.IntN(len(items))].name, n)
		body = append(body, age, n+" "+t.pick(">=", "<", ">", "<=", "=", "!=")+" "+t.pick(spellings...))
	}
	t.shuffle(body)
	text := fmt.Sprintf("#{%s: %s} %s %d", strings.Join(listed, ", "), strings.Join(body, " ^ "), t.pick(">=", ">", "<=", "<", "=", "!="), t.IntN(4))
	if t.chance(0.2) {
		return "!(" + text + ")"
	}
	return text
}
