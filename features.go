package resolwe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/explain"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// FeatureOptions say which features there are. The zero value is good.
type FeatureOptions struct {
	// Others takes in the formulas of several target literals, whose other atoms stand at the truth that the data states:
	// what depends on it may be known of training data only. Groundings with an atom of unknown truth do not count.
	Others bool
	Run    Run
}

// FeatureColumns returns the indices of the formulas of a model that Features gives values of, and says why there are none of the
// others.
func FeatureColumns(m *Model, opt FeatureOptions) (columns []int, leftOut []FeatureError) {
	f := newFeatures(m, opt.Others)
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
	tied [][]float64 // by column, of those that have several target literals: by query atom
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
	f := newFeatures(m, opt.Others)
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
}

// tiedFeature is a formula of several target literals.
type tiedFeature struct {
	column      int
	shape       mln.Shape
	first, last int // its parts: no grounding is one of two of them
}

func newFeatures(m *Model, others bool) *features {
	f := &features{}
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
		case n > 1 && !others:
			f.leftOut = append(f.leftOut, FeatureError{i, "it has several target literals", true})
			continue
		case n > 1:
			t := tiedFeature{column, soft.Shape, len(parts), 0}
			parts = append(parts, headed.HeadApart()...)
			t.last = len(parts)
			f.tied = append(f.tied, t)
		default:
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
}

func (f *features) newGrounders(ctx context.Context, run *Run) *featureGrounders {
	return &featureGrounders{f, run.newGrounder(ctx, f.single, nil), run.newGrounder(ctx, f.several, nil)}
}

func (g *featureGrounders) rows(sub *subgraph.Subgraph) (*FeatureRows, error) {
	net, atoms, err := g.single.Ground(sub)
	if err != nil {
		return nil, err
	}
	out := &FeatureRows{
		Subgraph: sub.Name, Index: sub.Index, Fold: sub.Fold, queryAtoms: queryAtoms{atoms}, of: g.of, net: net,
		tied: make([][]float64, len(g.of.tied)),
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
		dst[r.of.tied[t].column] = values[i]
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

// ExplainOptions say what to explain.
type ExplainOptions struct {
	Subgraph   string       // its name
	Atom       string       // a query atom of it, as text; "" for all
	Groundings int          // of each formula at most; 0 for 3, negative for none
	NoEvidence bool         // do not look for evidence without which the log-odds would have the other sign
	Infer      InferOptions // of the marginals
}

// listed returns how many things to list, of which 0 stands for 3 and a negative number for none.
func listed(n int) int { return max(0, cmp.Or(n, 3)) }

// Explanation says why a query atom has its probability.
type Explanation = explain.Explanation

// Explain hands explanations of query atoms of a subgraph to emit, in their order. The stream must have been opened with
// StreamOptions.Names. Where there is no such subgraph, or no such query atom in it that is not given, the error is an *OptionError;
// others are those of Infer. An error of emit ends it.
func Explain(ctx context.Context, m *Model, s *Stream, opt ExplainOptions, emit func(*Explanation) error) error {
	if err := cmp.Or(m.check(s), needs(emit != nil)); err != nil {
		return err
	}
	newInferrer, err := opt.Infer.newInferrers(ctx, m)
	if err != nil {
		return err
	}
	var names []string // of the subgraphs, where they are known before they are read
	if !s.ReadOnce() {
		entries, err := s.Entries(ctx)
		if err != nil {
			return err
		}
		list := []int{}
		for _, e := range entries {
			names = append(names, e.Name)
			if e.Name == opt.Subgraph {
				list = append(list, e.Index)
			}
		}
		s = s.Pick(list)
	}
	found, near := false, ""
	err = Process(ctx, s, &opt.Infer.Run, newInferrer, func(f *inferrer, sub *subgraph.Subgraph) (*explanations, error) {
		if sub.Name != opt.Subgraph {
			return &explanations{}, nil
		}
		return f.explain(m, sub, &opt)
	}, func(r *explanations) error {
		near = cmp.Or(near, r.near)
		for _, e := range r.list {
			found = true
			if err := emit(e); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil || found:
		return err
	case opt.Atom == "":
		return &OptionError{"ExplainOptions.Subgraph", fmt.Sprintf("the stream has no subgraph %q with query atoms", opt.Subgraph) + lex.DidYouMean(opt.Subgraph, names)}
	}
	return &OptionError{"ExplainOptions.Atom", fmt.Sprintf("%q is no query atom to explain in a subgraph %q of the stream", opt.Atom, opt.Subgraph) + near}
}

// explanations are those of a subgraph.
type explanations struct {
	list []*Explanation
	near string // asks for another atom where there is none to explain
}

// explain explains the query atoms of a subgraph that are wanted.
func (f *inferrer) explain(m *Model, sub *subgraph.Subgraph, opt *ExplainOptions) (*explanations, error) {
	e, judging := explain.NewExplainer(m.Schema, m.Formulas, f.weights, listed(opt.Groundings)), explain.NewExplainer(m.Schema, nil, f.weights, 0)
	bind := func(e *explain.Explainer, sub *subgraph.Subgraph) (*Marginals, error) {
		r, err := f.marginals(sub)
		if err != nil {
			return nil, err
		}
		p := make([]float64, f.model.Net.NumAtoms)
		for i, v := range r.P {
			if at, ok := r.atoms.Free(i); ok {
				p[at] = v
			}
		}
		e.Bind(f.model.Net, r.atoms, p)
		return r, nil
	}
	f.helpers.Begin()
	defer f.helpers.End()
	r, err := bind(e, sub)
	if err != nil {
		return nil, err
	}
	var out []*Explanation
	for i := range r.P {
		at, free := r.atoms.Free(i)
		if !free || opt.Atom != "" && squeezed(opt.Atom) != squeezed(r.Atom(i)) {
			continue
		}
		var judge explain.Judge
		if !opt.NoEvidence {
			judge = func(sub *subgraph.Subgraph) (float64, []explain.Reason, error) {
				_, err := bind(judging, sub)
				if errors.As(err, new(*ground.ViolationError)) || errors.As(err, new(*UnsatisfiableError)) {
					return 0, nil, nil // the evidence is needed for another reason
				}
				if err != nil {
					return 0, nil, err
				}
				logOdds, _, list, _, _ := judging.Odds(uint32(at)) // #nosec G115 -- an atom's place
				return logOdds, list, nil
			}
		}
		x, err := e.Explain(i, judge)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	if len(out) > 0 || opt.Atom == "" {
		return &explanations{list: out}, nil
	}
	atoms := make([]string, len(r.P))
	for i := range atoms {
		atoms[i] = r.Atom(i)
	}
	return &explanations{near: lex.DidYouMean(opt.Atom, atoms)}, nil
}
