package distributed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"strconv"

	"resolwe"
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
// which resolwe.LearnOptions.Passes is the number, every part learns by itself from the same state, Learn, and what they have
// learned is mixed in the order of the parts, Mix. Results depend on how the stream is cut, and on nothing else: not on
// machines, workers or order of work.
type Mixer struct {
	task   *resolwe.LearnTask
	opt    resolwe.LearnOptions
	method MixMethod
	parts  []int // subgraphs to learn on, by part
	size   int   // of all parts
	epoch  int   // that goes on
	seen   int   // subgraphs learned from, in all epochs
	state  cd.State
}

// errNothing says that there is nothing to learn from.
var errNothing = &resolwe.OptionError{Option: "resolwe.Stream", Reason: "no subgraph is left to learn on"}

// NewMixer begins with the weights of the model. parts are the numbers of subgraphs of the parts, those left out by
// LearnOptions.Skip, which goes by their positions, not counted. Checkpoints, curves and Stop are not for it. The error is
// a *resolwe.OptionError, or a *resolwe.NoTargetError.
func NewMixer(m *resolwe.Model, opt resolwe.LearnOptions, method MixMethod, parts []int) (*Mixer, error) {
	opt.Checkpoints, opt.CurveEvery, opt.Stop, opt.Objective = resolwe.Checkpoints{}, 0, nil, false
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
	case method != MixCD && method != MixNewton:
		return nil, &resolwe.OptionError{Option: "distributed.MixMethod", Reason: "cd or newton"}
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
	x.state = x.optimizer(x.size, 1).State()
	return x, nil
}

// optimizer returns an optimizer for a part of n subgraphs, which takes its share of the prior.
func (x *Mixer) optimizer(n, updates int) *cd.Optimizer {
	return x.task.Optimizer(x.opt.Sigma*math.Sqrt(float64(x.size)/float64(n)), n, updates)
}

// Done reports whether all epochs are over.
func (x *Mixer) Done() bool { return x.epoch == x.opt.Passes }

// Epoch returns the number of the epoch that goes on, from 0.
func (x *Mixer) Epoch() int { return x.epoch }

// Learn has a part learn for one epoch. The stream is that part of the whole, with the positions that it has in that. The
// mixer stays as it is. The errors are those of resolwe.Learn.
func (x *Mixer) Learn(ctx context.Context, s *resolwe.Stream, part int) (*MixPart, error) {
	out := &MixPart{identity: x.digest(), epoch: x.epoch, part: part}
	n := x.parts[part]
	if n == 0 {
		return out, nil
	}
	batch := min(x.opt.Batch, n)
	updates := (n + batch - 1) / batch
	o := x.optimizer(n, updates*x.opt.Passes)
	start := x.state
	start.Updates = x.epoch * updates
	start.Averaged = math.Max(0, float64(start.Updates-updates*x.opt.Passes/2))
	if err := o.Restore(start); err != nil {
		return nil, err
	}
	var err error
	if x.method == MixNewton {
		out.subgraphs, err = x.gradient(ctx, s, o, out)
	} else {
		out.subgraphs, err = x.task.Pass(ctx, x.learnedOn(s), n, x.epoch, o)
		out.state = o.State()
	}
	if err != nil {
		return nil, err
	}
	out.skipped = s.Skipped()
	return out, nil
}

// gradient sets a part's sums, and returns how many subgraphs there were.
func (x *Mixer) gradient(ctx context.Context, s *resolwe.Stream, at *cd.Optimizer, out *MixPart) (int, error) {
	var sum cd.Gradient
	n, err := x.task.Gradient(ctx, x.learnedOn(s), x.parts[out.part], x.epoch, at, &sum)
	zeros := make([]float64, len(sum.Value))
	out.atoms = sum.Atoms
	out.state = cd.State{
		Weights: zeros, Average: zeros, Running: zeros, Step: sum.Value, Information: sum.Information,
	}
	return n, err
}

// learnedOn returns what is left of a part.
func (x *Mixer) learnedOn(s *resolwe.Stream) *resolwe.Stream { return s.Range(x.opt.Skip, math.MaxInt) }

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

// newton takes a step on the sums of the parts: to the optimizer they are the gradient of one subgraph.
func (x *Mixer) newton(parts []*MixPart) {
	f := len(x.state.Weights)
	sum := cd.Gradient{Value: make([]float64, f), Information: make([]float64, f*f)}
	for _, p := range parts {
		sum.Atoms += p.atoms
		for i, v := range p.state.Step {
			sum.Value[i] += v
		}
		for i, v := range p.state.Information {
			sum.Information[i] += v
		}
	}
	o := x.task.Optimizer(x.opt.Sigma, 1, x.opt.Passes)
	if err := o.Restore(x.state); err != nil {
		panic(err) // it is the mixer's own
	}
	o.Update([]*cd.Gradient{&sum})
	x.state = o.State()
}

// weights returns the result so far.
func (x *Mixer) weights() []float64 {
	if x.method == MixCD && x.Done() {
		return x.state.Average
	}
	return x.state.Weights
}

// Learned returns the result: of all epochs once they are done, else of those that are over.
func (x *Mixer) Learned() *resolwe.Learned {
	out := &resolwe.Learned{Model: x.task.Weighted(x.weights()), Visits: x.seen, Stopped: !x.Done()}
	if x.epoch > 0 {
		out.Subgraphs = x.seen / x.epoch
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

// properties lists what the result depends on, but for what the stream holds.
func (x *Mixer) properties() []resolwe.Property {
	h := sha256.New()
	for _, n := range x.parts {
		fmt.Fprintln(h, n)
	}
	return append(
		x.task.Properties(x.size), resolwe.Property{Name: "the shards", Value: text(h)},
		resolwe.Property{Name: "--mix", Value: strconv.Itoa(int(x.method)), Field: "distributed.MixMethod"},
	)
}

// digest stands for the properties.
func (x *Mixer) digest() string {
	h := sha256.New()
	for _, p := range x.properties() {
		fmt.Fprintf(h, "%q %q\n", p.Name, p.Value)
	}
	return text(h)
}

// text returns half of a checksum as text.
func text(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// MarshalBinary returns the state between two epochs as bytes: a checkpoint.
func (x *Mixer) MarshalBinary() ([]byte, error) {
	c := resolwe.Checkpoint{Run: x.properties(), Pass: x.epoch, Seen: x.seen, Optimizer: x.state}
	return c.MarshalBinary()
}

// Restore goes on from the state of a mixer of the same model, options and parts. Any bytes may be given. The error is a
// *resolwe.CheckpointError; the mixer is then as it was.
func (x *Mixer) Restore(data []byte) error {
	c, err := resolwe.ReadCheckpoint(data, x.properties())
	if err != nil {
		return err
	}
	if c.Pass > x.opt.Passes || !x.fits(c.Optimizer) {
		return &resolwe.CheckpointError{Reason: "damaged", Damaged: true}
	}
	x.epoch, x.seen, x.state = c.Pass, c.Seen, c.Optimizer
	return nil
}
