package grow

import (
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/grow"
)

// Policy says what to fetch for a center, in which order, and when to stop.
type Policy struct {
	Schema  *mln.Schema
	Centers []bool // by type: whether the center is an entity of it
	Costs   grow.Costs
	Order   []Stage // from fetching nothing to everything
	Random  []Stage // the same in random order, as a baseline
	Rules   []*grow.Rule
	Chosen  int // index of the rule in use; prices fall along Rules
	Loss    grow.Loss
	Keep    float64 // share of the full MAP that the chosen rule had to keep, or 0
	Budget  float64 // or share of the full cost that it could spend
	Seed    uint64
	Learned Learned

	model *resolwe.Model
}

// Learned says what the policy was learned from, and how well its held-out predictions did there.
type Learned struct {
	Subgraphs int
	Prefixes  []Figures // by stage, with every center stopping there
	Chosen    Figures
}

// Figures are means over subgraphs.
type Figures struct {
	Cost float64
	MAP  float64 // NaN if no subgraph has both a true and a false atom
	CLL  float64
}

func figures(d *grow.Dot) Figures { return Figures{d.Cost, d.MAP.Mean, d.CLL.Mean} }

// measure returns the figure that the rules raise.
func (p *Policy) measure(f Figures) float64 {
	if p.Loss == grow.LossCLL {
		return f.CLL
	}
	return f.MAP
}

// Model returns the predicates of the policy with the formulas of all its models. Open streams for it.
func (p *Policy) Model() *resolwe.Model {
	var formulas []*mln.Formula
	for _, order := range [][]Stage{p.Order, p.Random} {
		for _, s := range order {
			formulas = append(formulas, s.Formulas...)
		}
	}
	return p.model.With(formulas)
}

// Last returns the model of the last stage, which predicts when the policy never stops early.
func (p *Policy) Last() *resolwe.Model { return p.model.With(p.Order[len(p.Order)-1].Formulas) }

// induce computes the rules and chooses one: the cheapest that keeps enough, or the best that the budget affords.
func (p *Policy) induce(traces []*grow.Trace) {
	ranked := slices.ContainsFunc(traces, func(t *grow.Trace) bool { return t.Ranked })
	if !ranked {
		p.Loss = grow.LossCLL
	}
	rules, stops := grow.Sweep(traces, p.Loss)
	last := len(p.Order) - 1
	always := &grow.Rule{Trees: slices.Repeat([]*grow.Tree{{Leaf: -1}}, last)}
	rules, stops = append(rules, always), append(stops, slices.Repeat([]int{last}, len(traces)))
	p.Rules = rules
	p.Learned.Subgraphs = len(traces)
	for k := range p.Order {
		p.Learned.Prefixes = append(p.Learned.Prefixes, figures(grow.NewDot(traces, func(int, *grow.Trace) int { return k }, 0)))
	}
	none, full := p.Learned.Prefixes[0], p.Learned.Prefixes[last]
	p.Chosen = -1
	for i, s := range stops {
		f := figures(grow.NewDot(traces, func(i int, _ *grow.Trace) int { return s[i] }, 0))
		enough := f.Cost <= p.Budget*full.Cost
		if p.Keep > 0 && ranked {
			enough = f.MAP >= p.Keep*full.MAP
		} else if p.Keep > 0 {
			enough = f.CLL-none.CLL >= float64(p.Keep*(full.CLL-none.CLL))
		}
		chosen := p.Learned.Chosen
		better := f.Cost < chosen.Cost
		if a, b := p.measure(f), p.measure(chosen); p.Budget > 0 && a != b {
			better = a > b
		}
		if enough && (p.Chosen < 0 || better) {
			p.Chosen, p.Learned.Chosen = i, f
		}
	}
	if p.Chosen < 0 { // the budget allows nothing
		p.Rules = slices.Insert(p.Rules, 0, &grow.Rule{Lambda: math.MaxFloat64, Trees: slices.Repeat([]*grow.Tree{{}}, last)})
		p.Chosen, p.Learned.Chosen = 0, none
	}
}
