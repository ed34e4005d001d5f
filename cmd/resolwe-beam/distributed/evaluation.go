package distributed

import (
	"context"

	"resolwe"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/wire"
	"resolwe/kernels/rank"
)

// SubgraphFigures are the measures of a subgraph, for comparing systems by paired tests.
type SubgraphFigures struct {
	Index int // position in the stream
	inferring.Figures
}

// EvaluationPart is the evaluation of a part of a stream, which can be sent as bytes. The zero value is empty.
type EvaluationPart struct {
	Subgraphs []SubgraphFigures // in stream order
	Skipped   int               // skipped damaged subgraphs
	Quality   resolwe.Quality   // of the marginals

	cases inferring.Cases
}

// EvaluatePart runs inference on each subgraph of a part of a stream, as resolwe.Infer does, and compares the marginals with the
// truth.
func EvaluatePart(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt resolwe.InferOptions,
) (*EvaluationPart, error) {
	out := &EvaluationPart{}
	out.Quality.Watch(&opt)
	err := inferring.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
		out.Quality.Add(r)
		atoms := r.Predictions()
		out.Subgraphs = append(out.Subgraphs, SubgraphFigures{r.Index, rank.Evaluate(atoms)})
		out.cases.Add(atoms, out.cases.UnitsOf(r.Units))
		return nil
	})
	out.Skipped = s.Skipped()
	return out, err
}

// EvaluationSum sums the parts of an evaluation. The zero value is empty.
type EvaluationSum struct {
	sum  inferring.Evaluator
	next int
}

// Add adds the next part. If its subgraphs do not come after those of the earlier parts, the error is a *PartError and nothing is
// added.
func (p *EvaluationSum) Add(part *EvaluationPart) error {
	next := p.next
	for _, s := range part.Subgraphs {
		if s.Index < next {
			return &PartError{"part of an evaluation", "out of order"}
		}
		next = s.Index + 1
	}
	atoms, units := part.cases.Atoms, part.cases.Units
	for _, s := range part.Subgraphs {
		n, m := s.Atoms, min(s.Atoms, len(units))
		p.sum.AddFigures(s.Figures, atoms[:n], units[:m])
		atoms, units = atoms[n:], units[m:]
	}
	p.next = next
	p.sum.Quality.Merge(&part.Quality)
	return nil
}

// Evaluation returns what resolwe.Evaluate would return for the parts as one stream, with the seed of its options. No part may be added
// after it.
func (p *EvaluationSum) Evaluation(seed uint64) *resolwe.Evaluation { return p.sum.Whole(seed) }

// evaluationMagic begins an encoded part of an evaluation. Its fields follow in order, written with package wire.
const evaluationMagic = "\x93RSWEV\x04\n"

// MarshalBinary returns the part as bytes.
func (p *EvaluationPart) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(evaluationMagic)
	p.code(w)
	p.cases.Write(w)
	return w.Sealed(), nil
}

// code writes or reads all but the cases.
func (p *EvaluationPart) code(c wire.Coder) {
	c.Code(&p.Skipped)
	for _, n := range p.Quality.Counts() {
		c.Code(n)
	}
	for _, worst := range p.Quality.Worst() {
		c.Code(&worst.Value, &worst.Subgraph, &worst.Atoms)
	}
	wire.Items(c, &p.Subgraphs, 8+rank.FiguresBytes, func(s *SubgraphFigures) { c.Code(&s.Index, &s.Figures) })
}

// UnmarshalBinary reads the output of MarshalBinary. It is safe for arbitrary bytes, and uses memory in proportion to them. The
// error is a *PartError.
func (p *EvaluationPart) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, evaluationMagic)
	var out EvaluationPart
	out.code(r)
	sizes := make([]int, len(out.Subgraphs))
	for i := range sizes {
		sizes[i] = out.Subgraphs[i].Atoms
	}
	out.cases = rank.ReadCases(r, sizes)
	if !r.Done() {
		return &PartError{"part of an evaluation", "damaged"}
	}
	*p = out
	return nil
}
