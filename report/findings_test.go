package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

// row is a case: whether f, e and the target hold.
type row struct{ f, e, q bool }

// rows are 120 cases: f in 30, 24 of them true; e in 60; 30 are true in all.
func rows() (out []row) {
	for i := range 120 {
		r := row{f: i < 30, e: i%2 == 0}
		r.q = i < 24 || i >= 30 && i%15 == 0
		out = append(out, r)
	}
	return out
}

const byHand = "f(a)\ne(a)\ng(a)\ntarget listed q(a)\n-1.5 q(x)\n2 f(x) => q(x)\n-.5 e(x) => q(x)\n1 g(x) => q(x)\n"

// reported returns a report on rows, each a subgraph of a day of its own.
func reported(t *testing.T, rows []row) *report.Report {
	t.Helper()
	m := streamtest.Parse(t, byHand)
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "@subgraph s%03d time=%s\n", i, time.Unix(int64(i)*86400, 0).UTC().Format(time.DateOnly))
		for name, holds := range map[string]bool{"f": r.f, "e": r.e} {
			if holds {
				fmt.Fprintf(&b, "%s(A)\n", name)
			}
		}
		fmt.Fprintf(&b, "%sq(A)\n", map[bool]string{false: "!"}[r.q])
	}
	out, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, b.String()), report.Options{})
	check.OK(t, err)
	return out
}

// TestFindings_ByHand compares what is told with counts by hand.
func TestFindings_ByHand(t *testing.T) {
	t.Parallel()
	f := reported(t, rows()).Content().Findings
	if len(f.Cards) != 2 || len(f.Also) != 1 || len(f.Nothing) != 0 {
		t.Fatalf("got %d findings, %v, %v", len(f.Cards), f.Also, f.Nothing)
	}
	all := f.Cards[0].Words.String() + f.Cards[1].Words.String()
	check.Contains(t, all, "more often: 80% of 30, against 6.7% of the other 90.", "f") // 24 of 30; 30, 45, .. 105 are 6 of 90
	check.Contains(t, f.Also[0].String(), "no case is so", "g")
	for _, c := range f.Cards {
		if n := len(strings.Fields(c.Words.String())); n > 30 {
			t.Errorf("%d words: %v", n, c.Words)
		}
	}
	if strings.Contains(all, "less often") {
		t.Errorf("%s: e has an interval that includes 0", all)
	}
}

// TestFindings_Adjusted compares adjusted shares with a naive standardisation.
func TestFindings_Adjusted(t *testing.T) {
	t.Parallel()
	list := rows()
	r := reported(t, list)
	p := func(bias float64, f, e bool) float64 {
		for v, holds := range map[float64]bool{2: f, -.5: e} {
			if holds {
				bias += v
			}
		}
		return 1 / (1 + math.Exp(-bias))
	}
	mean := func(of func(row) float64) (sum float64) {
		for _, r := range list {
			sum += of(r) / float64(len(list))
		}
		return sum
	}
	truth := mean(func(r row) float64 { return map[bool]float64{true: 1}[r.q] })
	bias := -20.
	for step := 10.; step > 1e-12; step /= 2 {
		for mean(func(r row) float64 { return p(bias+step, r.f, r.e) }) <= truth {
			bias += step
		}
	}
	with, without, ok := r.Adjusted(1)
	a, b := mean(func(r row) float64 { return p(bias, true, r.e) }), mean(func(r row) float64 { return p(bias, false, r.e) })
	if !ok || math.Abs(with-a) > 1e-6 || math.Abs(without-b) > 1e-6 {
		t.Errorf("got %v, %v, %v; want %v, %v", with, without, ok, a, b)
	}
	n := int64(0)
	for _, r := range list {
		if r.f && r.e {
			n++
		}
	}
	if got, ok := r.Common(1, 2); !ok || got != n {
		t.Errorf("got %d, %v common cases, want %d", got, ok, n)
	}
}

// TestQuality compares groups with counts by hand.
func TestQuality(t *testing.T) {
	t.Parallel()
	list := rows()
	r := reported(t, list)
	var cases []report.OutOfFold
	for i, l := range list {
		cases = append(cases, report.OutOfFold{Tested: i, P: float64(i%40+1) / 50, True: l.q})
	}
	r.SetOutOfFold(cases)
	q := r.Content().Quality
	total := int64(0)
	for _, g := range q.Calibration {
		total += g.Cases
	}
	if n := len(q.Calibration); n < 6 || n > 10 || total != 120 {
		t.Errorf("%d groups of %d cases, want 6 to 10 of 120", n, total)
	}
	checked := slices.IndexFunc(q.ByGroup, func(g report.GroupQuality) bool { return g.Cases == 40 && strings.HasPrefix(g.Name.String(), "before") })
	if checked < 0 {
		t.Fatalf("no first third of the time in %v", q.ByGroup)
	}
	wins, pairs := 0., 0.
	for _, a := range cases[:40] {
		for _, b := range cases[:40] {
			if a.True && !b.True {
				pairs++
				wins += map[bool]float64{true: 1}[a.P > b.P] + map[bool]float64{true: .5}[a.P == b.P]
			}
		}
	}
	if g := q.ByGroup[checked]; math.Abs(g.AUC-wins/pairs) > 1e-12 || g.True != 25 { // 0 to 23, and 30
		t.Errorf("got %v, want an AUC of %v", g, wins/pairs)
	}
	if y := q.Found[0].Points; y[0].Y != 0 || y[100].Y != 1 {
		t.Errorf("found from %v to %v", y[0], y[100])
	}
}

// TestTrust checks that the worst is first, that a change is told, and that sentences are few.
func TestTrust(t *testing.T) {
	t.Parallel()
	r := reported(t, rows())
	c := r.Content()
	last := report.CheckLook
	for _, k := range c.Trust {
		if k.State < last || len(k.Text) == 0 || strings.Count(k.Text.String(), ". ") > 1 {
			t.Errorf("%v: %v", k.Name, k.Text)
		}
		last = k.State
	}
	check.Contains(t, c.Course.Note.String(), "In the first third of the time 62% of the cases are true", "course") // 25 of 40
	if n := len(c.Course.Groups); n < 8 || n > 20 {
		t.Errorf("%d spans", n)
	}
}

// TestDictionary reads what a stream was made of.
func TestDictionary(t *testing.T) {
	t.Parallel()
	r := reported(t, rows())
	if got := r.Content().Data; len(got) != 4 || got[0].Missing != .75 || len(got[2].Alerts) != 1 {
		t.Errorf("got %v", got)
	}
	o := &origin.Origin{Drafted: true, Trusted: []string{"t.a"}}
	for i := range 201 {
		o.Columns = append(o.Columns, origin.Column{Table: "t", Name: fmt.Sprint("c", i), Kind: "category", Typical: "x", Share: .5, Use: "not used", Reason: "later"})
	}
	r.SetOrigin(o)
	c := r.Content()
	if len(c.Data) != 200 || c.Data[0].Median != "x (50.0%)" || c.Data[0].Use.String() != "not used: later" {
		t.Errorf("got %d, %v", len(c.Data), c.Data[0])
	}
	check.Contains(t, c.DataNote.String(), "1 more column", "note")
}

// TestFindings_Nothing says that nothing was found, and no more.
func TestFindings_Nothing(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "f(a)\ntarget listed q(a)\n-1 q(x)\n")
	r, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, "@subgraph a\nq(A)\n@subgraph b\n!q(A)\n"), report.Options{})
	check.OK(t, err)
	f := r.Content().Findings
	if len(f.Nothing) == 0 || len(f.Cards)+len(f.Also)+len(f.Rare)+len(f.Lead) != 0 {
		t.Errorf("got %v", f)
	}
}

// TestPortion prints shares with at most three significant digits.
func TestPortion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    float64
		n    int64
		want string
	}{
		{0, 9, "0%"},
		{1, 9, "100%"},
		{.085, 354, "8.5%"},
		{.164, 177, "16.4%"},
		{.93, 45, "93%"},
		{.0062, 177, "0.6%"},
		{.0001, 20000, "<0.1%"},
		{.9999, 20000, ">99.9%"},
		{math.NaN(), 0, "–"},
	} {
		if got := report.Portion(c.v, c.n); got != c.want {
			t.Errorf("%v of %d: got %s, want %s", c.v, c.n, got, c.want)
		}
	}
}

// TestFindings_Classes tells what is rare, much of the same as another, or against its own shares apart.
func TestFindings_Classes(t *testing.T) {
	t.Parallel()
	for weight, want := range map[string]string{
		"-.5": "with the others equal", // 49% of 58 against 8% of 62, with a weight below 0
		"2.5": "Overlaps: 38 of these 58 also",
	} {
		f := classes(t, weight)
		if len(f.Cards) != 1 || len(f.Rare) != 1 || len(f.Also) != 1 {
			t.Fatalf("got %v", f)
		}
		check.Contains(t, f.Rare[0].String(), "1 of 4", "g") // 40
		check.Contains(t, f.Also[0].String(), want, "e")
	}
}

// classes returns the findings of a model with a weight for e, which f mostly goes with.
func classes(t *testing.T, weight string) report.Findings {
	t.Helper()
	m := streamtest.Parse(t, "f(a)\ne(a)\ng(a)\ntarget listed q(a)\n-1.5 q(x)\n3 f(x) => q(x)\n"+weight+" e(x) => q(x)\n.1 g(x) => q(x)\n")
	var b strings.Builder
	for i := range 120 {
		f, e, g, q := i < 40, i >= 2 && i < 40 || i >= 100 && i < 120, i >= 40 && i < 44, i < 30 || i%20 == 0
		fmt.Fprintf(&b, "@subgraph s%03d\n", i)
		for name, holds := range map[string]bool{"f": f, "e": e, "g": g} {
			if holds {
				fmt.Fprintf(&b, "%s(A)\n", name)
			}
		}
		fmt.Fprintf(&b, "%sq(A)\n", map[bool]string{false: "!"}[q])
	}
	r, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, b.String()), report.Options{})
	check.OK(t, err)
	return r.Content().Findings
}

// TestFindings_Planted selects: what was planted is the only finding, and without it nothing is told.
func TestFindings_Planted(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "f(a)\ne(a)\ng(a)\ntarget listed q(a)\nf(x) => q(x)\ne(x) => q(x)\ng(x) => q(x)\n")
	for _, planted := range []bool{true, false} {
		const seed = 3
		random := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, "@subgraph s%d\n", i)
			f := random.IntN(3) == 0
			for _, name := range []string{"f", "e", "g"} {
				if holds := random.IntN(3) == 0; name == "f" && f || name != "f" && holds {
					fmt.Fprintf(&b, "%s(A)\n", name)
				}
			}
			fmt.Fprintf(&b, "%sq(A)\n", map[bool]string{false: "!"}[random.IntN(10) < 2 || planted && f && random.IntN(10) < 7])
		}
		opt := report.Options{}
		opt.Cross.Systems = streamtest.Try(crossval.Named("gain", "base"))
		r, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, b.String()), opt)
		check.OK(t, err)
		f := r.Content().Findings
		if !planted {
			if len(f.Nothing) == 0 || len(f.Cards)+len(f.Also)+len(f.Rare)+len(f.Rules) > 0 {
				t.Errorf("seed %d: noise: %v", seed, f)
			}
			continue
		}
		if len(f.Cards) != 1 || !strings.HasPrefix(mln.FormatFormula(f.Cards[0].Formulas[0].Formula), "f(") {
			t.Errorf("seed %d: planted: %v", seed, f)
			continue
		}
		check.Contains(t, f.Cards[0].Small.String(), "With the other findings equal: ", "small line")
	}
}
