package subgraph_test

import (
	"bytes"
	"strings"
	"testing"

	"resolwe/format/subgraph"
)

func TestWriteText(t *testing.T) {
	t.Parallel()
	list := samples(t)
	for _, row := range []struct {
		name string
		sub  *subgraph.Subgraph
		want string
	}{
		{"all", list[0], `@subgraph s0 center=Anna fold=1
@entity person Bob Anna
@entity thing Cake Tea
friends(Bob, Anna)
friends(Anna, Bob)
friends(Anna, Anna)
bought(Bob, Cake, Anna)
bought(Anna, Tea, Bob)
smokes(Anna)
?smokes(Bob)
`},
		{"no facts, quoted name", list[1], `@subgraph "the \"second\""
@entity thing Tea
`},
		{"false and quoted", list[2], `@subgraph s2 center=Tea fold=0
@entity person Dora Bob
@entity thing Cake Tea "a small \\ thing"
!smokes(Dora)
likes(Dora, Cake)
!likes(Bob, Tea)
?likes(Bob, "a small \\ thing")
`},
	} {
		var out bytes.Buffer
		if err := row.sub.WriteText(&out, social()); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if got := out.String(); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
}

func TestWriteText_Constants(t *testing.T) {
	t.Parallel()
	b := newBuilder(social())
	b.Reset("s", "", -1)
	for _, name := range []string{"Abc", "1_a", "lower", "_x", "", "a b", `q"`, "Ä", "A-B"} {
		b.Entity(0, name)
	}
	var out bytes.Buffer
	if err := b.finish(t).WriteText(&out, b.schema); err != nil {
		t.Fatal(err)
	}
	want := `@entity person Abc 1_a "lower" "_x" "" "a b" "q\"" "Ä" "A-B"`
	if got := strings.Split(out.String(), "\n")[1]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWriteText_BreaksLongLines(t *testing.T) {
	t.Parallel()
	b := newBuilder(social())
	b.Reset("s", "", -1)
	for i := range 100 {
		b.Entity(1, "Thing"+strings.Repeat("x", i%7)+string(rune('A'+i%26))+string(rune('A'+i/26)))
	}
	var out bytes.Buffer
	if err := b.finish(t).WriteText(&out, b.schema); err != nil {
		t.Fatal(err)
	}
	names := 0
	for line := range strings.Lines(out.String()) {
		if len(line) > 121 {
			t.Errorf("got a line of %d bytes: %s", len(line), line)
		}
		if rest, ok := strings.CutPrefix(line, "@entity thing "); ok {
			names += len(strings.Fields(rest))
		}
	}
	if names != 100 {
		t.Errorf("got %d entities, want 100", names)
	}
}

func TestWriteText_RefusesAnotherSchema(t *testing.T) {
	t.Parallel()
	other := social()
	other.Types = other.Types[:1]
	if err := samples(t)[0].WriteText(&bytes.Buffer{}, other); err == nil {
		t.Error("got no error")
	}
}
