package tableinit

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
