package grow

import (
	"context"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/ground"
	"resolwe/kernels/rank"
)

// Stage is a step of an order and the model used after it. The first stage has no probes.
type Stage struct {
	Step     Step
	Formulas []*mln.Formula // with weights, each with one target literal
}

// predictor predicts with the models of an order. Each goroutine needs its own.
type predictor struct {
	order     []Stage
	grounders []*ground.Grounder
	builder   *subgraph.Builder
}

// predictors compiles the models of an order, and returns a function that makes predictors.
func predictors(ctx context.Context, schema *mln.Schema, order []Stage, run *resolwe.Run) func() *predictor {
	programs := make([]*ground.Program, len(order))
	for i, stage := range order {
		programs[i] = ground.Compile(schema, stage.Formulas, ground.Predicting)
	}
	return func() *predictor {
		out := &predictor{order: order, builder: subgraph.NewBuilder(schema)}
		for _, program := range programs {
			out.grounders = append(out.grounders, run.NewGrounder(ctx, program))
		}
		return out
	}
}

// predict returns the probability of each query atom of a subgraph under the model of a stage.
func (p *predictor) predict(stage int, sub *subgraph.Subgraph) ([]float64, *ground.Atoms, error) {
	net, atoms, err := p.grounders[stage].Ground(sub)
	if err != nil {
		return nil, nil, err
	}
	out := make([]float64, atoms.Len())
	for i := range out {
		a, ok := atoms.Free(i)
		if !ok {
			continue
		}
		z := 0.
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			z += float64(net.Groundings(c) * p.order[stage].Formulas[c.Formula].Weight)
		}
		out[i] = elementary.Sigmoid(z)
	}
	return out, atoms, nil
}

// scored returns the atoms of known truth with their probabilities.
func scored(p []float64, atoms *ground.Atoms) []rank.Scored {
	out := make([]rank.Scored, 0, len(p))
	for i, v := range p {
		if t := atoms.Truth(i); t != subgraph.Unknown {
			out = append(out, rank.Scored{P: v, True: t == subgraph.True})
		}
	}
	return out
}
