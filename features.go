package resolwe

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/derive"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// FeatureOptions say which features there are. The zero value is good.
type FeatureOptions struct {
	// Others takes in the formulas of several target literals, whose other atoms stand at the truth that the data states:
	// what depends on it may be known of training data only. Groundings with an atom of unknown truth do not count.
	Others bool
	// Quantities gives, for a formula of one target literal whose evidence compares one number, this number: the value of a counting
	// literal or an aggregate, or the number that an atom states (mln.Formula.Quantity). It is NaN where there is none, and where the
	// head is not over the atom.
	Quantities bool
	Run        Run
}

// FeatureColumns returns the indices of the formulas of a model that Features gives values of, and says why there are none of the
// others.
func FeatureColumns(m *Model, opt FeatureOptions) (columns []int, leftOut []FeatureError) {
	f := newFeatures(m, opt)
	return f.columns, f.leftOut
}

// FeatureError says why a formula is no feature.
type FeatureError struct {
	Formula int // index in the model
	Reason  string
	Tied    bool // it has several target literals, which FeatureOptions.Others takes in
}

// FeatureRows are the features of a subgraph's query atoms, which are in the order of Marginals. They may refer to the stream, until
// it is closed.
type FeatureRows struct {
	Subgraph string
	Index    int // position in the stream
	Fold     int // -1 where none
	queryAtoms

	of   *features
	net  *network.Network
	tied [][]float64 // by query atom, of formulas that have several target literals, then of the quantities
}

// Features hands the features of the query atoms of each subgraph to emit, in stream order: of an atom, for each formula of
// FeatureColumns, what its shape makes of n, or n, the number of bindings of the formula's other variables for which all but the
// head, its last target literal, holds, the head being the atom. Of a formula that is neither a conjunction of literals
// nor an implication of target literals by such a one, n is by how many the true groundings become more as the atom becomes true. Weights play no part.
// An error of emit ends it.
func Features(ctx context.Context, m *Model, s *Stream, opt FeatureOptions, emit func(*FeatureRows) error) error {
	if err := cmp.Or(m.check(s), needs(emit != nil)); err != nil {
		return err
	}
	f := newFeatures(m, opt)
	newGrounders := func() *featureGrounders { return f.newGrounders(ctx, &opt.Run) }
	return Process(ctx, s, &opt.Run, newGrounders, (*featureGrounders).rows, emit)
}

// features is how the features of a model are computed.
type features struct {
	columns []int
	leftOut []FeatureError
	single  *ground.Program // of the formulas of one target literal
	signs   []int64         // by formula of single: what makes its coefficients n
	place   []int           // by formula of single, its column
	several *ground.Program // of the parts of the others
	tied    []tiedFeature

	derived    *derive.Relations // of the quantities
	quantities []quantityFeature
}

// quantityFeature is a formula whose number is asked for.
type quantityFeature struct {
	column   int
	quantity *derive.HeadQuantity
}

// tiedFeature is a formula of several target literals.
type tiedFeature struct {
	column      int
	shape       mln.Shape
	first, last int // its parts: no grounding belongs to two of them
}

func newFeatures(m *Model, opt FeatureOptions) *features {
	f := &features{derived: derive.New(m.Schema)}
	var single, parts []*mln.Formula
	for i, formula := range m.Formulas {
		soft := *formula
		soft.Hard = false
		column := len(f.columns)
		headed, isHeaded := soft.Headed(m.Schema)
		n, quantified := targetsOf(m.Schema, soft.Body)
		switch {
		case n == 0:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has no target literal", false})
			continue
		case quantified:
			f.leftOut = append(f.leftOut, FeatureError{i, "a target literal stands under a quantifier", false})
			continue
		case n > 1 && !isHeaded:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has several target literals and is no conjunction or implication", false})
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
			if opt.Quantities {
				if q := f.derived.HeadQuantity(&soft); q != nil {
					f.quantities = append(f.quantities, quantityFeature{column, q})
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
	return f
}

// targetsOf returns how many target literals an expression has, and whether one stands under a quantifier.
func targetsOf(schema *mln.Schema, x mln.Expr) (n int, quantified bool) {
	if a, ok := x.(*mln.Atom); ok && schema.Predicates[a.Pred].Role.IsTarget() {
		return 1, false
	}
	for _, y := range mln.Operands(x) {
		k, under := targetsOf(schema, y)
		n, quantified = n+k, quantified || under
	}
	switch x.(type) {
	case *mln.Exists, *mln.ForAll:
		quantified = quantified || n > 0
	}
	return n, quantified
}

// featureGrounders is a worker's memory.
type featureGrounders struct {
	of              *features
	single, several *ground.Grounder
	derive          *derive.Scratch
}

func (f *features) newGrounders(ctx context.Context, run *Run) *featureGrounders {
	d := derive.NewScratch(f.derived)
	d.Stop(func() error { return context.Cause(ctx) })
	return &featureGrounders{f, run.newGrounder(ctx, f.single, nil), run.newGrounder(ctx, f.several, nil), d}
}

func (g *featureGrounders) rows(sub *subgraph.Subgraph) (*FeatureRows, error) {
	net, atoms, err := g.single.Ground(sub)
	if err != nil {
		return nil, err
	}
	out := &FeatureRows{
		Subgraph: sub.Name, Index: sub.Index, Fold: sub.Fold, queryAtoms: queryAtoms{atoms}, of: g.of, net: net,
		tied: make([][]float64, len(g.of.tied)+len(g.of.quantities)),
	}
	if len(g.of.quantities) > 0 {
		if _, err := g.derive.Extend(sub); err != nil {
			return nil, err
		}
	}
	for i, q := range g.of.quantities {
		values, err := g.derive.Quantities(q.quantity.Quantity)
		if err != nil {
			return nil, err
		}
		out.tied[len(g.of.tied)+i] = g.quantities(q.quantity, values, atoms)
	}
	if len(g.of.tied) == 0 {
		return out, nil
	}
	if _, _, err := g.several.Ground(sub); err != nil {
		return nil, err
	}
	for i := range g.of.tied {
		out.tied[i] = g.values(&g.of.tied[i], atoms.Len())
	}
	return out, nil
}

// quantities returns values by query atom.
func (g *featureGrounders) quantities(q *derive.HeadQuantity, values *derive.Quantities, atoms *ground.Atoms) []float64 {
	out := make([]float64, atoms.Len())
	var args []uint32
	for i := range out {
		var pred int
		pred, args = atoms.Args(i, args)
		v, ok := g.derive.AtHead(q, values, pred, args)
		if out[i] = v; !ok {
			out[i] = math.NaN()
		}
	}
	return out
}

// values returns the values of a formula of several target literals, by query atom.
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
		}
	}
	return n
}

// Values returns an atom's features, by column, in the memory of dst where that suffices.
func (r *FeatureRows) Values(i int, dst []float64) []float64 {
	dst = slices.Grow(dst[:0], len(r.of.columns))[:len(r.of.columns)]
	clear(dst)
	if a, ok := r.atoms.Free(i); ok {
		for _, c := range r.net.Unary[r.net.UnaryStart[a]:r.net.UnaryStart[a+1]] {
			v := float64(c.Mult * r.of.signs[c.Formula])
			if r.net.Scale != nil {
				v = float64(v * r.net.Scale[c.Formula])
			}
			dst[r.of.place[c.Formula]] += v
		}
	}
	for t, values := range r.tied {
		if t < len(r.of.tied) {
			dst[r.of.tied[t].column] = values[i]
		} else {
			dst[r.of.quantities[t-len(r.of.tied)].column] = values[i]
		}
	}
	return dst
}

// Count is how often a formula holds in a subgraph.
type Count struct {
	N      int64   // true groundings, of a formula without a shape
	Value  float64 // of one that has a shape
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

// Counts hands the count of each formula on the data of each subgraph to emit, in stream order.
func Counts(ctx context.Context, m *Model, s *Stream, run Run, emit func(name string, counts []Count) error) error {
	if err := cmp.Or(m.check(s), needs(emit != nil)); err != nil {
		return err
	}
	type result struct {
		name   string
		counts []Count
	}
	program := ground.Compile(m.Schema, m.Formulas, ground.Counting)
	return Process(ctx, s, &run, func() *ground.Grounder { return run.newGrounder(ctx, program, nil) },
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
