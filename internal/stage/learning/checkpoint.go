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
	l.Newton.Code(w)
	if l.Summing() {
		l.sums.Code(w)
	} else {
		l.Course.Code(w)
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
		l.sums.Code(r)
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
	chains := make([]chain, 0, len(c.chains))
	for _, index := range slices.Sorted(maps.Keys(c.chains)) {
		chains = append(chains, chain{index, c.chains[index]})
	}
	c.code(w, &chains)
	return w.Sealed()
}

// chain is the state of a subgraph's chain, by its position in the stream.
type chain struct {
	index int
	bits  []uint64
}

// code writes or reads the fields, with the chains in order.
func (c *Checkpoint) code(w wire.Coder, chains *[]chain) {
	w.Code(&c.Pass, &c.Next, &c.Seen, &c.Optimizer, &c.Steps)
	wire.Items(w, chains, 16, func(s *chain) {
		w.Code(&s.index)
		wire.Items(w, &s.bits, 8, func(v *uint64) { w.Code(v) })
	})
	wire.Items(w, &c.curve, 48, func(p *Point) { w.Code(&p.Pass, &p.Index, &p.Atoms, &p.PLL, &p.CLL, &p.Exact) })
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
	var chains []chain
	c.code(r, &chains)
	for i, s := range chains {
		r.Refuse(i > 0 && s.index <= chains[i-1].index)
		c.chains[s.index] = s.bits
	}
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
