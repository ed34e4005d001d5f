package learning

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/internal/stage/run"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// save passes the state of the run to the caller's Save. The run must be between two updates.
func (l *learnRun) save() error {
	if l.opt.Checkpoints.Save == nil {
		return nil
	}
	c := Checkpoint{
		Run: l.identity(), Pass: l.pass, Next: l.next, Seen: l.seen, Steps: l.steps(), chains: l.chains, curve: l.curve,
	}
	if l.Optimum != nil {
		c.Optimizer = l.Optimum.State
	}
	return l.opt.Checkpoints.Save(c.encode())
}

// interrupted saves the state of a run that its caller ended, so that nothing learned is lost. It returns the cause.
func (l *learnRun) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if saving := l.save(); saving != nil {
			return errors.Join(err, saving)
		}
	}
	return err
}

// resume continues from the checkpoint in the options, if there is one.
func (l *learnRun) resume() error {
	data := l.opt.Checkpoints.Resume
	if data == nil {
		return nil
	}
	c, err := ReadCheckpoint(data, l.identity())
	if err != nil {
		return err
	}
	begun := c.Pass > 0 || c.Next > 0
	if l.opt.Passes > 0 && c.Pass > l.opt.Passes || c.Seen < c.Pass || begun && c.Seen == 0 || !l.restore(c) {
		return checkpoint.ErrDamaged
	}
	l.pass, l.next, l.seen = c.Pass, c.Next, c.Seen
	l.chains, l.curve = c.chains, c.curve
	l.opt.Run.Advance(l.seen)
	return nil
}

// steps returns the state of the phase, for a run without a given number of passes.
func (l *learnRun) steps() []byte {
	if l.Phase == cd.Online {
		return nil
	}
	w := wire.NewWriter("")
	w.Int(int(l.Phase))
	w.Int(l.last)
	l.Newton.Write(w)
	if l.Summing() {
		l.sums.Write(w)
	} else {
		l.Course.Write(w)
	}
	return w.Sealed()
}

// restore sets the phase and its state. It returns false for a checkpoint that no run could have written.
func (l *learnRun) restore(c *Checkpoint) bool {
	if l.Phase == cd.Online {
		ok := len(c.Steps) == 0 && l.Optimum.Restore(c.Optimizer) == nil
		l.updates -= c.Optimizer.Updates
		return ok
	}
	r := wire.NewReader(c.Steps, "")
	p, last := cd.Phase(r.Int()), r.Int()
	l.Newton.Read(r)
	if !r.Good() || last < c.Pass || p == cd.Settling && len(l.Newton.Information) == 0 {
		return false
	}
	switch p {
	case cd.Exactly, cd.Nearly:
		n := l.Newton
		l.begin(p)
		l.Newton = n
		l.sums.Read(r)
	case cd.Settling:
		l.begin(p)
		l.Course.Read(r, len(l.means))
		if l.Optimum.Restore(c.Optimizer) != nil {
			return false
		}
	case cd.Online:
		return false
	}
	l.last = last
	return r.Done() && (!l.Summing() || l.Newton.Fits(l.sums))
}

// identity lists what the result depends on.
func (l *learnRun) identity() []checkpoint.Property {
	names := sha256.New()
	for _, e := range l.source.stream.Listed() {
		fmt.Fprintln(names, e.Index, strconv.Quote(e.Name))
	}
	return l.properties(l.size, l.opt.BatchOf(l.size), run.Digest(names), l.records)
}

// Properties lists what the result on a number of subgraphs, or on parts of them, depends on. records represents the stream.
func (t *Task) Properties(size int, records string) []checkpoint.Property {
	batch := t.opt.Batch
	if t.opt.BatchOf(size) == 1 {
		batch = 1 // for each part too, whether by default or not
	}
	return t.properties(size, batch, run.Digest(sha256.New()), records)
}

func (t *Task) properties(size, batch int, names, records string) []checkpoint.Property {
	model := sha256.New()
	t.model.WritePredicates(model)
	for i, f := range t.model.Formulas {
		fmt.Fprintln(model, mln.FormatRule(f), strconv.FormatFloat(t.means[i], 'g', -1, 64))
	}
	o := &t.opt
	return []checkpoint.Property{
		checkpoint.Depends("the model", run.Digest(model), ""),
		checkpoint.Depends("the number of subgraphs", size, ""),
		checkpoint.Depends("the stream", names, ""),
		checkpoint.Depends("--sigma", o.Sigma, "LearnOptions.Sigma"),
		checkpoint.Depends("--method", int(o.Method), "LearnOptions.Method"),
		checkpoint.Depends("--passes", o.Passes, "LearnOptions.Passes"),
		checkpoint.Depends("--batch", batch, "LearnOptions.Batch"),
		checkpoint.Depends("--skip", o.Skip, "LearnOptions.Skip"),
		checkpoint.Depends("--exact", !o.Sample, "LearnOptions.Sample"),
		checkpoint.Depends("--cd-samples", o.Samples, "LearnOptions.Samples"),
		checkpoint.Depends("--sampler", t.gradients.Sampler, "LearnOptions.Sampler"),
		checkpoint.Depends("--seed", o.Seed, "LearnOptions.Seed"),
		checkpoint.Depends("--curve-every", map[bool]int{true: 1}[o.Curve], "LearnOptions.Curve"), // once a number
		t.model.ConstantsOf(t.model.Formulas),
		run.ContentsOf(records),
	}
}

// Checkpoint is the state of a run between two updates.
type Checkpoint struct {
	Run       []checkpoint.Property
	Pass      int
	Next      int // position in the stream
	Seen      int // subgraphs
	Optimizer cd.State
	Steps     []byte // state of a run without a given number of passes

	chains map[int][]uint64
	curve  []Point
}

// A checkpoint is written with package wire: the magic number, a version (u32), then the fields in order. A map is a list in
// ascending order of keys. Chains are words of 64 atoms, the first in the lowest bit.
var learnForm = checkpoint.Form{Magic: "\x93RSWCP\r\n", Version: "\x02\x00\x00\x00", Stage: "learning"}

// MarshalBinary returns the bytes of a checkpoint.
func (c *Checkpoint) MarshalBinary() ([]byte, error) { return c.encode(), nil }

func (c *Checkpoint) encode() []byte {
	w := learnForm.New(c.Run)
	w.Int(c.Pass)
	w.Int(c.Next)
	w.Int(c.Seen)
	c.Optimizer.Write(w)
	w.String(string(c.Steps))
	w.Int(len(c.chains))
	for _, index := range slices.Sorted(maps.Keys(c.chains)) {
		w.Int(index)
		w.Int(len(c.chains[index]))
		for _, bits := range c.chains[index] {
			w.Uint(bits)
		}
	}
	w.Int(len(c.curve))
	for _, p := range c.curve {
		w.Int(p.Pass)
		w.Int(p.Index)
		w.Int(p.Atoms)
		w.Float(p.PLL)
		w.Float(p.CLL)
		w.Bool(p.Exact)
	}
	return w.Sealed()
}

// ReadCheckpoint reads a checkpoint of a run with the given properties. It accepts arbitrary bytes; the error is a
// *CheckpointError.
func ReadCheckpoint(data []byte, run []checkpoint.Property) (*Checkpoint, error) {
	r, err := learnForm.Open(data, run)
	if err != nil {
		return nil, err
	}
	return decodeCheckpoint(r, run)
}

func decodeCheckpoint(r *wire.Reader, run []checkpoint.Property) (*Checkpoint, error) {
	c := &Checkpoint{Run: run, chains: map[int][]uint64{}}
	c.Pass, c.Next, c.Seen = r.Int(), r.Int(), r.Int()
	c.Optimizer.Read(r)
	c.Steps = []byte(r.String())
	last := -1
	wire.List(r, 16, func() (none struct{}) {
		index := r.Int()
		r.Refuse(index <= last)
		last = index
		c.chains[index] = wire.List(r, 8, r.Uint)
		return none
	})
	c.curve = wire.List(r, 48, func() Point {
		return Point{Pass: r.Int(), Index: r.Int(), Atoms: r.Int(), PLL: r.Float(), CLL: r.Float(), Exact: r.Bool()}
	})
	if !r.Done() {
		return nil, checkpoint.ErrDamaged
	}
	return c, nil
}

// packed packs a state into one bit per atom.
func packed(dst []uint64, state []bool) []uint64 {
	if dst == nil {
		dst = make([]uint64, (len(state)+63)/64)
	}
	clear(dst)
	for i, v := range state {
		if v {
			dst[i/64] |= 1 << (i % 64)
		}
	}
	return dst
}

// unpack reads a state that packed returned; if there is none, the state is unchanged. If the size is wrong, which happens only
// with checkpoints, the error is a *CheckpointError.
func unpack(state []bool, bits []uint64) error {
	if bits == nil {
		return nil
	}
	if len(bits) != (len(state)+63)/64 {
		return checkpoint.Differs("the stream")
	}
	for i := range state {
		state[i] = bits[i/64]>>(i%64)&1 == 1
	}
	return nil
}
