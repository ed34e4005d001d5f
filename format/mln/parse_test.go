package mln_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// printed returns a model as a file.
func printed(m *mln.Model) string {
	var b strings.Builder
	b.WriteString(m.Declarations())
	for _, f := range m.Formulas {
		b.WriteString(mln.FormatRule(f) + "\n")
	}
	return b.String()
}

// checkRoundTrip checks that the printed model parses to the same.
func checkRoundTrip(t *testing.T, m *mln.Model) {
	t.Helper()
	check.Equal(t, "printed", printed(parse(t, printed(m))), printed(m))
}

const schema = "a(n, n)\nb(n, n)\ns(n)\nr(n)\ntarget on(n)\ntarget listed off(n)\n"

func TestFormulas(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"and before or", "s(x) ^ r(x) v on(x)", "s(x) ^ r(x) v on(x)"},
		{"brackets kept where needed", "s(x) ^ (r(x) v on(x))", "s(x) ^ (r(x) v on(x))"},
		{"brackets dropped", "((s(x)) ^ (r(x) ^ on(x)))", "s(x) ^ r(x) ^ on(x)"},
		{"implication is right associative", "s(x) => r(x) => on(x)", "s(x) => r(x) => on(x)"},
		{"implication to the left", "(s(x) => r(x)) => on(x)", "(s(x) => r(x)) => on(x)"},
		{"implication to the right", "s(x) => (r(x) => on(x))", "s(x) => r(x) => on(x)"},
		{"iff is loosest", "s(x) => r(x) <=> on(x)", "s(x) => r(x) <=> on(x)"},
		{"iff below implication", "s(x) => (r(x) <=> on(x))", "s(x) => (r(x) <=> on(x))"},
		{"iff to the right", "s(x) <=> (r(x) <=> on(x))", "s(x) <=> (r(x) <=> on(x))"},
		{"not an equality", "a(x, y) ^ !(x = y)", "a(x, y) ^ x != y"},
		{"not an equality without brackets", "a(x, y) ^ !x = y", "a(x, y) ^ x != y"},
		{"not an inequality", "a(x, y) ^ !(x != y)", "a(x, y) ^ !(x != y)"},
		{"not of brackets", "!(s(x) ^ r(x))", "!(s(x) ^ r(x))"},
		{"two negations", "!!s(x)", "!!s(x)"},
		{"exist reaches far", "s(x) ^ EXIST y a(x, y) ^ on(y) => r(y)", "s(x) ^ EXIST y a(x, y) ^ on(y) => r(y)"},
		{"exist in brackets", "(EXIST y a(x, y)) ^ s(x)", "(EXIST y a(x, y)) ^ s(x)"},
		{"exist at the end needs no brackets", "s(x) => (EXIST y (a(x, y)))", "s(x) => EXIST y a(x, y)"},
		{"exist under not", "!(EXIST y a(x, y)) ^ s(x)", "!(EXIST y a(x, y)) ^ s(x)"},
		{"other spellings", "exist y forall z (a(y, z))", "EXIST y FORALL z a(y, z)"},
		{"several variables", "EXIST x, y a(x, y)", "EXIST x, y a(x, y)"},
		{"v is or", "s(v) v r(v)", "s(v) v r(v)"},
		{"v is a variable", "a(v, x) ^ v != x v v = x", "a(v, x) ^ v != x v v = x"},
		{"v under a quantifier", "EXIST v s(v)", "EXIST v s(v)"},
		{"v after not equal", "a(x, v) ^ x != v v s(x)", "a(x, v) ^ x != v v s(x)"},
		{"keywords as predicates and names", "a(target, template) ^ target != exist ^ s(exist)", "a(target, template) ^ target != exist ^ s(exist)"},
		{"constants", `a(A, 1) ^ a("a b", "x\"\\y") ^ s(@center) ^ s("@center")`, `a(A, 1) ^ a("a b", "x\"\\y") ^ s(@center) ^ s("@center")`},
		{"comment signs in quotes", `a("//", "/*") ^ s(x)`, `a("//", "/*") ^ s(x)`},
		{"comments", "s(x) /* one */ ^ // two\n r(x) // three", "s(x) ^ r(x)"},
		{"newline after an operator", "s(x) ^\n\n r(x) v\n on(x) =>\n off(x)", "s(x) ^ r(x) v on(x) => off(x)"},
		{"newline before an operator", "s(x)\n ^ r(x)\n\n v on(x)\n => off(x)\n<=> s(x)", "s(x) ^ r(x) v on(x) => off(x) <=> s(x)"},
		{"newline in brackets", "(s(x)\n ^ r(\nx)\n)", "s(x) ^ r(x)"},
		{"newline after a comparison sign", "s(x) ^ r(y) ^ x !=\n y", "s(x) ^ r(y) ^ x != y"},
		{"windows line ends", "s(x) ^\r\n r(x)\r", "s(x) ^ r(x)"},
		{"unit of constants", `s("N")`, "s(N)"},
		{"unit with a type line's constant", "s(N)", "s(N)"},
		{"comparison first", "1 = x ^ s(x)", "1 = x ^ s(x)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, schema+tt.text)
			check.Equal(t, "result", formulas(m), []string{tt.want})
			checkRoundTrip(t, m)
		})
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		weight     float64
		hard, has  bool
	}{
		{"none", "s(x)", 0, false, false},
		{"decimal", "1.5 s(x)", 1.5, false, true},
		{"negative", "-0.25 s(x)", -0.25, false, true},
		{"positive sign", "+2 s(x)", 2, false, true},
		{"scientific", "1e-05 s(x)", 1e-5, false, true},
		{"large", "1.5E+20 s(x)", 1.5e20, false, true},
		{"no digit before the point", ".5 s(x)", 0.5, false, true},
		{"zero", "0 s(x)", 0, false, true},
		{"before a constant", "2 1 = x ^ s(x)", 2, false, true},
		{"hard", "s(x).", 0, true, false},
		{"hard after a constant", "s(x) ^ x != 1.", 0, true, false},
		{"least double", "5e-324 s(x)", math.SmallestNonzeroFloat64, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, schema+tt.text)
			f := m.Formulas[0]
			if f.Weight != tt.weight || f.HasWeight != tt.has || f.Hard != tt.hard {
				t.Errorf("got %v %v %v, want %v %v %v", f.Weight, f.HasWeight, f.Hard, tt.weight, tt.has, tt.hard)
			}
			checkRoundTrip(t, m)
		})
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text   string
		declarations string
		formulas     []string
	}{
		{"upper case", "Friends(person,person)\nSmokes(person)\nSmokes(x)", "Friends(person, person)\nSmokes(person)\n", []string{"Smokes(x)"}},
		{"repeated", "p(t)\np(t)", "p(t)\n", nil},
		{"repeated without target", "target p(t)\np(t)", "target p(t)\n", nil},
		{"unit formula", "on(n)\non(x)", "on(n)\n", []string{"on(x)"}},
		{"listed as a name", "target listed(user)\ntarget listed listed2(user)", "target listed(user)\ntarget listed listed2(user)\n", nil},
		{"target as a name", "target(user)\ntemplate(user)", "target(user)\ntemplate(user)\n", nil},
		{"type lines", "item = {T1, T2}\nnum= {}\np(item, num)", "item = {T1, T2}\np(item, num)\n", nil},
		{"type lines add up", "item = {T1,\n T2}\nitem = {T2, x, \"a b\"}\np(item)", "item = {T1, T2, \"x\", \"a b\"}\np(item)\n", nil},
		{"ranges", "num = {1, ..., 4}\np(num)", "num = {1, 2, 3, 4}\np(num)\n", nil},
		{"declared after use", "1 p(x) => q(x)\np(t)\nq(t)", "p(t)\nq(t)\n", []string{"p(x) => q(x)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, tt.text)
			check.Equal(t, "declarations", m.Declarations(), tt.declarations)
			check.Equal(t, "formulas", formulas(m), tt.formulas)
			checkRoundTrip(t, m)
		})
	}
}

// Files as Alchemy writes and reads them.
func TestAlchemyFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		predicates int
		formulas   int
		warnings   int
	}{
		{"clauses.mln", 9, 3, 1},
		{"units.mln", 6, 5, 0},
		{"link.mln", 4, 5, 0},
		{"hard.mln", 2, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(filepath.Join("testdata", "alchemy", tt.name))
			check.OK(t, err)
			m := parse(t, string(src))
			got := [3]int{len(m.Schema.Predicates), len(m.Formulas), len(m.Warnings)}
			if want := [3]int{tt.predicates, tt.formulas, tt.warnings}; got != want {
				t.Errorf("predicates, formulas, warnings: got %v, want %v\n%v", got, want, m.Warnings)
			}
			checkRoundTrip(t, m)
		})
	}
}

func TestFormulaFields(t *testing.T) {
	t.Parallel()
	m := parse(t, "p(t, u)\nq(u)\nq(y) ^ (EXIST x, z p(x, y) ^ p(z, y)) => EXIST x p(x, y)")
	f := m.Formulas[0]
	want := []mln.Variable{{Name: "y", Type: 1}, {Name: "x", Type: 0}, {Name: "z", Type: 0}, {Name: "x", Type: 0}}
	if diff := cmp.Diff(f.Vars, want); diff != "" || f.Free != 1 {
		t.Errorf("Free %d, Vars (-got, +want):\n%s", f.Free, diff)
	}
	last := f.Body.(*mln.Implies).R.(*mln.Exists)
	args := last.X.(*mln.Atom).Args
	if last.Vars[0] != 3 || args[0].Var != 3 || args[1].Var != 0 || args[0].Type != 0 || args[1].Type != 1 {
		t.Errorf("got %+v over %v, want variables 3 and 0 of types 0 and 1", args, last.Vars)
	}
	check.Is(t, f.Pos, (mln.Position{File: "test.mln", Line: 3, Column: 1}), "Pos")
}

func TestTargets(t *testing.T) {
	t.Parallel()
	m, err := mln.Parse("m", []byte("p(t)\nq(t)"), mln.Options{Targets: []string{"q"}})
	check.OK(t, err)
	if got := m.Schema.Predicates[1].Role; got != mln.RoleTarget {
		t.Errorf("got role %q, want target", got)
	}
	m, err = mln.Parse("m", []byte("p(t)\ntarget listed q(t)\ntarget r(t)"), mln.Options{Targets: []string{"q"}})
	check.OK(t, err)
	if p := m.Schema.Predicates; p[1].Role != mln.RoleListed || p[2].Role != mln.RoleTarget {
		t.Errorf("got roles %q and %q, want those of the model", p[1].Role, p[2].Role)
	}
	for _, text := range []string{"p(t)\nqq(t)", "target p(t)\nq(t)"} {
		_, err := mln.Parse("m", []byte(text), mln.Options{Targets: []string{"q"}})
		if _, ok := errors.AsType[mln.ModelError](err); !ok {
			t.Errorf("%q: got %v, want a ModelError", text, err)
		}
	}
}

func TestInclude(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"dir/types.mln": "#include \"deep/more.mln\"\np(t)", "dir/deep/more.mln": "q(t)\n#include \"../../top.mln\"",
		"top.mln": "target r(t)", "dir/loop.mln": "#include \"loop.mln\"", "/dir/loop.mln": "#include \"/dir/../dir/loop.mln\"",
		"dir/environ.mln": "p(t)\nSECRET=/hunter2\n", "dir/bytes.mln": "hunter2 \xff", "dir/strange.mln": "hunter2 $ \x01", "dir/many.mln": "#include \"environ.mln\"",
	}
	opt := mln.Options{Include: func(name string) ([]byte, error) {
		text, ok := files[filepath.ToSlash(name)]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}}
	m, err := mln.Parse("dir/main.mln", []byte("#include \"types.mln\" // more\nr(x)"), opt)
	check.OK(t, err)
	check.Equal(t, "printed", printed(m), "q(t)\ntarget r(t)\np(t)\nr(x)\n")
	for name, want := range map[string]string{
		"absent.mln": "cannot include dir/absent.mln: file does not exist", "loop.mln": "includes itself", "/dir/loop.mln": "includes itself",
	} {
		_, err := mln.Parse("dir/main.mln", fmt.Appendf(nil, "#include %q", name), opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	for name, want := range map[string]string{
		"environ.mln": "dir/main.mln:1:10: cannot include dir/environ.mln: line 2, column 8 ", "bytes.mln": "cannot include dir/bytes.mln: line 1, column 9 ",
		"strange.mln": "cannot include dir/strange.mln: line 1, column ", "many.mln": "dir/many.mln:1:10: cannot include dir/environ.mln: line 2, column 8 ",
	} {
		_, err := mln.Parse("dir/main.mln", fmt.Appendf(nil, "#include %q", name), opt)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s does not parse: got %v, want %s", name, err, want)
		}
	}
	if _, err = mln.Parse("m", []byte(`#include "types.mln"`), mln.Options{}); err == nil {
		t.Error("without Include: got no error")
	}
}

func TestCNF(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"implication", "3 s(x) => on(x)", []string{"3 !s(x) v on(x)"}},
		{"weight is shared", "3 s(x) => on(x) ^ off(x) ^ r(x)", []string{"1 !s(x) v on(x)", "1 !s(x) v off(x)", "1 !s(x) v r(x)"}},
		{"equivalence", "1 s(x) <=> on(x)", []string{"0.5 !s(x) v on(x)", "0.5 s(x) v !on(x)"}},
		{"hard", "s(x) ^ on(x).", []string{"s(x).", "on(x)."}},
		{"distribution", "s(x) ^ r(x) v on(x) ^ off(x).", []string{"s(x) v on(x).", "s(x) v off(x).", "r(x) v on(x).", "r(x) v off(x)."}},
		{"a literal once", "s(x) => !s(x) v on(x).", []string{"!s(x) v on(x)."}},
		{"exist in a body", "1 (EXIST y a(x, y) ^ s(y)) => on(x)", []string{"1 !a(x, y) v !s(y) v on(x)"}},
		{"exist in a head", "1 s(x) => EXIST y a(x, y)", []string{"1 !s(x) v EXIST y a(x, y)"}},
		{"names apart", "1 (FORALL y a(x, y)) v FORALL y b(x, y)", []string{"1 a(x, y) v b(x, y2)"}},
		{"comparison alone", "2 a(x, y) ^ x != y", []string{"1 a(x, y)", "1 x != y"}},
		{"unweighted", "s(x) => on(x) ^ off(x)", []string{"!s(x) v on(x)", "!s(x) v off(x)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := mln.Parse("m", []byte(schema+tt.text), mln.Options{CNF: true})
			check.OK(t, err)
			var got []string
			for _, f := range m.Formulas {
				got = append(got, mln.FormatRule(f))
			}
			check.Equal(t, "result", got, tt.want)
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	m := parse(t, "persn = {A}\np(person)\ntemplate T(x) = p(x)\n1 p(x)")
	var got []string
	for _, w := range m.Warnings {
		line, _, _ := strings.Cut(w.String(), "\n")
		got = append(got, line)
	}
	want := []string{
		`test.mln:1:1: no predicate has arguments of type persn; did you mean "person"?`,
		`test.mln:3:1: template T is not used`,
	}
	check.Equal(t, "result", got, want)
}

// TestNames gives formulas with the names that Alchemy allows, and how they print, as a text that reads back as the same.
func TestNames(t *testing.T) {
	t.Parallel()
	const declared = "same-bib(bib', bib')\nage(bib', number)\ntarget q-1(bib')\n"
	for text, want := range map[string]string{
		"same-bib(x, x') => q-1(x'')":                    "same-bib(x, x') => q-1(x'')",
		"same-bib(x-1, x)^q-1(x-1)^x-1!=x":               "same-bib(x-1, x) ^ q-1(x-1) ^ x-1 != x",
		"age(x, -3) ^ age(x, n') ^ n'>=-2.5 ^ q-1(x)":    "age(x, -3) ^ age(x, n') ^ n' >= -2.5 ^ q-1(x)",
		"same-bib(B-1, O'Hara) => q-1(\"b\")":            `same-bib("B-1", "O'Hara") => q-1("b")`,
		"log: #{x': same-bib(x, x')} >= 2 ^ q-1(x)":      "log: #{x': same-bib(x, x')} >= 2 ^ q-1(x)",
		"(EXIST x' same-bib(x, x')) v q-1(x) v q-1(x-v)": "(EXIST x' same-bib(x, x')) v q-1(x) v q-1(x-v)",
	} {
		m, ok := prints(t, declared, text, want)
		if ok {
			check.OKf(t, mln.ReadBack(m.Declarations()+mln.FormatRule(m.Formulas[0]), m), "%s", text)
		}
	}
}

// FuzzParse checks that no text makes Parse panic, that its errors are of the package, and that what parses prints as
// a text that parses to the same.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.mln"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			check.OK(f, err)
			f.Add(src, false)
		}
	}
	f.Add([]byte("t = {1, ..., 3, \"a \\\" b\", x}\np(t)\nv = x ^ p(v) v p(x)\n2 p(+x) <=> EXIST v p(v)\n"), true)
	f.Add([]byte("p(t)\ntemplate T(x, y) extend 2 = q(x, y) ^ x != y | [q|r](y, x)\nq(t, t)\nr(t, t)\nT(@center, \"\") ^ p(x)."), true)
	f.Add([]byte("r(t, t)\ne(t)\nage(t, number)\ntarget q(t)\nnumber = {1, -2.50}\ntemplate T(x) = #{y: r(x, y) ^ e(y)} > 2 | e(x) ^ !#{y: r(y, x)} = 1\n"+
		"T(x) ^ q(x)\n#{y, n: r(x, y) ^ age(y, n) ^ n >= -1.5e3} <= 3 ^ x != z ^ e(z) => q(x)\n2 age(x, n) ^ !(n < 30) ^ n != 007 ^ 3 > n ^ q(x)\n"), false)
	f.Add([]byte("r(t, t)\ntarget q(t)\n1 #{y: r(x, y) ^ r(y, z)} >= 1 => q(x)\n(EXIST y r(x, y) ^ #{z: r(z, y)} < 1) v q(x).\n"), true)
	f.Add([]byte("r(t, t)\ne(t)\ntarget q(t)\ntemplate T(x, y) extend 2 = r(x, y) | #{z: r(x, z) ^ e(z)} >= 2 ^ r(y, x)\n0.8 log: T(x, y) ^ q(x)\n"+
		"-1e-3 mean: q(y) => (r(x, y) ^ x != y => !q(x))\n2 once: e(x) ^ !#{y: r(x, y)} = 3 ^ q(x)\n"), false)
	f.Add([]byte("age(t, number)\nr(t, t)\ntarget q(t)\n-1 rank(-2.5, 3, 1e30): age(x, n) => !q(x)\nrank(2): #{y: r(x, y)} ^ q(x)\n"+
		"relative(2.5): max{n, y: r(x, y) ^ age(y, n)} ^ q(x)\n2 relative: r(x, y) ^ q(x)\n"), true)
	f.Add([]byte("number p, s\nr(t, p, s)\navg(t)\ntarget q(t)\np = {-2.5}\ntemplate T(x) = avg{n: r(x, n, m)} > 2 | !last{n, m: r(x, n, m) ^ m < 3} != -1e-3\n"+
		"T(x) ^ q(x)\n2 log: !!sum{n, m: r(x, n, m)} <= 3 ^ avg(x) ^ q(x)\nmax{n: r(x, n, y) ^ n != 007} = 0 v (EXIST y min{y, n: r(x, y, n)} < 1) v q(x).\n"), true)
	f.Add([]byte("number p, s\nr(t, p, s)\ne(t)\ntarget q(t)\ntemplate T(x) = share{n, m: e(x) ^ n > 2 | r(x, n, m)} > .5 | !trend{n, m: r(x, n, m) ^ m < 3} != -1e-3\n"+
		"T(x) ^ q(x)\nshare{y: T2(y) | r(y, n, m) ^ e(y)} <= 1 => q(x)\ntemplate T2(y) = e(y) | r(y, 3, m)\n"), true)
	f.Add([]byte("number n\nr(s, t)\nb(s, n)\ntarget q(s)\n//= type s: case, cases; who\n//= r: on {t} | {2} has {s}; one\n//= r \"a b\": is so\n"+
		"//= b: age [days]; low is good\n//= use: for \u202e tests\n//= q: is | is not\n//= established\n1 r(x, y) => q(x)\n"), false)
	f.Fuzz(func(t *testing.T, src []byte, cnf bool) {
		opt := mln.Options{CNF: cnf}
		m, err := mln.Parse("f.mln", src, opt)
		if err != nil {
			if _, ok := errors.AsType[mln.Error](err); !ok {
				t.Fatalf("got %T, want an Error", err)
			}
			_ = err.Error()
			return
		}
		_, _, _ = mln.Candidates(m)
		if cnf { // what only comparisons mention in a clause has its type from the others
			return
		}
		again, err := mln.Parse("f.mln", []byte(printed(m)), opt)
		check.OKf(t, err, "printed as\n%s\n", printed(m))
		check.MustEqual(t, "printed", printed(again), printed(m))
	})
}
