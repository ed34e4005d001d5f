package watch

import (
	"cmp"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
	"resolwe/kernels/ground"
	"resolwe/kernels/watch"
)

// Limits of the sample of subgraphs of known truth. Of two subgraphs that are fading apart, the later is e times as likely to be in it.
const (
	sampleSize  = 2000
	sampleBytes = 256 << 20
	fading      = 2000
)

// sampled is a subgraph of the sample on which formulas are selected after an alarm.
type sampled struct {
	Place int
	Key   float64 // the sample is sorted by it, ascending
	Bytes int
	Known []uint64 // truth that came later, as in labeled
	item  *item
}

// remember offers a subgraph of known truth, some of which may have come later, to the sample (a weighted reservoir: Efraimidis and Spirakis,
// 2006).
func (w *watcher) remember(it *item, known []uint64) {
	s := &w.state
	if i := slices.IndexFunc(s.Sample, func(x sampled) bool { return len(known) > 0 && x.Place == it.index }); i >= 0 {
		s.Sample[i].Known = known
		return
	}
	u := (float64(features.Hash(w.opt.Select.Gain.Seed, it.sub.Name)>>11) + .5) * (1. / (1 << 53))
	key := elementary.Log(-elementary.Log(u)) - float64(it.index)/fading
	at, _ := slices.BinarySearchFunc(s.Sample, key, func(a sampled, key float64) int { return cmp.Compare(a.Key, key) })
	s.Sample = slices.Insert(s.Sample, at, sampled{it.index, key, footprint(it.sub), known, it})
	sum := 0
	for i, x := range s.Sample {
		if sum += x.Bytes; i == sampleSize || sum > sampleBytes {
			clear(s.Sample[i:]) // releases the subgraphs
			s.Sample = s.Sample[:i]
			break
		}
	}
}

// footprint estimates the memory of a subgraph, however it was read.
func footprint(sub *subgraph.Subgraph) int {
	n := 1000
	for _, d := range sub.Domains {
		n += 32 * d.Size
	}
	for i := range sub.Relations {
		for _, t := range sub.Relations[i].Tables() {
			n += 12 * t.Len() * len(t.Cols)
		}
	}
	return n
}

// reselect selects formulas on the sample, and makes them the challenger. Formulas that remain start at the weights on which the experts
// agree, others at the selection's; then all learn from the sample.
func (w *watcher) reselect() error {
	s := &w.state
	slices.SortFunc(s.Sample, func(a, b sampled) int { return a.Place - b.Place })
	items := make([]*item, len(s.Sample))
	subs := make([]*subgraph.Subgraph, len(s.Sample))
	for i, x := range s.Sample {
		items[i] = &item{index: x.Place, sub: stated(x.item.sub, w.task.Schema, x.Known)}
		subs[i] = items[i].sub.Complete(w.task.Schema)
	}
	slices.SortFunc(s.Sample, func(a, b sampled) int { return cmp.Compare(a.Key, b.Key) })
	now := watch.Averaged(s.Shares, s.Experts)
	formulas := slices.Clone(w.task.Formulas)
	for i, f := range formulas {
		if k := place(w.columns[:len(now)], f); f.HasWeight && k >= 0 {
			formulas[i] = f.WithWeight(now[k])
		}
	}
	selected, err := w.selected(w.task.With(formulas), subs)
	if err != nil {
		return err
	}
	columns, weights := columnsOf(w.task.Schema.WithUnitClauses(selected))
	for i, f := range columns {
		if k := place(w.columns[:len(now)], f); k >= 0 {
			weights[i] = now[k]
		}
	}
	b, err := w.join(ground.Compile(w.task.Schema, columns, ground.Learning), items)
	if err != nil {
		return err
	}
	e := watch.NewExpert(math.Inf(1), weights, w.prior)
	e.Update(b, w.prior)
	s.Candidate, s.Chosen = nil, nil
	w.rearrange(len(now), nil)
	for _, f := range columns {
		k := place(w.columns, f)
		if k < 0 {
			k, w.columns = len(w.columns), append(w.columns, f)
		}
		s.Chosen = append(s.Chosen, k)
	}
	s.Candidate = make([]float64, len(w.columns))
	for i, k := range s.Chosen {
		s.Candidate[k] = e.Weights[i]
	}
	w.compile()
	return nil
}

// place returns the index of a formula among some columns, -1 for none.
func place(columns []*mln.Formula, f *mln.Formula) int {
	text := mln.FormatFormula(f)
	return slices.IndexFunc(columns, func(c *mln.Formula) bool { return mln.FormatFormula(c) == text })
}

// adopt gives the experts the columns of a selection, which has been published.
func (w *watcher) adopt(chosen []int) {
	s := &w.state
	from, weights := make([]int, len(chosen)), make([]float64, len(chosen))
	for j, k := range chosen {
		from[j], weights[j] = k, s.Published[k]
		if k >= len(s.Experts[0].Weights) {
			from[j] = -1
		}
	}
	for i, e := range s.Experts {
		s.Experts[i] = e.Rebased(from, weights, w.prior)
		s.Shares[i] = 1 / float64(len(s.Experts))
	}
	w.rearrange(0, chosen)
	w.compile()
}

// rearrange moves some columns to the front, after those that stay there, and drops those that no model uses.
func (w *watcher) rearrange(stay int, front []int) {
	s := &w.state
	models := append(make([]*[]float64, 0, 2+mostRetired), &s.Published, &s.Frozen)
	for i := range s.Retired {
		models = append(models, &s.Retired[i])
	}
	var order []int
	for i := range stay {
		order = append(order, i)
	}
	order = append(order, front...)
	for i := range w.columns {
		used := slices.ContainsFunc(models, func(m *[]float64) bool { return weight(*m, i) != 0 })
		if used && !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	columns := make([]*mln.Formula, len(order))
	for j, k := range order {
		columns[j] = w.columns[k]
	}
	for _, m := range models {
		moved := make([]float64, len(order))
		for j, k := range order {
			moved[j] = weight(*m, k)
		}
		*m = moved
	}
	w.columns = columns
	s.Layout++
}

// weight returns the weight of a column, 0 if the model lacks it.
func weight(model []float64, column int) float64 {
	if column >= len(model) {
		return 0
	}
	return model[column]
}

// refresh recomputes the columns of a block that was predicted with other columns.
func (w *watcher) refresh(p *pending) (err error) {
	switch {
	case p.Layout == w.state.Layout:
		return nil
	case p.parts != nil:
		err = w.gather(p)
	default:
		p.Block, err = w.join(w.program.Load(), p.items)
	}
	p.Layout = w.state.Layout
	return err
}

// retrieve requests the subgraphs to which a checkpoint refers.
func (w *watcher) retrieve() {
	s := &w.state
	w.from, w.wanted = s.Next+s.Later.Records, map[int]*item{}
	s.Later.Records = 0 // they are counted again
	if w.opt.Adapt != AdaptStructure {
		return
	}
	want := func(place int) *item {
		if w.wanted[place] == nil {
			w.wanted[place] = &item{index: place}
		}
		return w.wanted[place]
	}
	for _, a := range s.Awaited {
		for _, place := range a.Places {
			a.items = append(a.items, want(place))
		}
	}
	for _, p := range s.Waiting {
		for _, place := range p.Places {
			p.items = append(p.items, want(place))
		}
	}
	for i := range s.Sample {
		s.Sample[i].item = want(s.Sample[i].Place)
	}
}
