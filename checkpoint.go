package resolwe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
)

// Checkpoints are how a run of learning is saved, and goes on after it was ended. Its result is then the same bytes as
// that of a run that was never ended, for any number of workers.
type Checkpoints struct {
	Resume []byte             // a checkpoint to go on from; nil to begin anew
	Due    func() bool        // asked after each update whether to save; may be nil
	Save   func([]byte) error // takes a checkpoint, which it must not keep; nil to save none
}

// CheckpointError says that a checkpoint cannot be gone on from.
type CheckpointError struct {
	Reason  string
	Damaged bool // it is no checkpoint, or not as it was written; else it is of another run
}

// Error gives the reason.
func (e *CheckpointError) Error() string { return "checkpoint: " + e.Reason }

// Is makes a damaged checkpoint match subgraph.ErrCorrupt.
func (e *CheckpointError) Is(target error) bool { return e.Damaged && target == subgraph.ErrCorrupt }

// IsUsage reports whether the checkpoint was given to another run than its own.
func (e *CheckpointError) IsUsage() bool { return !e.Damaged }

// otherRun is the error of a checkpoint that differs from the run in something.
func otherRun(what string) error {
	return &CheckpointError{Reason: "it was made with another run: " + what + " is another one"}
}

// save hands the state of the run to the caller, who keeps it. It must stand between two updates.
func (l *learner) save() error {
	if l.opt.Checkpoints.Save == nil {
		return nil
	}
	return l.opt.Checkpoints.Save(encodeCheckpoint(&checkpoint{
		run: l.identity(), pass: l.pass, next: l.next, seen: l.seen,
		optimizer: l.optimum.State(), chains: l.chains, curve: l.curve,
	}))
}

// interrupted saves the state of a run that its caller ended, so that nothing learned is lost. It returns why it ended.
func (l *learner) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if saving := l.save(); saving != nil {
			return errors.Join(err, saving)
		}
	}
	return err
}

// resume goes on from the checkpoint of the options, where there is one.
func (l *learner) resume() error {
	data := l.opt.Checkpoints.Resume
	if data == nil {
		return nil
	}
	c, err := decodeCheckpoint(data)
	if err != nil {
		return err
	}
	if err := sameRun(c.run, l.identity()); err != nil {
		return err
	}
	begun := c.pass > 0 || c.next > 0
	if c.pass > l.opt.Passes || c.seen < c.pass || begun && c.seen == 0 || l.optimum.Restore(c.optimizer) != nil {
		return errDamaged
	}
	l.updates -= c.optimizer.Updates
	l.pass, l.next, l.seen = c.pass, c.next, c.seen
	l.chains, l.curve = c.chains, c.curve
	l.opt.Run.progress(l.seen)
	return nil
}

// property is something that a run's result depends on.
type property struct{ name, value string }

// identity lists what the result depends on, but for what the stream holds: of that its length and names stand for it.
func (l *learner) identity() []property {
	model, names := sha256.New(), sha256.New()
	for i := range l.model.Schema.Predicates {
		fmt.Fprintln(model, describe(l.model.Schema, i))
	}
	for i, f := range l.model.Formulas {
		fmt.Fprintln(model, mln.FormatRule(f), strconv.FormatFloat(l.means[i], 'g', -1, 64))
	}
	for _, e := range l.stream.listed {
		if l.keep(e.Index) {
			fmt.Fprintln(names, e.Index, strconv.Quote(e.Name))
		}
	}
	o := &l.opt
	return []property{
		{"the model", sum(model)},
		{"the number of subgraphs", strconv.Itoa(l.size)},
		{"the stream", sum(names)},
		{"--sigma", strconv.FormatFloat(o.Sigma, 'g', -1, 64)},
		{"--method", strconv.Itoa(int(o.Method))},
		{"--passes", strconv.Itoa(o.Passes)},
		{"--batch", strconv.Itoa(o.Batch)},
		{"--skip", strconv.Itoa(o.Skip)},
		{"--exact", strconv.FormatBool(!o.Sample)},
		{"--cd-samples", strconv.Itoa(o.Samples)},
		{"--sampler", l.sampler.String()},
		{"--seed", strconv.FormatUint(o.Seed, 10)},
		{"--curve-every", strconv.Itoa(o.CurveEvery)},
	}
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// sameRun returns a *CheckpointError that names the first property in which two runs differ.
func sameRun(had, have []property) error {
	if len(had) != len(have) {
		return errDamaged
	}
	for i, p := range have {
		if had[i].name != p.name {
			return errDamaged
		}
		if had[i].value != p.value {
			return otherRun(p.name)
		}
	}
	return nil
}

// checkpoint is the state of a run between two updates.
type checkpoint struct {
	run       []property
	pass      int
	next      int // position in the stream
	seen      int
	optimizer cd.State
	chains    map[int][]uint64
	curve     []Point
}
