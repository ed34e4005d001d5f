package explain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/explain"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

const shared = `used(user, tag)
seen(user, tag)
target q(user)
target listed p(user, user)
0.3 used(u, t) ^ used(v, t) ^ q(u) ^ q(v)
-0.2 used(u, t) ^ seen(v, t) ^ u != v ^ q(u) ^ !q(v)
0.1 used(v, t) ^ seen(w, t) ^ p(u, v) ^ p(u, w)
0.5 mean: used(u, t) ^ used(v, t) ^ q(u) ^ q(v)
0.7 used(u, t) ^ q(u)
`

// read returns a model and its subgraph.
func read(t *testing.T, model, db string) (*mln.Model, *subgraph.Subgraph) {
	t.Helper()
	m, err := mln.Parse("task.mln", []byte(model), mln.Options{})
	check.OK(t, err)
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", &m.Schema)
	check.OK(t, err)
	sub, err := r.Next()
	check.OK(t, err)
	return m, sub
}

// sharedDB has users that share tags, with more pairs than are listed.
func sharedDB(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("@subgraph s\n")
	for u := range 40 {
		for t := range 12 {
			for _, pred := range []string{"used", "seen"} {
				if r.IntN(4) == 0 {
					fmt.Fprintf(&b, "%s(U%d, T%d)\n", pred, u, t)
				}
			}
		}
		fmt.Fprintf(&b, "p(U%d, U%d)\n", r.IntN(3), u)
	}
	return b.String()
}

// Contributions are the same whether pairs are listed or factored through shared entities.
func TestContributions_Bilinear(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		m, sub := read(t, shared, sharedDB(seed))
		weights := make([]float64, len(m.Formulas))
		for i, f := range m.Formulas {
			weights[i] = f.Weight
		}
		var explainers [2]*explain.Explainer
		var nets [2]*network.Network
		for i, factoring := range []ground.Factoring{ground.FactorNever, ground.FactorAlways} {
			p := ground.Compile(&m.Schema, m.Formulas, ground.Predicting)
			p.Factoring = factoring
			net, _, err := ground.NewGrounder(p).Ground(sub)
			check.OK(t, err)
			nets[i], explainers[i] = net, explain.NewExplainer(&m.Schema, nil, weights, 0)
		}
		if len(nets[0].Bilinears) > 0 || len(nets[1].Bilinears) == 0 {
			t.Fatalf("seed %d: %d and %d bilinear factors", seed, len(nets[0].Bilinears), len(nets[1].Bilinears))
		}
		r := rand.New(rand.NewPCG(seed, 3))
		p := make([]float64, nets[0].NumAtoms)
		for a := range p {
			p[a] = r.Float64()
		}
		for i, e := range explainers {
			e.Bind(nets[i], nil, p)
		}
		for a := range p {
			want, got := explainers[0].Odds(uint32(a)), explainers[1].Odds(uint32(a))
			about := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
			if diff := cmp.Diff(byAtom(want.Reasons), byAtom(got.Reasons), about); diff != "" || !got.Tied && len(want.Reasons) > 1 {
				t.Fatalf("seed %d, atom %d, tied %v (-listed +factored):\n%s", seed, a, got.Tied, diff)
			}
		}
	}
}

// byAtom returns contributions by what they describe.
func byAtom(list []explain.Reason) map[string]float64 {
	out := map[string]float64{}
	for _, c := range list {
		out[fmt.Sprint("feature ", c.Formula)] = c.Feature
		out[fmt.Sprint("value ", c.Formula)] = c.Value
		for _, n := range c.Neighbours {
			out[fmt.Sprint("formula ", c.Formula, " atom ", n.Place)] = n.Value
		}
	}
	return out
}

func TestWithout(t *testing.T) {
	t.Parallel()
	m, sub := read(t, "r(a, a)\nu(a)\ntarget q(a)\nr(x, y) ^ u(x) => q(y)\n", "r(A, B)\nr(A, C)\nr(B, C)\nu(A)\nu(B)\nq(C)\n")
	less := explain.Without(sub, &m.Schema, []explain.Atom{{Pred: 0, Args: []uint32{0, 2}}, {Pred: 1, Args: []uint32{1}}})
	var b strings.Builder
	check.OK(t, facts.Write(&b, less, &m.Schema))
	for _, gone := range []string{"r(A, C)", "u(B)"} {
		if strings.Contains(b.String(), gone) {
			t.Errorf("%s is still in\n%s", gone, b.String())
		}
	}
	for _, left := range []string{"r(A, B)", "r(B, C)", "u(A)", "q(C)"} {
		check.Contains(t, b.String(), left, "text")
	}
	check.Equal(t, "index", less.Relations[0].True.Forward.Row(0), []uint32{1})
	check.Equal(t, "the subgraph itself", sub.Relations[0].True.Len(), 3)
}

// The facts behind a formula are those of its groundings, or of what its aggregate is over, the ones that make the value first.
func TestFinder_Behind(t *testing.T) {
	t.Parallel()
	const model = "number n\nhas(a, b)\nworth(b, n)\ngood(b)\ntarget q(a)\n"
	const db = "has(A, B1)\nhas(A, B2)\nhas(A, B3)\nhas(C, B4)\nworth(B1, 5)\nworth(B2, -7)\nworth(B3, 30)\nworth(B4, 1)\ngood(B1)\ngood(B3)\ngood(B4)\nq(A)\nq(C)\n"
	for _, test := range []struct{ formula, want string }{
		{"has(x, y) ^ good(y) ^ q(x)", "has(A, B1) good(B1); has(A, B3) good(B3)"},
		{"rank(1, 5): min{n, y: has(x, y) ^ worth(y, n)} ^ q(x)", "has(A, B2) worth(B2, -7); has(A, B1) worth(B1, 5)"},
		{"sum{n, y: has(x, y) ^ worth(y, n)} >= 9 ^ q(x)", "has(A, B3) worth(B3, 30); has(A, B1) worth(B1, 5)"},
		{"#{y: has(x, y) ^ !good(y)} >= 1 ^ q(x)", "has(A, B2)"},
		{"share{y: good(y) | has(x, y)} >= .5 ^ q(x)", "has(A, B1) good(B1); has(A, B3) good(B3)"},
		{"q(x)", ""},
	} {
		m, sub := read(t, model+test.formula+"\n", db)
		x := explain.NewFinder(&m.Schema, m.Formulas)
		check.OK(t, x.Reset(sub))
		atom, ok := x.Find(3, []string{"A"})
		check.Is(t, ok, true, "an atom q(A)")
		check.Equal(t, "its names", x.Names(atom), []string{"A"})
		var rows []string
		for _, facts := range x.Behind(0, atom, 2) {
			var row []string
			for _, f := range facts {
				row = append(row, x.Name(f))
			}
			rows = append(rows, strings.Join(row, " "))
		}
		check.Is(t, strings.Join(rows, "; "), test.want, "%s", test.formula)
	}
	m, sub := read(t, model+"q(x)\n", db)
	x := explain.NewFinder(&m.Schema, m.Formulas)
	check.OK(t, x.Reset(sub))
	_, ok := x.Find(3, []string{"Z"})
	check.Is(t, ok, false, "an atom of an entity that is not there")
}
