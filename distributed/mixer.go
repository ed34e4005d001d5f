package distributed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"resolwe"
	"resolwe/kernels/cd"
)

// MixMethod is what the parts of a stream do in an epoch of a Mixer.
type MixMethod uint8

// The methods of a Mixer.
const (
	// MixAuto is MixNewton where that can be. Where a component has too many atoms for exact expectations it does the same on
	// the pseudo-likelihood, and goes on from its optimum by steps on a common clock: each part samples its gradient at the
	// same weights, and one step is taken on the sum, as large as the steps before it allow (cd.Optimizer), until the weights
	// settle. The result does not depend on how the stream is cut. Of more than cd.MostFormulas formulas it goes on with MixCD.
	MixAuto MixMethod = iota
	// MixCD has each part learn by contrastive divergence from the mixed weights, and mixes the results by the numbers of
	// subgraphs: iterative parameter mixing (McDonald, Hall and Mann, 2010). What the optimizers have measured of the
	// objective's curvature is mixed like the weights, so that a later epoch goes on with the small steps of the last.
	MixCD
	// MixNewton has each part give its exact sums at the same weights, and takes a Newton step on all of them, until the
	// optimum is reached. It is for models whose components have closed forms or are small enough to be enumerated.
	MixNewton
)

// mixPasses is how many epochs MixCD takes where LearnOptions.Passes leaves that open, and togetherPasses how many steps on
// sampled gradients are taken at most.
const (
	mixPasses      = 10
	togetherPasses = 40
)

// Mixer learns weights on a stream that is cut into parts, which may lie on several machines. In each epoch every part works
// by itself from the same state, Learn, and what came of it is put together in the order of the parts, Mix. The result of
// Newton steps is that of resolwe.Learn, and does not depend on how the stream is cut, nor does that of steps on sampled
// gradients; that of MixCD does, and on nothing else: not on machines, workers or order of work.
type Mixer struct {
	task   *resolwe.LearnTask
	opt    resolwe.LearnOptions
	method MixMethod
	parts  []int // subgraphs to learn on, by part
	size   int   // of all parts
	epoch  int   // that goes on
	seen   int   // subgraphs learned from, in all epochs

	*cd.Schedule // Online stands for mixing, and Settling for steps on sampled gradients of all parts

	tied  int      // atoms of a component that is too large for exact sums
	state cd.State // of Online and Settling
	mixed int      // their epochs that are over
}

// errNothing says that there is nothing to learn from.
var errNothing = &resolwe.OptionError{Option: "resolwe.Stream", Reason: "no subgraph is left to learn on"}

// NewMixer begins with the weights of the model. parts are the numbers of subgraphs of the parts, those left out by
// LearnOptions.Skip, which goes by their positions, not counted. Checkpoints, curves and Stop are not for it. The error is
// a *resolwe.OptionError, or a *resolwe.NoTargetError.
func NewMixer(m *resolwe.Model, opt resolwe.LearnOptions, method MixMethod, parts []int) (*Mixer, error) {
	opt.Checkpoints, opt.CurveEvery, opt.Stop, opt.Objective = resolwe.Checkpoints{}, 0, nil, false
	opt.Method = cmp.Or(opt.Method, resolwe.CD)
	task, err := resolwe.NewLearnTask(m, opt)
	if err != nil {
		return nil, err
	}
	x := &Mixer{task: task, opt: task.Options(), method: method, parts: parts}
	switch {
	case x.opt.Method != resolwe.CD:
		return nil, &resolwe.OptionError{
			Option: "LearnOptions.Method", Reason: "cd: persistent chains do not go from machine to machine",
		}
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

// optimizer returns an optimizer for a part of n subgraphs, which takes its share of the prior.
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

// Done reports whether all epochs are over.
func (x *Mixer) Done() bool {
	switch x.Phase {
	case cd.Exactly:
		return x.Newton.Done || x.opt.Passes > 0 && x.epoch >= x.opt.Passes
	case cd.Online:
		return x.mixed == x.passes(x.Phase)
	case cd.Settling:
		return x.mixed == x.passes(x.Phase) || x.Course.Calm()
	case cd.Nearly:
	}
	return false
}

// Epoch returns the number of the epoch that goes on, from 0.
func (x *Mixer) Epoch() int { return x.epoch }

// Tied returns how many atoms a component has for which MixAuto takes no exact sums; 0 where it takes them.
func (x *Mixer) Tied() int { return x.tied }

// Learn has a part work for one epoch. The stream is that part of the whole, with the positions that it has in that. The
// mixer stays as it is. The errors are those of resolwe.Learn, and of MixNewton a *NotExactError.
func (x *Mixer) Learn(ctx context.Context, s *resolwe.Stream, part int) (*MixPart, error) {
	out := &MixPart{identity: x.digest(), epoch: x.epoch, part: part}
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

// NotExactError says that a component has too many atoms for its expectations to be exact.
type NotExactError struct{ Atoms int }

// Error says what to do.
func (e *NotExactError) Error() string {
	return fmt.Sprintf("the model ties %d target atoms to one another: its gradient has no closed form, mix by auto or cd", e.Atoms)
}

// IsUsage says that a person has to change the command line.
func (*NotExactError) IsUsage() bool { return true }

// sum sets the sums of a part.
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

// mix sets what a part has learned by itself.
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

// learnedOn returns what is left of a part.
func (x *Mixer) learnedOn(s *resolwe.Stream) *resolwe.Stream { return s.Range(x.opt.Skip, math.MaxInt) }

// Mix ends an epoch. It takes what all parts have learned in it, in their order. The error is a *PartError, and nothing is
// mixed, where that is something else.
func (x *Mixer) Mix(parts []*MixPart) error {
	total, tied, identity := 0, 0, x.digest()
	if len(parts) != len(x.parts) || x.Done() {
		return &PartError{"mixing", "not one of each part in an epoch"}
	}
	for i, p := range parts {
		switch {
		case p.identity != identity || p.part != i || p.epoch != x.epoch:
			return &PartError{"mixing", fmt.Sprintf("part %d is of another run, place or epoch", i)}
		case p.subgraphs > 0 && !x.fits(p):
			return &PartError{"mixing", fmt.Sprintf("part %d is damaged", i)}
		}
		total += p.subgraphs
		tied = max(tied, p.tied)
	}
	switch {
	case tied > 0: // some parts have no sums, and the others are not wanted
		x.tied = tied
		x.Begin(cd.Nearly, x.size, 1)
		x.epoch++
		return nil
	case total == 0:
		return errNothing
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

// step takes a step on the sums of all parts. The last phase begins where Newton steps on the pseudo-likelihood end.
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

// beginMixing begins to mix, from the state.
func (x *Mixer) beginMixing() {
	x.Phase, x.mixed, x.state.Clock = cd.Online, 0, 0
	for _, n := range x.parts { // each counts its own subgraphs, and mixing takes the mean
		x.state.Clock += float64(float64(n) / float64(x.size) * float64(n))
	}
}

// settle takes a step on the sum of sampled gradients, as a pass of its own.
func (x *Mixer) settle(sums *cd.Sums) {
	o := x.Optimum
	o.Update([]*cd.Gradient{sums.Gradient()}, sums.Subgraphs)
	if o.Restore(o.State) != nil { // counts beyond the bounds of exact sums
		x.beginMixing()
		return
	}
	x.state = o.State
	x.Course.Add(o.Weights)
	x.EndPass(nil)
	x.mixed++
}

// fits reports whether a part is of the mixer's formulas and stage.
func (x *Mixer) fits(p *MixPart) bool {
	if x.Phase == cd.Online {
		return p.sums == nil && x.optimizer(x.size, 1).Restore(p.state) == nil
	}
	return p.sums != nil && x.Newton.Fits(p.sums)
}

// mixed returns the mean of the parts' states, weighted by their subgraphs and summed in their order.
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

// Learned returns the result: of all epochs once they are done, else of those that are over. The objective is there where it
// was a by-product.
func (x *Mixer) Learned() *resolwe.Learned {
	r := x.Reached()
	out := &resolwe.Learned{
		Model: x.task.Weighted(x.weights()), Visits: x.seen, Passes: x.epoch, Stopped: !x.Done(),
		Converged: r.Converged, Gradient: r.Gradient, Short: r.Short, Drift: r.Drift,
	}
	if passes := x.epoch; passes > 0 {
		if x.tied > 0 && passes > 1 {
			passes-- // the first ended where it met a component that is too large
		}
		out.Subgraphs = x.seen / passes
	}
	if x.Phase == cd.Exactly {
		out.Objective, out.Exact = x.Newton.Objective(), x.Newton.Rounds > 0
	}
	return out
}

// LogLikelihood returns the conditional log-likelihood of a part under the result so far, and whether it is small enough a
// task to compute it exactly: see resolwe.Learn. The sum over the parts and LogPrior are the objective.
func (x *Mixer) LogLikelihood(ctx context.Context, s *resolwe.Stream, part int) (float64, bool, error) {
	if x.parts[part] == 0 {
		return 0, true, nil
	}
	return x.task.LogLikelihood(ctx, x.learnedOn(s), x.weights())
}

// LogPrior returns the logarithm of the prior density of the result so far, without its constant.
func (x *Mixer) LogPrior() float64 { return x.task.LogPrior(x.weights()) }
