package inferring

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/internal/stage/run"
	"resolwe/kernels/derive"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// FeatureOptions say which features to compute. The zero value is valid.
type FeatureOptions struct {
	// Others includes formulas with several target literals, whose other atoms are set to their truth in the data. Use such
	// features only with training data. Groundings with an atom of unknown truth do not count.
	Others bool
	// Quantities makes the feature of a formula with one target literal, whose evidence is one number, that number: the value of a
	// counting literal or an aggregate, or the number that an atom states, compared or not (mln.Formula.Quantity). It is NaN if
	// there is no such number, or if the head does not match the atom.
	Quantities bool
	Run        run.Run
}

// FeatureColumns returns the indices of the formulas of a model for which Features computes values, and for each other formula the
// reason why it does not.
func FeatureColumns(m *run.Model, opt FeatureOptions) (columns []int, leftOut []FeatureError) {
	f := newFeaturePlan(m, opt)
	return f.columns, f.leftOut
}

// FeatureError says why a formula has no feature.
type FeatureError struct {
	Formula int // index in the model
	Reason  string
	Tied    bool // it has several target literals: see FeatureOptions.Others
}

// FeatureRows are the features of a subgraph's query atoms, in the order of Marginals. They may refer to the stream's memory, which
// is valid until the stream is closed.
type FeatureRows struct {
	Subgraph string
	Index    int // position in the stream
	Fold     int // -1 if none
	run.QueryAtoms

	of    *featurePlan
	net   *network.Network
	apart [][]float64 // by column, then query atom, of formulas with several target literals and quantities; nil for others
}

// Features is resolwe.Features, except that it passes results to emit, whose error ends it.
func Features(ctx context.Context, m *run.Model, s *run.Stream, opt FeatureOptions, emit func(*FeatureRows) error) error {
	s, err := m.On(s)
	if err = cmp.Or(err, run.NeedsCallback(emit != nil)); err != nil {
		return err
	}
	f := newFeaturePlan(m, opt)
	newGrounders := func() *featureGrounders { return f.newGrounders(ctx, &opt.Run) }
	return run.Process(ctx, s, &opt.Run, newGrounders, (*featureGrounders).rows, emit)
}

// featurePlan is the plan for computing the features of a model.
type featurePlan struct {
	columns []int
	leftOut []FeatureError
	single  *ground.Program // of the formulas with one target literal
	signs   []int64         // by formula of single: the factor that turns its coefficients into n
	place   []int           // by formula of single, its column
	several *ground.Program // of the parts of the others
	tied    []tiedFeature

	quantities []quantityFeatures
}

// quantityFeatures are the formulas on one predicate whose features are numbers.
type quantityFeatures struct {
	pred    int
	columns []int
	items   []derive.Item
	program *derive.Measures
}

// tiedFeature is a formula with several target literals.
type tiedFeature struct {
	column      int
	shape       mln.Shape
	first, last int // its parts, which share no grounding
}

func newFeaturePlan(m *run.Model, opt FeatureOptions) *featurePlan {
	f := &featurePlan{}
	var single, parts []*mln.Formula
	for i, formula := range m.Formulas {
		soft := *formula
		soft.Hard = false
		column := len(f.columns)
		headed, isHeaded := soft.Headed(m.Schema)
		outside, quantified := m.Schema.Targets(soft.Body)
		n := len(outside) + len(quantified)
		switch {
		case n == 0:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has no target literal", false})
			continue
		case len(quantified) > 0:
			f.leftOut = append(f.leftOut, FeatureError{i, "a target literal is under a quantifier", false})
			continue
		case n > 1 && !isHeaded:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has several target literals and is neither a conjunction nor an implication", false})
			continue
		case n > 1 && !opt.Others:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has several target literals", true})
			continue
		case n > 1:
			t := tiedFeature{column, soft.Shape, len(parts), 0}
			parts = append(parts, headed.HeadApart()...)
			t.last = len(parts)
			f.tied = append(f.tied, t)
		default:
			if opt.Quantities && soft.Shape == mln.ShapeNone {
				if c, head, ok := soft.Quantity(m.Schema); ok {
					f.addQuantity(column, head, derive.Item{Vars: soft.Vars, Count: c, Head: head.Args})
					break
				}
			}
			sign := int64(1)
			if isHeaded {
				if _, head := headed.Head(); head.Negated {
					sign = -1
				}
			}
			single = append(single, &soft)
			f.signs, f.place = append(f.signs, sign), append(f.place, column)
		}
		f.columns = append(f.columns, i)
	}
	f.single = ground.Compile(m.Schema, single, ground.Predicting)
	f.several = ground.Compile(m.Schema, parts, ground.Heading)
	for i := range f.quantities {
		f.quantities[i].program = derive.NewMeasures(m.Schema, f.quantities[i].items)
	}
	return f
}

func (f *featurePlan) addQuantity(column int, head *mln.Atom, item derive.Item) {
	i := slices.IndexFunc(f.quantities, func(q quantityFeatures) bool { return q.pred == head.Pred })
	if i < 0 {
		i = len(f.quantities)
		f.quantities = append(f.quantities, quantityFeatures{pred: head.Pred})
	}
	q := &f.quantities[i]
	q.columns, q.items = append(q.columns, column), append(q.items, item)
}

// featureGrounders is a worker's memory.
type featureGrounders struct {
	of              *featurePlan
	single, several *ground.Grounder
	quantities      []*derive.Measurer
}

func (f *featurePlan) newGrounders(ctx context.Context, run *run.Run) *featureGrounders {
	g := &featureGrounders{of: f, single: run.NewGrounder(ctx, f.single), several: run.NewGrounder(ctx, f.several)}
	for i := range f.quantities {
		g.quantities = append(g.quantities, derive.NewMeasurer(f.quantities[i].program))
		g.quantities[i].Stop(func() error { return context.Cause(ctx) })
	}
	return g
}

func (g *featureGrounders) rows(sub *subgraph.Subgraph) (*FeatureRows, error) {
	net, atoms, err := g.single.Ground(sub)
	if err != nil {
		return nil, err
	}
	out := &FeatureRows{
		Subgraph: sub.Name, Index: sub.Index, Fold: sub.Fold, QueryAtoms: run.QueryAtoms{Atoms: atoms}, of: g.of, net: net,
		apart: make([][]float64, len(g.of.columns)),
	}
	for i := range g.quantities {
		if err := g.measure(i, out); err != nil {
			return nil, err
		}
	}
	if len(g.of.tied) == 0 {
		return out, nil
	}
	if _, _, err := g.several.Ground(sub); err != nil {
		return nil, err
	}
	for i := range g.of.tied {
		out.apart[g.of.tied[i].column] = g.values(&g.of.tied[i], atoms.Len())
	}
	return out, nil
}

// measure sets the quantities of one predicate's atoms.
func (g *featureGrounders) measure(i int, out *FeatureRows) error {
	q := &g.of.quantities[i]
	values, err := g.quantities[i].Values(out.Atoms.Sub, out.Atoms.Columns(q.pred))
	if err != nil {
		return err
	}
	first, _ := out.Atoms.Of(q.pred)
	for k, column := range q.columns {
		all := slices.Repeat([]float64{math.NaN()}, out.Atoms.Len())
		copy(all[first:], values[k]) // all are free
		out.apart[column] = all
	}
	return nil
}

// values returns the values of a formula with several target literals, by query atom.
func (g *featureGrounders) values(t *tiedFeature, atoms int) []float64 {
	n, m := make([]float64, atoms), make([]float64, atoms)
	for part := t.first; part < t.last; part++ {
		rest, evidence := g.several.Heads(part)
		for _, h := range rest {
			n[h.Atom] += float64(h.N)
		}
		for _, h := range evidence {
			m[h.Atom] += float64(h.N)
		}
	}
	for a, k := range n {
		switch t.shape {
		case mln.ShapeNone:
		case mln.ShapeOnce:
			n[a] = min(k, 1)
		case mln.ShapeLog:
			n[a] = elementary.Log2(1 + k)
		case mln.ShapeMean:
			n[a] = k / math.Max(1, m[a])
		case mln.ShapeRank, mln.ShapeRelative: // of one target literal
		}
	}
	return n
}

// Values returns an atom's features, by column, in the memory of dst if it is large enough.
func (r *FeatureRows) Values(i int, dst []float64) []float64 {
	dst = grow.Zeroed(dst, len(r.of.columns))
	if a, ok := r.Atoms.Free(i); ok {
		for _, c := range r.net.Unary[r.net.UnaryStart[a]:r.net.UnaryStart[a+1]] {
			c.Mult *= r.of.signs[c.Formula]
			dst[r.of.place[c.Formula]] += r.net.Groundings(c)
		}
	}
	for c, values := range r.apart {
		if values != nil {
			dst[c] = values[i]
		}
	}
	return dst
}

// Count is how often a formula holds in a subgraph.
type Count struct {
	N      int64   // true groundings, for a formula without a shape
	Value  float64 // for a formula with a shape
	Shaped bool
}

// String returns the number.
func (c Count) String() string {
	if c.Shaped {
		return strconv.FormatFloat(c.Value, 'g', -1, 64)
	}
	return strconv.FormatInt(c.N, 10)
}

// MarshalJSON returns the number.
func (c Count) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// Counts passes the count of each formula on the data of each subgraph to emit, in stream order.
func Counts(ctx context.Context, m *run.Model, s *run.Stream, how run.Run, emit func(name string, counts []Count) error) error {
	s, err := m.On(s)
	if err = cmp.Or(err, run.NeedsCallback(emit != nil)); err != nil {
		return err
	}
	type result struct {
		name   string
		counts []Count
	}
	program := ground.Compile(m.Schema, m.Formulas, ground.Counting)
	return run.Process(ctx, s, &how, func() *ground.Grounder { return how.NewGrounder(ctx, program) },
		func(g *ground.Grounder, sub *subgraph.Subgraph) (result, error) {
			net, _, err := g.Ground(sub)
			if err != nil {
				return result{}, err
			}
			r := result{sub.Name, make([]Count, len(m.Formulas))}
			values := g.Values()
			for i, f := range m.Formulas {
				r.counts[i] = Count{net.Constant[i], values[i], f.Shape != mln.ShapeNone}
			}
			return r, nil
		},
		func(r result) error { return emit(r.name, r.counts) })
}
