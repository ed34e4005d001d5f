package resolwe

import (
	"context"
	"iter"

	"resolwe/internal/stage/inferring"
)

// ExplainOptions say what to explain.
type ExplainOptions = inferring.ExplainOptions

// Explanation says why a query atom has its probability.
type Explanation = inferring.Explanation

// Explain returns explanations of the query atoms of a subgraph, in order. The stream must have been opened with
// StreamOptions.Names. If there is no such subgraph, or it has no such query atom that is not given, the error is an *OptionError;
// other errors are those of Infer.
func Explain(ctx context.Context, m *Model, s *Stream, opt ExplainOptions) iter.Seq2[*Explanation, error] {
	return weighed(m, func(emit func(*Explanation) error) error { return inferring.Explain(ctx, m, s, opt, emit) })
}

// FeatureOptions say which features to compute. The zero value is valid.
type FeatureOptions = inferring.FeatureOptions

// FeatureRows are the features of a subgraph's query atoms, in the order of Marginals. They may refer to the stream's memory, which
// is valid until the stream is closed.
type FeatureRows = inferring.FeatureRows

// FeatureColumns returns the indices of the formulas of a model for which Features computes values, and for each other formula the
// reason why it does not.
func FeatureColumns(m *Model, opt FeatureOptions) (columns []int, leftOut []inferring.FeatureError) {
	return inferring.FeatureColumns(m, opt)
}

// Features returns the features of the query atoms of each subgraph, in stream order. The feature of an atom for a formula
// of FeatureColumns is n, or the value of the formula's shape at n, where n is the number of bindings of the formula's other
// variables for which everything but the head holds, with the head (the last target literal) bound to the atom. For a formula that
// is neither a conjunction of literals nor an implication from one to target literals, n is the increase in the number of true
// groundings when the atom becomes true. Weights play no part.
func Features(ctx context.Context, m *Model, s *Stream, opt FeatureOptions) iter.Seq2[*FeatureRows, error] {
	return sequence(func(emit func(*FeatureRows) error) error { return inferring.Features(ctx, m, s, opt, emit) })
}

// Count is how often a formula holds in a subgraph.
type Count = inferring.Count

// Counts returns the count of each formula on the data of each subgraph, in stream order.
func Counts(ctx context.Context, m *Model, s *Stream, how Run) iter.Seq2[[]Count, error] {
	return sequence(func(emit func([]Count) error) error {
		return inferring.Counts(ctx, m, s, how, func(_ string, counts []Count) error { return emit(counts) })
	})
}
