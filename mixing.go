package resolwe

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"

	"resolwe/kernels/cd"
)

// MixMethod is what the parts of a stream do in an epoch of a Mixer.
type MixMethod uint8

// The methods of a Mixer. The zero value is none.
const (
	// MixCD has each part learn by contrastive divergence from the mixed weights, and mixes the results by the numbers of
	// subgraphs: iterative parameter mixing (McDonald, Hall and Mann, 2010). What the optimizers have measured of the
	// objective's curvature is mixed like the weights, so that a later epoch goes on with the small steps of the last.
	MixCD MixMethod = iota + 1
	// MixNewton has each part give its exact gradient and information at the same weights, and takes one Newton step on
	// their sum. It is for models whose components have closed forms or are small enough to be enumerated.
	MixNewton
)

// Mixer learns weights on a stream that is cut into parts, which may lie on several machines. In each of the epochs, of
// which LearnOptions.Passes is the number, every part learns by itself from the same state, Learn, and what they have
// learned is mixed in the order of the parts, Mix. Results depend on how the stream is cut, and on nothing else: not on
// machines, workers or order of work.
type Mixer struct {
	model  *Model // with unit clauses
	opt    LearnOptions
	method MixMethod
	parts  []int // subgraphs to learn on, by part
	size   int   // of all parts
	means  []float64
	fixed  []bool
	epoch  int // that goes on
	seen   int // subgraphs learned from, in all epochs
	state  cd.State
}

// NewMixer begins with the weights of the model. parts are the numbers of subgraphs of the parts, those left out by
// LearnOptions.Skip not counted. Checkpoints, curves and Enough are not for it. The error is an *OptionError, or a
// *NoTargetError.
func NewMixer(m *Model, opt LearnOptions, method MixMethod, parts []int) (*Mixer, error) {
	if err := m.predicts(); err != nil {
		return nil, err
	}
	if err := opt.validate(); err != nil {
		return nil, err
	}
	switch {
	case opt.Method != CD:
		return nil, &OptionError{"method", "cd: persistent chains do not go from machine to machine"}
	case method != MixCD && method != MixNewton:
		return nil, &OptionError{"mix", "cd or newton"}
	}
	x := &Mixer{model: m.withUnitClauses(), opt: opt, method: method, parts: parts}
	for _, n := range parts {
		if n < 0 || n > math.MaxInt32-x.size { // as checkpoints count
			return nil, &OptionError{"subgraphs", "at most 2147483647"}
		}
		x.size += n
	}
	if x.size == 0 {
		return nil, errNothing
	}
	x.opt.Checkpoints, x.opt.CurveEvery, x.opt.Enough, x.opt.Objective = Checkpoints{}, 0, nil, false
	for _, f := range x.model.Formulas {
		x.means = append(x.means, f.Weight)
		x.fixed = append(x.fixed, f.Hard)
	}
	x.state = x.optimizer(x.size, 1).State()
	return x, nil
}

// optimizer returns an optimizer for a part of n subgraphs, which takes its share of the prior.
func (x *Mixer) optimizer(n, updates int) *cd.Optimizer {
	sigma := x.opt.Sigma * math.Sqrt(float64(x.size)/float64(n))
	return cd.NewOptimizer(x.means, x.fixed, sigma, n, updates)
}

// Done reports whether all epochs are over.
func (x *Mixer) Done() bool { return x.epoch == x.opt.Passes }

// Epoch returns the number of the epoch that goes on, from 0.
func (x *Mixer) Epoch() int { return x.epoch }

// Learn has a part learn for one epoch. The stream is that part of the whole: StreamOptions.First says where. The mixer
// stays as it is. The errors are those of the function Learn.
func (x *Mixer) Learn(ctx context.Context, s *Stream, part int) (*MixPart, error) {
	if err := x.model.check(s); err != nil {
		return nil, err
	}
	out := &MixPart{identity: x.digest(), epoch: x.epoch, part: part}
	if x.parts[part] == 0 {
		return out, nil
	}
	l := x.learner(s, x.parts[part])
	updates := l.updates
	l.optimum = x.optimizer(x.parts[part], updates*x.opt.Passes)
	start := x.state
	start.Updates = x.epoch * updates
	start.Averaged = math.Max(0, float64(start.Updates-updates*x.opt.Passes/2))
	if err := l.optimum.Restore(start); err != nil {
		return nil, err
	}
	run := l.run
	if x.method == MixNewton {
		run = func(ctx context.Context) error { return l.sumGradients(ctx, out) }
	}
	if err := run(ctx); err != nil && !errors.Is(err, errNothing) { // all of it may be damaged
		return nil, err
	}
	out.subgraphs, out.skipped = l.seen, s.Skipped()
	if x.method == MixCD {
		out.state = l.optimum.State()
	}
	return out, nil
}

// learner returns what learns on n subgraphs of a part for one pass, with the random numbers of the epoch.
func (x *Mixer) learner(s *Stream, n int) *learner {
	opt := x.opt
	opt.Passes = 1
	if x.method == MixNewton {
		opt.Batch = newtonBatch
	}
	l := newLearner(x.model, s, opt, func(i int) bool { return i >= opt.Skip }, n)
	l.opt.Passes, l.pass = x.epoch+1, x.epoch
	return l
}

// Mix ends an epoch. It takes what all parts have learned in it, in their order. The error is a *MixError, and nothing is
// mixed, where that is something else.
func (x *Mixer) Mix(parts []*MixPart) error {
	total, identity := 0, x.digest()
	if len(parts) != len(x.parts) || x.Done() {
		return &MixError{"not one of each part in an epoch"}
	}
	for i, p := range parts {
		switch {
		case p.identity != identity || p.part != i || p.epoch != x.epoch:
			return &MixError{fmt.Sprintf("part %d is of another run, place or epoch", i)}
		case p.subgraphs > 0 && !x.fits(p.state):
			return &MixError{fmt.Sprintf("part %d is damaged", i)}
		}
		total += p.subgraphs
	}
	if total == 0 {
		return errNothing
	}
	if x.method == MixNewton {
		x.newton(parts)
	} else {
		x.state = mixed(x.state, parts, float64(total))
	}
	x.epoch++
	x.seen += total
	return nil
}

// fits reports whether a state is of the mixer's formulas.
func (x *Mixer) fits(s cd.State) bool {
	return x.optimizer(x.size, 1).Restore(s) == nil
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
		out.Clock += share * p.state.Clock
		for _, pair := range [][2][]float64{
			{out.Weights, p.state.Weights},
			{out.Step, p.state.Step},
			{out.Average, p.state.Average},
			{out.Running, p.state.Running},
			{out.Information, p.state.Information},
		} {
			for i, v := range pair[1] {
				pair[0][i] += share * v
			}
		}
	}
	return out
}

// weights returns the result so far.
func (x *Mixer) weights() []float64 {
	if x.method == MixCD && x.Done() {
		return x.state.Average
	}
	return x.state.Weights
}

// Learned returns the result: of all epochs once they are done, else of those that are over.
func (x *Mixer) Learned() *Learned {
	out := &Learned{Model: x.model.weighted(x.weights()), Visits: x.seen, Stopped: !x.Done()}
	if x.epoch > 0 {
		out.Subgraphs = x.seen / x.epoch
	}
	return out
}

// LogLikelihood returns the conditional log-likelihood of a part under the result so far, and whether it is small enough a
// task to compute it exactly: see the function Learn. The sum over the parts and LogPrior are the objective.
func (x *Mixer) LogLikelihood(ctx context.Context, s *Stream, part int) (float64, bool, error) {
	if err := x.model.check(s); err != nil {
		return 0, false, err
	}
	if x.parts[part] == 0 {
		return 0, true, nil
	}
	return x.learner(s, x.parts[part]).addLogLikelihood(ctx, 0, x.weights())
}

// LogPrior returns the logarithm of the prior density of the result so far, without its constant.
func (x *Mixer) LogPrior() float64 {
	l := learner{opt: x.opt, means: x.means, fixed: x.fixed}
	return l.logPrior(x.weights())
}

// properties lists what the result depends on, but for what the stream holds.
func (x *Mixer) properties() []property {
	h := sha256.New()
	for _, n := range x.parts {
		fmt.Fprintln(h, n)
	}
	l := learner{model: x.model, means: x.means, opt: x.opt, size: x.size, sampler: x.opt.samplerFor(x.model), stream: &Stream{}}
	return append(l.identity(), property{"the shards", sum(h)}, property{"--mix", strconv.Itoa(int(x.method))})
}

// digest stands for the properties.
func (x *Mixer) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", x.properties())
	return sum(h)
}

// MarshalBinary returns the state between two epochs as bytes: a checkpoint.
func (x *Mixer) MarshalBinary() ([]byte, error) {
	return encodeCheckpoint(&checkpoint{run: x.properties(), pass: x.epoch, seen: x.seen, optimizer: x.state}), nil
}

// Restore goes on from the state of a mixer of the same model, options and parts. Any bytes may be given. The error is a
// *CheckpointError; the mixer is then as it was.
func (x *Mixer) Restore(data []byte) error {
	c, err := decodeCheckpoint(data)
	if err != nil {
		return err
	}
	if err := sameRun(c.run, x.properties()); err != nil {
		return err
	}
	if c.pass > x.opt.Passes || !x.fits(c.optimizer) {
		return errDamaged
	}
	x.epoch, x.seen, x.state = c.pass, c.seen, c.optimizer
	return nil
}
