package distributed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"resolwe"
	"resolwe/internal/stage/learning"
	"resolwe/kernels/cd"
)

// MixMethod says what the parts of a stream compute in an epoch of a Mixer.
type MixMethod uint8

// The methods of a Mixer.
const (
	// MixAuto is MixNewton if gradients are exact. If a component has too many atoms for exact expectations, MixAuto first finds
	// the optimum of the pseudo-likelihood in the same way. Then it takes synchronous steps: each part samples its gradient at the
	// same weights, and one step is taken on the sum, damped as earlier steps require (cd.Optimizer), until the weights settle. The
	// result does not depend on how the stream is cut. With more than cd.MostFormulas formulas, MixAuto continues with MixCD
	// instead.
	MixAuto MixMethod = iota
	// MixCD makes each part learn by contrastive divergence from the mixed weights, and averages the results, weighted by numbers
	// of subgraphs: iterative parameter mixing (McDonald, Hall and Mann, 2010). The optimizers' measurements of the objective's
	// curvature are averaged like the weights, so that a later epoch continues with small steps.
	MixCD
	// MixNewton makes each part return its exact sums at the same weights, and takes a Newton step on their total, until the
	// optimum is reached. It is for models whose components have closed forms, are small enough to be enumerated, or have a small
	// junction tree.
	MixNewton
)

// mixPasses is the default number of epochs of MixCD, and togetherPasses the maximum number of steps on sampled gradients.
const (
	mixPasses      = 10
	togetherPasses = 40
)

// Mixer learns weights on a stream that is cut into parts, which may be on several machines. In each epoch, every part works
// independently from the same state (Learn), and the results are combined in the order of the parts (Mix). With Newton steps the
// result is that of resolwe.Learn. Neither it nor that of steps on sampled gradients depends on how the stream is cut. The result
// of MixCD does, but not on machines, workers or the order of work.
type Mixer struct {
	// Records represents the contents of the stream in states, which only a mixer with the same one restores.
	Records string

	task   *learning.Task
	opt    resolwe.LearnOptions
	method MixMethod
	parts  []int // subgraphs to learn on, by part
	size   int   // of all parts
	epoch  int   // current epoch
	seen   int   // subgraphs learned from, in all epochs

	*cd.Schedule // its phase Online is mixing; Settling is steps on sampled gradients of all parts

	tied  int      // atoms of a component that is too large for exact sums
	state cd.State // of Online and Settling
	mixed int      // their finished epochs
}

// errNothing reports that there are no subgraphs to learn from.
var errNothing = &resolwe.OptionError{Option: "resolwe.Stream", Reason: "no subgraph is left to learn on"}

// errPasses is the error for a number of passes where every pass is a step on the exact gradient of all parts. It would be taken for the
// passes of resolwe.Learn, whose steps follow the stream.
var errPasses = &resolwe.OptionError{
	Option: "LearnOptions.Passes", Reason: "gradients are exact, and steps on all parts lead to the optimum: auto, or mix by cd",
}

// NewMixer returns a Mixer that starts at the weights of the model. parts are the numbers of subgraphs in the parts, without those
// skipped by LearnOptions.Skip, which counts positions in the whole stream. Checkpoints, curves and Stop are not supported. The
// error is a *resolwe.OptionError or a *resolwe.NoTargetError.
func NewMixer(m *resolwe.Model, opt resolwe.LearnOptions, method MixMethod, parts []int) (*Mixer, error) {
	opt.Checkpoints, opt.Curve, opt.Stop, opt.Objective = resolwe.Checkpoints{}, false, nil, false
	opt.Method = cmp.Or(opt.Method, resolwe.CD)
	task, err := learning.NewTask(m, opt)
	if err != nil {
		return nil, err
	}
	x := &Mixer{task: task, opt: task.Options(), method: method, parts: parts}
	switch {
	case x.opt.Method != resolwe.CD:
		return nil, &resolwe.OptionError{
			Option: "LearnOptions.Method", Reason: "cd: persistent chains, adagrad and cda cannot move between machines",
		}
	case method != MixCD && opt.Batch > 0:
		return nil, &resolwe.OptionError{Option: "LearnOptions.Batch", Reason: "only parts that are mixed by cd take steps on batches"}
	case method == MixNewton && opt.Passes > 0:
		return nil, errPasses
	case method > MixNewton:
		return nil, &resolwe.OptionError{Option: "distributed.MixMethod", Reason: "auto, cd or newton"}
	}
	for _, n := range parts {
		if n < 0 || n > math.MaxInt-x.size {
			return nil, &resolwe.OptionError{Option: "LearnOptions.Subgraphs", Reason: fmt.Sprint("at most ", math.MaxInt)}
		}
		x.size += n
	}
	if x.size == 0 {
		return nil, errNothing
	}
	x.Schedule = task.NewSchedule()
	x.Begin(cd.Exactly, x.size, 1)
	x.state = x.optimizer(x.size, 1).State
	if method == MixCD {
		x.Phase = cd.Online
	}
	return x, nil
}

// optimizer returns an optimizer for a part of n subgraphs, with the part's share of the prior.
func (x *Mixer) optimizer(n, updates int) *cd.Optimizer {
	return x.NewOptimizer(x.opt.Sigma*math.Sqrt(float64(x.size)/float64(n)), n, updates)
}

// passes returns the number of epochs of a last phase.
func (x *Mixer) passes(of cd.Phase) int {
	if of == cd.Settling {
		return cmp.Or(x.opt.Passes, togetherPasses)
	}
	return cmp.Or(x.opt.Passes, mixPasses)
}

// Done reports whether all epochs are finished.
func (x *Mixer) Done() bool {
	switch x.Phase {
	case cd.Exactly:
		return x.Newton.Done
	case cd.Online:
		return x.mixed == x.passes(x.Phase)
	case cd.Settling:
		return x.mixed == x.passes(x.Phase) || x.Course.Calm()
	case cd.Nearly:
	}
	return false
}

// Epoch returns the number of the current epoch, from 0.
func (x *Mixer) Epoch() int { return x.epoch }

// Tied returns the number of atoms of a component that is too large for exact sums, or 0 if MixAuto uses exact sums.
func (x *Mixer) Tied() int { return x.tied }

// Learn computes a part's result for one epoch. s is that part of the whole stream, with its positions there. The mixer is
// unchanged. Errors are those of resolwe.Learn and, with MixNewton, a *NotExactError.
func (x *Mixer) Learn(ctx context.Context, s *resolwe.Stream, part int) (*MixPart, error) {
	out := &MixPart{}
	n := x.parts[part]
	if n == 0 {
		return out, nil
	}
	var err error
	switch x.Phase {
	case cd.Exactly, cd.Nearly:
		err = x.sum(ctx, s, n, out)
	case cd.Online:
		err = x.mix(ctx, s, n, out)
	case cd.Settling:
		out.sums, err = x.task.SampledSums(ctx, x.learnedOn(s), n, x.mixed, x.state.Weights)
		out.subgraphs = out.sums.Subgraphs
	}
	if err != nil {
		return nil, err
	}
	out.skipped = s.Skipped()
	return out, nil
}

// NotExactError reports that a component has too many atoms for exact expectations.
type NotExactError struct{ Atoms int }

// Error says what to do.
func (e *NotExactError) Error() string {
	return fmt.Sprintf("the model ties %d target atoms to one another: its gradient has no closed form; choose auto or cd", e.Atoms)
}

// IsUsage marks the error as one that the user can fix on the command line.
func (*NotExactError) IsUsage() bool { return true }

// sum computes the sums of a part.
func (x *Mixer) sum(ctx context.Context, s *resolwe.Stream, n int, out *MixPart) error {
	sums, err := x.task.Sums(ctx, x.learnedOn(s), n, x.Schedule)
	tied, isTied := errors.AsType[*cd.TiedError](err)
	switch {
	case isTied && x.method == MixNewton:
		return &NotExactError{tied.Atoms}
	case isTied:
		out.tied = tied.Atoms
	case err != nil:
		return err
	default:
		out.sums, out.subgraphs = sums, sums.Subgraphs
	}
	return nil
}

// mix makes a part learn by itself, and sets the result.
func (x *Mixer) mix(ctx context.Context, s *resolwe.Stream, n int, out *MixPart) error {
	batch := x.opt.BatchOf(n)
	updates := (n + batch - 1) / batch
	o := x.optimizer(n, updates*x.passes(cd.Online))
	start := x.state
	start.Updates = x.mixed * updates
	start.Averaged = math.Max(0, float64(start.Updates-updates*x.passes(cd.Online)/2))
	if err := o.Restore(start); err != nil {
		return err
	}
	var err error
	out.subgraphs, err = x.task.Pass(ctx, x.learnedOn(s), n, x.epoch, o)
	out.state = o.State
	return err
}

// learnedOn returns the part without skipped subgraphs.
func (x *Mixer) learnedOn(s *resolwe.Stream) *resolwe.Stream { return s.Range(x.opt.Skip, math.MaxInt) }

// Mix ends an epoch. It takes the results of all parts, in their order. If they are not results of this epoch, the error is a
// *PartError and nothing is mixed; if options give a number of passes though gradients are exact, it is a *resolwe.OptionError.
func (x *Mixer) Mix(parts []*MixPart) error {
	total, tied := 0, 0
	if len(parts) != len(x.parts) || x.Done() {
		return &PartError{"mixing", "not one of each part in an epoch"}
	}
	for i, p := range parts {
		if p.subgraphs > 0 && !x.fits(p) {
			return &PartError{"mixing", fmt.Sprintf("part %d is damaged", i)}
		}
		total += p.subgraphs
		tied = max(tied, p.tied)
	}
	switch {
	case tied > 0: // some parts have no sums, so the others are useless
		x.tied = tied
		x.Begin(cd.Nearly, x.size, 1)
		x.epoch++
		return nil
	case total == 0:
		return errNothing
	case x.Phase == cd.Exactly && x.opt.Passes > 0:
		return errPasses
	case x.Phase == cd.Online:
		x.state = mixed(x.state, parts, float64(total))
		x.mixed++
	default:
		x.step(parts)
	}
	x.epoch++
	x.seen += total
	return nil
}

// step takes a step on the sums of all parts. When Newton steps on the pseudo-likelihood end, the last phase begins.
func (x *Mixer) step(parts []*MixPart) {
	sums := x.Newton.NewSums()
	for _, p := range parts {
		if p.sums != nil {
			sums.Merge(p.sums)
		}
	}
	if x.Phase == cd.Settling {
		x.settle(sums)
		return
	}
	if !x.EndPass(sums) || x.Phase == cd.Exactly {
		return
	}
	x.Begin(cd.Settling, x.size, 1)
	x.state = x.Optimum.State
	if !sums.Full() {
		x.beginMixing()
	}
}

// beginMixing begins mixing, from the current state.
func (x *Mixer) beginMixing() {
	x.Phase, x.mixed, x.state.Clock = cd.Online, 0, 0
	for _, n := range x.parts { // each counts its own subgraphs; mixing averages
		x.state.Clock += float64(float64(n) / float64(x.size) * float64(n))
	}
}

// settle takes a step on the sum of sampled gradients, which counts as a pass.
func (x *Mixer) settle(sums *cd.Sums) {
	o := x.Optimum
	o.Update([]*cd.Gradient{sums.Gradient()}, sums.Subgraphs)
	if o.Restore(o.State) != nil { // counts exceed the bounds of exact sums
		x.beginMixing()
		return
	}
	x.state = o.State
	x.Course.Add(o.Weights)
	x.EndPass(nil)
	x.mixed++
}

// fits reports whether a part has the mixer's formulas and phase.
func (x *Mixer) fits(p *MixPart) bool {
	if x.Phase == cd.Online {
		return p.sums == nil && x.optimizer(x.size, 1).Restore(p.state) == nil
	}
	return p.sums != nil && x.Newton.Fits(p.sums)
}

// mixed returns the mean of the parts' states, weighted by numbers of subgraphs and summed in the order of the parts.
func mixed(like cd.State, parts []*MixPart, total float64) cd.State {
	out := cd.State{
		Weights: make([]float64, len(like.Weights)), Step: make([]float64, len(like.Step)),
		Average: make([]float64, len(like.Average)), Running: make([]float64, len(like.Running)),
		Information: make([]float64, len(like.Information)),
	}
	for _, p := range parts {
		if p.subgraphs == 0 {
			continue
		}
		share := float64(p.subgraphs) / total
		out.Clock += float64(share * p.state.Clock)
		for _, pair := range [][2][]float64{
			{out.Weights, p.state.Weights},
			{out.Step, p.state.Step},
			{out.Average, p.state.Average},
			{out.Running, p.state.Running},
			{out.Information, p.state.Information},
		} {
			for i, v := range pair[1] {
				pair[0][i] += float64(share * v)
			}
		}
	}
	return out
}

// weights returns the result so far.
func (x *Mixer) weights() []float64 {
	switch {
	case x.Phase == cd.Settling && x.mixed > 0:
		return x.Course.Result()
	case x.Phase != cd.Online:
		return x.Newton.Best
	case x.Done():
		return x.state.Average
	}
	return x.state.Weights
}

// Learned returns the result of all epochs that are finished. It includes the objective if that was a by-product.
func (x *Mixer) Learned() *resolwe.Learned {
	r := x.Reached()
	out := &resolwe.Learned{
		Model: x.task.Weighted(x.weights()), Visits: x.seen, Passes: x.epoch, Stopped: !x.Done(),
		Unlabeled: r.Unlabeled, Converged: r.Converged, Gradient: r.Gradient, Short: r.Short, Drift: r.Drift,
	}
	if passes := x.epoch; passes > 0 {
		if x.tied > 0 && passes > 1 {
			passes-- // the first ended at a component that is too large
		}
		out.Subgraphs = x.seen / passes
	}
	if x.Phase == cd.Exactly && !r.Unlabeled {
		out.Objective, out.Exact = x.Newton.Objective(), x.Newton.Rounds > 0
	}
	return out
}

// LogLikelihood returns the conditional log-likelihood of a part under the result so far, and whether the task is small enough to
// compute it exactly: see resolwe.Learn. The objective is the sum of this over the parts, plus LogPrior.
func (x *Mixer) LogLikelihood(ctx context.Context, s *resolwe.Stream, part int) (float64, bool, error) {
	if x.parts[part] == 0 {
		return 0, true, nil
	}
	return x.task.LogLikelihood(ctx, x.learnedOn(s), x.weights())
}

// LogPrior returns the logarithm of the prior density of the result so far, without its constant.
func (x *Mixer) LogPrior() float64 { return x.task.LogPrior(x.weights()) }
