package resolwe_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
)

// mean is an average of quotients, each rounded down to a multiple of 2^-62.
type mean struct {
	sum *big.Int
	n   int64
}

func (m *mean) add(num, den int64) {
	if den == 0 {
		return
	}
	q := new(big.Int).Lsh(big.NewInt(num), 62)
	m.sum.Add(m.sum, q.Quo(q, big.NewInt(den)))
	m.n++
}

// exceeds reports whether the average is above a decimal, rounded up to a multiple of 2^-62.
func (m *mean) exceeds(theta float64) bool {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(theta, 'g', -1, 64))
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 62)))
	least, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		least.Add(least, big.NewInt(1))
	}
	return m.sum.Cmp(least.Mul(least, big.NewInt(m.n))) > 0
}

// naiveSelection selects by Algorithm 1 from counts by enumeration.
func naiveSelection(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, theta float64) []string {
	t.Helper()
	candidates, _, err := mln.Candidates(&mln.Model{Schema: *m.Schema, Formulas: m.Formulas})
	check.OK(t, err)
	ws := worlds(m.With(mln.Given(m.Formulas)), subs)
	selected, seen := []string{}, map[string]bool{}
	keep := func(f *mln.Formula) {
		if key := mln.Canonical(f); !seen[key] {
			seen[key] = true
			selected = append(selected, mln.FormatRule(f))
		}
	}
	for _, c := range candidates {
		l := len(c.Enforcer)
		averages := make([]mean, l+1)
		for i := range averages {
			averages[i].sum = new(big.Int)
		}
		for _, w := range ws {
			counts, _ := w.Selection(c)
			full := len(counts) - 1
			averages[l].add(counts[full], counts[0])
			for k := range l {
				averages[k].add(counts[full], counts[full&^(1<<k)])
			}
		}
		if averages[l].n > 0 && averages[l].exceeds(theta) {
			keep(c.Joint())
		}
		for k := range l {
			if l > 1 && averages[k].n > 0 && averages[k].exceeds(theta) {
				keep(c.Conditional(k))
			}
		}
	}
	return selected
}

func TestSelect_MatchesNaive(t *testing.T) {
	t.Parallel()
	some := 0
	for seed := range rounds(t, 60) {
		text, db := random(seed, oracle.TaskOptions{Subgraphs: 1 + int(seed%6), Counts: seed%3 == 2, Aggregates: seed%6 == 2})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		for _, theta := range []float64{0, 0.25, 1. / 3, 0.4, 0.5, 0.75, 1} {
			for _, k2 := range []int{1, 2, 100} {
				opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: k2, Threshold: &theta}
				sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, subs), opt)
				check.OKf(t, err, "seed %d", seed)
				used := min(k2, len(subs))
				if diff := cmp.Diff(rules(sel.Selected), naiveSelection(t, m, subs[:used], theta)); diff != "" || sel.Subgraphs != used {
					t.Errorf("seed %d, theta %v, k2 %d: %d subgraphs (-got +want):\n%s", seed, theta, k2, sel.Subgraphs, diff)
				}
				some += len(sel.Selected)
			}
		}
	}
	if some == 0 {
		t.Error("nothing was ever selected")
	}
}

// A tie with theta is not selected: s0 has 1 of 2, s1 1 of 1, s2 0 of 1, the average 1/2.
func TestSelect_Tie(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\ne(x) => q(x)\n")
	const db = "@subgraph s0\ne(A)\ne(B)\nq(A)\n@subgraph s1\ne(A)\nq(A)\n@subgraph s2\ne(A)\n@subgraph s3\nq(A)\n"
	for theta, want := range map[float64]int{0.5: 0, math.Nextafter(0.5, 0): 1} {
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Threshold: &theta}
		sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, db), opt)
		check.OK(t, err)
		if got := sel.Candidates[0].Joint.Mean; len(sel.Selected) != want || got.Value() != 0.5 || got.Defined() != 3 {
			t.Errorf("theta %v: got %v over %d, selected %v", theta, got.Value(), got.Defined(), rules(sel.Selected))
		}
	}
}

// The two conditionals of a symmetric candidate are one formula.
func TestSelect_EqualVariants(t *testing.T) {
	t.Parallel()
	m := parse(t, "in(a, group)\ntarget q(a)\nin(x, g) ^ in(y, g) ^ q(x) => q(y)\n")
	sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, "in(A, G)\nin(B, G)\nq(A)\nq(B)\n"), resolwe.SelectOptions{Criterion: resolwe.Paper})
	check.OK(t, err)
	if c := sel.Candidates[0]; len(c.Selected) != 2 || len(c.Conditional) != 2 {
		t.Errorf("got %v of %d conditionals, want the joint and one", rules(c.Selected), len(c.Conditional))
	}
}

// Of the demo's candidates the planted ones are established, and can be taken alone.
func TestSelect_Established(t *testing.T) {
	t.Parallel()
	d := demo.New()
	m := parse(t, d.Model)
	s := resolwe.NewStream(m, streamtest.Demo(t, m, 80, 1))
	established := func(alone bool) (formulas []string, all int) {
		sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Gain: resolwe.GainOptions{Alone: alone}})
		check.OK(t, err)
		var text strings.Builder
		model, note := sel.Model(m)
		check.OK(t, model.Write(&text, note))
		for _, f := range parse(t, text.String()).Formulas {
			if f.Standing == mln.StandingEstablished {
				formulas = append(formulas, mln.FormatFormula(f))
			}
		}
		return formulas, len(sel.Selected)
	}
	some, all := established(false)
	alone, only := established(true)
	check.Slices(t, alone, some, "established formulas")
	check.Equal(t, "established", []int{len(some), only}, []int{len(d.Planted), len(d.Planted)})
	check.AtLeast(t, all, only+1, "selected")
}

func TestSelect_WorkersDoNotMatter(t *testing.T) {
	t.Parallel()
	d := demo.New()
	m := parse(t, d.Model)
	s := resolwe.NewStream(m, streamtest.Demo(t, m, 12, 0))
	for _, crit := range []resolwe.Criterion{resolwe.Paper, resolwe.Lift, resolwe.KL, resolwe.LLR} {
		streamtest.SameBytes(t, crit.String(), func(run resolwe.Run) string {
			opt := resolwe.SelectOptions{Criterion: crit, Run: run}
			sel, err := resolwe.Select(t.Context(), m, s, opt)
			check.OK(t, err)
			return fmt.Sprint(totals(sel), sel.Notes)
		})
	}
}

// meter counts what is read through it.
type meter struct {
	*bytes.Reader
	n int
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.n += n
	return n, err
}

func TestSelect_ReadsNoMoreThanItUses(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	text := []byte(friendsDB(0, 5000))
	for name, data := range map[string][]byte{
		"text": text, "rsg": pack(t, m.Schema, subgraphs(t, m, string(text)), rsg.WriterOptions{}),
	} {
		in := &meter{Reader: bytes.NewReader(data)}
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: 2}
		sel, err := resolwe.Select(t.Context(), m, open(t, m, resolwe.StreamOptions{Stdin: in}, "-"), opt)
		if err != nil || sel.Subgraphs != 2 {
			t.Fatalf("%s: got %+v, %v, want 2 subgraphs", name, sel, err)
		}
		if in.n > 160<<10 || in.n == len(data) {
			t.Errorf("%s: %d of %d bytes were read", name, in.n, len(data))
		}
	}
}

func TestSelect_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	for _, test := range []struct {
		name, option string
		set          func(*resolwe.SelectOptions)
	}{
		{"negative k2", "Subgraphs", func(o *resolwe.SelectOptions) { o.Subgraphs = -1 }},
		{"negative theta", "Threshold", func(o *resolwe.SelectOptions) { o.Threshold = new(-0.1) }},
		{"infinite theta", "Threshold", func(o *resolwe.SelectOptions) { o.Threshold = new(math.Inf(1)) }},
		{"theta that is no number", "Threshold", func(o *resolwe.SelectOptions) { o.Threshold = new(math.NaN()) }},
		{"no criterion", "Criterion", func(o *resolwe.SelectOptions) { o.Criterion = resolwe.Gain + 1 }},
	} {
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper}
		test.set(&opt)
		_, err := resolwe.Select(t.Context(), m, inMemory(t, m, friendsDB(0, 1)), opt)
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != "SelectOptions."+test.option {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	for name, text := range map[string]string{
		"shape":    "e(a)\ntarget q(a)\ne(x) v q(x)\n",
		"head":     "e(a)\ntarget q(a)\nq(x) => e(x)\n",
		"evidence": "e(a)\nf(a)\ntarget q(a)\ne(x) ^ f(x)\n",
	} {
		m := parse(t, text)
		_, err := resolwe.Select(t.Context(), m, inMemory(t, m, "e(A)\n"), resolwe.SelectOptions{Criterion: resolwe.Paper})
		if _, ok := errors.AsType[mln.ErrorList](err); !ok {
			t.Errorf("%s: got %T: %v", name, err, err)
		}
	}
	none := parse(t, "e(a)\ne(x) => e(x)\n")
	_, err := resolwe.Select(t.Context(), none, inMemory(t, none, "e(A)\n"), resolwe.SelectOptions{Criterion: resolwe.Paper})
	check.ErrorAs[*resolwe.NoTargetError](t, err, "no target")
}

// Weighted and hard formulas are copied, and what is written reads back.
func TestSelection_Model(t *testing.T) {
	t.Parallel()
	m := parse(t, `e(a)
target q(a)
e(x) => q(x)
1.5 q(x)
e(x) ^ e(y) => q(y)
!q(A) v e(A).
`)
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Threshold: new(0.6)}
	sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, "e(A)\ne(B)\ne(C)\nq(A)\nq(B)\n"), opt)
	check.OK(t, err)
	kept, note := sel.Model(m)
	var out strings.Builder
	check.OK(t, kept.Write(&out, note))
	const want = `e(a)
target q(a)

1.5 q(x)
!q(A) v e(A).
// P(Q | E) = 0.666667 over 1 subgraph; 2 of 3 selected groundings true
e(x) ^ q(x)
// P(Q | E) = 0.666667 over 1 subgraph; 2 of 3 selected groundings true
e(x) ^ e(y) ^ q(y)
`
	check.Equal(t, "model", out.String(), want)
	check.Equal(t, "read back", rules(parse(t, out.String()).Formulas), rules(kept.Formulas))
}

func totals(s *resolwe.Selection) (out []string) {
	for i := range s.Candidates {
		out = append(out, fmt.Sprintf("%+v\n", s.Candidates[i].Totals))
	}
	return out
}

// Without selected groundings, other groundings, or true ones expected, there is no comparison with the default distribution. The values of the
// last case are computed by hand.
func TestSelect_Undefined(t *testing.T) {
	t.Parallel()
	m := parse(t, "s(a)\ntarget p(a)\ns(x) => p(x)\n")
	ln2 := math.Ln2
	for name, test := range map[string]struct {
		db   string
		want map[resolwe.Criterion]float64
	}{
		"nothing selected":     {"@entity a A B\np(A)\n", nil},
		"all selected":         {"s(A)\ns(B)\np(A)\n", nil},
		"no true one expected": {"@subgraph s1\n@entity a A B\ns(A)\n@subgraph s2\n@entity a A B\np(A)\n", nil},
		"none true":            {"@entity a A B C\ns(A)\n", nil},
		"all three are there":  {"@entity a A B\ns(A)\np(A)\n", map[resolwe.Criterion]float64{resolwe.Lift: 2, resolwe.KL: ln2, resolwe.LLR: 2 * math.Sqrt(ln2)}},
	} {
		for _, crit := range []resolwe.Criterion{resolwe.Lift, resolwe.KL, resolwe.LLR} {
			sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, test.db), resolwe.SelectOptions{Criterion: crit, Threshold: new(0.0)})
			check.OK(t, err)
			got, want := sel.Candidates[0].Joint.Value(crit), math.NaN()
			if v, ok := test.want[crit]; ok {
				want = v
			}
			if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 || len(sel.Selected) != len(test.want)/3 {
				t.Errorf("%s by %v: got %v and %d formulas, want %v", name, crit, got, len(sel.Selected), want)
			}
		}
	}
}

// Of candidates whose columns are equal, the shortest is taken, then that of the least canonical text, wherever they are in the file.
func TestSelect_ByGain_Ties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 0))
	var db strings.Builder
	for s := range 120 {
		fmt.Fprintf(&db, "@subgraph s%d\n", s)
		for p := range 5 {
			is, other := r.IntN(2) == 0, r.IntN(2) == 0
			if is {
				fmt.Fprintf(&db, "zeta(P%d)\nalpha(P%d)\nmid(P%d)\n", p, p, p)
			}
			if other {
				fmt.Fprintf(&db, "plays(P%d)\nruns(P%d)\n", p, p)
			}
			if r.Float64() < map[bool]float64{true: .9, false: .2}[is && other] {
				fmt.Fprintf(&db, "buys(P%d)\n", p)
			} else {
				fmt.Fprintf(&db, "!buys(P%d)\n", p)
			}
		}
	}
	lines := []string{"zeta(x) => buys(x)", "mid(x) ^ zeta(x) => buys(x)", "alpha(y) => buys(y)", "runs(x) => buys(x)", "plays(x) => buys(x)"}
	first := ""
	for range 6 {
		m := parse(t, "zeta(person)\nalpha(person)\nmid(person)\nplays(person)\nruns(person)\ntarget listed buys(person)\n"+strings.Join(lines, "\n")+"\n")
		sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, db.String()), resolwe.SelectOptions{})
		check.OK(t, err)
		var out strings.Builder
		for _, s := range sel.Gain[0].Path {
			fmt.Fprintln(&out, strings.ReplaceAll(mln.FormatFormula(s.Formula), "(y)", "(x)"))
		}
		if first == "" {
			first = out.String()
			check.Contains(t, first, "alpha(x)", "the least text")
			check.Contains(t, first, "plays(x)", "the least text")
		}
		check.Is(t, out.String(), first, "path of %v", lines)
		check.Is(t, strings.Contains(first, "zeta") || strings.Contains(first, "runs"), false, "others in %s", first)
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}
