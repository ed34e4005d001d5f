package mln_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// TestErrors gives for each wrong text the type of the error, its place and a part of its message.
func TestErrors(t *testing.T) {
	t.Parallel()
	const head = "a(n, m)\ns(n)\ntarget on(n)\n" // three lines
	tests := []struct {
		name, text string
		kind       mln.Error
		at, msg    string
	}{
		{"end of line in a formula", "s(x) on(x)", new(mln.SyntaxError), "4:6", `expected the end of the statement, found "on"`},
		{"no formula after the operator", "s(x) ^", new(mln.SyntaxError), "4:7", "expected a formula, found end of file"},
		{"open bracket", "(s(x) ^ on(x)", new(mln.SyntaxError), "4:14", `expected an operator or ")"`},
		{"no arguments", "s()", new(mln.SyntaxError), "4:3", "expected a variable or constant"},
		{"not a name", "_s(x)", new(mln.SyntaxError), "4:1", "a name begins with a letter"},
		{"strange sign", "s(x) & on(x)", new(mln.SyntaxError), "4:6", `unexpected "&"`},
		{"columns count code points", "s(\"äöü\") & on(x)", new(mln.SyntaxError), "4:10", `unexpected "&"`},
		{"comment without end", "s(x) /* ^ on(x)", new(mln.SyntaxError), "4:6", "comment without end"},
		{"quote without end", "s(\"x)", new(mln.SyntaxError), "4:3", "without closing quote"},
		{"backslash", `s("a\q")`, new(mln.SyntaxError), "4:5", "backslash"},
		{"predicate v", "1 v(x) => on(x)", new(mln.SyntaxError), "4:3", "no predicate may be called v"},
		{"target v", "target v(n)", new(mln.SyntaxError), "4:1", "no predicate may be called v"},
		{"another @", "s(@centre) => on(x)", new(mln.SyntaxError), "4:3", "@center"},
		{"directive", "#define x", new(mln.SyntaxError), "4:1", "#include"},
		{"line continued by !", "s(x)\n!on(x) on(x)", new(mln.SyntaxError), "5:8", "expected the end of the statement"},
		{"line continued by !=", "s(x) ^ x\n!= y", new(mln.SyntaxError), "4:9", `"=" or "!="`},
		{"weight on a line alone", "1.5\ns(x)", new(mln.SyntaxError), "4:4", "expected a formula, found end of line"},
		{"quantifier over a constant", "EXIST X s(X)", new(mln.SyntaxError), "4:7", "expected a variable"},
		{"list without choice", "s[1|]x(y) => on(y)", new(mln.SyntaxError), "4:5", "bracket list"},
		{"misspelt target", "taget oo(n)", new(mln.SyntaxError), "4:1", `did you mean "target"?`},
		{"not UTF-8", "s(x) ^ \xff", new(mln.SyntaxError), "4:8", "not UTF-8"},
		{"unknown predicate", "ss(x, y) ^ s(x) => on(x)", mln.ModelError{}, "4:1", `unknown predicate "ss"; did you mean "s"?`},
		{"unknown through a list", "[s|t](x) => on(x)", mln.ModelError{}, "4:1", `unknown predicate "t"`},
		{"unknown in an unused template", "template T(x) = [s|t](x)", mln.ModelError{}, "4:17", `unknown predicate "t"`},
		{"arity", "a(x) => on(x)", mln.ModelError{}, "4:1", "a has 2 arguments, found 1"},
		{"arity of a unit formula", "1 s(x, y)", mln.ModelError{}, "4:3", "s has 1 argument, found 2"},
		{"arity of a template", "template T(x) = s(x)\nT(x, y) => on(x)", mln.ModelError{}, "5:1", "T has 1 argument"},
		{"extend of one variable", "template T(x) extend 2 = s(x)", mln.ModelError{}, "4:1", "2 variables"},
		{"two types", "a(x, y) ^ s(y) => on(x)", mln.ModelError{}, "4:13", "variable y is of type n here and of type m at test.mln:4:6"},
		{"comparison of two types", "a(x, y) ^ x = y => on(x)", mln.ModelError{}, "4:15", "type"},
		{"two types in a chain", "template T(x, y) extend 2 = a(x, y)\nT(x, y) => on(x)", mln.ModelError{}, "4:31", "variable z"},
		{"only a comparison", "s(x) ^ x != y => on(x)", mln.ModelError{}, "4:13", "only comparisons mention variable y"},
		{"comparison of constants", "s(x) ^ A = B => on(x)", mln.ModelError{}, "4:8", "needs a variable"},
		{"a mark of a closed world", "*u(m, n)", mln.ModelError{}, "4:1", "drop the *"},
		{"a literal with both signs", "*s(x) => on(x)", mln.ModelError{}, "4:1", "write a formula for each sign"},
		{"another", "1 s(x) ^ *s(y) => on(x)", mln.ModelError{}, "4:10", "write a formula for each sign"},
		{"vacuous quantifier", "EXIST y s(x)", mln.ModelError{}, "4:7", "quantified variable y is not mentioned"},
		{"counted and used outside", "#{y: s(y)} >= 2 ^ s(y) => on(y)", mln.ModelError{}, "4:3", "variable y is listed here"},
		{"counted and quantified", "1 EXIST y (s(y) ^ #{y: s(y)} >= 2)", mln.ModelError{}, "4:21", "variable y is listed here"},
		{"counted and not mentioned", "#{y: s(x)} >= 2 => on(x)", mln.ModelError{}, "4:3", "listed variable y is not mentioned"},
		{"counted twice", "#{y, y: s(y)} >= 2 => on(x)", mln.ModelError{}, "4:6", "listed variable y"},
		{"shared by counting literals only", "#{y: a(y, z)} >= 2 ^ #{w: a(w, z)} < 3 => on(x)", mln.ModelError{}, "4:11", "only counting literals and aggregates share variable z"},
		{"shared with a comparison only", "#{y: a(y, z)} >= 2 ^ z != A => on(x)", mln.ModelError{}, "4:11", "variable z"},
		{"target in the braces", "#{y: on(y)} >= 2 => on(x)", mln.ModelError{}, "4:6", "target predicate on"},
		{"counting literal in the braces", "#{y: s(y) ^ #{z: s(z)} > 1} >= 2 => on(x)", mln.ModelError{}, "4:13", "a counting literal within a counting literal"},
		{"disjunction in the braces", "#{y: s(y) v a(y, z)} >= 2 => on(x)", mln.ModelError{}, "4:6", "conjunction"},
		{"negated conjunction in the braces", "#{y: !(s(y) ^ a(y, z))} >= 2 => on(x)", mln.ModelError{}, "4:6", "conjunction"},
		{"nothing counted", "#{s(y)} >= 2 => on(x)", new(mln.SyntaxError), "4:4", `":"`},
		{"constant counted", "#{A: s(A)} >= 2 => on(x)", new(mln.SyntaxError), "4:3", "a variable"},
		{"no number", "#{y: s(y)} >= x => on(x)", new(mln.SyntaxError), "4:15", "a whole number"},
		{"no whole number", "#{y: s(y)} >= 2.5 => on(x)", new(mln.SyntaxError), "4:15", "a whole number"},
		{"no comparison", "#{y: s(y)} => on(x)", new(mln.SyntaxError), "4:12", `">="`},
		{"aggregate of no number", "avg{y: s(y)} >= 2 => on(x)", mln.ModelError{}, "4:1", "avg is of numbers, and variable y is of type n (test.mln:4:10)"},
		{"last of no time", "age(n, number)\nlast{k, y: age(y, k)} >= 2 => on(x)", mln.ModelError{}, "5:1", "last is of numbers, and variable y is of type n"},
		{"last without a time", "age(n, number)\nlast{k: age(y, k)} >= 2 => on(x)", mln.ModelError{}, "5:1", "last lists a number and the time"},
		{"aggregate of a constant", "age(n, number)\nmax{3: age(y, 3)} >= 2 => on(x)", new(mln.SyntaxError), "5:5", "a variable"},
		{"aggregate compared with a name", "age(n, number)\nmax{k: age(y, k)} >= A => on(x)", new(mln.SyntaxError), "5:22", "a number"},
		{"aggregate without a bound", "age(n, number)\nmax{k: age(y, k)} => on(x)", new(mln.SyntaxError), "5:19", `">="`},
		{"infinite bound", "age(n, number)\nmax{k: age(y, k)} > 1e999 => on(x)", new(mln.SyntaxError), "5:21", "a number"},
		{"aggregate within an aggregate", "age(n, number)\nmax{k: age(y, k) ^ max{l: age(y, l)} > 3} > 1 => on(x)", mln.ModelError{}, "5:20", "an aggregate within an aggregate"},
		{"target in an aggregate", "age(n, number)\nmax{k: age(y, k) ^ on(y)} > 1 => on(x)", mln.ModelError{}, "5:20", "target predicate on in an aggregate"},
		{"bindings of an aggregate outside", "age(n, number)\nmax{k: age(y, k)} > 1 ^ age(x, k) => on(x)", mln.ModelError{}, "5:5", "variable k is listed here"},
		{"shared by aggregates only", "age(n, number)\nmax{k: age(y, k)} > 1 ^ min{k: age(y, k)} < 2 => on(x)", mln.ModelError{}, "5:12", "only counting literals and aggregates share variable y"},
		{"trend without a time", "age(n, number)\ntrend{k: age(y, k)} >= 2 => on(x)", mln.ModelError{}, "5:1", "trend lists a number and the time"},
		{"share of nothing", "share{y: s(y)} >= .5 => on(x)", new(mln.SyntaxError), "4:14", `"|" and what the share is of`},
		{"two shares", "share{y: s(y) | s(y) | s(y)} >= .5 => on(x)", new(mln.SyntaxError), "4:22", `"^" or "}"`},
		{"a count with a part", "#{y: s(y) | s(y)} >= 2 => on(x)", new(mln.SyntaxError), "4:11", `"^" or "}"`},
		{"target in a share", "share{y: on(y) | s(y)} >= .5 => on(x)", mln.ModelError{}, "4:10", "target predicate on in an aggregate"},
		{"disjunction in a share", "share{y: s(y) | s(y) v a(y, y)} >= .5 => on(x)", mln.ModelError{}, "4:17", "conjunction"},
		{"listed before | only", "share{y: s(y) | s(x)} >= .5 => on(x)", mln.ModelError{}, "4:12", "variable y stands before | only"},
		{"shared before | only", "share{y: s(y) ^ s(x) | s(y)} >= .5 => on(x)", mln.ModelError{}, "4:19", "variable x stands before | only"},
		{"quantified before | only", "1 s(z) ^ (EXIST x s(x) ^ share{y: s(y) ^ s(x) | s(y)} >= .5) => on(z)", mln.ModelError{}, "4:44", "variable x stands before | only"},
		{"misspelt aggregate", "age(n, number)\nmean{k: age(y, k)} > 1 => on(x)", new(mln.SyntaxError), "5:5", `found "{"`},
		{"order of two variables", "age(n, number)\nage(x, k) ^ age(x, l) ^ k < l => on(x)", mln.ModelError{}, "5:25", "a variable with a number"},
		{"order of no number", "s(x) ^ x < 3 => on(x)", mln.ModelError{}, "4:8", "of type n"},
		{"order with no number", "age(n, number)\nage(x, k) ^ k < \"three\" => on(x)", mln.ModelError{}, "5:17", "no finite number"},
		{"infinite number", "age(n, number)\nage(x, k) ^ k < 1e999 => on(x)", mln.ModelError{}, "5:17", "no finite number"},
		{"constant that is no number", "age(n, number)\nage(x, A) => on(x)", mln.ModelError{}, "5:8", "no finite number"},
		{"only an order", "s(x) ^ k < 3 => on(x)", mln.ModelError{}, "4:8", "only comparisons mention variable k"},
		{"type line of numbers", "age(n, number)\nnumber = {1, two}", mln.ModelError{}, "5:1", "no finite number"},
		{"two kinds", "number points, seconds\nr(n, points)\nl(n, seconds)\nr(x, k) ^ l(x, k) => on(x)", mln.ModelError{}, "7:16", "variable k is of type seconds here and of type points at test.mln:7:6"},
		{"comparison of two kinds", "number points\nr(n, points)\nl(n, number)\nr(x, k) ^ l(x, m) ^ k = m => on(x)", mln.ModelError{}, "7:25", "type number"},
		{"constant that is not of the kind", "number points\nr(n, points)\nr(x, A) => on(x)", mln.ModelError{}, "6:6", "no finite number"},
		{"type line of a kind", "number points\npoints = {1, two}", mln.ModelError{}, "5:1", "no finite number"},
		{"type line of no kind", "n = {1, -2.5}", new(mln.SyntaxError), "4:9", "expected a constant"},
		{"no kind", "number points, A(x)", new(mln.SyntaxError), "4:17", "end of the statement"},
		{"kind in quotes", "number points, \"a\"", new(mln.SyntaxError), "4:16", "the name of a kind of numbers"},
		{"number of another type", "s(2.5) => on(x)", mln.ModelError{}, "4:3", "of type n"},
		{"declared otherwise", "target s(n)", mln.ModelError{}, "4:1", "declared otherwise at test.mln:2:1"},
		{"target of other types", "target on(m)", mln.ModelError{}, "4:1", "declared otherwise at test.mln:3:1"},
		{"template twice", "template T(x) = s(x)\ntemplate T(x) = s(x)", mln.ModelError{}, "5:1", "first at test.mln:4:1"},
		{"template and predicate", "template s(x) = on(x)", mln.ModelError{}, "4:1", "a predicate (test.mln:2:1) and a template"},
		{"a parameter twice", "template T(x, x) = a(x, x)", mln.ModelError{}, "4:15", "twice"},
		{"recursion", "template T(x) = s(x) | U(x)\ntemplate U(x) = T(x)", mln.ModelError{}, "4:1", "T -> U -> T"},
		{"template in a head", "template T(x) = s(x)\non(x) => T(x)", mln.ModelError{}, "5:10", "in a head"},
		{"template in an equivalence", "template T(x) = s(x)\nT(x) <=> on(x)", mln.ModelError{}, "5:1", "in a head"},
		{"template under !", "template T(x) = s(x)\n!T(x) => on(x)", mln.ModelError{}, "5:2", "under !"},
		{"template under ! of a template", "template T(x) = s(x)\ntemplate U(x) = !T(x)", mln.ModelError{}, "5:18", "under !"},
		{"template under ! through a list", "template T(x) = s(x)\n![s|T](x) => on(x)", mln.ModelError{}, "5:2", "under !"},
		{"weight and period", "1.5 s(x).", mln.ModelError{}, "4:9", "a weight or a final period"},
		{"function declaration", "n Father(n)", mln.ModelError{}, "4:1", "functions"},
		{"function in an atom", "s(Father(x)) => on(x)", mln.ModelError{}, "4:3", "functions"},
		{"star", "*s(x) v on(x)", mln.ModelError{}, "4:1", "*"},
		{"exclusive", "g(n, m!)", mln.ModelError{}, "4:7", "!"},
		{"exclusive in a target", "target g(n, m!)", mln.ModelError{}, "4:14", "!"},
		{"plus without a type line", "s(+x) => on(x)", mln.ModelError{}, "4:4", "type n"},
		{"plus on a quantified variable", "n = {A}\nEXIST x s(+x)", mln.ModelError{}, "5:12", "quantified"},
		{"weight out of range", "1e999 s(x)", mln.ModelError{}, "4:1", "1e999"},
		{"weight that sums overflow with", "-1.1e30 s(x)", mln.ModelError{}, "4:1", "weight -1.1e30 is out of range: -1e30 to 1e30"},
		{"compound 0", "template T(x) compound 0 = s(x)", mln.ModelError{}, "4:24", "from 1"},
		{"compound too large", "template T(x) compound 99999999999999999999 = s(x)", mln.ModelError{}, "4:24", "from 1"},
		{"range downwards", "n = {5, ..., 1}", mln.ModelError{}, "4:9", "range"},
		{"include", `#include "x.mln"`, mln.ModelError{}, "4:10", "#include"},
		{"deep brackets", strings.Repeat("(", 5000), mln.ModelError{}, "4:", "deep"},
		{"deep negation", strings.Repeat("!", 5000), mln.ModelError{}, "4:", "deep"},
		{"deep implication", strings.Repeat("s(x) => ", 5000), mln.ModelError{}, "4:", ""},
		{"deep quantifiers", strings.Repeat("EXIST x ", 5000), mln.ModelError{}, "4:", "deep"},
		{"long conjunction", strings.Repeat("s(x) ^ ", 5000), mln.ModelError{}, "4:", "literals"},
		{"many variables", "on(x)" + series(200, " ^ s(x%d)"), mln.ModelError{}, "4:", "variables"},
		{"many arguments", "target big(n" + strings.Repeat(", n", 100) + ")", mln.ModelError{}, "4:", "arguments"},
		{"runaway extend", "template T(x, y) extend 1000 = r(x, y) | r(y, x)\nr(n, n)\nT(x, y) => on(x)", mln.ModelError{}, "6:", "expand"},
		{"runaway compound", "template T(x) compound 100 = " + strings.Repeat("s(x) | ", 100) + "s(x)\nT(x) => on(x)", mln.ModelError{}, "5:", "expand"},
		{"runaway nesting", doubling(40) + "T40(x) => on(x)", mln.ModelError{}, "4", "literals"},
		{"runaway lists", "s" + series(30, "[a%[1]d|b%[1]d]") + "(x) => on(x)", mln.ModelError{}, "4:1", "unknown"},
		{"runaway template lists", "template T(x) = s" + series(30, "[a%[1]d|b%[1]d]") + "(x)", mln.ModelError{}, "4:17", "unknown"},
		{"runaway plus", "n = {1, ..., 1000}\na(+x, y) ^ s(+z) ^ s(+w) => on(z)", mln.ModelError{}, "5:", "expand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := mln.Parse("test.mln", []byte(head+tt.text), mln.Options{})
			target := reflect.New(reflect.TypeOf(tt.kind))
			if !errors.As(err, target.Interface()) {
				t.Fatalf("got %v, want a %T", err, tt.kind)
			}
			got := target.Elem().Interface().(mln.Error)
			if at := got.At().Pos.String(); !strings.HasPrefix(at, "test.mln:"+tt.at) {
				t.Errorf("got place %s, want %s", at, tt.at)
			}
			check.Contains(t, got.Error(), tt.msg, "message")
			var list mln.ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > 10 {
				t.Errorf("got %d errors, want 1 to 10 in an ErrorList", len(list))
			}
		})
	}
}

// series writes a format with 0, 1, .., n-1.
func series(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// doubling declares templates each of which uses the one before it twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("template T0(x) = s(x)\n")
	for i := range n {
		fmt.Fprintf(&b, "template T%d(x) = T%d(x) ^ T%d(x)\n", i+1, i, i)
	}
	return b.String()
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	_, err := mln.Parse("task.mln", []byte("smokes(person)\n\tsmoke(x) ^ smokes(\"ä\") => smokes(x)\n"), mln.Options{})
	const want = "task.mln:2:2: unknown predicate \"smoke\"; did you mean \"smokes\"?\n" +
		"\tsmoke(x) ^ smokes(\"ä\") => smokes(x)\n" +
		"\t^"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestErrorsAreSortedAndCapped(t *testing.T) {
	t.Parallel()
	text := "s(n)\n" + series(30, "s(x) ^ nothing%d(x)\n") + "template T(x) = absent(x)\n"
	_, err := mln.Parse("m", []byte(text), mln.Options{})
	var list mln.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("got %v, want an ErrorList", err)
	}
	var lines []int
	for _, e := range list {
		lines = append(lines, e.At().Pos.Line)
	}
	check.Equal(t, "lines", lines, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
}

func TestSyntaxErrorsDoNotStopAtTheFirst(t *testing.T) {
	t.Parallel()
	_, err := mln.Parse("m", []byte("p(t)\np(x) q\n1 p(x) ^\n  ^ p(y)\n  => p(z)\np(\"x) => p(x)\np(x).\n"), mln.Options{})
	var list mln.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("got %v, want an ErrorList", err)
	}
	var lines []int
	for _, e := range list {
		lines = append(lines, e.At().Pos.Line)
	}
	check.NoDiff(t, cmp.Diff(lines, []int{2, 4, 6}), "lines (-got, +want) of\n%v", err)
}
