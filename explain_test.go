package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
)

// explained returns the explanations of a subgraph's atoms; none where hard formulas have no solution.
func explained(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, opt resolwe.ExplainOptions) (out []*resolwe.Explanation) {
	t.Helper()
	err := inferring.Explain(t.Context(), m, resolwe.NewStream(m, subs), opt, func(e *resolwe.Explanation) error {
		out = append(out, e)
		return nil
	})
	if errors.As(err, new(*ground.ViolationError)) || errors.As(err, new(*resolwe.UnsatisfiableError)) || errors.As(err, new(*resolwe.OptionError)) {
		return nil
	}
	check.OK(t, err)
	return out
}

// marginals returns the marginals of a subgraph by atom, and the atoms in order.
func marginals(t *testing.T, m *resolwe.Model, sub *subgraph.Subgraph) (p map[string]float64, atoms []string) {
	t.Helper()
	p = map[string]float64{}
	s := resolwe.NewStream(m, []*subgraph.Subgraph{sub})
	check.OK(t, inferring.Infer(t.Context(), m, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
		for i, v := range r.P {
			atoms = append(atoms, r.Atom(i))
			p[r.Atom(i)] = v
		}
		return nil
	}))
	return p, atoms
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// What a formula adds is its weight times the expected change of its count, were the neighbours independent.
func TestExplain_Naive(t *testing.T) {
	t.Parallel()
	for seed := range rounds(t, 16) {
		text, db := random(seed, oracle.TaskOptions{General: true, Counts: seed%3 == 0, Aggregates: seed%6 == 0, Subgraphs: 1, MaxAtoms: 9})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := parse(t, text)
			subs := subgraphs(t, m, db)
			w := worlds(m, subs)[0]
			explanations := explained(t, m, subs, resolwe.ExplainOptions{Subgraph: subs[0].Name})
			if explanations == nil {
				return
			}
			p, atoms := marginals(t, m, subs[0])
			for at, e := range explanations {
				sum := 0.0
				values := make([]float64, len(m.Formulas))
				for _, r := range e.Reasons {
					sum += r.Value
					values[r.Formula] = r.Feature
					for _, n := range r.Neighbours {
						less := with(p, n.Atom, 0)
						want := m.Formulas[r.Formula].Weight * (expected(t, w, m.Formulas[r.Formula], p, atoms, at) - expected(t, w, m.Formulas[r.Formula], less, atoms, at))
						if !near([]float64{n.Value}, []float64{want}, 1e-9) {
							t.Errorf("%s: %s brings %v to %s, want %v", e.Atom, n.Atom, n.Value, mln.FormatFormula(m.Formulas[r.Formula]), want)
						}
					}
				}
				for i, f := range m.Formulas {
					if want := expected(t, w, f, p, atoms, at); !near([]float64{values[i]}, []float64{want}, 1e-9) && !f.Hard {
						t.Errorf("%s: %s has feature %v, want %v\n%s\n%s", e.Atom, mln.FormatFormula(f), values[i], want, text, db)
					}
				}
				check.Equal(t, "sum", near([]float64{e.Sum}, []float64{sum}, 1e-12), true)
				if !e.Tied && !e.Constrained && math.Abs(e.LogOdds) < 10 && !near([]float64{e.Sum}, []float64{logit(p[e.Atom])}, 1e-12) {
					t.Errorf("%s: log-odds %v, want %v", e.Atom, e.Sum, logit(p[e.Atom]))
				}
			}
		})
	}
}

// with returns a copy with one more entry.
func with(p map[string]float64, key string, v float64) map[string]float64 {
	out := map[string]float64{key: v}
	for k, v := range p {
		if _, ok := out[k]; !ok {
			out[k] = v
		}
	}
	return out
}

// expected returns the expected change of a formula's count as an atom becomes true, the others independent.
func expected(t *testing.T, w *oracle.World, f *mln.Formula, p map[string]float64, atoms []string, at int) (sum float64) {
	t.Helper()
	d, err := w.Enumerate([]*mln.Formula{f}, nil, oracle.Rules{UnknownExist: true})
	check.OK(t, err)
	for _, s := range d.States {
		change := -s.Counts[0]
		if s.Atoms[at] {
			change = s.Counts[0]
		}
		for i, a := range atoms {
			switch {
			case i == at:
			case s.Atoms[i]:
				change *= p[a]
			default:
				change *= 1 - p[a]
			}
		}
		sum += change
	}
	return sum
}

// Without the evidence that an explanation names the sign is the other one, and with any one fact of it back it is not.
func TestExplain_EvidenceTurnsTheDecision(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(200) {
		text, db := random(seed, oracle.TaskOptions{General: seed%4 > 1, Shapes: seed%4 == 2, Counts: seed%4 >= 2, Aggregates: seed%8 == 3 || seed%8 == 6, Subgraphs: 1})
		m := parse(t, text)
		for i, f := range m.Formulas {
			if !f.HasWeight && !f.Hard {
				f.HasWeight, f.Weight = true, float64(i+1)*0.7-1
			}
		}
		subs := subgraphs(t, m, db)
		for _, e := range explained(t, m, subs, resolwe.ExplainOptions{Subgraph: subs[0].Name}) {
			if e.Without == nil {
				continue
			}
			found++
			turned := func(without []string) bool {
				p, _ := marginals(t, m, less(t, m, subs[0], without))
				return p[e.Atom] != 0.5 && (p[e.Atom] > 0.5) != (e.LogOdds > 0)
			}
			if !turned(e.Without) || (e.Otherwise > 0) == (e.LogOdds > 0) {
				t.Errorf("seed %d: %s has log-odds %v; without %v it has %v\n%s\n%s", seed, e.Atom, e.LogOdds, e.Without, e.Otherwise, text, db)
			}
			for k := range e.Without {
				if len(e.Without) > 1 && turned(slices.Delete(slices.Clone(e.Without), k, k+1)) {
					t.Errorf("seed %d: of %v %s is not needed\n%s\n%s", seed, e.Without, e.Without[k], text, db)
				}
			}
		}
	}
	check.AtLeast(t, found, 20, "explanations name evidence")
}

// less returns a subgraph without some facts.
func less(t *testing.T, m *resolwe.Model, sub *subgraph.Subgraph, facts []string) *subgraph.Subgraph {
	t.Helper()
	b := subgraph.NewBuilder(m.Schema)
	b.Reset(sub.Name, sub.Center, sub.Fold)
	for typ, d := range sub.Domains {
		for id := range d.Size {
			b.Entity(typ, d.Names.Name(uint32(id)))
		}
	}
	left := len(facts)
	for pred := range sub.Relations {
		for truth, table := range sub.Relations[pred].Tables() {
			for i := range table.Len() {
				p := m.Schema.Predicates[pred]
				a, args := &mln.Atom{Name: p.Name}, make([]uint32, len(table.Cols))
				for c, col := range table.Cols {
					args[c] = col[i]
					term := mln.Term{Kind: mln.TermConstant, Name: sub.Domains[p.Args[c]].Names.Name(col[i])}
					term.Number = m.Schema.IsNumber(p.Args[c])
					a.Args = append(a.Args, term)
				}
				if slices.Contains(facts, mln.FormatAtom(a)) {
					left--
					continue
				}
				b.Add(pred, args, subgraph.Truth(truth+1))
			}
		}
	}
	check.Equal(t, "facts that are not there", left, 0)
	out, err := b.Finish()
	check.OK(t, err)
	return out
}

func TestExplain_Groundings(t *testing.T) {
	t.Parallel()
	m, s := example()
	f := *m.Formulas[0]
	f.HasWeight, f.Weight = true, 1
	m = m.With([]*mln.Formula{&f})
	var got []string
	opt := resolwe.ExplainOptions{Subgraph: "tuesday", Atom: "modifies(C,Bob)"}
	check.OK(t, inferring.Explain(t.Context(), m, s, opt, func(e *resolwe.Explanation) error {
		got = append(got, fmt.Sprint(e.Atom, " ", e.LogOdds, " ", e.Reasons[0].Groundings, " ", e.Without))
		return nil
	}))
	check.Equal(t, "explanation", got, []string{"modifies(C, Bob) 1 [[{t1 Perl} {u Bob} {t2 C}]] []"})
}

func TestExplain_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, independent)
	subs := subgraphs(t, m, independentDB(1, 2))
	for want, opt := range map[string]resolwe.ExplainOptions{
		"ExplainOptions.Subgraph": {Subgraph: "none"},
		"ExplainOptions.Atom":     {Subgraph: subs[0].Name, Atom: "no(A)"},
	} {
		err := inferring.Explain(t.Context(), m, resolwe.NewStream(m, subs), opt, func(*resolwe.Explanation) error { return nil })
		if e := (*resolwe.OptionError)(nil); !errors.As(err, &e) || e.Option != want {
			t.Errorf("got %v, want an *OptionError of %s", err, want)
		}
	}
}

func TestEvaluateFormula(t *testing.T) {
	t.Parallel()
	for seed := range rounds(t, 60) {
		text, db := random(seed, oracle.TaskOptions{General: seed%2 == 1, Subgraphs: 3})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		for i, f := range m.Formulas {
			headed, ok := f.Headed(m.Schema)
			opt := inferring.FiringOptions{Examples: 2, Groundings: 1, Run: resolwe.Run{Workers: 3}}
			got, err := inferring.EvaluateFormula(t.Context(), m, resolwe.NewStream(m, subs), i, opt)
			if e := (*resolwe.OptionError)(nil); errors.As(err, &e) {
				if ok && !strings.Contains(e.Reason, "quantifier") {
					t.Errorf("seed %d: %s: %v", seed, mln.FormatFormula(f), err)
				}
				continue
			}
			check.OK(t, err)
			_, head := headed.Head()
			want := inferring.Firing{Predicts: head.Negated == (f.Weight < 0), RightAt: got.RightAt, WrongAt: got.WrongAt}
			for _, w := range worlds(m, subs) {
				values := w.Features(f)
				for a, atom := range w.QueryAtoms(oracle.Rules{UnknownExist: true}) {
					if atom.Pred != head.Atom.Pred || atom.Truth == subgraph.Unknown {
						continue
					}
					want.Atoms++
					if atom.Truth == subgraph.True {
						want.True++
					}
					if values[a] != 0 {
						want.Fires++
						if (atom.Truth == subgraph.True) == want.Predicts {
							want.Right++
						}
					}
				}
			}
			check.Equal(t, fmt.Sprintf("seed %d: %s", seed, mln.FormatFormula(f)), *got, want)
			check.Equal(t, "examples", []int{len(got.RightAt), len(got.WrongAt)}, []int{min(2, want.Right), min(2, want.Fires-want.Right)})
		}
	}
}

func ExampleExplain() {
	m := try(resolwe.ParseModel("task.mln", []byte("edits(article, user)\ntarget listed kind(article)\n-1 kind(x)\n0.8 log: edits(x, u) ^ kind(x)\n"), resolwe.ModelOptions{}))
	facts := "@subgraph s\nedits(Go, Ann)\nedits(Go, Bob)\nedits(Go, Eve)\n?kind(Go)\n"
	s := try(resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: strings.NewReader(facts)}))
	defer s.Close()
	opt := resolwe.ExplainOptions{Subgraph: "s", Groundings: 1}
	err := inferring.Explain(context.Background(), m, s, opt, func(e *resolwe.Explanation) error {
		fmt.Printf("%s: log-odds %.2f\n", e.Atom, e.LogOdds)
		for _, r := range e.Reasons {
			fmt.Printf("%+.2f by %s, as with %v\n", r.Value, mln.FormatFormula(m.Formulas[r.Formula]), r.Groundings[0])
		}
		fmt.Println("without", e.Without)
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// kind(Go): log-odds 0.60
	// +1.60 by log: edits(x, u) ^ kind(x), as with [{x Go} {u Ann}]
	// -1.00 by kind(x), as with [{x Go}]
	// without [edits(Go, Ann) edits(Go, Bob)]
}

// An aggregate stands beside the bindings with its value.
func TestExplain_Aggregates(t *testing.T) {
	t.Parallel()
	m := parse(t, "number points\nruns(d, r)\nscored(r, points)\ntarget dnf(d)\n"+
		"3 avg{n, r: runs(d, r) ^ scored(r, n)} >= 6.5 => dnf(d)\n-2 !max{n, r: runs(d, r) ^ scored(r, n)} > 20 ^ dnf(d)\n"+
		"1 !sum{n: runs(d, r) ^ scored(r, n) ^ n < 0} = 3 ^ dnf(d)\n")
	s := inMemory(t, m, "@subgraph s\nruns(D, R)\nruns(D, S)\nscored(R, 10)\nscored(S, 4.50)\ndnf(D)\n")
	var got []string
	check.OK(t, inferring.Explain(t.Context(), m, s, resolwe.ExplainOptions{Subgraph: "s"}, func(e *resolwe.Explanation) error {
		for _, r := range e.Reasons {
			got = append(got, fmt.Sprint(r.Value, " ", r.Groundings))
		}
		got = append(got, fmt.Sprint(e.Without))
		return nil
	}))
	check.Equal(t, "explanation", got, []string{
		"3 [[{d D} {avg{n, r: runs(d, r) ^ scored(r, n)} 7.25 >= 6.5}]]",
		"-2 [[{d D} {max{n, r: runs(d, r) ^ scored(r, n)} 10, not > 20}]]",
		"1 [[{d D} {sum{n: runs(d, r) ^ scored(r, n) ^ n < 0} undefined}]]",
		"[runs(D, R)]",
	})
}
