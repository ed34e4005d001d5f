package export_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe/format/export"
	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// constantTask is a model with a constant in a type and in a formula.
func constantTask(t *testing.T, constant string) *mln.Model {
	t.Helper()
	return parse(t, fmt.Sprintf("ev(a, b)\nb = {%s, Y}\ntarget q(a)\n1 ev(x, %[1]s) => q(x)\n", lex.Quote(constant)), mln.Options{})
}

// places are what stands before a constant of constantTask and after it.
var places = map[string][2]string{
	"alchemy": {"b = {", ", Y}\n"},
	"psl":     {"\n1: ev(V_x, ", ") -> q(V_x)\n"},
	"sql":     {"INSERT INTO \"domain_b\" VALUES (", ") ON CONFLICT DO NOTHING;\nINSERT INTO \"domain_b\" VALUES ('Y') ON CONFLICT DO NOTHING;\n"},
	"problog": {"'type_b'(_) :- fail.\n'type_b'(", ").\n'type_b'('Y').\n"},
}

// exported returns how a system writes a constant and what follows, or false if it is refused.
func exported(t *testing.T, system, constant string) (string, bool) {
	t.Helper()
	out, err := write(t, constantTask(t, constant), system)
	if errors.As(err, new(*export.UnsupportedError)) {
		check.Equal(t, "text beside the error", out, "")
		check.AtMost(t, len(err.Error()), 1500, "bytes of the error")
		return "", false
	}
	check.OK(t, err)
	_, rest, found := strings.Cut(out, places[system][0])
	if !found {
		t.Errorf("%s of %q: %s", system, constant, out)
	}
	return rest, true
}

func TestWrite_Constants(t *testing.T) {
	t.Parallel()
	const no = ""
	for constant, want := range map[string][4]string{ // as Systems
		"Ann":              {`Ann`, `'Ann'`, `'Ann'`, `'Ann'`},
		"ann":              {`"ann"`, `'ann'`, `'ann'`, `'ann'`},
		"":                 {`""`, `''`, `''`, `''`},
		"9 lives":          {`"9 lives"`, `'9 lives'`, `'9 lives'`, `'9 lives'`},
		"12":               {`12`, `'12'`, `'12'`, `'12'`},
		"007":              {no, `'007'`, `'007'`, `'007'`},
		"3D":               {no, `'3D'`, `'3D'`, `'3D'`},
		"it's":             {`"it's"`, `'it\'s'`, `'it''s'`, `'it\'s'`},
		"'); evil. %":      {`"'); evil. %"`, `'\'); evil. %'`, `'''); evil. %'`, `'\'); evil. %'`},
		`say "x"`:          {no, `'say "x"'`, `'say "x"'`, `'say "x"'`},
		`\`:                {no, no, `replace('\\', '\\', substr('\\', 1, 1))`, no},
		`a\b`:              {no, no, `replace('a\\b', '\\', substr('\\', 1, 1))`, no},
		`\'; DROP --`:      {no, no, `replace('\\''; DROP --', '\\', substr('\\', 1, 1))`, no},
		"a\nb":             {no, no, "'a\nb'", no},
		"a\tb":             {no, no, "'a\tb'", no},
		"a\rb":             {no, no, no, no},
		"a\x00b":           {no, no, no, no},
		"\x1a":             {no, no, "'\x1a'", no},
		"\u202eb":          {no, no, "'\u202eb'", no},
		"\xff":             {no, no, no, no},
		"é’":               {`"é’"`, `'é’'`, `'é’'`, `'é’'`},
		"% :- x. // # /* ": {`"% :- x. // # /* "`, `'% :- x. // # /* '`, `'% :- x. // # /* '`, `'% :- x. // # /* '`},
		"V_x":              {`V_x`, `'V_x'`, `'V_x'`, `'V_x'`},
		strings.Repeat("\u00e9", 1001): {
			`"` + strings.Repeat("é", 1001) + `"`, `'` + strings.Repeat("é", 1001) + `'`, no, `'` + strings.Repeat("é", 1001) + `'`,
		},
	} {
		for i, system := range export.Systems {
			got, ok := exported(t, system, constant)
			if ok != (want[i] != no) || ok && !strings.HasPrefix(got, want[i]+places[system][1]) {
				t.Errorf("%s of %.50q: got %.100q, want %.50q", system, constant, got, want[i])
			}
		}
	}
}

// readers read a constant as the programs do, and return what follows.
var readers = map[string][]func(text string) (value, rest string){
	"alchemy": {func(text string) (string, string) { // "..." without escapes, or a word
		if text[0] != '"' {
			end := strings.IndexByte(text, ',')
			return text[:end], text[end:]
		}
		value, rest, _ := strings.Cut(text[1:], `"`)
		if strings.ContainsAny(value, "\\\n\r") {
			return "no string", ""
		}
		return value, rest
	}},
	"psl": {func(text string) (string, string) { // escapes are skipped to find the end, and undone one kind after the other
		end := 1
		for ; text[end] != '\''; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		value := text[1:end]
		for _, undo := range [][2]string{{`\'`, `'`}, {`\"`, `"`}, {`\t`, "\t"}, {`\n`, "\n"}, {`\r`, "\r"}, {`\\`, `\`}} {
			value = strings.ReplaceAll(value, undo[0], undo[1])
		}
		return value, text[end+1:]
	}},
	"problog": {func(text string) (string, string) { // up to a quote that does not follow a backslash
		end := 1
		for text[end] != '\'' || text[end-1] == '\\' {
			end++
		}
		return strings.ReplaceAll(text[1:end], `\'`, "'"), text[end+1:]
	}},
	"sql": {
		func(text string) (string, string) { return sqlValue(text, false) },
		func(text string) (string, string) { return sqlValue(text, true) },
	},
}

// sqlValue evaluates a string or a call of replace or substr, with or without backslash escapes.
func sqlValue(text string, escapes bool) (value, rest string) {
	if name, rest, found := strings.Cut(text, "("); found && (name == "replace" || name == "substr") {
		first, rest := sqlValue(rest, escapes)
		if name == "substr" {
			rest, found = strings.CutPrefix(rest, ", 1, 1)")
			if !found {
				return "no call", ""
			}
			return first[:1], rest
		}
		old, rest := sqlValue(strings.TrimPrefix(rest, ", "), escapes)
		by, rest := sqlValue(strings.TrimPrefix(rest, ", "), escapes)
		return strings.ReplaceAll(first, old, by), strings.TrimPrefix(rest, ")")
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == '\'' && text[i+1] == '\'':
			i++
		case text[i] == '\'':
			return b.String(), text[i+1:]
		}
		b.WriteByte(text[i])
	}
	return "no end", ""
}

// What is written is read back as the same constant, and ends where it should.
func TestWrite_ReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(47, 1))
	parts := []string{"'", `\`, `"`, "\n", "\r", "%", ".", ":-", " ", "a", "B", "_", "/*", "*/", "--", "//", ";", "(", ")", ",", "\t", "t", "n", "é", "\u202e", "{", "}", "$", "0", "7", "\x00", "\xc3"}
	written := map[string]int{}
	for range 700 {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		constant := b.String()
		for system, read := range readers {
			got, ok := exported(t, system, constant)
			if !ok {
				continue
			}
			written[system]++
			for _, read := range read {
				if value, rest := read(got); value != constant || !strings.HasPrefix(rest, places[system][1]) {
					t.Errorf("%s of %q: %q is read as %q", system, constant, got, value)
				}
			}
		}
	}
	for system := range readers {
		check.AtLeast(t, written[system], 100, "constants written for %s", system)
	}
}

// rename gives predicates, types and variables other names, also those that no file can have.
func rename(m *mln.Model, names map[string]string) {
	set := func(name *string) {
		if to, ok := names[*name]; ok {
			*name = to
		}
	}
	for i := range m.Schema.Types {
		set(&m.Schema.Types[i])
	}
	for i := range m.Schema.Predicates {
		set(&m.Schema.Predicates[i].Name)
	}
	var visit func(x mln.Expr)
	visit = func(x mln.Expr) {
		if a, ok := x.(*mln.Atom); ok {
			set(&a.Name)
			for i := range a.Args {
				set(&a.Args[i].Name)
			}
		}
		for _, y := range mln.Operands(x) {
			visit(y)
		}
	}
	for _, f := range m.Formulas {
		for i := range f.Vars {
			set(&f.Vars[i].Name)
		}
		visit(f.Body)
	}
}

// Names that a system cannot have, or has already, are refused, and others are written: each with the systems that refuse it.
func TestWrite_Names(t *testing.T) {
	t.Parallel()
	const all = "alchemy psl sql problog"
	long := strings.Repeat("x", 57)
	for _, tt := range []struct{ name, to, refused string }{ // of predicates ev and p(x, y), the type a, the target q, the variable x
		{"ev", "same-bib", "psl"},
		{"ev", "it's", "psl problog"},
		{"x", "x'", ""},
		{"x", "x-1", ""},
		{"x", "a", "alchemy"},
		{"x", "v", "alchemy"},
		{"x", "Exist", "alchemy"},
		{"ev", "a", "alchemy"},
		{"ev", "substring", "alchemy"},
		{"ev", "p", all},
		{"ev", "P", "psl sql"},
		{"ev", "center", "psl sql"},
		{"q", "Center", "psl sql"},
		{"q", "center", "psl sql problog"},
		{"ev", "sqlite_x", "sql"},
		{"ev", "SQLite_x", "sql"},
		{"ev", "pg_class", "sql"},
		{"ev", "ev_pkey", "sql"},
		{"ev", "ev_pkey1", "sql"},
		{"a", "ev_pkey", "sql"},
		{"ev", "domain_A", "sql"},
		{"ev", long + "1234567", "sql"},
		{"ev", long + "123456", ""},
		{"a", long, "sql"},
		{"ev", "between", ""},
		{"ev", "forall", "alchemy problog"},
		{"ev", "writeln", "problog"},
		{"q", "not", "problog"},
		{"ev", "not", ""},
		{"ev", "call_in_scope", "problog"},
		{"q", "query", "problog"},
		{"ev", "evidence", "problog"},
		{"q", "evidence", "problog"},
		{"q", "type_a", "problog"},
		{"ev", "type_a", ""},
		{"ev", "listed_p", "problog"},
		{"q", "listed_p", ""},
		{"p", "broken_1", ""},
		{"ev3", "broken_1", "problog"},
		{"ev3", "spared_1", "problog"},
		{"ev3", "spared_2", ""},
		{"ev", "a'\n:- halt.", all},
		{"ev", "a\" (x); DROP TABLE q; --", all},
		{"ev", "p\u212a", all},
		{"ev", "_x", all},
		{"ev", "", all},
		{"q", "x\n// y", all},
		{"a", "x\ny", "alchemy sql problog"},
		{"x", "x)\ny", "alchemy"},
	} {
		for _, system := range export.Systems {
			m := parse(t, "ev(a, a)\nev3(a, a, a)\ntarget listed p(a, a)\ntarget q(a)\n1 ev(x, y) => q(x)\n", mln.Options{})
			rename(m, map[string]string{tt.name: tt.to})
			out, err := write(t, m, system)
			what := fmt.Sprintf("%s: %s is called %q", system, tt.name, tt.to)
			if strings.Contains(tt.refused, system) {
				if !errors.As(err, new(*export.UnsupportedError)) {
					t.Errorf("%s: got error %v, %s", what, err, out)
				}
				continue
			}
			check.OKf(t, err, "%s", what)
		}
	}
}

// Names with hyphens and apostrophes, as Alchemy has them.
func TestWrite_Dashed(t *testing.T) {
	t.Parallel()
	for system, want := range map[string][]string{
		"alchemy": {"same-bib(bib-id, bib-id)\n", "1 same-bib(x', x) => q(x')\n"},
		"sql":     {`CREATE TABLE "domain_bib-id" (name`, `CREATE TABLE "same-bib" (a1`, `FROM "same-bib" t0`, "\n-- 1. 1 same-bib(x', x) => q(x')\n"},
		"problog": {"'type_bib-id'(V0)", "'same-bib'(V0, V_x)", "broken_1(x, V0, V_x) :-", "% 1. 1 same-bib(x', x) => q(x')\n"},
		"psl":     {"1: ev(V0, V_x) -> q(V0)\n"},
	} {
		names := map[string]string{"ev": "same-bib", "a": "bib-id", "x": "x'", "y": "x"}
		if system == "psl" {
			delete(names, "ev")
		}
		m := parse(t, "ev(a, a)\ntarget q(a)\n1 ev(x, y) => q(x)\n", mln.Options{})
		rename(m, names)
		out, err := write(t, m, system)
		check.OK(t, err)
		for _, part := range want {
			check.Contains(t, out, part, "text for %s", system)
		}
	}
}

// Databases bound the tables of a join and the columns of a key.
func TestWrite_Limits(t *testing.T) {
	t.Parallel()
	chain := func(atoms int) string {
		var b strings.Builder
		for i := range atoms {
			fmt.Fprintf(&b, "ev(x%d, x%d) ^ ", i, i+1)
		}
		return "ev(a, a)\ntarget q(a)\n1 " + b.String() + "q(x0)\n"
	}
	wide := func(args int) string {
		return "ev(a" + strings.Repeat(", a", args-1) + ")\ntarget q(a)\n1 q(x)\n"
	}
	for text, want := range map[string]string{
		chain(63): "",
		chain(64): "formula 1, ev(x0, x1) ^ ev(x1, x2) ^ ",
		chain(65): ", joins 66 tables, more than the 64 of SQLite",
		"ev(a, a)\ntarget q(a)\n1 EXIST y (" + strings.Repeat("ev(x, y) ^ ", 70) + "ev(x, y)) => q(x)\n": "",
		wide(32): "",
		wide(33): "predicate ev has more arguments than the 32 columns of an index",
	} {
		_, err := write(t, parse(t, text, mln.Options{}), "sql")
		switch {
		case want == "":
			check.OK(t, err)
		case err == nil:
			t.Errorf("%.60s is written", text)
		default:
			check.Contains(t, err.Error(), want, "error")
		}
	}
	out, err := write(t, parse(t, "ev(a, a)\ntarget q(a)\n1e30 ev(x, y) => q(x)\n", mln.Options{}), "psl")
	check.OK(t, err)
	check.Contains(t, out, "\n1e30: ev", "weight, as PSL reads numbers")
}
