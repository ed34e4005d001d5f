package resolwe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const shop = `bought(person, item)
age(person, number)
likes(person, person)
target listed buys(person)
bought(p, i) => buys(p)
age(p, n) => buys(p)
likes(p, q) ^ bought(q, i) => buys(p)
likes(p, q) ^ buys(q) => buys(p)
`

// shopDB has subgraphs in which persons buy who have bought three items or more, are 40 or older, or, by as much as ties says,
// like those of whom that is true.
func shopDB(seed uint64, subgraphs int, ties float64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d\n", s)
		const persons = 24
		field, liked, likes := make([]float64, persons), make([]float64, persons), make([]float64, persons)
		for p := range persons {
			items, age := r.IntN(5), 20+r.IntN(40)
			for i := range items {
				fmt.Fprintf(&b, "bought(P%d, I%d)\n", p, i)
			}
			fmt.Fprintf(&b, "age(P%d, %d)\n", p, age)
			field[p] = -1.5
			if items >= 3 {
				field[p] += 2
			}
			if age >= 40 {
				field[p]++
			}
		}
		for p := range persons {
			for range 4 {
				q := r.IntN(persons)
				fmt.Fprintf(&b, "likes(P%d, P%d)\n", p, q)
				liked[p] += field[q]
				likes[p]++
			}
		}
		for p := range persons {
			sign := "!"
			if r.Float64() < 1/(1+math.Exp(-field[p]-ties*liked[p]/likes[p])) {
				sign = ""
			}
			fmt.Fprintf(&b, "%sbuys(P%d)\n", sign, p)
		}
	}
	return b.String()
}

// selectedText is what a selection says, all of it.
func selectedText(t *testing.T, m *resolwe.Model, sel *resolwe.Selection) string {
	t.Helper()
	var b bytes.Buffer
	kept, note := sel.Model(m)
	check.OK(t, kept.Write(&b, note))
	for _, g := range sel.Gain {
		for _, s := range slices.Concat(g.Path, g.Tied) {
			fmt.Fprintln(&b, mln.FormatRule(s.Formula), s.Gain, s.Support, s.TrueRate, s.After, len(s.Redundant))
		}
		fmt.Fprintln(&b, g.Target, g.Atoms, g.Subgraphs, g.Sampled, g.BaseRate, g.Base, g.Bias, g.Family, g.Shrink, g.Size)
	}
	return b.String()
}

func TestSelect_ByGain(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(1, 60, 0)), resolwe.SelectOptions{})
	check.OK(t, err)
	g := &sel.Gain[0]
	text := selectedText(t, m, sel)
	if g.Atoms != 60*24 || g.Subgraphs != 60 || g.Sampled || len(g.Tied) > 0 || g.Size == 0 || g.Size > 60 {
		t.Errorf("got %+v", g)
	}
	for _, planted := range []string{"bought(p, i)", "age(p, n)"} {
		found := slices.ContainsFunc(g.Path[:min(g.Size, 3)], func(s selecting.GainStep) bool { return strings.Contains(mln.FormatRule(s.Formula), planted) })
		if !found {
			t.Errorf("nothing on %s among the first three of:\n%s", planted, text)
		}
	}
	if held := g.HeldOut(); !(held.CLL > g.Base.CLL+.05) || !(held.AUC > .7) {
		t.Errorf("held out: got %+v, base rate %+v", held, g.Base)
	}
}

// What was selected predicts as the log-odds of its features say: inference of the written model, on atoms that are
// independent, is the logistic function of them.
func TestSelect_ByGain_Predicts(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	s := inMemory(t, m, shopDB(2, 40, 0))
	sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Gain: resolwe.GainOptions{Formulas: 12}})
	check.OK(t, err)
	kept, _ := sel.Model(m)
	sum, n := 0.0, 0
	check.OK(t, inferring.Infer(t.Context(), kept, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
		for _, p := range r.P {
			sum += p
			n++
		}
		return nil
	}))
	if g := &sel.Gain[0]; len(g.Tied) > 0 || !(math.Abs(sum/float64(n)-g.BaseRate) < 1e-3) { // as at any optimum with a free bias
		t.Errorf("mean probability %v, base rate %v, %d tied", sum/float64(n), g.BaseRate, len(g.Tied))
	}
}

// Ties that the data has are found, and help on held-out atoms.
func TestSelect_ByGain_Tied(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(3, 200, 2)), resolwe.SelectOptions{})
	check.OK(t, err)
	g := &sel.Gain[0]
	if len(g.Tied) == 0 || !(g.HeldOut().CLL > g.After(g.Size).CLL+.003) {
		t.Fatalf("got %d tied, held out %+v after %+v", len(g.Tied), g.HeldOut(), g.After(g.Size))
	}
	if f := g.Tied[0].Formula; !strings.Contains(mln.FormatRule(f), "buys(q)") || !(f.Weight > 0) {
		t.Errorf("got %s", mln.FormatRule(f))
	}
}

func TestSelect_ByGain_SameBytes(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	db := shopDB(4, 30, 1)
	subs := subgraphs(t, m, db)
	streamtest.SameBytes(t, "a sample of rows", func(run resolwe.Run) string {
		opt := resolwe.SelectOptions{Run: run, Gain: resolwe.GainOptions{Rows: 500}}
		sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		if !sel.Gain[0].Sampled || sel.Gain[0].Atoms > 500 {
			t.Errorf("got %d atoms", sel.Gain[0].Atoms)
		}
		return selectedText(t, m, sel)
	})
}

// A formula with a weight keeps it, and counts in what is selected: with the true weights given there is nothing to add.
func TestSelect_ByGain_Weighted(t *testing.T) {
	t.Parallel()
	const given = "2 #{i: bought(p, i)} >= 3 ^ buys(p)\n1 once: age(p, n) ^ n >= 40 ^ buys(p)\n-1.5 buys(p)\n"
	m := parse(t, shop+given)
	sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(5, 60, 0)), resolwe.SelectOptions{})
	check.OK(t, err)
	g := &sel.Gain[0]
	if !(math.Abs(g.Bias) < .3) || !(g.HeldOut().CLL < g.Base.CLL+.01) {
		t.Errorf("bias %v, held out %+v after %+v", g.Bias, g.HeldOut(), g.Base)
	}
	kept, _ := sel.Model(m)
	var b bytes.Buffer
	check.OK(t, kept.Write(&b, nil))
	if strings.Count(b.String(), " buys(p)\n") != strings.Count(b.String(), "^ buys(p)\n")+1 {
		t.Errorf("not one unit clause:\n%s", b.String())
	}
}

// The choice among rows that are counted ends with its context too.
func TestSelect_ByGain_Interrupted(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	for _, all := range []bool{false, true} {
		s, err := selecting.NewSelector(m, resolwe.SelectOptions{Gain: resolwe.GainOptions{All: all}})
		check.OK(t, err)
		counts, err := s.Count(t.Context(), inMemory(t, m, shopDB(5, 60, 0)))
		check.OK(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if sel, err := s.Select(ctx, counts, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("all %v: got %v, %v, want %v", all, sel, err, context.Canceled)
		}
	}
}

func TestSelect_ByGain_Empty(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	none, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, nil), resolwe.SelectOptions{})
	if err != nil || len(none.Warnings) != 1 || !strings.Contains(none.Warnings[0].Msg, "no subgraph") {
		t.Errorf("no subgraph: got %v, %v", none, err)
	}
	for name, test := range map[string]struct{ db, warning string }{
		"no known":     {"@subgraph a\nbought(P, I)\n", "nothing was selected"},
		"no grounding": {"@subgraph a\nbuys(P)\n!buys(Q)\n", "no grounding"},
		"one truth":    {"@subgraph a\nbuys(P)\nbought(P, I)\nbuys(Q)\n", "no grounding"},
	} {
		sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, test.db), resolwe.SelectOptions{})
		check.OK(t, err)
		if !slices.ContainsFunc(sel.Warnings, func(d mln.Diagnostic) bool { return strings.Contains(d.Msg, test.warning) }) {
			t.Errorf("%s: got %v", name, sel.Warnings)
		}
	}
}

func TestGainOptions(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	for _, opt := range []resolwe.GainOptions{{Formulas: -1}, {Depth: -1}, {Support: -1}, {Shrink: -1}, {Shrink: math.NaN()}, {Rows: -1}, {Rows: 1 << 40}} {
		s := resolwe.SelectOptions{Gain: opt}
		check.Fails(t, s.Validate(), "%+v", opt)
	}
	for _, opt := range []resolwe.GainOptions{{Formulas: 1}, {Formulas: 1, Depth: 1, Support: 1, Shrink: 5, Parsimony: selecting.ParsimonyOn, Seed: 3}} {
		sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(6, 12, 0)), resolwe.SelectOptions{Gain: opt})
		check.OK(t, err)
		check.AtMost(t, len(sel.Selected), 1, "%+v, formulas", opt)
	}
	all, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(6, 12, 0)), resolwe.SelectOptions{Gain: resolwe.GainOptions{All: true}})
	check.OK(t, err)
	check.AtLeast(t, len(all.Selected), 3, "formulas of all")
}

// inTime gives subgraphs times, two of each.
func inTime(subs []*subgraph.Subgraph) []*subgraph.Subgraph {
	for i, s := range subs {
		s.Time = resolwe.Time{Unix: int64(i/2) * 86400, Known: true}
	}
	return subs
}

// Where subgraphs have times folds go forward and formulas are few, whatever the workers; formulas of several target literals are
// found there too.
func TestSelect_ByGain_Forward(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	s := resolwe.NewStream(m, inTime(subgraphs(t, m, shopDB(3, 200, 4))))
	var want string
	for _, opt := range []resolwe.GainOptions{
		{}, {Inner: selecting.InnerForward, Parsimony: selecting.ParsimonyOn}, {Parsimony: selecting.ParsimonyOff}, {Inner: selecting.InnerRandom},
	} {
		sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Gain: opt, Run: resolwe.Run{Workers: 1 + int(opt.Inner)}})
		check.OK(t, err)
		g, text := &sel.Gain[0], selectedText(t, m, sel)
		check.Equal(t, "forward", g.Forward, opt.Inner != selecting.InnerRandom)
		check.Equal(t, "warnings", len(sel.Warnings), 0)
		if len(g.Tied) == 0 || !(g.HeldOut().CLL > g.Base.CLL+.05) {
			t.Errorf("%+v: got %d tied, held out %+v, base rate %+v", opt, len(g.Tied), g.HeldOut(), g.Base)
		}
		switch {
		case want == "":
			want = text
		case opt.Parsimony == selecting.ParsimonyOn && text != want:
			t.Errorf("%+v is not what auto is:\n%s\n%s", opt, text, want)
		case opt.Parsimony == selecting.ParsimonyOff && strings.Count(text, "\n") < strings.Count(want, "\n"):
			t.Errorf("without parsimony fewer formulas:\n%s\n%s", text, want)
		}
	}
}

// Missing times, and too few different ones, are reported.
func TestSelect_ByGain_NotForward(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	plain, some, few := subgraphs(t, m, shopDB(4, 30, 0)), inTime(subgraphs(t, m, shopDB(4, 30, 0))), inTime(subgraphs(t, m, shopDB(4, 22, 0)))
	some[7].Time = resolwe.Time{}
	for name, test := range map[string]struct {
		subs  []*subgraph.Subgraph
		inner selecting.Inner
		want  string // of a warning
		bad   bool
	}{
		"no times":          {plain, selecting.InnerAuto, "", false},
		"no times, forward": {plain, selecting.InnerForward, "", true},
		"one without":       {some, selecting.InnerAuto, "some subgraphs have no time", false},
		"few times":         {few, selecting.InnerAuto, "fewer than 12 different times", false},
		"few, forward":      {few, selecting.InnerForward, "fewer than 12 different times", false},
		"few, random":       {few, selecting.InnerRandom, "", false},
		"no such":           {few, 3, "", true},
	} {
		sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, test.subs), resolwe.SelectOptions{Gain: resolwe.GainOptions{Inner: test.inner}})
		if test.bad {
			if o, ok := errors.AsType[*resolwe.OptionError](err); !ok || o.Option != "GainOptions.Inner" {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		check.OK(t, err)
		if text := fmt.Sprint(sel.Warnings); sel.Gain[0].Forward || (test.want == "") != (len(sel.Warnings) == 0) || !strings.Contains(text, test.want) {
			t.Errorf("%s: got forward %v, warnings %s", name, sel.Gain[0].Forward, text)
		}
	}
}

// Numbers, counts and aggregates have the same thresholds, and rules, whether a head has a variable, the center, or a constant, and
// wherever variables come in the formula.
func TestSelect_ByGain_Heads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(48, 0))
	var b strings.Builder
	for s := range 200 {
		age, items, yes := 18+r.IntN(60), r.IntN(5), r.Float64() < .1
		if age >= 35 && age < 55 && items < 3 {
			yes = r.Float64() < .9
		}
		fmt.Fprintf(&b, "@subgraph s%d center=U\nage(U, %d)\nknown(K)\n", s, age)
		for i := range items {
			fmt.Fprintf(&b, "bought(U, I%d)\n", i)
		}
		fmt.Fprintf(&b, "%sbuys(U)\n", map[bool]string{false: "!"}[yes])
	}
	const head = "age(user, number)\nbought(user, item)\nknown(thing)\ntarget listed buys(user)\n"
	for _, alike := range [][]string{
		{
			"age(u, n) => buys(u)\nbought(u, i) => buys(u)\n",
			"age(@center, n) => buys(@center)\nbought(@center, i) => buys(@center)\n",
			"age(U, n) => buys(U)\nbought(U, i) => buys(U)\n",
			"age(@center, n) ^ known(x) => buys(@center)\nbought(u, i) => buys(u)\n",
			"known(x) ^ age(U, n) => buys(U)\nknown(x) ^ bought(@center, i) => buys(@center)\n",
		},
		{"avg{n: age(u, n)} >= 1 => buys(u)\n", "avg{n: age(@center, n)} >= 1 => buys(@center)\n", "avg{n: age(u, n)} >= 1 => buys(U)\n"},
	} {
		var held []float64 // log-likelihoods down the path
		var predicted string
		for i, forms := range alike {
			m := parse(t, head+forms)
			stream := inMemory(t, m, b.String())
			sel, err := resolwe.Select(t.Context(), m, stream, resolwe.SelectOptions{})
			check.OKf(t, err, "%s", forms)
			g := &sel.Gain[0]
			got := []float64{g.Base.CLL}
			for _, s := range g.Path[:g.Size] {
				got = append(got, s.After.CLL)
			}
			kept, _ := sel.Model(m)
			marginals, err := infer(t, kept, stream, resolwe.InferOptions{})
			check.OK(t, err)
			if i == 0 {
				held, predicted = got, marginals
				check.AtLeast(t, g.Size, 1, "formulas")
			}
			check.Equal(t, "held-out CLL of "+forms, got, held)
			check.Is(t, marginals, predicted, "predictions of %s", forms)
		}
	}
}

// A pipe gives the same selection as a file: with numbers, with formulas with several target literals, and of its first subgraphs.
func TestSelect_ByGain_Pipe(t *testing.T) {
	t.Parallel()
	text := []byte(shopDB(5, 24, 4))
	m := parse(t, shop)
	rsgs := pack(t, m.Schema, subgraphs(t, m, string(text)), rsg.WriterOptions{})
	for _, first := range []int{0, 10} {
		opt := resolwe.SelectOptions{Subgraphs: first, Gain: resolwe.GainOptions{Formulas: 8}}
		want, err := resolwe.Select(t.Context(), m, inMemory(t, m, string(text)), opt)
		check.OK(t, err)
		for name, data := range map[string][]byte{"text": text, "gzip": archivetest.Gzip(text), "rsg": rsgs} {
			s := open(t, m, resolwe.StreamOptions{Stdin: iotest.OneByteReader(bytes.NewReader(data))}, "-")
			got, err := resolwe.Select(t.Context(), m, s, opt)
			check.OKf(t, err, "%s", name)
			check.Is(t, selectedText(t, m, got), selectedText(t, m, want), "first %d of %s", first, name)
			entries, err := s.Entries(t.Context()) // what was kept, and what is left of the pipe
			check.OK(t, err)
			check.Is(t, len(entries), 24, "subgraphs of %s", name)
		}
	}
}
