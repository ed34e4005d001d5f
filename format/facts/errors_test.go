package facts_test

import (
	"errors"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/lex"
	"resolwe/internal/test/check"
)

func TestReader_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string
	}{
		{"no fact", "(A1)", "f.db:1:1: expected a fact, @subgraph or @entity, found '('\n(A1)\n^"},
		{"weight before a fact", "\t1.5 admin(U1)", "f.db:1:2: expected a fact, @subgraph or @entity, found '1'\n\t1.5 admin(U1)\n\t^"},
		{"lone mark", "! // nothing", "f.db:1:13: expected a fact, @subgraph or @entity, found the end of the line\n! // nothing\n            ^"},
		{"byte that is no text", "\xff", "f.db:1:1: expected a fact, @subgraph or @entity, found byte 0xff\n\\xff\n^"},
		{"no bracket", "admin U1", "f.db:1:7: expected ( behind the predicate, found 'U'\nadmin U1\n      ^"},
		{"no arguments", "admin()", "f.db:1:7: expected a constant (an upper-case letter or a digit first, or quoted), found ')'\nadmin()\n      ^"},
		{"open bracket", "admin(U1", "f.db:1:9: expected , or ), found the end of the line\nadmin(U1\n        ^"},
		{"missing comma", "articleEdit(A1 U1)", "f.db:1:16: expected , or ), found 'U'\narticleEdit(A1 U1)\n               ^"},
		{"trailing comma", "articleEdit(A1,)", "f.db:1:16: expected a constant (an upper-case letter or a digit first, or quoted), found ')'\narticleEdit(A1,)\n               ^"},
		{"nested bracket", "admin(F(U1))", "f.db:1:8: expected , or ), found '('\nadmin(F(U1))\n       ^"},
		{"two facts on a line", "admin(U1) admin(U2)", "f.db:1:11: expected the end of the line, found 'a'\nadmin(U1) admin(U2)\n          ^"},
		{"final period", "admin(U1).", "f.db:1:10: expected the end of the line, found '.'\nadmin(U1).\n         ^"},
		{"carriage return inside a line", "admin(U1)\r admin(U2)\n", "f.db:1:10: expected the end of the line, found '\\r'\nadmin(U1)\\x0d admin(U2)\n         ^"},
		{"carriage returns alone", "admin(U1)\radmin(U2)\r", "f.db:1:1: lines end in carriage returns alone, as on old Macs: end them in line feeds"},
		{"UTF-16", "\xff\xfea\x00d\x00", "f.db:1:1: the text is UTF-16: save it as UTF-8"},
		{"UTF-16 without its mark", "\x00a\x00d", "f.db:1:1: the text is UTF-16: save it as UTF-8"},
		{"variable", "admin(u1)", "f.db:1:7: u1 is no constant: constants begin with an upper-case letter or a digit, or are quoted\nadmin(u1)\n      ^"},
		{"underscore first", "admin(_U1)", "f.db:1:7: _U1 is no constant: constants begin with an upper-case letter or a digit, or are quoted\nadmin(_U1)\n      ^"},
		{"plus in a name", "admin(Jean+Paul)", "f.db:1:11: '+' in a name: names with other characters than letters, digits and _ are quoted\nadmin(Jean+Paul)\n          ^"},
		{"hyphen behind a name", "admin(Jean-)", "f.db:1:11: '-' in a name: names with other characters than letters, digits and _ are quoted\nadmin(Jean-)\n          ^"},
		{"letter beyond ASCII first", "/* ü */\tadmin(Élan)", "f.db:1:15: expected a constant (an upper-case letter or a digit first, or quoted), found 'É'\n/* ü */\tadmin(Élan)\n       \t      ^"},
		{"letter beyond ASCII in a name", "admin(Élan)", "f.db:1:7: expected a constant (an upper-case letter or a digit first, or quoted), found 'É'\nadmin(Élan)\n      ^"},
		{"center as a constant", "admin(@center)", "f.db:1:7: expected a constant (an upper-case letter or a digit first, or quoted), found '@'\nadmin(@center)\n      ^"},
		{"open quote", "admin(\"U1)", "f.db:1:7: the name is not closed: expected \" on the same line\nadmin(\"U1)\n      ^"},
		{"quote over two lines", "admin(\"U\n1\")", "f.db:1:7: the name is not closed: expected \" on the same line\nadmin(\"U\n      ^"},
		{"unknown escape", "admin(\"U\\q1\")", "f.db:1:9: a backslash that begins no escape; there are " + lex.Escapes + "\nadmin(\"U\\q1\")\n        ^"},
		{"escape at the end", "admin(\"U\\", "f.db:1:9: a backslash that begins no escape; there are " + lex.Escapes + "\nadmin(\"U\\\n        ^"},
		{"name that is not UTF-8", "admin(\"U\xff\")", "f.db:1:7: the name is not UTF-8\nadmin(\"U\\xff\")\n      ^"},
		{"letter behind a quote", "admin(\"U\"1)", "f.db:1:10: expected a blank, a comma or a bracket behind the name, found '1'\nadmin(\"U\"1)\n         ^"},
		{"open comment", "admin(U1) /* here\nadmin(U2)\n", "f.db:1:11: the comment is not closed: expected */\nadmin(U1) /* here\n          ^"},
		{"comment over the end of a line inside a fact", "admin(/*\n*/U1)", "f.db:1:9: expected a constant (an upper-case letter or a digit first, or quoted), found the end of the line\nadmin(/*\n        ^"},
		{"unknown directive", "@subgraphs s1", "f.db:1:1: expected a fact, @subgraph or @entity\n@subgraphs s1\n^"},
		{"subgraph without name", "@subgraph // s1", "f.db:1:16: expected the name of the subgraph\n@subgraph // s1\n               ^"},
		{"subgraph with a center only", "@subgraph center=U1", "f.db:1:11: expected the name of the subgraph\n@subgraph center=U1\n          ^"},
		{"subgraph of empty name", "@subgraph \"\"", "f.db:1:11: expected the name of the subgraph\n@subgraph \"\"\n          ^"},
		{"unknown key", "@subgraph s1 centre=U1", "f.db:1:14: expected center=, fold= or time=, not centre=\n@subgraph s1 centre=U1\n             ^"},
		{"key without value", "@subgraph s1 center", "f.db:1:14: expected center=, fold= or time=\n@subgraph s1 center\n             ^"},
		{"second name", "@subgraph s1 s2", "f.db:1:14: expected center=, fold= or time=\n@subgraph s1 s2\n             ^"},
		{"repeated center", "@subgraph s1 center=U1 fold=1 center=U1", "f.db:1:31: center= is given twice\n@subgraph s1 center=U1 fold=1 center=U1\n                              ^"},
		{"repeated fold", "@subgraph s1 fold=0 fold=0", "f.db:1:21: fold= is given twice\n@subgraph s1 fold=0 fold=0\n                    ^"},
		{"variable as center", "@subgraph s1 center=u1", "f.db:1:21: u1 is no constant: constants begin with an upper-case letter or a digit, or are quoted\n@subgraph s1 center=u1\n                    ^"},
		{"empty center", "@subgraph s1 center=\"\"", "f.db:1:21: the center has an empty name\n@subgraph s1 center=\"\"\n                    ^"},
		{"repeated time", "@subgraph s1 time=2010-01-01 time=2010-01-01", "f.db:1:30: time= is given twice\n@subgraph s1 time=2010-01-01 time=2010-01-01\n                             ^"},
		{"no time", "@subgraph s1 time=1262304000", "f.db:1:19: expected a date, as 2010-01-31, or with a time, as 2010-01-31T19:30:12Z\n@subgraph s1 time=1262304000\n                  ^"},
		{"no date", "@subgraph s1 time=2010-02-30", "f.db:1:19: expected a date, as 2010-01-31, or with a time, as 2010-01-31T19:30:12Z\n@subgraph s1 time=2010-02-30\n                  ^"},
		{"no zone", "@subgraph s1 time=2010-02-03T10:00:00", "f.db:1:19: expected a date, as 2010-01-31, or with a time, as 2010-01-31T19:30:12Z\n@subgraph s1 time=2010-02-03T10:00:00\n                  ^"},
		{"negative fold", "@subgraph s1 fold=-1", "f.db:1:19: expected a whole number from 0 to 2147483647\n@subgraph s1 fold=-1\n                  ^"},
		{"fold beyond its range", "@subgraph s1 fold=2147483648", "f.db:1:19: expected a whole number from 0 to 2147483647\n@subgraph s1 fold=2147483648\n                  ^"},
		{"fold that is no number", "@subgraph s1 fold=two", "f.db:1:19: expected a whole number from 0 to 2147483647\n@subgraph s1 fold=two\n                  ^"},
		{"fact before the first subgraph", "\n\tadmin(U1)\nadmin(U2)\n@subgraph s1\n", "f.db:2:2: this stands before the first @subgraph line, line 4\n\tadmin(U1)\n\t^"},
		{"entity before the first subgraph", "@entity user U1\n@subgraph s1", "f.db:1:1: this stands before the first @subgraph line, line 2\n@entity user U1\n^"},
		{"entity without type", "@entity", "f.db:1:8: expected a type, found the end of the line\n@entity\n       ^"},
		{"comma between entities", "@entity user U1, U2", "f.db:1:16: expected a constant (an upper-case letter or a digit first, or quoted), found ','\n@entity user U1, U2\n               ^"},
		{"unknown type", "@entity usr U1", "f.db:1:9: unknown type usr; did you mean \"user\"?\n@entity usr U1\n        ^"},
		{"unknown type without a near one", "@entity Q U1", "f.db:1:9: unknown type Q\n@entity Q U1\n        ^"},
		{"unknown predicate", "admin(U1)\n  !artcleEdit(A1, U1)", "f.db:2:4: unknown predicate artcleEdit; did you mean \"articleEdit\"?\n  !artcleEdit(A1, U1)\n   ^"},
		{"unknown predicate without a near one", "q(A1)", "f.db:1:1: unknown predicate q\nq(A1)\n^"},
		{"predicate of other case", "Admin(U1)", "f.db:1:1: unknown predicate Admin; did you mean \"admin\"?\nAdmin(U1)\n^"},
		{"too few arguments", "articleEdit(A1)", "f.db:1:1: articleEdit takes 2 arguments, not 1\narticleEdit(A1)\n^"},
		{"too many arguments", "!admin(U1, U2, U3)", "f.db:1:2: admin takes 1 argument, not 3\n!admin(U1, U2, U3)\n ^"},
		{"unknown truth of evidence", " ?admin(U1)", "f.db:1:2: ? on admin, an evidence predicate: only atoms of target predicates can be unknown\n ?admin(U1)\n ^"},
		{"true and false", "@subgraph s1\nadmin(U1)\n\n  ! admin ( \"U1\" ) // no", "f.db:4:3: admin(U1) is stated false, but true at f.db:2:1\n!admin(U1)\n^"},
		{"unknown and true", "?cFriends(U1)\ncFriends(\"Élan \\\"\")\ncFriends(U1)", "f.db:3:1: cFriends(U1) is stated true, but unknown at f.db:1:1\ncFriends(U1)\n^"},
		{"conflict in a quoted name", "!modifies(\"a\\\\\", U1)\nmodifies(\"a\\\\\", U1)", "f.db:2:1: modifies(\"a\\\\\", U1) is stated true, but false at f.db:1:1\nmodifies(\"a\\\\\", U1)\n^"},
		{"repeated name", "@subgraph s1\n@subgraph s2\n@subgraph \"s1\" fold=1\n", "f.db:3:11: there is a subgraph s1 already, at f.db:1:11\n@subgraph \"s1\" fold=1\n          ^"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(strings.NewReader(tt.text), "f.db", wiki)
			if err == nil {
				t.Fatal("no error")
			}
			check.Equal(t, "message", err.Error(), tt.want)
			if !errors.As(err, new(facts.InputError)) {
				t.Fatal("not an InputError")
			}
		})
	}
}
