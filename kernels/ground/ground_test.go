package ground_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

var taskOptions = map[string]oracle.TaskOptions{
	"formulas":   {General: true},
	"hard":       {General: true, Hard: true},
	"shapes":     {General: true, Shapes: true, Hard: true},
	"many":       {General: true, Hard: true, Formulas: 12, Entities: 3, MaxAtoms: 8},
	"candidates": {Entities: 3},
	"counts":     {General: true, Hard: true, Entities: 3, MaxAtoms: 8, Counts: true},
	"aggregates": {General: true, Hard: true, Shapes: true, Entities: 3, MaxAtoms: 8, Counts: true, Aggregates: true},
}

// maxEnumerated is the most query atoms whose states the oracle enumerates.
const maxEnumerated = 10

const seeds = 80

func TestGrounder_CountsMatchNaive(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, seed uint64, c *jointest.Task) {
		t.Helper()
		checkCounts(t, seed, c)
	})
}

func eachTask(t *testing.T, test func(t *testing.T, seed uint64, c *jointest.Task)) {
	t.Helper()
	for name, opt := range taskOptions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 21)), opt)
				test(t, seed, jointest.Load(t, model, db))
			}
		})
	}
}

// checkCounts holds the counts on the data, by both modes that have them, against the oracle's.
func checkCounts(t *testing.T, seed uint64, c *jointest.Task) {
	t.Helper()
	formulas := c.Model.Formulas
	counting := ground.NewGrounder(ground.Compile(&c.Model.Schema, formulas, ground.Counting))
	learning := ground.NewGrounder(ground.Compile(&c.Model.Schema, formulas, ground.Learning))
	for i, sub := range c.Subs {
		want := c.World(i).Values(formulas)
		net, _, err := counting.Ground(sub)
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, sub.Name, err, c.Text)
		}
		counted := make([]float64, len(formulas))
		for k, f := range formulas {
			counted[k] = float64(net.Constant[k])
			if f.Shape != mln.ShapeNone {
				counted[k] = counting.Values()[k]
			}
		}
		check.MustNoDiff(t, cmp.Diff(counted, want, nearValues), "seed %d, %s, counting (-got +want) of\n%s", seed, sub.Name, c.Text)
		net, atoms, err := learning.Ground(sub)
		if errors.Is(err, ground.ErrViolated) {
			continue // checkViolation says whether it is
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, sub.Name, err, c.Text)
		}
		checkShape(t, net)
		got := valuesOf(t, net, atoms.Data())
		for k, f := range formulas {
			if f.Hard {
				want[k] = 0 // a constraint, not a count
			}
		}
		check.MustNoDiff(t, cmp.Diff(got, want, nearValues), "seed %d, %s, learning (-got +want) of\n%s", seed, sub.Name, c.Text)
	}
}

func TestGrounder_MarginalsMatchNaive(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, seed uint64, c *jointest.Task) {
		t.Helper()
		checkMarginals(t, seed, c, ground.Predicting)
		checkMarginals(t, seed, c, ground.Conditioning)
	})
}

// exactMarginals enumerates a network under the formulas' own weights.
func exactMarginals(net *network.Network, formulas []*mln.Formula) ([]float64, error) {
	weights := make([]float64, len(formulas))
	for i, f := range formulas {
		weights[i] = f.Weight
	}
	var m loglinear.Model
	m.Reset(net, weights)
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodExact
	out := make([]float64, net.NumAtoms)
	_, err := new(mcsat.Inference).Marginals(out, &m, opt, nil)
	return out, err
}

// checkMarginals holds exact marginals, and the errors in their place, against the oracle's.
func checkMarginals(t *testing.T, seed uint64, c *jointest.Task, mode ground.Mode) {
	t.Helper()
	formulas := c.Model.Formulas
	rules := oracle.Rules{UnknownExist: true, Given: mode == ground.Conditioning}
	g := ground.NewGrounder(ground.Compile(&c.Model.Schema, formulas, mode))
	for i, sub := range c.Subs {
		queries := c.World(i).QueryAtoms(rules)
		if len(queries) > maxEnumerated {
			continue
		}
		d, wantErr := c.World(i).Enumerate(formulas, nil, rules)
		net, atoms, err := g.Ground(sub)
		checkViolation(t, seed, c, i, rules, err)
		var got []float64
		if err == nil {
			got, err = exactMarginals(net, formulas)
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("seed %d, %s, mode %d: got error %v, want %v\n%s", seed, sub.Name, mode, err, wantErr, c.Text)
		}
		if err != nil {
			continue
		}
		want := d.Marginals()
		if atoms.Len() != len(queries) {
			t.Fatalf("seed %d, %s: got %d query atoms, want %d\n%s", seed, sub.Name, atoms.Len(), len(queries), c.Text)
		}
		for k, q := range queries {
			name := c.Model.Schema.Predicates[q.Pred].Name + "(" + strings.Join(q.Args, ", ") + ")"
			if atoms.Name(k) != name || atoms.Truth(k) != q.Truth {
				t.Fatalf("seed %d, %s, atom %d: got %s %v, want %s %v\n%s", seed, sub.Name, k, atoms.Name(k), atoms.Truth(k), name, q.Truth, c.Text)
			}
			at, free := atoms.Free(k)
			truth, fixed := atoms.Fixed(k)
			if fixed != (rules.Given && q.Stated) || fixed == free || fixed && truth != (q.Truth == subgraph.True) {
				t.Fatalf("seed %d, %s, %s: got free %t, fixed %t, %t\n%s", seed, sub.Name, name, free, fixed, truth, c.Text)
			}
			if free && math.Abs(got[at]-want[k]) > 1e-9 {
				t.Fatalf("seed %d, %s, mode %d, P(%s): got %v, want %v\n%s", seed, sub.Name, mode, name, got[at], want[k], c.Text)
			}
		}
	}
}

// checkViolation holds an error of Ground against the hard groundings that no state satisfies.
func checkViolation(t *testing.T, seed uint64, c *jointest.Task, i int, rules oracle.Rules, err error) {
	t.Helper()
	var violation *ground.ViolationError
	if err != nil && !errors.As(err, &violation) {
		t.Fatalf("seed %d, %s: %v\n%s", seed, c.Subs[i].Name, err, c.Text)
	}
	var violated []string
	for _, f := range c.Model.Formulas {
		if f.Hard {
			eachBinding(c, i, f, func(closed *mln.Formula, bindings string) {
				if _, err := c.World(i).Enumerate([]*mln.Formula{closed}, nil, rules); err != nil {
					violated = append(violated, mln.FormatFormula(f)+bindings)
				}
			})
		}
	}
	if violation == nil {
		if len(violated) > 0 {
			t.Logf("seed %d, %s: %s is left to the sampler", seed, c.Subs[i].Name, violated[0])
		}
		return
	}
	for _, v := range violated {
		if matches(v, violation) {
			return
		}
	}
	t.Fatalf("seed %d, %s: got %v, want one of %q\n%s", seed, c.Subs[i].Name, violation, violated, c.Text)
}

// matches reports whether a violation names a grounding; it may leave out variables that make no difference.
func matches(v string, e *ground.ViolationError) bool {
	if !strings.HasPrefix(v, e.Formula) {
		return false
	}
	for _, b := range e.Bindings {
		if !strings.Contains(v[len(e.Formula):], "|"+b+"|") {
			return false
		}
	}
	return true
}

// eachBinding visits the groundings of a formula as closed formulas, with their bindings as text.
func eachBinding(c *jointest.Task, i int, f *mln.Formula, visit func(closed *mln.Formula, bindings string)) {
	values := make([]string, f.Free)
	var bind func(v int, text string)
	bind = func(v int, text string) {
		if v == f.Free {
			closed := &mln.Formula{Body: substitute(f.Body, f.Free, values), Vars: f.Vars, Hard: true}
			visit(closed, text)
			return
		}
		d := c.Subs[i].Domains[f.Vars[v].Type]
		for id := range d.Size {
			values[v] = d.Names.Name(uint32(id))
			bind(v+1, text+"|"+f.Vars[v].Name+" = "+values[v]+"|")
		}
	}
	bind(0, "")
}

// substitute replaces the variables below free by constants.
func substitute(e mln.Expr, free int, values []string) mln.Expr {
	term := func(t mln.Term) mln.Term {
		if t.Kind == mln.TermVariable && t.Var < free {
			return mln.Term{Kind: mln.TermConstant, Name: values[t.Var], Type: t.Type}
		}
		return t
	}
	all := func(xs []mln.Expr) []mln.Expr {
		out := make([]mln.Expr, len(xs))
		for i, x := range xs {
			out[i] = substitute(x, free, values)
		}
		return out
	}
	switch e := e.(type) {
	case *mln.Atom:
		a := *e
		a.Args = nil
		for _, t := range e.Args {
			a.Args = append(a.Args, term(t))
		}
		return &a
	case *mln.Equal:
		return &mln.Equal{A: term(e.A), B: term(e.B)}
	case *mln.Compare:
		return &mln.Compare{X: term(e.X), Value: e.Value, Op: e.Op}
	case *mln.Count:
		n := *e
		n.X = substitute(e.X, free, values)
		return &n
	case *mln.Not:
		return &mln.Not{X: substitute(e.X, free, values)}
	case *mln.And:
		return &mln.And{Xs: all(e.Xs)}
	case *mln.Or:
		return &mln.Or{Xs: all(e.Xs)}
	case *mln.Implies:
		return &mln.Implies{L: substitute(e.L, free, values), R: substitute(e.R, free, values)}
	case *mln.Iff:
		return &mln.Iff{L: substitute(e.L, free, values), R: substitute(e.R, free, values)}
	case *mln.Exists:
		return &mln.Exists{Vars: e.Vars, X: substitute(e.X, free, values)}
	case *mln.ForAll:
		return &mln.ForAll{Vars: e.Vars, X: substitute(e.X, free, values)}
	}
	panic("expression of unknown type")
}

// Selectors with literals of three variables, alone and joined, of which one or none is an output.
func TestGrounder_WideSelectorsMatchNaive(t *testing.T) {
	t.Parallel()
	const model = `mark(page, user, tag)
		knows(user, user)
		good(page)
		target listed friend(user)
		0.1 mark(p, u, t) ^ mark(p, U0, t) => friend(u)
		0.2 mark(p, u, t) ^ mark(p, @center, t) ^ knows(u, w) => friend(w)
		0.3 mark(p, u, t) ^ mark(q, u, t) ^ p != q ^ knows(u, z) ^ knows(z, w) ^ friend(w)
		0.4 mark(p, u, t) ^ good(p) ^ knows(w, u) ^ mark(p2, w, t2) => friend(w)
		0.5 mark(p, u, t) ^ knows(u, w) ^ friend(u) => friend(w)
		0.6 mark(p, u, t) ^ knows(u, w) ^ mark(q, w, t) => friend(w)
		0.7 !mark(p, u, T0) ^ mark(p, u, t) ^ knows(u, z) ^ knows(w, z) => friend(w)
		0.8 mark(p, u, t) ^ mark(p, v2, t) ^ good(p) ^ knows(u, w) ^ knows(v2, w) => friend(w)
		0.9 mark(p, u, t) ^ u != U1 ^ knows(u, w) => friend(w) v friend(u)
		`
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 51))
		db := "@subgraph s center=U0\n"
		var b strings.Builder
		for u := range 4 {
			fmt.Fprintf(&b, "%sfriend(U%d)\n", []string{"", "!", "?"}[r.IntN(3)], u)
			for w := range 4 {
				if r.IntN(2) == 0 {
					fmt.Fprintf(&b, "knows(U%d, U%d)\n", u, w)
				}
			}
			for p := range 3 {
				for g := range 2 {
					if r.IntN(3) == 0 {
						fmt.Fprintf(&b, "mark(P%d, U%d, T%d)\n", p, u, g)
					}
				}
			}
		}
		c := jointest.Load(t, model, db+b.String()+"good(P0)\n")
		net, atoms, err := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)).Ground(c.Subs[0])
		check.OK(t, err)
		check.MustNoDiff(t, cmp.Diff(valuesOf(t, net, atoms.Data()), c.World(0).Values(c.Model.Formulas)), "seed %d (-got +want) of\n%s", seed, c.Text)
	}
}
