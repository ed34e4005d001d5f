package resolwe

import (
	"context"
	"encoding/binary"
	"math"

	"resolwe/internal/castagnoli"
	"resolwe/kernels/rank"
)

// SubgraphFigures are the measures of a subgraph, from which systems are compared by paired tests.
type SubgraphFigures struct {
	Index int // position in the stream
	rank.Figures
}

// EvaluationPart is the evaluation of a part of a stream, which travels as bytes. The zero value is that of nothing.
type EvaluationPart struct {
	Subgraphs []SubgraphFigures // in stream order
	Skipped   int               // damaged subgraphs that were left out
	Quality   Quality           // of the marginals

	pooled []rank.Scored
}

// EvaluationError says that something is no part of an evaluation.
type EvaluationError struct{ Reason string }

// Error gives the reason.
func (e *EvaluationError) Error() string { return "part of an evaluation: " + e.Reason }

// EvaluatePart infers on each subgraph of a part of a stream, as Infer does, and compares the marginals with the truth.
func EvaluatePart(ctx context.Context, m *Model, s *Stream, opt InferOptions) (*EvaluationPart, error) {
	out := &EvaluationPart{}
	out.Quality.observe(&opt)
	err := Infer(ctx, m, s, opt, func(r *Marginals) error {
		out.Quality.Add(r)
		atoms := r.scored()
		out.Subgraphs = append(out.Subgraphs, SubgraphFigures{r.Index, rank.Evaluate(atoms)})
		out.pooled = append(out.pooled, atoms...)
		return nil
	})
	out.Skipped = s.Skipped()
	return out, err
}

// EvaluationSum sums the parts of an evaluation. The zero value is that of none.
type EvaluationSum struct {
	sum  evaluator
	next int
}

// Add adds the part that follows. The error is an *EvaluationError, and nothing is added, where its subgraphs do not stand
// behind those of the parts before it.
func (p *EvaluationSum) Add(part *EvaluationPart) error {
	next := p.next
	for _, s := range part.Subgraphs {
		if s.Index < next {
			return &EvaluationError{"out of order"}
		}
		next = s.Index + 1
	}
	for _, s := range part.Subgraphs {
		p.sum.addFigures(s.Figures)
	}
	p.next = next
	p.sum.sum.Quality.Merge(&part.Quality)
	p.sum.pooled = append(p.sum.pooled, part.pooled...)
	return nil
}

// Evaluation returns what the function Evaluate returns on the parts as one stream.
func (p *EvaluationSum) Evaluation() *Evaluation {
	pooled := evaluator{pooled: p.sum.pooled}
	return p.sum.means(pooled.pool())
}

// evaluationMagic begins a part of an evaluation: its fields in their order follow as in a checkpoint, then the pooled
// atoms, whose marginals are negative where they are true, and a CRC-32C of all.
const evaluationMagic = "\x93RSWEV\x01\n"

// MarshalBinary returns the part as bytes.
func (p *EvaluationPart) MarshalBinary() ([]byte, error) {
	e := byteWriter{[]byte(evaluationMagic)}
	e.int(p.Skipped)
	for _, n := range p.Quality.counts() {
		e.int(*n)
	}
	for _, w := range p.Quality.worst() {
		e.float(w.Value)
		e.string(w.Subgraph)
	}
	e.int(len(p.Subgraphs))
	for _, s := range p.Subgraphs {
		e.uint(uint64(s.Index))
		e.bool(s.Ranked)
		for _, v := range []float64{s.AUC, s.AveragePrecision, s.PrecisionAllRanks, s.TrueNegativeAllRanks, s.CLL} {
			e.float(v)
		}
		e.int(s.Atoms)
	}
	e.int(len(p.pooled))
	for _, a := range p.pooled {
		v := a.P
		if a.True {
			v = math.Copysign(v, -1)
		}
		e.float(v)
	}
	return binary.LittleEndian.AppendUint32(e.b, castagnoli.Checksum(e.b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is an
// *EvaluationError.
func (p *EvaluationPart) UnmarshalBinary(data []byte) error {
	end := len(data) - checkpointTail
	if end < len(evaluationMagic) || string(data[:len(evaluationMagic)]) != evaluationMagic ||
		castagnoli.Checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return &EvaluationError{"damaged"}
	}
	d := byteReader{b: data[len(evaluationMagic):end]}
	out := EvaluationPart{Skipped: d.int()}
	for _, n := range out.Quality.counts() {
		*n = d.position()
	}
	for _, w := range out.Quality.worst() {
		w.Value, w.Subgraph = d.float(), d.string()
	}
	out.Subgraphs = list(&d, 64, func() SubgraphFigures {
		return SubgraphFigures{d.position(), rank.Figures{
			Ranked: d.bool(), AUC: d.float(), AveragePrecision: d.float(), PrecisionAllRanks: d.float(),
			TrueNegativeAllRanks: d.float(), CLL: d.float(), Atoms: d.int(),
		}}
	})
	out.pooled = list(&d, 8, func() rank.Scored {
		v := d.float()
		d.bad = d.bad || math.IsNaN(v) || math.IsInf(v, 0)
		return rank.Scored{P: math.Abs(v), True: math.Signbit(v)}
	})
	if d.bad || len(d.b) > 0 {
		return &EvaluationError{"damaged"}
	}
	*p = out
	return nil
}

// position reads a place in a stream.
func (d *byteReader) position() int {
	v := d.uint()
	d.bad = d.bad || v > math.MaxInt
	return int(v & math.MaxInt)
}
