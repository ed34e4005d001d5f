package export

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/internal/printable"
)

// language is what a system can say. Its functions say what is wrong with a constant, or with the name of a predicate or a type, that
// the system would not surely read back as the same text; "" if nothing is.
type language struct {
	write          func(*text)
	constant, name func(string) string
}

var languages = map[string]language{
	"alchemy": {alchemy, alchemyConstant, alchemyName},
	"psl":     {psl, unescaped, pslName},
	"sql":     {sql, sqlConstant, sqlName},
	"problog": {problog, unescaped, problogName},
}

// claim gives a predicate or a type a name, under a key that is equal for names that are one to the system.
func (t *text) claim(key, what, name string) {
	what = printable.Clip(what, maxShown)
	if why := t.name(name); why != "" {
		t.refuseName(what, why)
	}
	if of := t.claimed[key]; of != "" {
		t.refuseName(what, "would be one with "+of)
	}
	t.claimed[key] = what
}

func (t *text) refuseName(what, why string) { t.reasons = append(t.reasons, what+" "+why) }

// domains refuses what the constants of types cannot be.
func (t *text) domains() {
	for typ, constants := range t.model.Constants {
		for _, c := range constants {
			if why := t.wrong(c); why != "" {
				t.reasons = append(t.reasons, fmt.Sprintf("constant %s of type %s %s", shown(c), t.model.Schema.Types[typ], why))
			}
		}
	}
}

// sayable reports whether the constants of a formula can be said. Otherwise it refuses the formula.
func (t *text) sayable(formula int) bool {
	for _, c := range t.model.Formulas[formula].Constants() {
		if why := t.wrong(c.Name); why != "" {
			t.refuse(formula, "has the constant "+shown(c.Name)+", which "+why)
			return false
		}
	}
	return true
}

// wrong says what is wrong with a constant.
func (t *text) wrong(constant string) string {
	if !utf8.ValidString(constant) {
		return "is not UTF-8"
	}
	return t.constant(constant)
}

// maxShown is how many bytes of a name or a formula a reason quotes.
const maxShown = 200

func shown(constant string) string { return printable.Clip(mln.FormatConstant(constant), maxShown) }

// barred is what is wrong with a constant that has one of some characters, or one that does not print, in it.
func barred(characters, called, constant string) string {
	if strings.ContainsAny(constant, characters) || strings.ContainsFunc(constant, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "has " + called + " or what does not print in it"
	}
	return ""
}

// Names of predicates, types and variables: of all languages, and those of Alchemy.
var (
	plain  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	dashed = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_'-]*$`)
)

// matching is what is wrong with a name that a pattern does not match.
func matching(pattern *regexp.Regexp, name string) string {
	switch {
	case pattern.MatchString(name):
		return ""
	case pattern == plain:
		return "has other characters than letters, digits and underscores"
	}
	return "has other characters than letters, digits, underscores, hyphens and apostrophes"
}
