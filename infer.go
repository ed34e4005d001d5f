package resolwe

import (
	"context"
	"iter"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
)

// InferOptions are the parameters of inference. The zero value is MethodAuto with 1,000 samples in all, from four chains, each
// after a burn-in of 100.
type InferOptions = inferring.Options

// Method is a method of inference.
type Method = inferring.Method

// The methods of inference.
const (
	MethodAuto  = inferring.MethodAuto
	MethodMCSAT = inferring.MethodMCSAT
	MethodGibbs = inferring.MethodGibbs
	MethodExact = inferring.MethodExact
)

// Marginals are the probabilities of a subgraph's query atoms, by predicate in the order of the model's schema, then by arguments.
// They may refer to the stream's memory, which is valid until the stream is closed.
type Marginals = inferring.Marginals

// Quality summarises how far the sampled marginals of many subgraphs can be trusted. The zero value is empty.
type Quality = inferring.Quality

// Infer computes the marginal probabilities of the query atoms of each subgraph, in stream order. Formulas without a weight have weight
// 0; if none has one, or an option is out of range, the error is an *OptionError. If hard formulas cannot be satisfied, it is a
// *SubgraphError that wraps a *ground.ViolationError or an *UnsatisfiableError. Workers without a subgraph of their own help with the
// chains of another.
func Infer(ctx context.Context, m *Model, s *Stream, opt InferOptions) iter.Seq2[*Marginals, error] {
	return weighed(m, func(emit func(*Marginals) error) error { return inferring.Infer(ctx, m, s, opt, emit) })
}

// Score computes the marginal probabilities of one subgraph, whose relations must be in the order of the model's schema, as Infer does for
// the first subgraph of a stream. They are nil if InferOptions.Stop or Unknown skips it.
func Score(ctx context.Context, m *Model, sub *subgraph.Subgraph, opt InferOptions) (out *Marginals, err error) {
	for out, err = range Infer(ctx, m, NewStream(m, []*subgraph.Subgraph{sub}), opt) {
	}
	return out, err
}

// MapOptions are the parameters of Map. The zero value is valid.
type MapOptions = inferring.MapOptions

// MapMethod is a method of finding the most probable state.
type MapMethod = inferring.MapMethod

// The methods of Map.
const (
	MapAuto   = inferring.MapAuto
	MapExact  = inferring.MapExact
	MapSearch = inferring.MapSearch
)

// MapState is the most probable state of a subgraph's query atoms, by predicate in the order of the model's schema, then by
// arguments. It may refer to the stream's memory, which is valid until the stream is closed.
type MapState = inferring.MapState

// Map computes the most probable state of the query atoms of each subgraph, in stream order. Formulas without a weight have weight 0. Each
// component is solved separately: exactly if it has a small junction tree, with the first of equally probable states, false before true
// in the order of the atoms; otherwise by local search. If no state satisfies the hard formulas, or none was found, the state is one that
// violates few of their groundings: all soft formulas together do not outweigh one more violation. If no formula has a weight, or an
// option is out of range, the error is an *OptionError; if a count does not fit in 63 bits, or MapExact finds a component too large, a
// *SubgraphError.
func Map(ctx context.Context, m *Model, s *Stream, opt MapOptions) iter.Seq2[*MapState, error] {
	return weighed(m, func(emit func(*MapState) error) error { return inferring.Map(ctx, m, s, opt, emit) })
}
