package grow

import (
	"context"
	"strings"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/kernels/grow"
)

// Systems are the policy and its baselines: stop every center after the same step of the policy's order, or of a random order, or stop each
// center once its entropy is below a limit.
var Systems = [...]string{"grow", "prefix", "random", "entropy"}

// Evaluation is the result of replaying a policy on a stream.
type Evaluation struct {
	Subgraphs int // with atoms whose truth is known
	Ranked    int // those with a true and a false atom
	Full      *grow.Dot
	Policy    *grow.Dot                 // the chosen rule, or with EvalOptions.All the whole order
	Curves    [len(Systems)][]*grow.Dot // by system, from fetching nothing to everything
	Less      [len(Systems)]Difference  // Policy minus each other system at equal cost
}

// Difference is how far a policy's figures exceed those of another system.
type Difference struct{ MAP, CLL grow.Estimate }

// EvalOptions say how to replay. The zero value works.
type EvalOptions struct {
	All bool // never stop early
	Run resolwe.Run
}

// Evaluate replays a policy on a stream opened for Policy.Model with names, hiding the facts of a subgraph until they are asked for. The
// error is a *TooFewError if no subgraph has atoms of known truth, or one of reading the stream.
func Evaluate(ctx context.Context, p *Policy, s *resolwe.Stream, opt EvalOptions) (*Evaluation, error) {
	var traces [2][]*grow.Trace
	own, random := predictors(ctx, p.Schema, p.Order, &opt.Run), predictors(ctx, p.Schema, p.Random, &opt.Run)
	newScratch := func() [2]*predictor { return [2]*predictor{own(), random()} }
	work := func(w [2]*predictor, sub *subgraph.Subgraph) (out [2]*grow.Trace, err error) {
		whole := sub.Complete(p.Schema)
		for i, with := range w {
			if out[i], err = p.replay(with, whole); err != nil {
				return out, err
			}
		}
		return out, nil
	}
	err := resolwe.Process(ctx, s, &opt.Run, newScratch, work, func(t [2]*grow.Trace) error {
		for i := range traces {
			if t[i].Atoms > 0 {
				traces[i] = append(traces[i], t[i])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(traces[0]) == 0 {
		return nil, &TooFewError{0}
	}
	return p.compare(traces, opt.All), nil
}

// replay replays a subgraph in the order of a predictor.
func (p *Policy) replay(with *predictor, sub *subgraph.Subgraph) (*grow.Trace, error) {
	t := &grow.Trace{Subgraph: strings.Clone(sub.Name)}
	r := grow.NewReplay(p.Schema, sub, p.Centers)
	for k, stage := range with.order {
		point := t.Advance(r, stage.Step, nextStep(with.order, k), p.Costs)
		probabilities, atoms, err := with.predict(k, r.Grown())
		if err != nil {
			return nil, err
		}
		known := scored(probabilities, atoms)
		t.Atoms, t.Ranked = len(known), point.Observe(probabilities, known)
	}
	return t, nil
}

// compare computes the curves and differences.
func (p *Policy) compare(traces [2][]*grow.Trace, all bool) *Evaluation {
	own := traces[0]
	out := &Evaluation{Subgraphs: len(own)}
	for _, t := range own {
		if t.Ranked {
			out.Ranked++
		}
	}
	last := func(_ int, t *grow.Trace) int { return len(t.Points) - 1 }
	out.Full = grow.NewDot(own, last, 0)
	for i, r := range p.Rules {
		d := grow.NewDot(own, func(_ int, t *grow.Trace) int { return r.Stops(t) }, r.Lambda)
		if i == p.Chosen {
			out.Policy = d
		}
		out.Curves[0] = append(out.Curves[0], d)
	}
	if all {
		out.Policy = out.Full
	}
	out.Curves[0] = grow.Rising(out.Curves[0])
	out.Curves[1], out.Curves[2], out.Curves[3] = grow.Prefixes(own), grow.Prefixes(traces[1]), grow.Entropies(own)
	for i := range Systems[1:] {
		out.Less[i+1].MAP, out.Less[i+1].CLL = out.Policy.Less(out.Curves[i+1])
	}
	return out
}
