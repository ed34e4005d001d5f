package report_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

func told(text string) render.Phrase { return render.Phrase{{Text: text}} }

// wilson is the interval of a share of independent cases.
func wilson(k, n int64) report.Interval {
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	d, middle, half := 1+z*z/m, p+z*z/2/m, z*math.Sqrt(p*(1-p)/m+z*z/4/m/m)
	return report.Interval{Value: p, Low: max(0, (middle-half)/d), High: min(1, (middle+half)/d)}
}

func group(label string, positive, cases int64, mean float64) report.Group {
	return report.Group{Label: label, Cases: cases, True: positive, Share: wilson(positive, cases), Mean: mean}
}

// bank returns the content of a page on loans, of which it lists some.
func bank(t *testing.T, seed uint64, listed int) *report.Content {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	c := &report.Content{
		Title: told("Which loans went bad?"), Over: told("resolwe report · 354 loans granted 3 January 1997 to 8 December 1998 · 4 tables used, 3 not"),
		Nouns: render.Nouns{One: "loan", Many: "loans", True: "went bad", False: "did not go bad"},
		Glance: report.Glance{
			Lead: told("30 of 354 loans went bad (8.5%). Of the 20 loans that the model found most probable, 15 went bad. It predicts better than the base rate and than plain logistic regression. Two things to settle first: loans of 1998 may be too young, and 30 bad loans are few."),
			Tiles: []report.Tile{
				{Value: "86%", Text: "of pairs of a bad and a good loan are ranked rightly (AUC-ROC)", Note: "95% interval 76–95%; chance 50%"},
				{Value: "15 of 20", Text: "most probable loans went bad", Note: "95% interval 53–89%; 1.7 expected at random"},
				{Value: "39% lower", Text: "log-loss than the base rate (0.176, 0.290)", Note: "24% lower than logistic regression (0.231; p 0.03)"},
				{Value: "3 findings", Text: "established, of 12 formulas used", Note: "allowing for 430 candidates"},
			},
			Systems: []report.SystemDot{
				{Name: "This model", Interval: report.Interval{Value: .176, Low: .106, High: .247}, This: true},
				{Name: "One finding alone", Interval: report.Interval{Value: .203, Low: .140, High: .267}},
				{Name: "Plain logistic regression", Interval: report.Interval{Value: .231, Low: .149, High: .312}},
				{Name: "Base rate", Interval: report.Interval{Value: .290, Low: .222, High: .359}},
			},
			Measure: "log-loss for each loan (lower is better)", Title: "How well each predicts loans it has not seen",
		},
	}
	m := streamtest.Parse(t, "has_balance(a, b)\ntarget bad(a)\n1.691 has_balance(x, y) => bad(x)\n")
	formula := report.FormulaContent{
		Formula: m.Formulas[0], Weight: report.Interval{Value: 1.691, Low: 1.2, High: 2.2}, Support: 15, Share: wilson(14, 15), Other: wilson(16, 339), Gain: .0312,
	}
	curve := func(title string, groups ...report.Group) *report.Curve {
		return &report.Curve{Title: title, Groups: groups, Base: 30. / 354}
	}
	c.Findings = report.Findings{
		Lead: told("Three patterns hold beyond chance, allowing for the 430 that were looked at. They are associations in these loans: they do not say what would happen if somebody changed something."),
		Cards: []report.Finding{
			{
				Words: told("Loans whose account had been charged overdraft interest went bad more often: 14 of 15, against 4.7% of the other 339."),
				Small: told("95% intervals 58–99% and 2.9–7.6%. With the other findings equal: 62% [40, 76] against 5.7% [3.5, 8.4]; odds ×44 [8.1, 235]. Found again in 5 of 5 folds."),
				Curve: curve("Overdraft interest, times charged", group("never", 16, 339, 0), group("once", 4, 4, 0), group("twice", 4, 5, 0), group("3+", 6, 6, 0)), Formulas: []report.FormulaContent{formula},
				SQL: "SELECT loan_id\nFROM loan\n\tWHERE bad",
			},
			{
				Words:   told("Loans whose account's lowest balance in the last 365 days was under 5,500 CZK went bad more often: 16.4% of 177, against 0.6% of the other 177."),
				Small:   told("The lower, the more often. With the other findings equal: 10.9% [7.3, 15.2] against 5.1% [3.5, 7.3]; odds ×3.4 [1.6, 7.1]. Found again in 4 of 5 folds."),
				Overlap: told("Overlaps: 13 of the 14 below zero were also charged overdraft interest."), Formulas: []report.FormulaContent{formula, formula},
				Curve: curve("Lowest balance in 365 days, CZK", group("below 0", 14, 14, 0), group("370", 3, 32, 0), group("1k", 7, 81, 0), group("5.5k", 5, 50, 0), group("10k", 1, 23, 0), group("over", 0, 154, 0)),
			},
			{Words: told("Loans whose balances of the last 30 days add up to less than 85,000 CZK went bad more often: 52% of 23, against 5.4% of the other 331."), Small: told("95% intervals 31–73% and 3.4–8.5%.")},
		},
		Also: []render.Phrase{told("Monthly payment of 7,290 CZK or more: 23% of 44; others 6.5% of 310."), told("Loans of more than 317,460 CZK: 25% of 44; others 6.1% of 310.")},
		Rare: []render.Phrase{told("Rare: 1 loan whose account was opened at most 164 days before. It went bad.")},
		Note: told("The models tested had 10 to 37 formulas; the one described has 12, of which 3 findings are established."),
	}
	c.Cases = bankCases(r, listed)
	c.Quality = report.QualityContent{
		Found:     []report.Line{{Name: "this model", Points: []report.Point{{X: 0, Y: 0}, {X: .05, Y: .5}, {X: .14, Y: .77}, {X: 1, Y: 1}}, This: true}, {Name: "logistic regression", Points: []report.Point{{X: 0, Y: 0}, {X: .2, Y: .6}, {X: 1, Y: 1}}}},
		FoundNote: told("Checking 50 of 354 (14%) finds 23 of 30. Dashed: checking at random."),
		Calibration: []report.Group{
			group("1", 1, 59, .002), group("2", 2, 59, .007), group("3", 1, 59, .013), group("4", 1, 59, .023), group("5", 2, 59, .048), group("6", 23, 59, .387),
		},
		CalibNote: told("Six groups of 59 loans, 95% intervals. Low probabilities are somewhat too low."),
		Recall:    []report.Line{{Name: "this model", Points: []report.Point{{X: 0, Y: 1}, {X: .5, Y: .8}, {X: 1, Y: .1}}, This: true}},
		ByGroup:   []report.GroupQuality{{Name: told("Granted 1997"), Cases: 196, True: 26, AUC: .84, Found: 15}, {Name: told("Granted 1998"), Cases: 158, True: 4, AUC: math.NaN(), Found: 4}},
		GroupNote: told("A dash: fewer than 10 bad loans."),
	}
	c.Trust = []report.Check{
		{State: report.CheckLook, Name: "Young loans", Text: told("13.3% of the loans of 1997 went bad, 2.5% of those of 1998.")},
		{State: report.CheckOpen, Name: "Shuffled answers", Text: told("Not run.")},
		{State: report.CheckPassed, Name: "No cases were drawn", Text: told("All 354 loans are in, so 8.5% is the rate of the data.")},
	}
	c.Course = &report.Course{Title: "Loans that went bad, by quarter", Note: told("Fewer in 1998.")}
	for i, k := range []int64{5, 5, 8, 8, 2, 0, 1, 1} {
		c.Course.Groups = append(c.Course.Groups, group(fmt.Sprintf("%d Q%d", 97+i/4, 1+i%4), k, []int64{44, 49, 52, 51, 50, 47, 35, 26}[i], 0))
	}
	c.DataNote = told("What was known about each loan, what was left out, and why.")
	for i := range 40 {
		c.Data = append(c.Data, report.ColumnNote{
			Table: "trans", Column: fmt.Sprintf("k_symbol%d", i), Words: told("purpose"), Bars: []float64{.1, .4, 1, .2}, Median: "5,538", Missing: .577, Distinct: 6, Use: told("used"),
			Alerts: []render.Phrase{told("a blank as a value")},
		})
	}
	c.Again = report.Again{
		Commands: []string{"resolwe report task.mln --stream task.rsg -o report.html", "resolwe select task.mln --stream task.rsg -o model.mln\nresolwe infer model.mln --stream new.rsg -o scores.csv"},
		Files:    []report.Input{{Path: "task.rsg", Bytes: 6365760, SHA256: "f7837e39"}}, Version: "resolwe (devel)",
	}
	return c
}

// bankCases returns cases of random probabilities, of which those of higher ones are true more often.
func bankCases(r *rand.Rand, n int) report.Cases {
	s := report.Cases{
		Lead: told("Which ones, and why? Each probability comes from a model that had not seen the loan. Reasons compare the loan with the average one: + speaks for going bad, − against."), Columns: []string{"amount, CZK"},
		Timed: true, Total: int64(n), Scale: 1, Start: min(30, n), Levels: true,
	}
	p := make([]float64, n)
	for i := range p {
		p[i] = math.Pow(r.Float64(), 6)
	}
	slices.Sort(p)
	slices.Reverse(p)
	for i, p := range p {
		x := report.Case{
			Name: render.Join(render.Name(strconv.Itoa(5000 + (i*7919)%9000))), Subgraph: fmt.Sprint("s", i), Time: resolwe.Time{Unix: 86400 * int64(9900+r.IntN(700)), Known: true},
			Values: []string{render.Grouped(int64(20000 + r.IntN(500000)))}, P: p, True: r.Float64() < p, Start: -2.4, Smaller: 2, Rest: -.1,
		}
		for k := range 1 + r.IntN(5) {
			x.Reasons = append(x.Reasons, report.ReasonContent{
				Words: told([]string{"charged overdraft interest twice", "lowest balance −1,450 CZK (365 days)", "amount 541,200 CZK", "never sent money to another bank", "smallest transaction 0.4 CZK"}[k]),
				Value: r.NormFloat64() * 2, Facts: []render.Phrase{told(fmt.Sprintf("transaction %d: 12.5 CZK", r.IntN(300)))},
			})
		}
		if x.True {
			s.Trues++
		}
		s.List = append(s.List, x)
	}
	for _, k := range []int{10, 20, 30, 50, 100} {
		if k <= n {
			s.Table = append(s.Table, threshold(s.List, k, float64(s.Trues)))
		}
	}
	return s
}

// threshold counts what the first cases hold.
func threshold(list []report.Case, checked int, trues float64) report.Threshold {
	found := int64(0)
	for i := range list[:checked] {
		if list[i].True {
			found++
		}
	}
	share := wilson(found, int64(checked))
	return report.Threshold{
		Checked: int64(checked), Found: found, Least: list[checked-1].P, Precision: share, Recall: float64(found) / trues, Lift: share.Value / (trues / float64(len(list))),
	}
}

// hostilePage returns the content of a page of which all texts are hostile.
func hostilePage(t *testing.T) *report.Content {
	t.Helper()
	c := bank(t, 1, 60)
	bad := func(i int) string { return hostileNames[i%len(hostileNames)] }
	c.Title, c.Over, c.Drawn = render.Join("Which ", render.Name(bad(0)), "?"), render.Join(render.Name(bad(1))), render.Join(render.Name(bad(2)))
	c.Nouns = render.Nouns{One: bad(0), Many: bad(1), True: bad(2), False: bad(3)}
	for i := range c.Glance.Systems {
		c.Glance.Systems[i].Name = bad(i)
	}
	for i := range c.Findings.Cards {
		f := &c.Findings.Cards[i]
		f.Words, f.SQL = render.Join(render.Name(bad(i))), strings.Repeat(bad(i)+"\n", 9)
		if f.Curve != nil {
			f.Curve.Title, f.Curve.Groups[0].Label = bad(i+3), bad(i+4)
		}
	}
	for i := range c.Cases.List {
		x := &c.Cases.List[i]
		x.Name, x.Values = render.Join(render.Name(bad(i))), []string{bad(i + 1), bad(i + 2)}
		for k := range x.Reasons {
			x.Reasons[k].Words, x.Reasons[k].Facts = told(bad(i+k)), []render.Phrase{told(bad(i + k + 1))}
		}
	}
	for i := range c.Data {
		c.Data[i].Table, c.Data[i].Column, c.Data[i].Median = bad(i), bad(i+1), bad(i+2)
	}
	c.Cases.Undecided, c.Cases.Columns = c.Cases.List[:25], []string{bad(0)}
	c.Again.Commands[0], c.Again.Files[0].Path = bad(5), bad(4)
	return c
}

// many returns the content of a page of a million cases, of which it lists some, with long reasons.
func many(t *testing.T) *report.Content {
	t.Helper()
	c := bank(t, 2, 3000)
	s := &c.Cases
	s.Total, s.Trues, s.Scale = 1_000_000, 0, .25
	for i := range 1000 {
		b := report.Bin{Cases: 1000, True: int64(1000 / (i + 1)), Least: s.List[min(3*i+2, 2999)].P}
		s.Bins, s.Trues = append(s.Bins, b), s.Trues+b.True
	}
	for i := range s.List {
		for k := range s.List[i].Reasons {
			s.List[i].Reasons[k].Facts = slices.Repeat([]render.Phrase{told(fmt.Sprintf("%d.%d: %s", i, k, strings.Repeat("fact ", 40)))}, 5)
		}
	}
	return c
}

// written returns the page of a content.
func written(t *testing.T, c *report.Content) string {
	t.Helper()
	var out bytes.Buffer
	check.OK(t, report.WriteContent(c, &out))
	return out.String()
}
