package ground_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// manyEntities declares n entities of the type item.
func manyEntities(n int) string {
	var b strings.Builder
	b.WriteString("@entity item")
	for i := range n {
		fmt.Fprintf(&b, " A%d", i)
	}
	return b.String() + "\n"
}

func TestGrounder_Overflow(t *testing.T) {
	t.Parallel()
	const model = "e(item)\nf(item)\ntarget listed p(item)\n"
	facts := manyEntities(1<<11) + "f(A0)\np(A0)\n"
	for name, c := range map[string]struct {
		formula  string
		overflow bool
		constant bool // it overflows, and is wanted under Counting only
	}{
		"five variables, 2^55":           {"!e(a) ^ !e(b) ^ !e(c) ^ !e(d) ^ !e(g) ^ p(x)", false, false},
		"six variables, 2^66":            {"!e(a) ^ !e(b) ^ !e(c) ^ !e(d) ^ !e(g) ^ !e(h) ^ p(x)", true, false},
		"six variables of a disjunction": {"e(a) v e(b) v e(c) v e(d) v e(g) v e(h) v p(x)", true, false},
		"implication that never holds":   {"e(a) ^ e(b) ^ e(c) ^ e(d) ^ e(g) ^ e(h) => p(x)", false, true},
		"implication that may hold":      {"e(a) ^ e(b) ^ e(c) ^ e(d) ^ e(g) ^ f(h) => p(x)", false, true},
		"conjunction that never holds":   {"e(a) ^ e(b) ^ e(c) ^ e(d) ^ e(g) ^ e(h) ^ p(x)", false, false},
		"one of six is rare":             {"f(a) ^ !e(b) ^ !e(c) ^ !e(d) ^ !e(g) ^ !e(h) ^ p(x)", false, false},
		"through inequalities":           {"a != b ^ b != c ^ c != d ^ d != g ^ g != h ^ !e(a) ^ !e(b) ^ !e(c) ^ !e(d) ^ !e(g) ^ !e(h) ^ p(x)", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := jointest.Load(t, model+"1 "+c.formula+"\n", facts)
			for _, mode := range []ground.Mode{ground.Counting, ground.Learning, ground.Predicting} {
				g := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, mode))
				net, _, err := g.Ground(task.Subs[0])
				overflow := c.overflow || c.constant && mode == ground.Counting
				if errors.Is(err, join.ErrOverflow) != overflow || !overflow && err != nil {
					t.Errorf("mode %d: got %v, want overflow %t", mode, err, overflow)
				}
				if err == nil && c.constant && net.Constant[0] != 0 {
					t.Errorf("mode %d: got the constant %d, want 0 for one that does not fit", mode, net.Constant[0])
				}
				if err != nil && !strings.Contains(err.Error(), c.formula) {
					t.Errorf("mode %d: %q does not name the formula", mode, err)
				}
			}
		})
	}
}

// A constant that does not fit leaves coefficients as they are, and other formulas that share its joins.
func TestGrounder_ConstantBeyond(t *testing.T) {
	t.Parallel()
	const model = "e(item)\nf(item)\ntarget listed p(item)\n"
	facts := manyEntities(1<<11) + "e(A1)\ne(A2)\ne(A3)\nf(A0)\n!p(A0)\np(A7)\n"
	const large = "e(h) ^ e(a) ^ e(b) ^ e(c) ^ e(d) ^ e(g) ^ f(x) => p(x)"
	task := jointest.Load(t, model+"1 "+large+"\n1 e(a) ^ f(x) => p(x)\n", facts)
	net, _, err := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, ground.Predicting)).Ground(task.Subs[0])
	check.OK(t, err)
	// Groundings exist for the two listed atoms: the constant of the second formula is 2 * 2^11 - 3.
	check.Slices(t, net.Constant, []int64{0, 2<<11 - 3}, "constants")
	check.Slices(t, net.Unary, []network.Coef{{Formula: 0, Mult: 729}, {Formula: 1, Mult: 3}}, "coefficients")
}

func TestGrounder_TooManyAtoms(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, "target p(item, item, item)\np(x, y, z)\n", manyEntities(1<<11))
	_, _, err := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, ground.Predicting)).Ground(task.Subs[0])
	var many *ground.TooManyAtomsError
	if !errors.As(err, &many) || many.Predicate != "p" {
		t.Errorf("got %v, want too many atoms of p", err)
	}
}

// Of a listed target only the atoms that there are count.
func TestGrounder_ListedOfManyEntities(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, "target listed p(item, item)\np(x, y)\n", manyEntities(1<<16)+"p(A0, A1)\n?p(A2, A1)\n")
	net, atoms, err := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, ground.Predicting)).Ground(task.Subs[0])
	check.OK(t, err)
	check.Is(t, [...]int{net.NumAtoms, atoms.Len()}, [...]int{2, 2}, "atoms")
}

func TestGrounder_Violation(t *testing.T) {
	t.Parallel()
	const model = "e(item)\nlink(item, item)\ntarget p(item)\n"
	const facts = "e(A0)\ne(A1)\nlink(A0, A1)\np(A1)\n!p(A0)\n"
	for name, c := range map[string]struct {
		formula  string
		mode     ground.Mode
		bindings []string // of the violation; nil for none
	}{
		"of evidence alone":             {"link(x, y) => link(y, x).", ground.Predicting, []string{"x = A0", "y = A1"}},
		"conjunction of evidence":       {"e(x) ^ link(x, y).", ground.Predicting, []string{"x = A0", "y = A0"}},
		"conjunction with a target":     {"e(x) ^ link(x, y) ^ p(y).", ground.Predicting, []string{"x = A0", "y = A0"}},
		"satisfiable":                   {"link(x, y) => p(x).", ground.Predicting, nil},
		"given":                         {"link(x, y) => p(x).", ground.Conditioning, []string{"x = A0", "y = A1"}},
		"given, and true":               {"link(x, y) => p(y).", ground.Conditioning, nil},
		"quantified":                    {"EXIST z (link(x, z) ^ e(z)).", ground.Predicting, []string{"x = A1"}},
		"without variables":             {"link(A1, A0).", ground.Predicting, []string{}},
		"no constraint while counting":  {"link(x, y) => link(y, x).", ground.Counting, nil},
		"also where targets are learnt": {"link(x, y) => link(y, x) v y = x.", ground.Learning, []string{"x = A0", "y = A1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := jointest.Load(t, model+c.formula+"\n", facts)
			_, _, err := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, c.mode)).Ground(task.Subs[0])
			var v *ground.ViolationError
			if errors.As(err, &v) != (c.bindings != nil) || errors.Is(err, ground.ErrViolated) != (c.bindings != nil) {
				t.Fatalf("got %v, want bindings %v", err, c.bindings)
			}
			if v != nil && !slices.Equal(v.Bindings, c.bindings) {
				t.Errorf("got %v, want bindings %v", err, c.bindings)
			}
		})
	}
}

func TestGrounder_Trace(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, "target p(item)\n1 p(x)\n2 p(x) ^ p(y)\n", "p(A0)\n")
	g := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, ground.Counting))
	var got []int
	g.Trace = func(i int) { got = append(got, i) }
	if _, _, err := g.Ground(task.Subs[0]); err != nil {
		t.Fatal(err)
	}
	check.Slices(t, got, []int{0, 1}, "order")
}

// TestGround_CountsUnlisted counts more groundings than could be listed: 64^10 = 2^60.
func TestGround_CountsUnlisted(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 64 {
		fmt.Fprintf(&db, "p(A%d)\n", i)
	}
	for _, tc := range []struct {
		name, formula string
		want          int64
	}{
		{"all true", "p(a) ^ p(b) ^ p(c) ^ p(d) ^ p(e) ^ p(f) ^ p(g) ^ p(h) ^ p(i) ^ p(j)", 1 << 60},
		{"none true", "!p(a) ^ p(b) ^ p(c) ^ p(d) ^ p(e) ^ p(f) ^ p(g) ^ p(h) ^ p(i) ^ p(j) ^ p(k) ^ p(l)", 0},
		{"implied", "p(a) ^ p(b) ^ p(c) ^ p(d) ^ p(e) ^ p(f) ^ p(g) ^ p(h) ^ p(i) => !p(j)", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			task := jointest.Load(t, "target p(item)\n1 "+tc.formula+"\n", db.String())
			g := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, ground.Counting))
			net, _, err := g.Ground(task.Subs[0])
			check.OK(t, err)
			check.Equal(t, "result", net.Constant[0], tc.want)
		})
	}
}
