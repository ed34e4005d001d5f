package selftest

import (
	"bytes"
	"context"
	"math/rand/v2"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/cd"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// System is the system under test. Tests of this package replace its parts by faulty ones.
type System struct {
	Select   func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.SelectOptions) (*resolwe.Selection, error)
	Learn    func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.LearnOptions) (*resolwe.Learned, error)
	Infer    func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.InferOptions, func(*resolwe.Marginals) error) error
	Map      func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.MapOptions, func(*resolwe.MapState) error) error
	Counts   func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.Run, func(string, []resolwe.Count) error) error
	Chain    func() chain
	Gradient func(cd.Options) gradient
	Pack     func(*mln.Schema, []*subgraph.Subgraph, rsg.WriterOptions) ([]byte, error)
}

// chain is the tested part of a *mcsat.Chain.
type chain interface {
	Start(m *loglinear.Model, x []bool, opt mcsat.Options, r *rand.Rand) error
	Step(r *rand.Rand)
	State() []bool
}

// gradient is the tested part of a *cd.Worker.
type gradient interface {
	Gradient(dst *cd.Gradient, ex *cd.Example, weights []float64, state []bool, r *rand.Rand) error
}

// Library returns the library as it is.
func Library() System {
	return System{
		Select: resolwe.Select, Learn: resolwe.Learn, Infer: inferring.Infer, Map: inferring.Map, Counts: inferring.Counts,
		Chain:    func() chain { return new(mcsat.Chain) },
		Gradient: func(opt cd.Options) gradient { return cd.NewWorker(opt) },
		Pack:     pack,
	}
}

// pack writes a stream into memory.
func pack(schema *mln.Schema, subs []*subgraph.Subgraph, opt rsg.WriterOptions) ([]byte, error) {
	var b bytes.Buffer
	out, err := rsg.NewWriter(&b, schema, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range subs {
		if err := out.Write(s); err != nil {
			return nil, err
		}
	}
	err = out.Close()
	return b.Bytes(), err
}
