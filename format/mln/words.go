package mln

import (
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/internal/printable"
)

// Word says how people call a type, a predicate, or a value of a predicate's second argument. It is stated by a line that other readers of a
// model skip:
//
//	//= [type] NAME ["VALUE"]: words [unit]; flag; flag
type Word struct {
	IsType bool
	Name   string // "use" for what the model is meant for
	Value  string // "" for the predicate itself
	Text   string // at most 80 characters, none of them hidden
	Unit   string
	Flags  []string
	Pos    Position
}

// mostWord is the maximum number of characters of a text in a [Word].
const mostWord = 80

// wordFlags are the flags that a word may have.
var wordFlags = []string{"who", "one", "level", "age", "rank", "low is good"}

// String returns the line without its "//= ".
func (w Word) String() string {
	var b strings.Builder
	if w.IsType {
		b.WriteString("type ")
	}
	b.WriteString(w.Name)
	if w.Value != "" {
		b.WriteString(" " + lex.Quote(w.Value))
	}
	b.WriteString(": " + w.Text)
	if w.Unit != "" {
		b.WriteString(" [" + w.Unit + "]")
	}
	for _, f := range w.Flags {
		b.WriteString("; " + f)
	}
	return b.String()
}

// parseWord reads a marked line. The error says what is wrong with it, "" if nothing is.
func parseWord(m lex.Mark) (w Word, wrong string) {
	w.Pos = m.Pos
	rest, isType := strings.CutPrefix(m.Text, "type ")
	if w.IsType = isType && !strings.HasPrefix(strings.TrimSpace(rest), ":"); !w.IsType {
		rest = m.Text
	}
	rest = strings.TrimSpace(rest)
	end := strings.IndexAny(rest+":", ": \t\"")
	if end == 0 {
		return w, `"//= " begins a line of words, as in //= loan: loan, loans`
	}
	w.Name, rest = rest[:end], strings.TrimSpace(rest[end:])
	valued := !strings.HasPrefix(rest, ":")
	if valued {
		if strings.HasPrefix(rest, `"`) {
			w.Value, rest = cutConstant(rest)
		} else {
			at := max(0, strings.Index(rest, ":"))
			w.Value, rest = strings.TrimSpace(rest[:at]), rest[at:]
		}
	}
	rest, ok := strings.CutPrefix(rest, ":")
	if !ok || valued && (w.Value == "" || w.IsType) {
		return w, `words follow a colon, as in //= type loan: loan, loans or //= region "N": in the north`
	}
	parts := strings.Split(rest, ";")
	for _, f := range parts[1:] {
		if f = strings.TrimSpace(f); !slices.Contains(wordFlags, f) {
			return w, "after ; stands one of " + strings.Join(wordFlags, ", ") + ", not " + strconv.Quote(f)
		}
		w.Flags = append(w.Flags, f)
	}
	text := strings.TrimSpace(parts[0])
	if before, unit, ok := strings.Cut(text, "["); ok {
		if text, w.Unit, ok = strings.TrimSpace(before), strings.TrimSuffix(unit, "]"), strings.HasSuffix(unit, "]"); !ok {
			return w, "[ begins a unit, as in [CZK], which ends the words"
		}
	}
	w.Text, w.Unit = visible(text), visible(w.Unit)
	if w.Text == "" && w.Unit == "" && w.Flags == nil {
		return w, "no words follow the colon"
	}
	return w, ""
}

// visible returns a text cut to its maximum length, with U+FFFD for control characters and marks that change the direction of text.
func visible(text string) string {
	out := []rune(strings.ToValidUTF8(text, "\ufffd"))
	for i, r := range out {
		out[i] = printable.Shown(r)
	}
	return strings.TrimSpace(string(out[:min(len(out), mostWord)]))
}

// addWords records the words of marked lines. Of two lines about the same, the later one counts.
func (c *checker) addWords(list []Word) {
	s := &c.model.Schema
	for _, w := range list {
		known, what, among := w.Name == "use" || s.Predicate(w.Name) >= 0, "predicate", s.PredicateNames()
		if w.IsType {
			known, what, among = s.Type(w.Name) >= 0, "type", s.Types
		}
		if !known {
			c.report(c.model.sources.Near(w.Name, among, w.Pos, "these words are of a %s that is not declared: %s", what, w.Name))
			continue
		}
		s.Words = slices.DeleteFunc(s.Words, func(o Word) bool {
			return o.IsType == w.IsType && o.Name == w.Name && o.Value == w.Value
		})
		s.Words = append(s.Words, w)
	}
}
