package facts_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// written returns the text of the one subgraph in a text.
func written(tb testing.TB, text string) string {
	tb.Helper()
	r, err := facts.NewReader(strings.NewReader(text), "f.db", wiki)
	check.OK(tb, err)
	s, err := r.Next()
	check.OK(tb, err)
	var out bytes.Buffer
	check.OK(tb, facts.Write(&out, s, wiki))
	return out.String()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"all": `@subgraph s0 center=Anna fold=1
@entity article Cake Tea
@entity user Bob Anna
articleEdit(Cake, Bob)
articleEdit(Tea, Bob)
articleEdit(Tea, Anna)
admin(Anna)
talk(Bob, Anna, Cake)
talk(Anna, Bob, Tea)
modifies(Cake, Bob)
!modifies(Tea, Anna)
?modifies(Tea, Bob)
cFriends(Bob)
!cFriends(Anna)
`,
		"date":                  "@subgraph s center=Anna fold=0 time=0001-12-31\n",
		"date and time":         "@subgraph s time=2010-01-31T23:59:58Z\n",
		"no facts, quoted name": "@subgraph \"the \\\"second\\\"\"\n@entity article Tea\n",
		"name of one word":      "@subgraph _2nd\n",
		"constants":             "@subgraph s\n@entity user Abc 1_a \"lower\" \"_x\" \"\" \"a b\" \"q\\\"\" \"Ä\" \"A-B\"\ncFriends(\"a b\")\n",
	} {
		check.Equal(t, name, written(t, text), text)
	}
}

func TestWrite_BreaksLongLines(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 100 {
		fmt.Fprintf(&names, " Thing%s%d", strings.Repeat("x", i%7), i)
	}
	text := "@subgraph s\n@entity article" + names.String() + "\n"
	out := written(t, text)
	for line := range strings.Lines(out) {
		check.AtMost(t, len(line), 121, "bytes of the line %s", line)
	}
	read := func(text string) []dump { return mustReadAll(t, strings.NewReader(text), "f.db", wiki) }
	check.Equal(t, "read", read(out), read(text))
}

// Whatever bytes names are, what is written reads back.
func TestWrite_HostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		`"`, `\`, `\"`, `a\nb`, "two\nlines", "\r\n", "\r", "\t", " ", "nul\x00", "\x1b[31m", "\x7f", "'=1+1", "=1+1", "// a", "/* b", "a, b)", "\u202eright\u2066", "\ufeff",
		"line\u2028separator", "\u3000", "\xff\xfe", "\xe2\x80", "\ufffd", "\U000e0001", strings.Repeat("long\n", 2000),
	} {
		b := subgraph.NewBuilder(wiki)
		b.Reset(name, name, 3)
		b.Add(wiki.Predicate("articleEdit"), []uint32{b.Entity(0, name), b.Entity(1, name+"2")}, subgraph.True)
		s, err := b.Finish()
		check.OK(t, err)
		var out bytes.Buffer
		check.OK(t, facts.Write(&out, s, wiki))
		check.Equal(t, strconv.Quote(name), mustReadAll(t, &out, "f.db", wiki), []dump{dumpOf(wiki, s)})
	}
}

func TestWrite_RefusesAnotherSchema(t *testing.T) {
	t.Parallel()
	r, err := facts.NewReader(strings.NewReader("admin(Bob)"), "f.db", wiki)
	check.OK(t, err)
	s, err := r.Next()
	check.OK(t, err)
	other := *wiki
	other.Types = other.Types[:1]
	check.Fails(t, facts.Write(&bytes.Buffer{}, s, &other), "relations of another schema")
}
