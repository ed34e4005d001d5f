package tableinit

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// wordsOf splits a name into lower-case, singular words: OwnerUserID and owner_user-id give the same.
func wordsOf(name string) []string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		words[i] = singular(w)
	}
	return words
}

func singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// identifying are the last words of columns that name things.
var identifying = []string{
	"id", "key", "code", "no", "nr", "number", "uuid", "guid", "ref", "pk", "fk", "sku", "isbn", "ean", "handle", "login", "username", "email",
}

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

func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + ".."
	}
	return s
}
