package resolwe

import (
	"context"

	"resolwe/internal/stage/inferring"
)

// Evaluation says how well marginals predict the truth. An undefined measure is NaN.
type Evaluation = inferring.Evaluation

// Evaluate runs inference on each subgraph of a stream, as Infer does, and compares the marginals with the truth. It keeps 16 bytes
// for each atom. Subgraphs that InferOptions.Stop skips are not counted in any figure.
func Evaluate(ctx context.Context, m *Model, s *Stream, opt InferOptions) (*Evaluation, error) {
	if err := m.Weighs(); err != nil {
		return nil, err
	}
	return inferring.Evaluate(ctx, m, s, opt)
}
