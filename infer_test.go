package resolwe_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/ground"
	"resolwe/pool"
)

// infer returns the marginals of all subgraphs as text.
func infer(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.InferOptions) (string, error) {
	t.Helper()
	var out strings.Builder
	err := inferring.Infer(t.Context(), m, s, opt, func(r *resolwe.Marginals) error {
		for i, p := range r.P {
			fmt.Fprintln(&out, r.Subgraph, r.Index, r.Atom(i), p)
		}
		return nil
	})
	return out.String(), err
}

func TestInfer_MatchesNaive(t *testing.T) {
	t.Parallel()
	atoms, unsatisfiable := 0, 0
	for seed := range uint64(80) {
		text, db := random(seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 0, Hard: seed%3 == 0, Counts: seed%5 > 2, Aggregates: seed%5 == 3})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		opt := resolwe.InferOptions{Given: seed%2 == 1}
		rules := oracle.Rules{UnknownExist: true, Given: opt.Given}
		ws, at := worlds(m, subs), 0
		err := inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), opt, func(r *resolwe.Marginals) error {
			d, err := ws[at].Enumerate(m.Formulas, nil, rules)
			check.OKf(t, err, "seed %d", seed)
			want := d.Marginals()
			query := ws[at].QueryAtoms(rules)
			if r.Index != at || r.Subgraph != subs[at].Name || r.Len() != len(query) || r.Len() != len(r.P) {
				t.Fatalf("seed %d: got %d atoms of %s at %d, want %d of %s", seed, r.Len(), r.Subgraph, r.Index, len(query), subs[at].Name)
			}
			for i, q := range query {
				args := make([]string, len(q.Args))
				for k, a := range q.Args {
					args[k] = mln.FormatConstant(a)
				}
				name := fmt.Sprintf("%s(%s)", m.Schema.Predicates[q.Pred].Name, strings.Join(args, ", "))
				given := opt.Given && q.Stated
				if r.Atom(i) != name || r.Truth(i) != q.Truth || r.Given(i) != given || !(math.Abs(r.P[i]-want[i]) < 1e-9) {
					t.Errorf("seed %d: got %s %v given %v %v, want %s %v given %v %v",
						seed, r.Atom(i), r.Truth(i), r.Given(i), r.P[i], name, q.Truth, given, want[i])
				}
				if given && r.P[i] != 0 && r.P[i] != 1 {
					t.Errorf("seed %d: %s is given, got %v", seed, name, r.P[i])
				}
				atoms++
			}
			at++
			return nil
		})
		if err == nil {
			continue
		}
		unsatisfiable++
		e, ok := errors.AsType[*resolwe.SubgraphError](err)
		if _, want := ws[at].Enumerate(m.Formulas, nil, rules); !errors.Is(want, oracle.ErrUnsatisfiable) || !ok || e.Index != at {
			t.Errorf("seed %d: got %v, want %v", seed, err, want)
		}
	}
	if atoms < 500 || unsatisfiable == 0 {
		t.Errorf("%d atoms and %d unsatisfiable subgraphs were compared", atoms, unsatisfiable)
	}
}

func TestInfer_HardFormulas(t *testing.T) {
	t.Parallel()
	const head = "e(a, a)\ntarget q(a)\ntarget p(a)\n"
	const db = "@subgraph good\n@entity a A\n@subgraph bad\ne(A, B)\ne(C, C)\nq(A)\n"
	opt := resolwe.InferOptions{}
	m := parse(t, head+"e(x, y) => x = y.\n")
	_, err := infer(t, m, inMemory(t, m, db), opt)
	e, ok := errors.AsType[*resolwe.SubgraphError](err)
	if want := "subgraph bad: "; !ok || e.Name != "bad" || e.Index != 1 || !errors.Is(err, ground.ErrViolated) ||
		!strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "x = A") || !strings.Contains(err.Error(), "y = B") {
		t.Errorf("violated by the evidence: got %v", err)
	}

	m = parse(t, head+"e(x, y) => q(x).\ne(x, y) => (!q(x) v p(x)).\ne(x, y) => (!p(x) v !q(x)).\n")
	_, err = infer(t, m, inMemory(t, m, db), opt)
	e, ok = errors.AsType[*resolwe.SubgraphError](err)
	cause, is := errors.AsType[*resolwe.UnsatisfiableError](err)
	if !ok || e.Name != "bad" || !is || !cause.Proven || !strings.Contains(cause.Constraint, "(A)") {
		t.Errorf("without a solution: got %v", err)
	}
	check.OKf(t, check.Err(infer(t, m, inMemory(t, m, "@entity a A\n"), opt)), "with a solution")
}

func TestInfer_SameBytes(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a, a)\ntarget q(a)\n1 e(x, y) ^ q(x) => q(y)\n-0.5 q(x)\n")
	subs := subgraphs(t, m, tiedDB(5))
	seeds := map[string]bool{}
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodMCSAT, resolwe.MethodGibbs, resolwe.MethodExact} {
		for seed := range uint64(2) {
			result := streamtest.SameBytes(t, fmt.Sprint(method, ", seed ", seed), func(run resolwe.Run) string {
				opt := resolwe.InferOptions{Method: method, Seed: seed + 1, Chains: 2, Samples: 50, Run: run}
				got, err := infer(t, m, resolwe.NewStream(m, subs), opt)
				check.OK(t, err)
				return got
			})
			seeds[result] = true
		}
	}
	if len(seeds) != 5 { // one for both exact ways, two each for the others
		t.Errorf("got %d different results, want 5", len(seeds))
	}
}

// Sampled marginals are near the exact ones.
func TestInfer_Samples(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a, a)\ntarget q(a)\n1 e(x, y) ^ q(x) => q(y)\n-0.5 q(x)\n")
	subs := subgraphs(t, m, tiedDB(3))
	marginals := func(method resolwe.Method) (out []float64) {
		opt := resolwe.InferOptions{Method: method, Samples: 2000, Chains: 2}
		err := inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), opt, func(r *resolwe.Marginals) error {
			out = append(out, r.P...)
			return nil
		})
		check.OK(t, err)
		return out
	}
	want := marginals(resolwe.MethodExact)
	for _, method := range []resolwe.Method{resolwe.MethodMCSAT, resolwe.MethodGibbs} {
		for i, p := range marginals(method) {
			check.Near(t, p, want[i], 0.05, "%v, atom %d", method, i)
		}
	}
}

func TestInfer_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	for _, test := range []struct {
		name string
		set  func(*resolwe.InferOptions)
	}{
		{"no method", func(o *resolwe.InferOptions) { o.Method = "magic" }},
		{"samples", func(o *resolwe.InferOptions) { o.Samples = -1 }},
		{"burn-in", func(o *resolwe.InferOptions) { o.BurnIn = new(-1) }},
		{"chains", func(o *resolwe.InferOptions) { o.Chains = -1 }},
		{"many chains", func(o *resolwe.InferOptions) { o.Chains = math.MaxInt }},
		{"sweeps", func(o *resolwe.InferOptions) { o.Sweeps = -1 }},
	} {
		opt := resolwe.InferOptions{}
		test.set(&opt)
		_, err := infer(t, m, inMemory(t, m, friendsDB(0, 1)), opt)
		check.ErrorAs[*resolwe.OptionError](t, err, "%s", test.name)
	}
	stop := errors.New("stop")
	n := 0
	err := inferring.Infer(t.Context(), m, inMemory(t, m, friendsDB(0, 9)), resolwe.InferOptions{}, func(*resolwe.Marginals) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 3 {
		t.Errorf("got %v after %d subgraphs, want %v after 3", err, n, stop)
	}
}

// broken is a subgraph that no reader gives: a tuple beyond the domain.
func broken(t *testing.T, m *resolwe.Model) *subgraph.Subgraph {
	t.Helper()
	s := subgraphs(t, m, "@subgraph broken\nfriends(A, B)\n")[0]
	s.Relations[0].True.Cols[0][0] = 1000
	s.Relations[0].True.Forward.IDs[0] = 1000
	return s
}

// A panic in a worker names the subgraph; one that a program made wrongly does not get as far.
func TestRun_Panic(t *testing.T) {
	t.Parallel()
	m := parse(t, "friends(person, person)\ntarget smokes(person)\n1 friends(x, y) ^ smokes(x) => smokes(y)\n")
	subs := subgraphs(t, m, friendsDB(0, 3))
	last := subs[2].Name
	err := resolwe.Process(t.Context(), resolwe.NewStream(m, subs), &resolwe.Run{}, func() int { return 0 },
		func(_ int, s *subgraph.Subgraph) (int, error) {
			if s.Name == last {
				panic(last)
			}
			return 0, nil
		}, func(int) error { return nil })
	e, ok := errors.AsType[*resolwe.SubgraphError](err)
	p, is := errors.AsType[*pool.PanicError](err)
	if !ok || e.Name != last || e.Index != 2 || !is || p.Item != 2 || len(p.Stack) == 0 {
		t.Errorf("got %v", err)
	}
	_, err = infer(t, m, resolwe.NewStream(m, append(subs, broken(t, m))), resolwe.InferOptions{})
	if err == nil || !strings.Contains(err.Error(), "subgraph broken: friends, true: an id is beyond its domain") {
		t.Errorf("got %v", err)
	}
}

func TestCounts_MatchNaive(t *testing.T) {
	t.Parallel()
	for seed := range rounds(t, 60) {
		text, db := random(seed, oracle.TaskOptions{General: true, Subgraphs: 3})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		at := 0
		err := inferring.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{Workers: 2}, func(name string, counts []resolwe.Count) error {
			want := oracle.NewWorld(m.Schema, m.Schema.Domains(m.Constants, m.Formulas), subs[at]).Values(m.Formulas)
			if name != subs[at].Name || fmt.Sprint(counts) != fmt.Sprint(want) {
				t.Errorf("seed %d, subgraph %d: got %s %v, want %v", seed, at, name, counts, want)
			}
			at++
			return nil
		})
		if err != nil || at != len(subs) {
			t.Errorf("seed %d: got %v after %d subgraphs", seed, err, at)
		}
	}
}

// A mean over more bindings than a share has bits: 1,100 entities for each of three or four variables, whether they are apart from the head's
// variable or tied to it. The marginals are those of an enumeration by hand.
func TestInfer_MeanOfMany(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&db, "a(T%d)\nc(T%d, U0)\nc(T%d, U1)\n", i, i, i)
	}
	db.WriteString("b(U0)\nb(U1)\n?q(U0)\n?q(U1)\n?p(U0)\n")
	// Marginals of q(U0), q(U1), p(U0) if a state has weight exp(3 value).
	marginals := func(value func(q0, q1, p float64) float64) []float64 {
		sum, out := 0.0, make([]float64, 3)
		for state := range 8 {
			x := []float64{float64(state & 1), float64(state >> 1 & 1), float64(state >> 2)}
			w := math.Exp(3 * value(x[0], x[1], x[2]))
			sum += w
			for i := range out {
				out[i] += w * x[i]
			}
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	one := marginals(func(q0, _, p float64) float64 { return q0 * p })
	both := marginals(func(q0, q1, p float64) float64 { return (q0 + q1) / 2 * p })
	for formula, want := range map[string][]float64{
		"a(x1) ^ a(x2) ^ a(x3) ^ b(y) ^ q(y) ^ p(y)":                         one,
		"a(x1) ^ a(x2) ^ a(x3) ^ a(x4) ^ b(y) ^ q(y) ^ p(y)":                 one,
		"c(x1, y) ^ c(x2, y) ^ c(x3, y) ^ c(x4, y) ^ q(y) ^ p(y)":            one,
		"a(x1) ^ a(x2) ^ a(x3) ^ a(x4) ^ b(y) ^ b(z) ^ q(y) ^ p(z)":          both,
		"c(x, y) ^ c(x, z) ^ c(x1, y) ^ c(x2, y) ^ c(x3, y) ^ q(y) ^ p(z)":   both,
		"c(x, y) ^ c(x, z) ^ c(x1, y) ^ a(x2) ^ a(x3) ^ a(x4) ^ q(y) ^ p(z)": both,
	} {
		m := parse(t, "a(t)\nb(u)\nc(t, u)\ntarget listed q(u)\ntarget listed p(u)\n3 mean: "+formula+"\n")
		check.OK(t, inferring.Infer(t.Context(), m, inMemory(t, m, db.String()), resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			if !near(r.P, want, 1e-6) {
				t.Errorf("%s: got %v, want %v", formula, r.P, want)
			}
			return nil
		}))
	}
}

// Clauses have variables that only comparisons mention: each of their entities counts. In the first formula three clauses share a weight
// of 1.5; where no p is true, 18 of the 27 groundings of the last hold, and each p(x) makes three more of them true.
func TestCNF_MatchesNaive(t *testing.T) {
	t.Parallel()
	const declarations = "e(t)\nr(t, t)\ntarget p(t)\n"
	cnf := func(text string) *resolwe.Model {
		m, err := resolwe.ParseModel("task.mln", []byte(declarations+text), resolwe.ModelOptions{CNF: true})
		check.OKf(t, err, "%s", text)
		return m
	}
	compared := func(what, text, db string) (marginals []float64) {
		m := cnf(text)
		subs := subgraphs(t, m, db)
		w := worlds(m, subs)[0]
		check.OK(t, inferring.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}, func(_ string, counts []resolwe.Count) error {
			check.Equal(t, what+": counts of "+text, fmt.Sprint(counts), fmt.Sprint(w.Values(m.Formulas)))
			return nil
		}))
		d, want := w.Enumerate(m.Formulas, nil, oracle.Rules{UnknownExist: true})
		err := inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			marginals = slices.Clone(r.P)
			return nil
		})
		if (err == nil) != (want == nil) || want == nil && !near(marginals, d.Marginals(), 1e-9) {
			t.Errorf("%s: got %v, %v, want %v, %v of %s\n%s", what, marginals, err, d, want, text, db)
		}
		return marginals
	}
	p := 1 / (1 + math.Exp(-1.5))
	got := compared("by hand", "1.5 e(y) ^ e(z) ^ (y != z v p(x))\n", "@entity t A B C\ne(A)\n")
	check.Equal(t, "by hand", near(got, []float64{p, p, p}, 1e-12), true)
	for seed := range rounds(t, 150) {
		r := rand.New(rand.NewPCG(seed, 31))
		pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
		var text, db strings.Builder
		for range 1 + r.IntN(2) {
			variable := func() string { return pick("x", "y", "z") }
			clause := make([]string, 1+r.IntN(3))
			for i := range clause {
				clause[i] = pick("p("+variable()+")", "!p("+variable()+")", "!e("+variable()+")", "r("+variable()+", "+variable()+")",
					variable()+" = "+variable(), variable()+" != "+variable(), variable()+pick(" = ", " != ")+pick("A", "Z"))
			}
			body := "e(x) ^ e(y) ^ e(z) ^ (" + strings.Join(clause, " v ") + ")"
			if r.IntN(4) == 0 { // a hard one may fail by its evidence
				fmt.Fprintln(&text, "(!e(x) v !e(y) v !e(z) v x = y v y != z v p(x) v !p(z)).")
			}
			fmt.Fprintf(&text, "%.1f %s\n", 4*r.Float64()-2, body)
		}
		db.WriteString("@entity t A B C\n")
		for _, a := range []string{"A", "B", "C"} {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&db, "e(%s)\n", a)
			}
			fmt.Fprintf(&db, "r(%s, %s)\n%sp(%s)\n", a, pick("A", "B", "C"), pick("", "!"), a)
		}
		compared(fmt.Sprint("seed ", seed), text.String(), db.String())
	}
}

// colouring gives each node exactly one colour, and neighbours different ones.
const colouring = `adj(node, node)
target has(node, colour)
EXIST c has(x, c).
has(x, c) ^ has(x, d) => c = d.
adj(x, y) => !(has(x, c) ^ has(y, c)).
`

// ringToColour is a ring of nodes, with a number of colours.
func ringToColour(nodes, colours int) string {
	var b strings.Builder
	for c := range colours {
		fmt.Fprintf(&b, "@entity colour C%d\n", c)
	}
	for i := range nodes {
		fmt.Fprintf(&b, "adj(N%d, N%d)\n", i, (i+1)%nodes)
	}
	return b.String()
}

// Colourings of a ring are as likely as each other, however many there are: samplers stay among those of one winding number.
func TestInfer_Colourings(t *testing.T) {
	t.Parallel()
	m := parse(t, colouring)
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodExact} {
		rs, _ := all(t, m, inMemory(t, m, ringToColour(20, 3)), resolwe.InferOptions{Method: method})
		if d := rs[0].Diagnostics; d.Exact != 60 || d.Eliminated != 60 || d.Sampled != 0 {
			t.Errorf("%v: got %+v, want 60 atoms on a junction tree", method, d)
		}
		for i, p := range rs[0].P {
			if math.Abs(p-1./3) > 1e-12 {
				t.Errorf("%v: %s: got %v", method, rs[0].Atom(i), p)
			}
		}
	}
	nothing := func(*resolwe.Marginals) error { return nil }
	err := inferring.Infer(t.Context(), m, inMemory(t, m, ringToColour(25, 2)), resolwe.InferOptions{}, nothing)
	if e, ok := errors.AsType[*resolwe.UnsatisfiableError](err); !ok || !strings.Contains(e.Error(), "no solution") {
		t.Errorf("two colours for a ring of 25: got %v", err)
	}
}
