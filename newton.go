package resolwe

import (
	"context"
	"fmt"

	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
)

// newtonBatch is how many subgraphs' gradients are computed side by side.
const newtonBatch = 64

// NotExactError says that a component has too many atoms for its expectations to be exact.
type NotExactError struct{ Atoms int }

// Error says what to do.
func (e *NotExactError) Error() string {
	return fmt.Sprintf("the model ties %d target atoms to one another: its gradient has no closed form, mix by cd", e.Atoms)
}

// IsUsage says that a person has to change the command line.
func (*NotExactError) IsUsage() bool { return true }

// sumGradients sets out to the sums over the subgraphs of the learner, in stream order.
func (l *learner) sumGradients(ctx context.Context, out *MixPart) error {
	f := len(l.means)
	zeros := make([]float64, f)
	out.state = cd.State{
		Weights: zeros, Average: zeros, Running: zeros, Step: make([]float64, f), Information: make([]float64, f*f),
	}
	l.step = func(batch []*cd.Gradient) error {
		for i, g := range batch {
			if err := l.batch[i].exact(l.optimum.Weights); err != nil {
				return err
			}
			out.atoms += g.Atoms
			for i, v := range g.Value {
				out.state.Step[i] += v
			}
			for i, v := range g.Information {
				out.state.Information[i] += v
			}
		}
		return nil
	}
	return l.run(ctx)
}

// exact returns an error where the expectations of an example are not exact.
func (ex *example) exact(weights []float64) error {
	var m mcsat.Model
	m.Reset(ex.Net, weights)
	for c := range m.NumComponents() {
		if n := len(m.Component(c)); n > learnExact {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: &NotExactError{n}}
		}
	}
	return nil
}

// newton takes a step on the sums of the parts: to the optimizer they are the gradient of one subgraph.
func (x *Mixer) newton(parts []*MixPart) {
	sum := cd.Gradient{Value: make([]float64, len(x.means)), Information: make([]float64, len(x.means)*len(x.means))}
	for _, p := range parts {
		sum.Atoms += p.atoms
		for i, v := range p.state.Step {
			sum.Value[i] += v
		}
		for i, v := range p.state.Information {
			sum.Information[i] += v
		}
	}
	o := cd.NewOptimizer(x.means, x.fixed, x.opt.Sigma, 1, x.opt.Passes)
	if err := o.Restore(x.state); err != nil {
		panic(err) // it is the mixer's own
	}
	o.Update([]*cd.Gradient{&sum})
	x.state = o.State()
}
