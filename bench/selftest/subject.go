package selftest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
)

// subject is what is tested. Tests of this package put in what is wrong.
type subject struct {
	Select   func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.SelectOptions) (*resolwe.Selection, error)
	Learn    func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.LearnOptions) (*resolwe.Learned, error)
	Infer    func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.InferOptions, func(*resolwe.Marginals) error) error
	Counts   func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.Run, func(string, []int64) error) error
	Chain    func() chain
	Gradient func(cd.Options) gradient
	Pack     func(io.Writer, *mln.Schema, []*subgraph.Subgraph, subgraph.WriterOptions) error
}

// chain is what is tested of a *mcsat.Chain.
type chain interface {
	Start(m *mcsat.Model, x []bool, opt mcsat.Options, r *rand.Rand) error
	Step(r *rand.Rand)
	State() []bool
}

// gradient is what is tested of a *cd.Worker.
type gradient interface {
	Gradient(dst *cd.Gradient, ex *cd.Example, weights []float64, state []bool, r *rand.Rand) error
}

// library returns the library as it is.
func library() subject {
	return subject{
		Select: resolwe.Select, Learn: resolwe.Learn, Infer: resolwe.Infer, Counts: resolwe.Counts,
		Chain:    func() chain { return new(mcsat.Chain) },
		Gradient: func(opt cd.Options) gradient { return cd.NewWorker(opt) },
		Pack:     pack,
	}
}

// pack writes a stream.
func pack(w io.Writer, schema *mln.Schema, subs []*subgraph.Subgraph, opt subgraph.WriterOptions) error {
	out, err := subgraph.NewWriter(w, schema, opt)
	if err != nil {
		return err
	}
	for _, s := range subs {
		if err := out.Write(s); err != nil {
			return err
		}
	}
	return out.Close()
}

// packed is pack into memory.
func (s *subject) packed(schema *mln.Schema, subs []*subgraph.Subgraph, opt subgraph.WriterOptions) ([]byte, error) {
	var b bytes.Buffer
	err := s.Pack(&b, schema, subs, opt)
	return b.Bytes(), err
}
