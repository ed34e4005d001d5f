package mln

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"resolwe/format/lex"
)

// Words say how a name reads. A line of a task file states them, which to other readers of models is a comment:
//
//	//= type tran: transaction, transactions
//	//= trans_balance: balance [CZK]; level
//	//= account_frequency "weekly issuance": gets weekly statements
//
// Texts have no control characters and no marks that change the direction of text, and at most 80 characters.
type Words struct {
	Type     bool   // of a type: its singular and plural
	Name     string // of the type or predicate
	Value    string // of a predicate's last argument, if Valued
	Valued   bool
	One, Two string // "transaction", "transactions"; "went bad", "did not go bad"; Two is "" if it is not stated
	Unit     string
	Flags    WordFlags
}

// WordFlags say more about a name.
type WordFlags uint8

// The flags.
const (
	WordWho   WordFlags = 1 << iota // a type of people
	WordOne                         // each first argument has one second argument
	WordLevel                       // a number that is not to be summed
	WordLow                         // the lower a number, the better
)

var wordFlags = []string{"who", "one", "level", "low is good"}

// Is reports whether all of some flags are set.
func (f WordFlags) Is(of WordFlags) bool { return f&of == of }

// WordsOf returns the words for a type, predicate or, if value is not nil, a value of its last argument; nil if none are stated.
func (s *Schema) WordsOf(isType bool, name string, value *string) *Words {
	i := slices.IndexFunc(s.Words, func(w Words) bool {
		return w.Type == isType && w.Name == name && w.Valued == (value != nil) && (value == nil || w.Value == *value)
	})
	if i < 0 {
		return nil
	}
	return &s.Words[i]
}

// String returns the line without "//= ".
func (w *Words) String() string {
	text := w.Name
	if w.Type {
		text = "type " + text
	}
	if w.Valued {
		text += " " + lex.Quote(w.Value)
	}
	text += ": " + w.One
	switch {
	case w.Two != "" && w.Type:
		text += ", " + w.Two
	case w.Two != "":
		text += " | " + w.Two
	}
	if w.Unit != "" {
		text += " [" + w.Unit + "]"
	}
	var flags []string
	for i, name := range wordFlags {
		if w.Flags&(1<<i) != 0 {
			flags = append(flags, name)
		}
	}
	if flags != nil {
		text += "; " + strings.Join(flags, ", ")
	}
	return text
}

// wordLines returns the lines that state words: types and predicates in the order of the schema, values below their predicates.
func (s *Schema) wordLines() string {
	var b strings.Builder
	if s.Use != "" {
		b.WriteString("//= use: " + s.Use + "\n")
	}
	put := func(isType bool, name string) {
		for _, valued := range []bool{false, true} {
			for _, w := range s.Words {
				if w.Type == isType && w.Name == name && w.Valued == valued {
					b.WriteString("//= " + w.String() + "\n")
				}
			}
		}
	}
	for _, t := range s.Types {
		put(true, t)
	}
	for _, p := range s.Predicates {
		put(false, p.Name)
	}
	return b.String()
}

// MostWords and mostUse bound texts, in characters.
const MostWords, mostUse = 80, 300

// cleanWords returns a text with single blanks, with nothing hidden, and cut if it is too long.
func cleanWords(text string, most int) string {
	runes := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' }), " "))
	if len(runes) > most {
		runes = append(runes[:most-1:most-1], '…')
	}
	for i, r := range runes {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			runes[i] = unicode.ReplacementChar
		}
	}
	return string(runes)
}

const wordForm = `a line "//=" says established, also used for prediction, or how a name reads: NAME: words`

// readWords reads the lines that state words.
func (c *checker) readWords(notes []lex.Note) {
	type key struct {
		isType, valued bool
		name, value    string
	}
	first := map[key]Position{}
	for _, n := range notes {
		if slices.Contains(standings, n.Text) && n.Text != "" {
			continue
		}
		w, why := c.words(n)
		if why != nil {
			c.report(*why)
			continue
		}
		k := key{w.Type, w.Valued, w.Name, w.Value}
		if at, twice := first[k]; twice {
			c.refuse(n.Pos, "words for %s are stated twice, first at %s", w.Name, at)
			continue
		}
		first[k] = n.Pos
		if w.Name == "use" && !w.Type {
			c.model.Schema.Use = w.One
			continue
		}
		c.model.Schema.Words = append(c.model.Schema.Words, w)
	}
}

// words reads one line.
func (c *checker) words(n lex.Note) (w Words, why *ModelError) {
	fault := func(format string, args ...any) (Words, *ModelError) {
		e := c.at(n.Pos, format, args...)
		return w, &e
	}
	text, _, _ := strings.Cut(n.Text, " //") // a comment
	if after, ok := strings.CutPrefix(text, "type "); ok && !strings.HasPrefix(after, `"`) {
		w.Type, text = true, strings.TrimSpace(after)
	}
	w.Name = text[:lex.NameLen(text)]
	rest := strings.TrimSpace(text[len(w.Name):])
	if w.Name == "" || rest == "" {
		return fault("%s", wordForm)
	}
	schema := &c.model.Schema
	if use, ok := strings.CutPrefix(rest, ":"); ok && w.Name == "use" && !w.Type {
		if w.One = cleanWords(use, mostUse); w.One == "" {
			return fault("%s", wordForm)
		}
		return w, nil
	}
	known, what := schema.PredicateNames(), "predicate"
	if w.Type {
		known, what = schema.Types, "type"
	}
	place := slices.Index(known, w.Name)
	if place < 0 {
		e := c.model.sources.Near(w.Name, known, n.Pos, "%s %q, which this line words, is not declared", what, w.Name)
		return w, &e
	}
	if rest[0] != ':' {
		w.Valued = true
		if w.Value, rest = cutValue(rest); w.Type || rest == "" {
			return fault("%s", wordForm)
		}
		args := schema.Predicates[place].Args
		if v, ok := ParseNumber(w.Value); ok && schema.IsNumber(args[len(args)-1]) {
			w.Value = FormatNumber(v)
		}
	}
	if reason := w.read(strings.TrimPrefix(rest, ":")); reason != "" {
		return fault("%s: %s", w.Name, reason)
	}
	if !w.Type {
		if reason := schema.placeFault(&schema.Predicates[place], &w); reason != "" {
			return fault("%s: %s", w.Name, reason)
		}
	}
	return w, nil
}

// cutValue returns the value at the start of a text, quoted or not, and what follows it from the colon on; that is "" if there is none.
func cutValue(text string) (value, rest string) {
	if text[0] != '"' {
		value, rest, ok := strings.Cut(text, ":")
		if value = strings.TrimSpace(value); !ok || !lex.IsPlain(value) {
			if _, number := ParseNumber(value); !ok || !number {
				return "", ""
			}
		}
		return value, ":" + rest
	}
	value, rest = cutConstant(text)
	if !strings.HasPrefix(rest, ":") {
		return "", ""
	}
	return value, rest
}

var unitPattern = regexp.MustCompile(`^(.*\S)\s*\[([^\[\]]+)\]$`)

// read reads what stands behind the colon, and says what is wrong with it, "" for nothing.
func (w *Words) read(text string) string {
	text, flags, flagged := strings.Cut(text, ";")
	if flagged {
		for flag := range strings.SplitSeq(flags, ",") {
			i := slices.Index(wordFlags, cleanWords(flag, MostWords))
			if i < 0 || w.Valued || w.Type != (i == 0) {
				return "unknown flag " + strconv.Quote(cleanWords(flag, MostWords)) + ": a type may be who, a predicate one, level, or low is good"
			}
			w.Flags |= 1 << i
		}
	}
	text = strings.TrimSpace(text)
	if m := unitPattern.FindStringSubmatch(text); m != nil && !w.Type && !w.Valued {
		text, w.Unit = m[1], cleanWords(m[2], MostWords)
	}
	between := "|"
	if w.Type {
		between = ","
	}
	one, two, both := strings.Cut(text, between)
	w.One, w.Two = cleanWords(one, MostWords), cleanWords(two, MostWords)
	switch {
	case w.One == "" || both && w.Two == "":
		return "words are missing"
	case strings.Contains(two, between):
		return "more than two texts"
	}
	return ""
}

var placePattern = regexp.MustCompile(`\{([^{}]*)\}`)

// placeFault says which {..} in the words of a predicate stands for none of its arguments, "" for none.
func (s *Schema) placeFault(p *Predicate, w *Words) string {
	for _, m := range placePattern.FindAllStringSubmatch(w.One+w.Two, -1) {
		i, err := strconv.Atoi(m[1])
		if (err != nil || i < 1 || i > len(p.Args)) && !slices.Contains(s.typeNames(p), m[1]) {
			return m[0] + " is none of its arguments: {1} and {2}, or the names of their types"
		}
	}
	return ""
}

// IsAge reports whether a predicate states how many days before the case its first argument is from: its words are "age", or it has none and
// its number is of the kind "days".
func (s *Schema) IsAge(pred int) bool {
	p := &s.Predicates[pred]
	return s.reads(p, "age") || s.Types[p.Args[len(p.Args)-1]] == "days" && s.WordsOf(false, p.Name, nil) == nil
}

// IsRank reports whether a predicate ranks its first argument by time, from the latest: its words are "rank", or its name has "_latest_".
func (s *Schema) IsRank(pred int) bool {
	p := &s.Predicates[pred]
	return s.reads(p, "rank") || strings.Contains(p.Name, "_latest_") && s.IsNumber(p.Args[len(p.Args)-1])
}

// reads reports whether a predicate of two arguments reads as one word that does not end its name.
func (s *Schema) reads(p *Predicate, word string) bool {
	w := s.WordsOf(false, p.Name, nil)
	return len(p.Args) == 2 && w != nil && w.One == word && w.Unit == "" && !strings.HasSuffix(p.Name, word)
}

// byAge returns the aggregates of an expression that take the row with the greatest age, which is the oldest.
func (s *Schema) byAge(x Expr) (out []*Count) {
	if c, ok := x.(*Count); ok && c.Kind.Leading() == 2 {
		body, _ := c.Parts()
		if slices.ContainsFunc(body, func(l Literal) bool {
			return l.Atom != nil && len(l.Atom.Args) == 2 && isIn(c.Listed[1], l.Atom.Args[1:]) && s.IsAge(l.Atom.Pred)
		}) {
			out = append(out, c)
		}
	}
	for _, y := range Operands(x) {
		out = append(out, s.byAge(y)...)
	}
	return out
}

// Standing says what selection by gain found a formula to be.
type Standing uint8

// The standings.
const (
	StandingNone        Standing = iota // it was not selected so
	StandingEstablished                 // of all that was offered, it would hardly look as good by chance
	StandingAlso                        // it helps to predict, and is not established
)

// standings are the texts of standings.
var standings = []string{"", "established", "also used for prediction"}

// String returns the text of a standing, "" for StandingNone.
func (s Standing) String() string { return standings[s] }

// Line returns the line that states it above a formula, "" for StandingNone. To other readers of models it is a comment.
func (s Standing) Line() string {
	if s == StandingNone {
		return ""
	}
	return "//= " + s.String() + "\n"
}
