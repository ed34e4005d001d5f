package lex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/lex"
	"resolwe/internal/test/check"
)

var language = lex.Language{
	Symbols:   []string{":-", "<=", "<", "(", ")", ",", "#", "_"},
	Marked:    []string{"@center"},
	Joins:     []string{":-", ","},
	Continues: []string{"and"},
	Numbers:   true,
}

var lists = lex.Language{
	Symbols: []string{"=>", "=", "(", ")", "."},
	Marked:  []string{"@center", "#include"},
	Lists:   true,
}

var minus = lex.Language{Symbols: []string{"(", "-"}, Minus: true}

// tokens writes the tokens of a text: their kinds, texts and places.
func tokens(l lex.Lexer) []string {
	var out []string
	for {
		t := l.Next()
		if t.Kind == lex.End {
			return out
		}
		out = append(out, fmt.Sprintf("%d %q %d:%d", t.Kind, t.Text, t.Pos.Line, t.Pos.Column))
	}
}

func TestLexer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		language   *lex.Language
		want       []string
	}{
		{"symbols", "<=<(:-", &language, []string{`6 "<=" 1:1`, `6 "<" 1:3`, `6 "(" 1:4`, `6 ":-" 1:5`}},
		{"a symbol of word characters", "_ _a", &language, []string{`6 "_" 1:1`, `7 "\"_a\"; a name begins with a letter" 1:3`}},
		{"numbers everywhere", "a -1.5e3 3b 7", &language, []string{`2 "a" 1:1`, `3 "-1.5e3" 1:3`, `2 "3b" 1:10`, `3 "7" 1:13`}},
		{"numbers where a line begins", "1.5 1 \n 2", &lists, []string{`3 "1.5" 1:1`, `2 "1" 1:5`, `1 "" 1:7`, `3 "2" 2:2`}},
		{"marked words", "@center @x #include", &lists, []string{`5 "@center" 1:1`, `7 "\"@x\"; there is only @center" 1:9`, `5 "#include" 1:12`}},
		{"a sign that is a symbol", "#3", &language, []string{`6 "#" 1:1`, `3 "3" 1:2`}},
		{"quotes", `"a \"b\" \\" "c`, &lists, []string{`4 "a \"b\" \\" 1:1`, `7 "a quoted constant without closing quote on its line" 1:14`, `2 "c" 1:15`}},
		{"escapes", `"\n\r\t\x1b\u202e\U0001f600\xff'" x`, &lists, []string{`4 "\n\r\t\x1b\u202e😀\xff'" 1:1`, `2 "x" 1:35`}},
		{"bracket lists", "a[i:1| 2]b[x]", &lists, []string{`2 "a[i:1|2]b[x]" 1:1`}},
		{"no bracket lists", "a[1]", &language, []string{`2 "a" 1:1`, `7 "\"[\"" 1:2`, `3 "1" 1:3`, `7 "\"]\"" 1:4`}},
		{"comments and newlines", "a // x\n/* y\n */ b/* */c", &lists, []string{`2 "a" 1:1`, `1 "" 1:7`, `2 "b" 3:5`, `2 "c" 3:11`}},
		{"a comment without end", "a /* b", &lists, []string{`2 "a" 1:1`, `7 "a comment without end" 1:3`}},
		{"primes and hyphens", "x' a-b-c'' a- -b a--b 3-b 2x-y", &lists, []string{
			`2 "x'" 1:1`, `2 "a-b-c''" 1:4`, `2 "a" 1:12`, `7 "\"-\"" 1:13`, `7 "\"-\"" 1:15`, `2 "b" 1:16`, `2 "a" 1:18`, `7 "\"-\"" 1:19`, `7 "\"-\"" 1:20`, `2 "b" 1:21`,
			`2 "3" 1:23`, `7 "\"-\"" 1:24`, `2 "b" 1:25`, `2 "2x" 1:27`, `7 "\"-\"" 1:29`, `2 "y" 1:30`,
		}},
		{"minus", "a-b x-y (a-b (", &minus, []string{`2 "a" 1:1`, `6 "-" 1:2`, `2 "b" 1:3`, `2 "x-y" 1:5`, `6 "(" 1:9`, `2 "a-b" 1:10`, `6 "(" 1:14`}},
		{"columns are code points", `"äö" x`, &lists, []string{`4 "äö" 1:1`, `2 "x" 1:6`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, "result", tokens(lex.NewLexer(tt.language, "f", tt.text)), tt.want)
		})
	}
}

// parse reads statements of names; in brackets stand any tokens.
func parse(text string) ([]string, error) {
	var errs lex.Collector
	c, ok := lex.NewCursor(&language, "f", []byte(text), lex.Sources{}, &errs)
	if !ok {
		return nil, errs.Err()
	}
	var list []string
	c.Statements(func() {
		var names []string
		for c.Tok.Kind == lex.Name || c.Tok.Is("(") || c.Tok.Is(")") || c.Tok.Is(",") {
			names = append(names, c.Tok.Text)
			c.Advance()
			c.Resume()
		}
		list = append(list, strings.Join(names, " "))
	})
	return list, errs.Err()
}

func TestCursorStatements(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a statement a line", "\ufeffa b\n\nc\n", []string{"a b", "c"}},
		{"brackets join lines", "a (\nb\n)\nc", []string{"a ( b )", "c"}},
		{"symbols join lines", "a,\n\nb\nc", []string{"a , b", "c"}},
		{"words continue lines", "a\n\nand b\nc", []string{"a and b", "c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.text)
			if diff := cmp.Diff(got, tt.want); diff != "" || err != nil {
				t.Errorf("error %v (-got, +want):\n%s", err, diff)
			}
		})
	}
}

func TestCursorGoesOnAfterErrors(t *testing.T) {
	t.Parallel()
	_, err := parse("a < b\nc\nd <\nand e\n3 f")
	var list lex.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("got %v, want an ErrorList", err)
	}
	var places []string
	for _, e := range list {
		places = append(places, e.At().Pos.String())
	}
	check.Equal(t, "places", places, []string{"f:1:3", "f:3:3", "f:5:1"})
}

func TestCursorWantsUTF8(t *testing.T) {
	t.Parallel()
	_, err := parse("a\nb \xff")
	syntax, ok := errors.AsType[*lex.SyntaxError](err)
	if !ok || syntax.Pos != (lex.Position{File: "f", Line: 2, Column: 3}) {
		t.Errorf("got %v, want a *SyntaxError at f:2:3", err)
	}
}

func TestCollectorKeepsTenByPosition(t *testing.T) {
	t.Parallel()
	var errs lex.Collector
	sources := lex.Sources{}
	for i := 100; i > 0; i-- {
		errs.Add(sources.Syntax(lex.Position{File: "f", Line: i, Column: 1}, "wrong"))
		errs.Add(sources.Syntax(lex.Position{File: "f", Line: i, Column: 1}, "wrong"))
	}
	list, ok := errors.AsType[lex.ErrorList](errs.Err())
	if !ok || len(list) != 10 || errs.Len() != 40 || list[0].At().Pos.Line != 61 {
		t.Errorf("got %d of %d errors: %v", len(list), errs.Len(), list)
	}
}

func ExampleSources_Near() {
	sources := lex.Sources{}
	sources.Add("task.mln", "smoke(x) => cancer(x)")
	at := lex.Position{File: "task.mln", Line: 1, Column: 1}
	fmt.Println(sources.Near("smoke", []string{"friends", "smokes"}, at, "unknown predicate %q", "smoke"))
	// Output:
	// task.mln:1:1: unknown predicate "smoke"; did you mean "smokes"?
	// smoke(x) => cancer(x)
	// ^
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		among []string
		want  string
	}{
		{"smoke", []string{"friends", "smokes"}, "smokes"},
		{"Smokes", []string{"smokes"}, "smokes"},
		{"friedns", []string{"friends", "smokes"}, "friends"},
		{"x", []string{"y"}, ""},
		{"cancer", []string{"friends", "smokes"}, ""},
		{"a", nil, ""},
		{strings.Repeat("a", 1<<20), []string{strings.Repeat("a", 1<<20-1)}, ""},
	}
	for _, tt := range tests {
		check.Equal(t, fmt.Sprintf("Suggest(%.20q)", tt.name), lex.Suggest(tt.name, tt.among), tt.want)
	}
}
