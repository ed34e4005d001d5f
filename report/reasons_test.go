package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/rank"
	"resolwe/report"
)

// loans is a task whose cases do not depend on one another.
const loans = `amount(loan, number)
vip(loan)
pays(loan, bank)
target listed bad(loan)
vip(x) ^ bad(x)
amount(x, n) ^ n >= 50 ^ bad(x)
pays(x, y) ^ bad(x)
pays(x, y) ^ vip(x) ^ bad(x)
amount(x, n) ^ n <= 20 ^ vip(x) ^ bad(x)
`

// loansDB returns a number of loans, of which some are undecided, that go bad by a rule with noise.
func loansDB(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range n {
		amount, vip, banks := rng.IntN(100), rng.IntN(3) == 0, rng.IntN(4)
		fmt.Fprintf(&b, "@subgraph s%d\namount(L%d, %d)\n", i, i, amount)
		if vip {
			fmt.Fprintf(&b, "vip(L%d)\n", i)
		}
		for k := range banks {
			fmt.Fprintf(&b, "pays(L%d, B%d)\n", i, k)
		}
		logit := -1.5 + .02*float64(amount) - .4*float64(banks)
		if vip {
			logit -= 1
		}
		switch bad := rng.Float64() < 1/(1+math.Exp(-logit)); {
		case i%10 == 9:
			fmt.Fprintf(&b, "?bad(L%d)\n", i)
		case bad:
			fmt.Fprintf(&b, "bad(L%d)\n", i)
		default:
			fmt.Fprintf(&b, "!bad(L%d)\n", i)
		}
	}
	return b.String()
}

func loanReport(t *testing.T, model string, subs []*subgraph.Subgraph, set func(*report.Options)) *report.Report {
	t.Helper()
	m := streamtest.Parse(t, model)
	opt := report.Options{}
	opt.Cross.Select.Gain.Gate, opt.Cross.Seed = new(0.), 3
	opt.Cross.Systems = streamtest.Try(crossval.Named("gain", "base"))
	if set != nil {
		set(&opt)
	}
	r, err := report.Make(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	return r
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Of models without ties, the average case and the reasons add up to the probability that the fold's model gave, and at the rate of another
// population to the corrected one. The start is computed by hand from the fold's model and its training cases.
func TestContent_Reasons(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	subs := streamtest.Subgraphs(t, streamtest.Parse(t, loans), loansDB(seed, 300))
	for _, model := range []string{loans, "amount(loan, number)\nvip(loan)\npays(loan, bank)\ntarget listed bad(loan)\n-1 bad(x)\n-.5 vip(x) ^ bad(x)\n.7 amount(x, n) ^ n >= 50 => bad(x)\n-.4 pays(x, y) ^ bad(x)\n.3 vip(x) ^ !bad(x)\n"} {
		r := loanReport(t, model, subs, nil)
		c := r.Content()
		check.Is(t, len(c.Cases.List), 270, "cases")
		check.Is(t, len(c.Cases.Undecided), 30, "undecided cases")
		reasons := 0
		for _, x := range append(c.Cases.List, c.Cases.Undecided...) {
			sum := x.Start + x.Rest
			for _, why := range x.Reasons {
				sum += why.Value
			}
			check.Near(t, sum, logit(x.P), 1e-9, "%v: sum of reasons", x.Name)
			reasons += len(x.Reasons)
		}
		check.AtLeast(t, reasons, len(c.Cases.List), "reasons")
		for _, x := range c.Cases.List[:20] {
			check.Near(t, x.Start, startByHand(t, r, x.Fold, subs), 1e-9, "%v: start", x.Name)
		}
		check.Equal(t, "content, again", texts(r.Content()), texts(c))
		r = loanReport(t, model, subs, func(o *report.Options) { o.Rate = .01 })
		rated := r.Content()
		check.Equal(t, "content, again", texts(r.Content()), texts(rated))
		for i, x := range rated.Cases.List {
			sum := x.Start + x.Rest
			for _, why := range x.Reasons {
				sum += why.Value
			}
			check.Near(t, sum, logit(x.P), 1e-9, "%v: sum of reasons in another population", x.Name)
			share := float64(c.Cases.Trues) / float64(c.Cases.Total)
			check.Near(t, logit(x.P)-logit(c.Cases.List[i].P), logit(.01)-logit(share), 1e-9, "%v: in another population", x.Name)
		}
	}
}

// Behind the reasons of the cases that are shown at once stand facts of theirs: here the banks that loans pay, and amounts.
func TestContent_Facts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	db := loansDB(seed, 200)
	const model = "number n\namount(loan, n)\nvip(loan)\npays(loan, bank)\ntarget listed bad(loan)\n-1 bad(x)\n.7 amount(x, n) ^ n >= 50 => bad(x)\n.4 pays(x, y) ^ bad(x)\n.3 vip(x) ^ bad(x)\n"
	c := loanReport(t, model, streamtest.Subgraphs(t, streamtest.Parse(t, model), db), nil).Content()
	row := regexp.MustCompile(`^(?:bank (B\d)|amount (\d+))$`)
	for i, list := range [][]report.Case{c.Cases.List, c.Cases.Undecided} {
		banks, amounts := 0, 0
		for k, x := range list {
			loan := strings.TrimPrefix(x.Name.String(), "loan ")
			for _, why := range x.Reasons {
				if k >= 20 {
					check.Equal(t, "facts of a case further down", len(why.Facts), 0)
				}
				for _, f := range why.Facts {
					switch found := row.FindStringSubmatch(f.String()); {
					case found == nil:
						t.Errorf("%s: %s", loan, f)
					case found[1] != "":
						banks++
						check.Contains(t, db, "pays("+loan+", "+found[1]+")\n", "a bank")
					default:
						amounts++
						check.Contains(t, db, "amount("+loan+", "+found[2]+")\n", "an amount")
					}
				}
			}
		}
		check.AtLeast(t, min(banks, amounts), 1, "facts of list %d", i)
	}
}

// texts lists the cases of a content, as they are told.
func texts(c *report.Content) (out []string) {
	for _, x := range c.Cases.List {
		out = append(out, fmt.Sprint(x.Name, x.P, x.Start, x.Rest, x.Values, x.Reasons))
	}
	return out
}

// startByHand returns the log-odds of the average of the training cases, of which each loan is one, by a model's formulas counted on the data.
func startByHand(t *testing.T, r *report.Report, fold int, subs []*subgraph.Subgraph) (sum float64) {
	t.Helper()
	m, train := r.Final, subs
	if r.Task {
		m = streamtest.Parse(t, r.Cross.Systems[0].Models[fold])
		train = nil
		for _, i := range r.Cross.Train(fold) {
			train = append(train, subs[i])
		}
	}
	n := 0.
	columns, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	for row, err := range resolwe.Features(t.Context(), m, resolwe.NewStream(m, train), resolwe.FeatureOptions{}) {
		check.OK(t, err)
		for i := range row.Len() {
			if row.Truth(i) == subgraph.Unknown {
				continue
			}
			n++
			for c, v := range row.Values(i, nil) {
				f := m.Formulas[columns[c]]
				sign := 1.
				if strings.Contains(mln.FormatFormula(f), "!bad") {
					sign = -1
				}
				sum += sign * f.Weight * v
			}
		}
	}
	return sum / n
}

// The figures of tiles, thresholds and cases are those of the predictions, computed naively.
func TestContent_Figures(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := streamtest.Parse(t, loans)
	subs := streamtest.Subgraphs(t, m, loansDB(seed, 400))
	r := loanReport(t, loans, subs, nil)
	c := r.Content()
	var atoms []rank.Scored
	check.OK(t, r.Cross.Predictions(t.Context(), m, resolwe.NewStream(m, subs), resolwe.InferOptions{}, func(of *resolwe.Marginals, _ crossval.Tested, p [][]float64) error {
		for i, truth := range of.Predictions() {
			atoms = append(atoms, rank.Scored{P: p[0][i], True: truth.True})
		}
		return nil
	}))
	check.Is(t, int64(len(atoms)), c.Cases.Total, "cases")
	auc := fmt.Sprintf("%.1f%%", 100*oracle.AUCROC(atoms))
	check.Is(t, c.Glance.Tiles[0].Value, auc, "area under the curve of all cases")
	for _, row := range c.Cases.Table {
		found, ties := 0, 0
		for _, a := range atoms {
			if a.P == row.Least {
				ties++
			}
			if a.True && a.P > row.Least {
				found++
			}
		}
		check.AtLeast(t, row.Found, int64(found), "true ones above %v", row.Least)
		check.AtMost(t, row.Found, int64(found+ties), "true ones above %v, with ties", row.Least)
		check.Near(t, row.Precision.Value, float64(row.Found)/float64(row.Checked), 1e-12, "precision")
		check.Near(t, row.Recall, float64(row.Found)/float64(c.Cases.Trues), 1e-12, "recall")
	}
}

// The verdict is told by tests that allow for their number, and says no more than they do.
func TestContent_Verdict(t *testing.T) {
	t.Parallel()
	r := loanReport(t, loans, streamtest.Subgraphs(t, streamtest.Parse(t, loans), loansDB(1, 60)), nil)
	test := func(against string, difference, p float64) crossval.Comparison {
		return crossval.Comparison{Measure: "cll", Against: against, Test: rank.Test{MeanDifference: difference, P: p}}
	}
	for _, x := range []struct {
		want  string
		tests []crossval.Comparison
	}{
		{"better than the base rate and than plain logistic regression.", []crossval.Comparison{test("base", 1, .001), test("logistic", 1, .01)}},
		{"better than the base rate, not clearly better than plain logistic regression.", []crossval.Comparison{test("base", 1, .001), test("logistic", 1, .2)}},
		{"better than the base rate, not clearly better than plain logistic regression.", []crossval.Comparison{test("base", 1, .001), test("logistic", -1, .01)}},
		{"no better than the base rate.", []crossval.Comparison{test("base", 1, .2), test("logistic", 1, .001)}},
		{"no better than the base rate.", []crossval.Comparison{test("base", 1, .03), test("logistic", 1, .04)}}, // of two tests
		{"better than the base rate.", []crossval.Comparison{test("base", 1, .04)}},
		{"worse than the base rate.", []crossval.Comparison{test("base", -1, .001), test("logistic", 1, .001)}},
		{"No test compares the model with the base rate.", []crossval.Comparison{test("logistic", 1, .001), test("base", 1, math.NaN())}},
	} {
		r.Cross.Tests = x.tests
		check.Contains(t, r.Content().Glance.Lead.String(), x.want, "verdict")
		check.AtMost(t, len(strings.Fields(r.Content().Glance.Lead.String())), 60, "words")
	}
}

// Of the cases that come first in each group, and of all, shares are those of the population, and left out where its rate is not known.
func TestContent_TilesOfGroups(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for s := range 20 {
		fmt.Fprintf(&db, "@subgraph s%d\n", s)
		for i := range 6 {
			fmt.Fprintf(&db, "%sbad(L%d)\namount(L%d, %d)\n", []string{"!", ""}[i/3], i, i, 10*i+40*(s%2))
		}
	}
	const model = "number n\namount(loan, n)\ntarget listed bad(loan)\n-1 bad(x)\n2 amount(x, n) ^ n >= 40 ^ bad(x)\n"
	subs := streamtest.Subgraphs(t, streamtest.Parse(t, model), db.String())
	// Of the first five of six 2 are true: L4, L5, then L0 to L2, or L0 to L4 where all amounts are large. At a rate of 10%, a true case stands
	// for 1/9 of a false one: 2/9 / (2/9 + 3) = 6.9%.
	for rate, want := range map[float64][2]string{0: {"40.0%", "of all cases 50.0%"}, .1: {"6.9%", "of all cases 10.0%"}} {
		tiles := loanReport(t, model, subs, func(o *report.Options) { o.Rate = rate }).Content().Glance.Tiles
		check.Contains(t, tiles[1].Text, "of the 5 most probable cases of each group", "text")
		check.Equal(t, fmt.Sprint("tile at a rate of ", rate), [2]string{tiles[1].Value, tiles[1].Note}, want)
	}
}
