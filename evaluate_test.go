package resolwe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

// nearly and alike compare figures; how good the marginals behind them are is not among them.
var (
	alike  = cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreFields(resolwe.Evaluation{}, "Quality")}
	nearly = cmp.Options{alike, cmpopts.IgnoreFields(resolwe.Evaluation{}, "Intervals"), cmpopts.EquateApprox(0, 1e-9)}
)

// The worked example: marginals .9 T, .5 T, .5 F, .5 F, .1 F.
func TestEvaluateSaved_WorkedExample(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\n")
	const saved = `[{"subgraph": "s", "marginals": {"q(A)": 0.9, "q( B )": 0.5, "q(C)": 0.5, "q(D)": 0.5, "q(E)": 0.1, "q(F)": 1}}]`
	ps, err := inferring.ReadMarginals(m, strings.NewReader(saved), "saved.json")
	check.OK(t, err)
	s := inMemory(t, m, "@subgraph s\n@entity a A B C D E\nq(A)\nq(B)\n?q(F)\n")
	got, err := inferring.EvaluateSaved(t.Context(), m, s, ps, "saved.json", resolwe.InferOptions{})
	check.OK(t, err)
	want := &resolwe.Evaluation{
		MAP: .861111, AUCROC: .833333, AUCROCPooled: .833333, CLL: -.458033, PrecisionAllRanks: .624444, TrueNegativeAllRanks: .533333,
		// .1 in bin 0 is .1 off; the three of .5, a third of them true, and .9, in bins 2 and 8, are .5 and .1 off in sum.
		// .9 and the three of .5 say true, of which two are; .1 says false.
		LogLoss: .458033, Accuracy: .6, Intervals: got.Intervals,
		Brier: .154, CalibrationError: (.1 + .5 + .1) / 5, Subgraphs: 1, Ranked: 1, AUCPR: got.AUCPR,
		Top: inferring.Top{Precision: [3]float64{math.NaN(), math.NaN(), 1}, Lift: [3]float64{math.NaN(), math.NaN(), 2.5}},
	}
	check.Equal(t, "figures", got, want, cmpopts.EquateApprox(0, 5e-7), cmpopts.EquateNaNs())
	if !(got.AUCPR > 0.5 && got.AUCPR < 1) {
		t.Errorf("area under the precision-recall curve: got %v", got.AUCPR)
	}
}

// naiveEvaluation is the mean of the naive figures, over marginals by enumeration.
func naiveEvaluation(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, given bool) (*resolwe.Evaluation, error) {
	t.Helper()
	rules := oracle.Rules{UnknownExist: true, Given: given}
	out := &resolwe.Evaluation{}
	var pooled []rank.Scored
	positive := 0
	for _, w := range worlds(m, subs) {
		d, err := w.Enumerate(m.Formulas, nil, rules)
		if err != nil {
			return nil, err
		}
		ps := d.Marginals()
		var atoms []rank.Scored
		for i, a := range w.QueryAtoms(rules) {
			if a.Truth == subgraph.Unknown || given && a.Stated {
				continue
			}
			atoms = append(atoms, rank.Scored{P: ps[i], True: a.Truth == subgraph.True})
			if a.Truth == subgraph.True {
				positive++
			}
		}
		if len(atoms) > 7 { // figures over all orders
			return nil, oracle.ErrTooManyAtoms
		}
		f := oracle.Figures(atoms)
		pooled = append(pooled, atoms...)
		if f.Atoms > 0 {
			out.Subgraphs++
			out.CLL += f.CLL
			out.Brier += f.Brier
		}
		if f.Atoms == 1 {
			out.Single++
		}
		if f.Ranked {
			out.Ranked++
			out.MAP += f.AveragePrecision
			out.AUCROC += f.AUC
			out.PrecisionAllRanks += f.PrecisionAllRanks
			out.TrueNegativeAllRanks += f.TrueNegativeAllRanks
		}
	}
	n := float64(out.Ranked)
	out.MAP, out.AUCROC, out.PrecisionAllRanks, out.TrueNegativeAllRanks = out.MAP/n, out.AUCROC/n, out.PrecisionAllRanks/n, out.TrueNegativeAllRanks/n
	out.CLL /= float64(out.Subgraphs)
	out.Brier /= float64(out.Subgraphs)
	out.AUCROCPooled, out.AUCPR, out.CalibrationError = math.NaN(), math.NaN(), math.NaN()
	for i, k := range []int{10, 50, (len(pooled) + 99) / 100} {
		out.Top.Precision[i] = oracle.Precision(pooled, k)
		out.Top.Lift[i] = out.Top.Precision[i] * float64(len(pooled)) / float64(positive)
	}
	if len(pooled) > 0 {
		out.CalibrationError = oracle.CalibrationError(pooled)
	}
	for _, a := range pooled {
		out.LogLoss -= math.Log(min(max(1-math.Abs(a.P-map[bool]float64{true: 1}[a.True]), 1e-6), 1-1e-6))
		if (math.Round(a.P*1e12) >= .5e12) == a.True {
			out.Accuracy++
		}
	}
	out.LogLoss, out.Accuracy = out.LogLoss/float64(len(pooled)), out.Accuracy/float64(len(pooled))
	if positive > 0 && positive < len(pooled) {
		out.AUCROCPooled, out.AUCPR = oracle.AUCROC(pooled), oracle.AUCPR(pooled)
	}
	return out, nil
}

func TestEvaluate_MatchesNaive(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(90) {
		text, db := random(seed, oracle.TaskOptions{General: true})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		opt := resolwe.InferOptions{Given: seed%2 == 1}
		want, err := naiveEvaluation(t, m, subs, opt.Given)
		if err != nil {
			continue
		}
		s := resolwe.NewStream(m, subs)
		got, err := resolwe.Evaluate(t.Context(), m, s, opt)
		check.OKf(t, err, "seed %d", seed)
		check.Equal(t, fmt.Sprintf("seed %d", seed), got, want, nearly)
		saved, err := inferring.ReadMarginals(m, strings.NewReader(printed(t, m, s, opt)), "saved.json")
		check.OKf(t, err, "seed %d", seed)
		again, err := inferring.EvaluateSaved(t.Context(), m, s, saved, "saved.json", resolwe.InferOptions{Given: opt.Given, Run: resolwe.Run{Workers: 2}})
		if diff := cmp.Diff(again, got, alike); err != nil || diff != "" {
			t.Errorf("seed %d, saved: %v (-got +want):\n%s", seed, err, diff)
		}
		compared++
	}
	check.AtLeast(t, compared, 20, "tasks compared")
}

// printed is what infer prints as JSON.
func printed(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.InferOptions) string {
	t.Helper()
	type entry struct {
		Subgraph  string             `json:"subgraph"`
		Marginals map[string]float64 `json:"marginals"`
	}
	var list []entry
	err := inferring.Infer(t.Context(), m, s, opt, func(r *resolwe.Marginals) error {
		e := entry{r.Subgraph, map[string]float64{}}
		for i, p := range r.P {
			e.Marginals[r.Atom(i)] = p
		}
		list = append(list, e)
		return nil
	})
	check.OK(t, err)
	out, err := json.Marshal(list)
	check.OK(t, err)
	return string(out)
}

func TestEvaluate_Undefined(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\n1 e(x) => q(x)\n")
	got, err := resolwe.Evaluate(t.Context(), m, inMemory(t, m, "@subgraph s\ne(A)\n@subgraph t\n?q(B)\n"), resolwe.InferOptions{})
	check.OK(t, err)
	nan, p := math.NaN(), math.E/(1+math.E)
	want := &resolwe.Evaluation{
		MAP: nan, AUCROC: nan, AUCROCPooled: nan, AUCPR: nan, PrecisionAllRanks: nan, TrueNegativeAllRanks: nan,
		CLL: -math.Log(1 + math.E), Brier: p * p, CalibrationError: p, Subgraphs: 1, Single: 1, LogLoss: math.Log(1 + math.E),
		Top: inferring.Top{Precision: [3]float64{nan, nan, 0}, Lift: [3]float64{nan, nan, nan}},
	}
	check.Equal(t, "figures", got, want, nearly)
}

func TestReadMarginals_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\n")
	for _, test := range []struct{ name, saved, want string }{
		{"no JSON", "q(A)", "not what infer --json prints"},
		{"another value", `{"map": 1}`, "not what infer --json prints"},
		{"more behind it", `[] []`, "something follows"},
		{"no name", `[{"marginals": {}}]`, "without subgraph or marginals"},
		{"no marginals", `[{"subgraph": "s"}]`, "without subgraph or marginals"},
		{"subgraph twice", `[{"subgraph": "s", "marginals": {}}, {"subgraph": "s", "marginals": {}}]`, "subgraph s is in it twice"},
		{"name twice", `[{"subgraph": "s", "subgraph": "r", "marginals": {}}]`, `an object has "subgraph" twice`},
		{"marginals twice", `[{"subgraph": "s", "marginals": {}, "marginals": {"q(A)": 1}}]`, `an object has "marginals" twice`},
		{"atom twice", `[{"subgraph": "s", "marginals": {"q(A)": 0.1, "q(A)": 0.9}}]`, `an object has "q(A)" twice`},
		{"blanks", `[{"subgraph": "s", "marginals": {"q(A)": 0.9, "q( A )": 0.1}}]`, "q(A) of subgraph s is in it twice, the second time as q( A )"},
		{"quotes", `[{"subgraph": "s", "marginals": {"q(\"A\")": 0.9, "q(A)": 0.1}}]`, "q(A) of subgraph s is in it twice"},
		{"escapes", `[{"subgraph": "s", "marginals": {"q(\"\\x41\")": 0.9, "q(A)": 0.1}}]`, "q(A) of subgraph s is in it twice"},
		{"another type", `[{"subgraph": 3, "marginals": {}}]`, "not what infer --json prints"},
		{"a list", `[{"subgraph": "s", "marginals": [1]}]`, "not what infer --json prints"},
		{"text", `[{"subgraph": "s", "marginals": {"q(A)": "1"}}]`, "q(A) of subgraph s has no probability"},
		{"null", `[{"subgraph": "s", "marginals": {"q(A)": null}}]`, "no probability"},
		{"beyond 1", `[{"subgraph": "s", "marginals": {"q(A)": 1.1}}]`, "no probability"},
		{"subgraph missing", `[]`, "no marginals of this subgraph"},
		{"atom missing", `[{"subgraph": "s", "marginals": {"q(B)": 1}}]`, "no marginal of q(A)"},
	} {
		saved, err := inferring.ReadMarginals(m, strings.NewReader(test.saved), "saved.json")
		if err == nil {
			s := inMemory(t, m, "@subgraph s\nq(A)\n")
			_, err = inferring.EvaluateSaved(t.Context(), m, s, saved, "saved.json", resolwe.InferOptions{})
		}
		e, ok := errors.AsType[*inferring.MarginalsError](err)
		if !ok || e.Path != "saved.json" || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

// Quoted names keep their spaces.
func TestEvaluateSaved_QuotedNames(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a, a)\ntarget q(a, a)\n0.3 e(x, y) => q(x, y)\n")
	s := inMemory(t, m, `q("a \" , b", "c\\")`+"\ne(\"ab\", \"c\\\\\")\n")
	want, err := resolwe.Evaluate(t.Context(), m, s, resolwe.InferOptions{})
	check.OK(t, err)
	text := strings.ReplaceAll(printed(t, m, s, resolwe.InferOptions{}), `\", \"`, `\" ,\"`)
	saved, err := inferring.ReadMarginals(m, strings.NewReader(text), "saved.json")
	check.OK(t, err)
	got, err := inferring.EvaluateSaved(t.Context(), m, s, saved, "saved.json", resolwe.InferOptions{})
	if diff := cmp.Diff(got, want, nearly); err != nil || diff != "" {
		t.Errorf("%v (-got +want):\n%s", err, diff)
	}
}

// FuzzReadMarginals reads any bytes as marginals that were saved.
func FuzzReadMarginals(f *testing.F) {
	for _, text := range []string{
		`[{"subgraph": "s1", "marginals": {"smokes(A)": 0.5, "smokes(B)": 1}}]`, `[]`, `[{"subgraph": "s1", "marginals": {}}, {"subgraph": null}]`,
		`[{"subgraph": "s1", "marginals": {"smokes(A)": 2}}]`, `{`, `[1e999]`,
	} {
		f.Add([]byte(text))
	}
	m := parse(f, "target smokes(person)\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		saved, err := inferring.ReadMarginals(m, bytes.NewReader(data), "saved.json")
		if err != nil {
			check.ErrorAs[*inferring.MarginalsError](t, err, "error")
			return
		}
		for _, atoms := range saved {
			for atom, p := range atoms {
				if !(p >= 0 && p <= 1) {
					t.Errorf("%s has probability %v", atom, p)
				}
			}
		}
	})
}

// With fewer than ten subgraphs intervals are over what the atoms are about: their first argument that is not the center.
func TestEvaluate_Intervals(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget listed q(b, a)\nb = {U}\n-0.3 q(y, x)\n1 e(x) => q(y, x)\n")
	for _, subgraphs := range []int{6, 10} {
		var db strings.Builder
		var c rank.Cases
		for s := range subgraphs {
			fmt.Fprintf(&db, "@subgraph s%d center=U\n", s)
			for i := range 4 {
				x := (s*3 + i*i) % 11
				fmt.Fprintf(&db, "%sq(U, A%d)\n", map[bool]string{true: "!"}[(s+i)%3 == 0], x)
				if x%2 == 0 {
					fmt.Fprintf(&db, "e(A%d)\n", x)
				}
			}
		}
		stream := inMemory(t, m, db.String())
		err := inferring.Infer(t.Context(), m, stream, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			var units []uint64
			for i := range r.P {
				_, names := r.Args(i)
				unit, err := strconv.Atoi(names[1][1:])
				check.OK(t, err)
				units = append(units, uint64(unit))
			}
			c.Add(r.Predictions(), units)
			return nil
		})
		check.OK(t, err)
		for _, workers := range []int{1, 3} {
			got, err := resolwe.Evaluate(t.Context(), m, stream, resolwe.InferOptions{Seed: 7, Run: resolwe.Run{Workers: workers}})
			check.OK(t, err)
			check.Is(t, got.Intervals.ByUnit, subgraphs < 10, "%d subgraphs: by unit", subgraphs)
			check.Equal(t, "intervals", got.Intervals, rank.Bootstrap([][]rank.Cases{{c}}, 7)[0])
		}
	}
}
