package tableinit

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"resolwe/format/lex"
	"resolwe/internal/english"
)

// wordsOf splits a name into lower-case, singular words: OwnerUserID and owner_user-id give the same.
func wordsOf(name string) []string {
	words := english.Split(name)
	for i, w := range words {
		words[i] = english.Singular(w)
	}
	return words
}

// article returns a name behind its article.
func article(name string) string {
	if name != "" && strings.ContainsRune("aeio", unicode.ToLower(rune(name[0]))) || hasPrefix(name, "un", "up", "ur") && !hasPrefix(name, "uni") {
		return "an " + name
	}
	return "a " + name
}

func hasPrefix(word string, of ...string) bool {
	return slices.ContainsFunc(of, func(start string) bool { return strings.HasPrefix(word, start) })
}

// identifying are the last words of columns that name things.
var identifying = []string{
	"id", "key", "code", "no", "nr", "number", "uuid", "guid", "ref", "pk", "fk", "sku", "isbn", "ean", "handle", "login", "username", "email",
}

// numbering are those of them that say what sort of number or text it is.
var numbering = []string{"code", "no", "nr", "number"}

// stemOf returns a column's words without one that marks a name, and reports whether there is one.
func stemOf(words []string) (stem []string, names bool) {
	if n := len(words) - 1; n >= 0 && slices.Contains(identifying, words[n]) {
		return words[:n], true
	}
	return words, false
}

// endsWith reports whether words end with others, which must not be empty.
func endsWith(words, end []string) bool {
	return len(end) > 0 && len(words) >= len(end) && slices.Equal(words[len(words)-len(end):], end)
}

// upward are words of columns that point to another row of their own table.
var upward = []string{
	"parent", "root", "previous", "prev", "next", "reply", "manager", "bos", "boss", "supervisor", "original", "duplicate", "accepted", "predecessor",
	"superior", "ancestor", "replied", "successor",
}

// roleNames are words for the role that a thing has in a row, beside others of its sort.
var roleNames = []string{
	"winner", "loser", "home", "away", "host", "guest", "visitor", "from", "to", "sender", "receiver", "recipient", "source", "target", "origin", "destination",
	"buyer", "seller", "payer", "payee", "lender", "borrower", "caller", "callee", "follower", "followee", "parent", "child", "mother", "father", "spouse",
	"partner", "owner", "author", "creator", "editor", "reviewer", "approver", "requester", "reporter", "assignee", "referrer", "sponsor", "mentor", "opponent",
	"departure", "arrival", "primary", "secondary", "left", "right", "first", "second",
}

// temporal are words of columns that hold dates or times.
var temporal = []string{
	"date", "time", "timestamp", "ts", "at", "on", "when", "day", "created", "updated", "modified", "joined", "registered", "datetime", "epoch", "since",
	"inserted", "recorded", "entered", "loaded", "stored", "posted", "received", "ingested",
}

// describing are words for columns that explain a code; naming are words for columns that may.
var (
	describing = []string{"description", "label", "meaning", "type", "kind", "category"}
	naming     = []string{"name", "title", "text"}
)

func hasWord(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
}

// plainName turns any text into a name of the recipe's language: ASCII letters and digits, underscores for the rest.
func plainName(text, otherwise string) string {
	isOther := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	name := strings.Join(strings.FieldsFunc(text, isOther), "_")
	switch {
	case name == "":
		return otherwise
	case unicode.IsDigit(rune(name[0])):
		return otherwise + name
	case len(name) > maxName:
		return strings.Trim(name[:maxName], "_")
	}
	return name
}

const maxName = 40

// registry holds the names in use.
type registry map[string]bool

// reserved are words with a meaning in recipes or task files.
var reserved = []string{
	"number", "int", "float", "day", "time", "date", "days", "v", "count", "min", "max", "sum", "table", "center", "sample", "require", "entity", "template",
	"target", "listed", "compound", "extend", "exist", "forall", "optional", "where", "null", "avg", "last", "rank", "row", "delimiter", "encoding", "noheader", "from", "is", "empty", "not", "by", "fold",
}

// free reports whether a name is neither in use nor reserved.
func (r registry) free(name string) bool {
	name = strings.ToLower(name)
	return !r[name] && !slices.Contains(reserved, name)
}

// take returns and registers a name that differs from those in use by more than case.
func (r registry) take(name string) string {
	if slices.Contains(reserved, strings.ToLower(name)) {
		name += "_"
	}
	return r.unlike(name)
}

// unlike returns the name, or with a number one that was not returned before.
func (r registry) unlike(name string) string {
	free := name
	for n := 2; r[strings.ToLower(free)]; n++ {
		free = name + "_" + itoa(n)
	}
	r[strings.ToLower(free)] = true
	return free
}

func itoa(n int) string     { return strconv.Itoa(n) }
func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

// clip shortens a text to fit on the line of a comment.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, shortened(s, 40))
}

func clipLong(s string) string {
	return strings.Join(strings.Fields(shortened(strings.TrimSuffix(s, "."), 300)), " ")
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + ".."
	}
	return s
}

// check marks a drafted line that may read badly.
const check = "  // CHECK"

// wording drafts the lines "//=" of the task: how its types and predicates read, at most so many.
func (w *writer) wording(most int) (lines []string) {
	add := func(name, words string, doubtful bool) {
		if len(lines) < most {
			lines = append(lines, "//= "+name+": "+words+either(doubtful, check, ""))
		}
	}
	stated := map[string]bool{}
	for _, p := range w.predicates {
		for typ := range strings.SplitSeq(p.types, ", ") {
			if !w.isThing(typ) || stated[typ] {
				continue
			}
			stated[typ] = true
			words := english.Split(typ)
			if len(words) == 0 {
				continue
			}
			last := len(words) - 1
			words[last] = english.Singular(words[last])
			one := strings.Join(words, " ")
			add("type "+typ, one+", "+english.Plural(one), truncated(words[last]) || one == english.Plural(one))
		}
	}
	for i := range w.predicates {
		if p := &w.predicates[i]; i == 0 {
			is, isNot := w.outcome()
			add(p.name, is+" | "+isNot, true)
		} else if words, doubtful := w.wordsFor(p); words != "" {
			add(p.name, words, doubtful)
			if c := p.column; c != nil && c.kind == kindBool {
				if yes, _, ok := c.bools(); ok {
					is, _ := outcomeOf(english.Split(c.header))
					add(p.name+" "+lex.Quote(yes), is, true)
				}
			}
		}
	}
	return lines
}

// isThing reports whether a type is of things that have a key or are predicted.
func (w *writer) isThing(typ string) bool {
	return slices.ContainsFunc(w.types, func(t *entityType) bool {
		return t.name == typ && (t.key != nil || t == w.group.typ || t == w.member.typ)
	})
}

// truncated reports whether a noun may be the beginning of one: it is short, or has no vowel.
func truncated(noun string) bool { return len(noun) <= 4 || !strings.ContainsAny(noun, "aeiouy") }

// outcome drafts what a predicted thing does, and the opposite.
func (w *writer) outcome() (is, isNot string) {
	if w.label != nil {
		return outcomeOf(english.Split(w.label.header))
	}
	rows := strings.Join(english.Split(w.request.table.name), " ")
	return "is among " + rows, "is not among " + rows
}

// outcomeOf drafts what one does of whom a column of yes and no says yes, and the opposite.
func outcomeOf(words []string) (is, isNot string) {
	text := strings.Join(words, " ")
	switch {
	case text == "":
		text = "holds"
	case len(words) > 1 && (words[0] == "is" || words[0] == "was" || words[0] == "has"):
	case strings.HasSuffix(text, "ed"):
		return text, "never " + text
	default:
		text = "is " + text
	}
	return text, english.Negated(text)
}

// units are those that end the name of a column, and leveled the numbers that are not summed.
var (
	units = map[string]string{
		"eur": "EUR", "usd": "USD", "czk": "CZK", "gbp": "GBP", "chf": "CHF", "jpy": "JPY", "pct": "%", "percent": "%", "days": "days", "hours": "hours",
		"minutes": "minutes", "seconds": "seconds", "secs": "seconds", "ms": "ms", "km": "km", "kg": "kg", "months": "months", "years": "years",
	}
	leveled = []string{"balance", "stock", "level", "price", "rate", "temperature"}
)

// wordsFor drafts the words for a predicate, and reports whether they may read badly.
func (w *writer) wordsFor(p *predicate) (words string, doubtful bool) {
	types := strings.Split(p.types, ", ")
	switch last := types[len(types)-1]; {
	case p.column == nil && last == kindOfDays:
		return "age", false
	case last == kindOfLatest:
		return "rank", false
	case len(types) != 2 || p.column == nil:
		return "", false
	}
	return w.columnWords(p, types[0], types[1])
}

// columnWords drafts the words for a predicate that relates a thing with what a column states.
func (w *writer) columnWords(p *predicate, first, last string) (words string, doubtful bool) {
	c, key := p.column, p.table.key
	own := key != nil && key.typ != nil && first == key.typ.name && c.table == p.table
	name := english.Split(c.header)
	switch {
	case len(name) == 0:
		return "", false
	case last == kindOfDays:
		return "days since " + strings.Join(name, " ") + " [days]", false
	case own && c.isThing():
		if n := len(name) - 1; n > 0 && slices.Contains(identifying, english.Singular(name[n])) {
			name = name[:n]
		}
		return "its " + strings.Join(name, " ") + "; one", false
	case c.isThing() && w.isThing(first) && w.isThing(last):
		row := english.Article(strings.Join(wordsOf(p.table.name), " "))
		return "{1} has " + row + " with {2} | {2} has " + row + " with {1}", true
	case !c.isValue() || !own:
		return "", false
	}
	words = numberWords(name)
	return words, words == "age" || words == "rank"
}

// numberWords drafts how a number reads that a column has, with its unit.
func numberWords(name []string) string {
	unit := ""
	if n := len(name) - 1; n > 0 && units[name[n]] != "" {
		unit, name = units[name[n]], name[:n]
	} else if n >= 0 && name[n] == "year" {
		unit = "year"
	}
	words := strings.Join(name, " ")
	if slices.Contains(name, "birth") && unit == "year" {
		words = "year of birth"
	}
	return words + either(unit != "", " ["+unit+"]", "") + either(slices.Contains(leveled, name[len(name)-1]), "; level", "")
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
