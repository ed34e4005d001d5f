package render

import (
	"fmt"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// related tells that a thing v is related to another.
func (t *teller) related(l mln.Literal, v int) []clause {
	a, at := l.Atom, 0
	if !isVariable(a.Args[0], v) {
		at = 1
	}
	other := a.Args[1-at]
	text := t.ref(other)
	if text == "" && at == 0 && !l.Negated && t.isOne(a.Pred) {
		return t.possess(a.Pred, other.Var)
	}
	if text != "" {
		c := t.relation(a.Pred, at, text)
		if l.Negated != t.takeFlip() {
			c.verb, c.post = english.Negated(c.verb), ""
		}
		return []clause{c}
	}
	if l.Negated {
		t.bad = true
		return nil
	}
	text, owner := t.np(other.Var)
	if owner != "" {
		return []clause{{verb: owner}}
	}
	return []clause{t.relation(a.Pred, at, text)}
}

// isOne reports whether each first argument of a predicate has one second argument.
func (t *teller) isOne(pred int) bool {
	w := t.schema.WordsOf(false, t.schema.Predicates[pred].Name, nil)
	return w != nil && w.Flags.Is(mln.WordOne) && len(t.schema.Predicates[pred].Args) == 2
}

// reference returns what the second argument of a predicate that each thing has one of is called.
func (t *teller) reference(pred int) string {
	p := t.schema.Predicates[pred]
	if w := t.schema.WordsOf(false, p.Name, nil); w != nil && !strings.Contains(w.One, "{") {
		name := w.One
		for _, its := range []string{"its ", "their ", "his ", "her "} {
			name = strings.TrimPrefix(name, its)
		}
		return name
	}
	return t.noun(p.Args[1]).One
}

// possess tells about the one thing w that another is related to.
func (t *teller) possess(pred, w int) []clause {
	name := t.reference(pred)
	t.known[w] = "the " + name
	out := t.clauses(w)
	if len(out) == 0 {
		out = []clause{{verb: Either(t.takeFlip(), "is missing", "is known")}}
	}
	for i := range out {
		out[i].chain, out[i].post = append([]string{name}, out[i].chain...), ""
	}
	return out
}

// relation tells that a thing, the argument at 0 or 1 of a predicate, is related to another.
func (t *teller) relation(pred, at int, other string) clause {
	p := t.schema.Predicates[pred]
	template, worded := t.template(pred, at)
	if p.Role.IsTarget() && !strings.Contains(template, "{") {
		yes, _ := t.verb(pred)
		return clause{verb: yes + " with " + other}
	}
	var c clause
	switch self, that, ok := t.places(p, at, template); {
	case ok && self != "" && strings.HasPrefix(template, self):
		c.verb = strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(template, self), that, other))
	case ok && self == "":
		c.post = strings.ReplaceAll(template, that, other)
		c.verb = "is " + c.post
		if rest, has := strings.CutPrefix(c.post, "with "); has {
			c.verb = "has " + rest
		}
	case at == 1 && worded && template == "" && !t.isOne(pred):
		template = t.relation(pred, 0, "").verb
		c.post = "that " + other + " " + strings.TrimSpace(template)
		c.verb = "is one " + c.post
	case template != "" && !strings.Contains(template, "{"):
		c.verb = template + " " + other
	case at == 1:
		c.verb = "has " + other
	case strings.HasPrefix(t.column(pred)+" ", t.noun(p.Args[1]).One+" "):
		c.verb, c.post = "is of "+other, "of "+other
	default:
		c.verb = "is linked by " + marked(`"`+spoken(p.Name)+`"`) + " to " + other
	}
	if rest, has := strings.CutPrefix(c.verb, "has "); has && c.post == "" {
		c.post = "with " + rest
	}
	return c
}

// template returns how the argument at 0 or 1 of a predicate is related to the other, "" if no words say so, and whether the predicate has any.
func (t *teller) template(pred, at int) (template string, worded bool) {
	p := t.schema.Predicates[pred]
	w := t.schema.WordsOf(false, p.Name, nil)
	if w == nil {
		return "", false
	}
	template = [2]string{w.One, w.Two}[at]
	if other := [2]string{w.Two, w.One}[at]; strings.Contains(other, "{") {
		if self, _, ok := t.places(p, at, other); ok && self != "" && strings.HasPrefix(other, self) {
			return other, true
		}
	}
	if at == 0 && w.Flags.Is(mln.WordOne) && !strings.Contains(template, "{") {
		template = "with " + t.reference(pred) + " {2}"
	}
	return template, true
}

// places returns how a template names the thing told about, "" if it does not, and the other.
func (t *teller) places(p mln.Predicate, at int, template string) (self, that string, ok bool) {
	for i, typ := range p.Args {
		for _, name := range []string{fmt.Sprintf("{%d}", i+1), "{" + t.schema.Types[typ] + "}"} {
			if !strings.Contains(template, name) || name == self || name == that {
				continue
			}
			if i == at {
				self = name
			} else {
				that = name
			}
		}
	}
	return self, that, that != ""
}
