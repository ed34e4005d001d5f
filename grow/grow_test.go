package grow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/grow"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
)

const task = `
reads(person)
plays(person)
tall(person)
owns(person, thing)
shiny(thing)
knows(person, person)
age(person, number)
target listed buys(person)
plays(x) => buys(x)
tall(x) => buys(x)
age(x, n) => buys(x)
owns(x, t) ^ shiny(t) => buys(x)
owns(x, t) ^ owns(@center, t) => buys(x)
knows(x, y) ^ reads(y) => buys(x)
`

func model(tb testing.TB, text string) *resolwe.Model {
	tb.Helper()
	m, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{})
	check.OK(tb, err)
	return m
}

// subgraphs generates some: who plays buys, and who knows one that reads; in every other subgraph nobody buys for the second reason.
func subgraphs(tb testing.TB, m *resolwe.Model, n int, seed uint64) (out []*subgraph.Subgraph) {
	tb.Helper()
	random, b := rand.New(rand.NewPCG(seed, 0)), subgraph.NewBuilder(m.Schema)
	person, thing, number := m.Schema.Type("person"), m.Schema.Type("thing"), m.Schema.Type("number")
	pred := m.Schema.Predicate
	for s := range n {
		b.Reset(fmt.Sprintf("s%d-%d", seed, s), "C", -1)
		b.Entity(person, "C")
		some := func(p float64) bool { return random.Float64() < p }
		add := func(name string, args ...uint32) { b.Add(pred(name), args, subgraph.True) }
		atoms := 6 + random.IntN(10)
		for i := range atoms {
			x, odds := b.Entity(person, fmt.Sprintf("P%d", i)), -2.
			add("age", x, b.Entity(number, strconv.Itoa(20+random.IntN(40))))
			if some(.4) {
				add("plays", x)
				odds += 2.5
			}
			if some(.5) {
				add("tall", x)
			}
			for k := range 3 {
				y := b.Entity(person, fmt.Sprintf("F%d", random.IntN(20)))
				add("knows", x, y)
				if some(.3) {
					add("reads", y)
					if s%2 == 0 && k == 0 {
						odds += 1.5
					}
				}
				z := b.Entity(thing, fmt.Sprintf("T%d", random.IntN(8)))
				add("owns", x, z)
				if some(.3) {
					add("shiny", z)
				}
			}
			truth := subgraph.False
			if some(1 / (1 + math.Exp(-odds))) {
				truth = subgraph.True
			}
			b.Add(pred("buys"), []uint32{x}, truth)
		}
		add("owns", b.Entity(person, "C"), b.Entity(thing, "T1"))
		sub, err := b.Finish()
		check.OK(tb, err)
		out = append(out, sub)
	}
	return out
}

// learn learns a policy.
func learn(tb testing.TB, workers int, seed uint64) (*resolwe.Model, *grow.Policy) {
	tb.Helper()
	m := model(tb, task)
	p, err := grow.Learn(tb.Context(), m, resolwe.NewStream(m, subgraphs(tb, m, 80, seed)), grow.Options{
		Keep: .97, Steps: 6, Formulas: 8, Run: resolwe.Run{Workers: workers},
	})
	check.OK(tb, err)
	return m, p
}

// naive counts the calls and facts of the first steps of an order on a subgraph, by names.
func naive(p *grow.Policy, sub *subgraph.Subgraph, steps int) (calls, facts int) {
	schema := p.Schema
	level, asked := map[string]int{"person C": 0}, map[string]bool{}
	find := func(typ int, name string, hop int) {
		key := schema.Types[typ] + " " + name
		if old, ok := level[key]; !ok || hop < old {
			level[key] = hop
		}
	}
	name := func(pred, i int, id uint32) string {
		return sub.Domains[schema.Predicates[pred].Args[i]].Names.Name(id)
	}
	buys := schema.Predicate("buys")
	for _, t := range []*subgraph.Table{&sub.Relations[buys].True, &sub.Relations[buys].False} {
		for _, id := range t.Cols[0] {
			find(schema.Type("person"), name(buys, 0, id), 0)
		}
	}
	for _, stage := range p.Order[:steps+1] {
		for _, probe := range stage.Step {
			typ := schema.Predicates[probe.Pred].Args[probe.At]
			var ask []string
			for key, hop := range level {
				if who, ok := strings.CutPrefix(key, schema.Types[typ]+" "); ok && (probe.Bound == "+" && hop < probe.Hop || probe.Bound == "@center" && who == "C") {
					ask = append(ask, who)
				}
			}
			for _, who := range ask {
				key := fmt.Sprint(probe.Pred, probe.At, who)
				if asked[key] {
					continue
				}
				asked[key] = true
				calls++
				table := &sub.Relations[probe.Pred].True
				for row := range table.Len() {
					if name(probe.Pred, probe.At, table.Cols[probe.At][row]) != who {
						continue
					}
					facts++
					for i, col := range table.Cols {
						find(schema.Predicates[probe.Pred].Args[i], name(probe.Pred, i, col[row]), probe.Hop)
					}
				}
			}
		}
	}
	return calls, facts
}

// Replays count what a second implementation counts; run asks for exactly as much, and with All predicts what infer does.
func TestPolicy(t *testing.T) {
	t.Parallel()
	m, p := learn(t, 2, 3)
	subs := subgraphs(t, m, 40, 8)
	stream := resolwe.NewStream(p.Model(), subs)
	ev, err := grow.Evaluate(t.Context(), p, stream, grow.EvalOptions{})
	check.OK(t, err)
	for _, prefix := range ev.Curves[1] {
		calls, facts := 0, 0
		for _, sub := range subs {
			c, f := naive(p, sub, int(prefix.Parameter))
			calls, facts = calls+c, facts+f
		}
		if c, f := prefix.Calls*float64(len(subs)), prefix.Facts*float64(len(subs)); math.Abs(c-float64(calls)) > 1e-6 || math.Abs(f-float64(facts)) > 1e-6 {
			t.Errorf("%v steps: %v calls and %v facts, recounted %d and %d", prefix.Parameter, c, f, calls, facts)
		}
	}
	for _, all := range []bool{false, true} {
		want := map[string]map[string]float64{}
		check.OK(t, inferring.Infer(t.Context(), p.Last(), stream, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			want[r.Subgraph] = map[string]float64{}
			for i, v := range r.P {
				want[r.Subgraph][r.Atom(i)] = v
			}
			return nil
		}))
		calls, facts := 0, 0
		for _, sub := range subs {
			s := &store{m.Schema, sub, map[string]bool{}, 0}
			one := resolwe.NewStream(p.Model(), []*subgraph.Subgraph{sub})
			check.OK(t, grow.Run(t.Context(), p, one, s, grow.RunOptions{All: all}, func(g *grow.Grown) error {
				check.Equal(t, "calls of "+g.Subgraph, g.Calls, len(s.calls))
				check.Equal(t, "facts of "+g.Subgraph, g.Facts, s.facts)
				calls, facts = calls+g.Calls, facts+g.Facts
				for i, v := range g.P {
					if w := want[g.Subgraph][g.Atoms[i]]; all && math.Abs(v-w) > 1e-12 {
						t.Errorf("%s of %s: %v, infer has %v", g.Atoms[i], g.Subgraph, v, w)
					}
				}
				return nil
			}))
		}
		d := ev.Policy
		if all {
			d = ev.Full
		}
		if n := float64(len(subs)); math.Abs(d.Calls*n-float64(calls)) > 1e-6 || math.Abs(d.Facts*n-float64(facts)) > 1e-6 {
			t.Errorf("all %v: eval has %v calls and %v facts, run %d and %d", all, d.Calls*n, d.Facts*n, calls, facts)
		}
	}
	if ev.Policy.Cost > .7*ev.Full.Cost || ev.Policy.MAP.Mean < .9*ev.Full.MAP.Mean {
		t.Errorf("cost %v of %v, MAP %v of %v", ev.Policy.Cost, ev.Full.Cost, ev.Policy.MAP.Mean, ev.Full.MAP.Mean)
	}
}

// text returns a policy as its file has it.
func text(tb testing.TB, p *grow.Policy) string {
	tb.Helper()
	var b bytes.Buffer
	check.OK(tb, p.Write(&b))
	return b.String()
}

// Neither workers nor a way through a file change a policy.
func TestPolicy_SameBytes(t *testing.T) {
	t.Parallel()
	m, p := learn(t, 1, 5)
	want := text(t, p)
	_, other := learn(t, 7, 5)
	check.Equal(t, "policy of 7 workers", text(t, other), want)
	read, err := grow.ReadPolicy("p.json", []byte(want))
	check.OK(t, err)
	check.Equal(t, "policy that was read", text(t, read), want)
	subs := subgraphs(t, m, 20, 9)
	var first string
	for _, workers := range []int{1, 7} {
		var out []string
		ev, err := grow.Evaluate(t.Context(), p, resolwe.NewStream(p.Model(), subs), grow.EvalOptions{Run: resolwe.Run{Workers: workers}})
		check.OK(t, err)
		out = append(out, fmt.Sprint(*ev.Policy, ev.Less))
		again, err := grow.Evaluate(t.Context(), read, resolwe.NewStream(read.Model(), subgraphs(t, model(t, task), 20, 9)), grow.EvalOptions{})
		check.OK(t, err)
		check.Equal(t, "figures of the policy that was read", fmt.Sprint(*again.Policy, again.Less), out[0])
		if first == "" {
			first = out[0]
		}
		check.Equal(t, "figures", out[0], first)
	}
}

// What cannot be grown is an error that says why.
func TestLearn_Errors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ change, to, want string }{
		{"target listed", "target", "grow takes listed targets only"},
		{"tall(x) =>", "1 tall(x) =>", "grow takes candidates"},
		{"reads(y) => buys(x)", "reads(y) ^ buys(y) => buys(x)", ""},
	} {
		m := model(t, strings.Replace(task, tt.change, tt.to, 1))
		warned := ""
		_, err := grow.Learn(t.Context(), m, resolwe.NewStream(m, nil), grow.Options{Warn: func(s string) { warned = s }})
		if tt.want == "" {
			check.Equal(t, "warning", warned, "1 candidates with several target literals are left out")
			if e := (*grow.TooFewError)(nil); !errors.As(err, &e) {
				t.Errorf("got %v, want too few subgraphs", err)
			}
		} else if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.to, err, tt.want)
		}
	}
	m := model(t, task)
	for _, tt := range []struct{ text, want string }{
		{"knows 2 .5\nowns(-, +) never # not indexed\n", ""},
		{"knows\n", "c:1: the cost of a call"},
		{"\nlikes 2\n", "c:2: the task has no predicate likes"},
		{"buys 2", "buys is a target"},
		{"owns(+, +) 2", "a pattern binds one argument"},
		{"owns(+) 2", "owns has 2 arguments"},
		{"owns(+, x) 2", "a pattern has + and -"},
		{"owns -1", "-1 is not a cost"},
	} {
		costs, err := grow.ParseCosts(m.Schema, "c", tt.text)
		switch {
		case tt.want == "":
			check.OK(t, err)
			check.Equal(t, "costs", fmt.Sprint(costs[m.Schema.Predicate("knows")], costs[m.Schema.Predicate("owns")]), "[{2 0.5} {2 0.5}] [{1 0} {+Inf 0}]")
		case err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A policy file that was changed by hand or damaged is an error, never a panic.
func TestReadPolicy_Hostile(t *testing.T) {
	t.Parallel()
	_, p := learn(t, 2, 3)
	whole := text(t, p)
	for _, tt := range []struct{ change, to, want string }{
		{`"version":1`, `"version":2`, "version 2 of policies"},
		{`resolwe grow policy`, `other`, "not a policy"},
		{`"chosen":`, `"chosen":-`, "is chosen of"},
		{`"hop":1`, `"hop":99`, "is not a probe"},
		{`["+"`, `["*"`, "a pattern binds one argument"},
		{`"relation":"plays"`, `"relation":"buys"`, "buys is not a relation that can be looked up"},
		{`"order"`, `"orders"`, "unknown field"},
		{`target listed buys`, `listed buys`, "task"},
		{`"leaf":-1}`, `"leaf":null}`, "no feature"},
		{`{"leaf":-1},`, ``, "a rule has"},
		{`"formulas":["`, `"formulas":["0.5 plays(x) => buys(x).","`, ""},
		{`"formulas":["`, `"formulas":["#include \"x\"","`, ""},
		{"\n}\n", "\n}\n{}", "something follows"},
	} {
		changed := strings.Replace(whole, tt.change, tt.to, 1)
		if changed == whole {
			t.Errorf("%s is not in\n%s", tt.change, whole)
		}
		_, err := grow.ReadPolicy("p.json", []byte(changed))
		if e := (*grow.PolicyError)(nil); !errors.As(err, &e) || tt.want != "task" && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.to, err, tt.want)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		data := []byte(whole)
		for range 1 + random.IntN(3) {
			data[random.IntN(len(data))] = `0-{}[]",:x`[random.IntN(10)]
		}
		if q, err := grow.ReadPolicy("p.json", data[:len(data)-random.IntN(2)*random.IntN(len(data))]); err == nil {
			_ = text(t, q)
		}
	}
}
