package plan_test

import (
	"slices"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/plan"
)

func parse(tb testing.TB, text string) (*mln.Model, []*mln.Candidate) {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(text), mln.Options{})
	check.OK(tb, err)
	return m, candidates(tb, m)
}

func candidates(tb testing.TB, m *mln.Model) []*mln.Candidate {
	tb.Helper()
	cands, _, err := mln.Candidates(m)
	check.OK(tb, err)
	return cands
}

// query compiles a candidate's selector over the variables of its target literals.
func query(p *plan.Program, c *mln.Candidate) *plan.Query {
	conj, binder := p.Conjunction(c.Formula.Vars, c.Selector)
	var outputs []int
	for _, a := range c.Enforcer {
		for _, x := range binder.Args(a) {
			if x.IsVar() && !slices.Contains(outputs, int(x)) {
				outputs = append(outputs, int(x))
			}
		}
	}
	return p.Query(conj, outputs)
}

// used counts the nodes that the queries reach; others are steps of compilation that are never evaluated.
func used(p *plan.Program) int {
	seen := map[plan.NodeID]bool{}
	var visit func(plan.NodeID)
	visit = func(id plan.NodeID) {
		if id == plan.None || seen[id] {
			return
		}
		seen[id] = true
		for _, k := range p.Nodes[id].Kids {
			visit(k)
		}
	}
	for _, q := range p.Queries {
		for _, id := range q.Scalars {
			visit(id)
		}
		for _, v := range q.Vectors {
			visit(v.Node)
		}
		for _, m := range q.Mats {
			visit(m.Node)
		}
	}
	return len(seen)
}

const declarations = "e(a)\nr(a, a)\ns(a, b)\nt(a, a, b)\ntarget q(a, a)\n"

func TestProgram_SharesEqualJoins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		formulas string
		nodes    int
	}{
		"one relation":                    {"r(x, y) => q(x, y)", 1},
		"renamed":                         {"r(x, y) => q(x, y)\nr(u, v) ^ q(u, v) => q(v, u)", 1},
		"product":                         {"s(x, c) ^ s(y, c) => q(x, y)", 3},
		"product twice":                   {"s(x, c) ^ s(y, c) => q(x, y)\ns(x, c) ^ s(y, c) ^ q(x, y) => q(y, x)", 3},
		"product and a part of it":        {"s(x, c) ^ s(y, c) => q(x, y)\ns(x, c) ^ e(y) => q(x, y)", 5},
		"transposed scan":                 {"r(x, y) => q(y, x)", 1},
		"both directions":                 {"r(x, y) ^ r(y, x) => q(x, y)", 3},
		"both directions, the other way":  {"r(x, y) ^ r(y, x) => q(x, y)\nr(y, x) ^ r(x, y) ^ e(x) => q(x, y)", 4},
		"chain with a condition":          {"r(x, z) ^ e(z) ^ r(z, y) => q(x, y)", 3},
		"another order of the conditions": {"r(x, z) ^ e(z) ^ r(z, y) => q(x, y)\nr(z, y) ^ r(x, z) ^ e(z) ^ e(x) => q(x, y)", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cands := parse(t, declarations+c.formulas+"\n")
			p := plan.NewProgram(&m.Schema)
			for _, c := range cands {
				if q := query(p, c); !q.Reduced {
					t.Errorf("%s is not reduced", mln.FormatFormula(c.Formula))
				}
			}
			if got := used(p); got != c.nodes {
				t.Errorf("got %d nodes, want %d: %+v", got, c.nodes, p.Nodes)
			}
		})
	}
}

func TestProgram_Query_Reduces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		formula string
		reduced bool
	}{
		"no selector":                  {"q(x, y)", true},
		"chain":                        {"r(x, a) ^ r(a, b) ^ r(b, c) ^ r(c, y) => q(x, y)", true},
		"cycle of inner variables":     {"r(a, b) ^ r(b, c) ^ r(c, a) => q(x, y)", true},
		"tree":                         {"r(x, a) ^ r(a, b) ^ r(a, c) ^ s(c, d) => q(x, y)", true},
		"clique of inner variables":    {"r(a, b) ^ r(a, c) ^ r(a, d) ^ r(b, c) ^ r(b, d) ^ r(c, d) => q(x, y)", false},
		"wide literal":                 {"t(x, y, c) => q(x, y)", false},
		"wide literal, few variables":  {"t(x, x, c) => q(x, x)", true},
		"wide literal with a constant": {"t(x, A, c) => q(x, x)", true},

		"wide literal, one variable left":        {"t(x, a, c) => q(x, x)", true},
		"wide literal, none left":                {"t(a, b, c) => q(x, y)", true},
		"wide literal under conditions":          {"t(x, a, c) ^ e(a) ^ s(a, c) ^ r(x, a) ^ x != a => q(x, x)", true},
		"wide literal in a chain":                {"t(z, a, c) ^ s(a, c) ^ r(x, z) => q(x, x)", true},
		"wide literal that leads on":             {"t(x, a, c) ^ r(a, b) => q(x, x)", false},
		"wide literal that differs from another": {"t(x, a, c) ^ a != y => q(x, y)", false},
		"wide literals that share a variable":    {"t(x, a, c) ^ t(x, b, d) => q(x, x)", true},
		"wide literals that share two":           {"t(x, a, c) ^ t(b, a, c) => q(x, x)", false},
		"wide literal, negated":                  {"!t(x, a, c) => q(x, x)", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cands := parse(t, declarations+c.formula+"\n")
			check.Equal(t, "result", query(plan.NewProgram(&m.Schema), cands[0]).Reduced, c.reduced)
		})
	}
}

// A chain is multiplied starting at the first output, whose rows are wanted, however it is written.
func TestProgram_Query_Order(t *testing.T) {
	t.Parallel()
	for _, formula := range []string{
		"s(x, c) ^ s(z, c) ^ r(z, y) => q(x, y)",
		"r(z, y) ^ s(z, c) ^ s(x, c) => q(x, y)",
	} {
		m, cands := parse(t, declarations+formula+"\n")
		p := plan.NewProgram(&m.Schema)
		c := cands[0]
		conj, binder := p.Conjunction(c.Formula.Vars, c.Selector)
		args := binder.Args(c.Enforcer[0])
		q := p.Query(conj, []int{int(args[0]), int(args[1])})
		n := p.Nodes[q.Mats[0].Node]
		if n.Op != plan.OpMul {
			t.Fatalf("%s: got %+v, want a product", formula, n)
		}
		left := q.Mats[0].Row == 0
		if inner := p.Nodes[n.Kids[0]].Op; !left || inner != plan.OpMul {
			t.Errorf("%s: got a left factor of kind %v, want a product", formula, inner)
		}
	}
}

func TestProgram_Transpose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		formula   string
		symmetric bool
	}{
		"relation":                     {"r(x, y) => q(x, y)", false},
		"both directions":              {"r(x, y) ^ r(y, x) => q(x, y)", true},
		"common partner":               {"s(x, c) ^ s(y, c) => q(x, y)", true},
		"path":                         {"r(x, z) ^ r(z, y) => q(x, y)", false},
		"common partner, on condition": {"r(x, z) ^ r(y, z) ^ e(z) => q(x, y)", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cands := parse(t, declarations+c.formula+"\n")
			p := plan.NewProgram(&m.Schema)
			id := query(p, cands[0]).Mats[0].Node
			transposed := p.Transpose(id)
			check.Equal(t, "its own transpose", transposed == id, c.symmetric)
			check.Is(t, p.Transpose(transposed), id, "transposed twice")
		})
	}
}

// The 67 candidates of the paper's task share most of their work.
func TestProgram_WikiCollabs(t *testing.T) {
	t.Parallel()
	m := jointest.WikiCollabsModel(t, "")
	cands := candidates(t, m)
	p := plan.NewProgram(&m.Schema)
	operators := 0
	for _, c := range cands {
		q := query(p, c)
		if !q.Reduced {
			t.Errorf("%s is not reduced", mln.FormatFormula(c.Formula))
		}
		alone := plan.NewProgram(&m.Schema)
		query(alone, c)
		operators += used(alone)
	}
	t.Logf("%d candidates, %d operators, %d nodes", len(cands), operators, used(p))
	if len(cands) != 67 || 2*used(p) > operators {
		t.Errorf("got %d nodes for %d candidates, want at most half of their %d operators", used(p), len(cands), operators)
	}
	for i, n := range p.Nodes {
		for _, k := range n.Kids {
			if int(k) >= i {
				t.Errorf("node %d has kid %d, which does not come before it", i, k)
			}
		}
	}
}
