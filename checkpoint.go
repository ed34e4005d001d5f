package resolwe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// Checkpoints are how a run of learning or a discovery is saved, and goes on after it was ended. Its result is then the same bytes as
// that of a run that was never ended, for any number of workers.
type Checkpoints struct {
	Resume []byte             // a checkpoint to go on from; nil to begin anew
	Due    func() bool        // asked after each update whether to save; may be nil
	Save   func([]byte) error // takes a checkpoint, which it must not keep; nil to save none
}

// CheckpointError says that a run cannot continue from a checkpoint.
type CheckpointError = checkpoint.Error

// save hands the state of the run to the caller, who keeps it. It must stand between two updates.
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

// interrupted saves the state of a run that its caller ended, so that nothing learned is lost. It returns why it ended.
func (l *learnRun) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if saving := l.save(); saving != nil {
			return errors.Join(err, saving)
		}
	}
	return err
}

// resume goes on from the checkpoint of the options, where there is one.
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
	l.opt.Run.progress(l.seen)
	return nil
}

// steps returns where the phase of a run without a given number of passes stands.
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

// restore sets the phase, and where it stands. It returns false for a checkpoint that no run writes.
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

// identity lists what the result depends on, but for what the stream holds: of that its length and names stand for it.
func (l *learnRun) identity() []checkpoint.Property {
	names := sha256.New()
	for _, e := range l.source.stream.listed {
		if l.source.stream.only.Has(e.Index) {
			fmt.Fprintln(names, e.Index, strconv.Quote(e.Name))
		}
	}
	return l.properties(l.size, l.opt.BatchOf(l.size), names)
}

// Properties lists what the result on a number of subgraphs, or of parts of them, depends on, but for the stream.
func (t *LearnTask) Properties(size int) []checkpoint.Property {
	batch := t.opt.Batch
	if t.opt.BatchOf(size) == 1 {
		batch = 1 // of each part too, by default or not
	}
	return t.properties(size, batch, sha256.New())
}

func (t *LearnTask) properties(size, batch int, stream hash.Hash) []checkpoint.Property {
	model := sha256.New()
	t.model.writePredicates(model)
	for i, f := range t.model.Formulas {
		fmt.Fprintln(model, mln.FormatRule(f), strconv.FormatFloat(t.means[i], 'g', -1, 64))
	}
	o := &t.opt
	return []checkpoint.Property{
		checkpoint.Depends("the model", digest(model), ""),
		checkpoint.Depends("the number of subgraphs", size, ""),
		checkpoint.Depends("the stream", digest(stream), ""),
		checkpoint.Depends("--sigma", o.Sigma, "LearnOptions.Sigma"),
		checkpoint.Depends("--method", int(o.Method), "LearnOptions.Method"),
		checkpoint.Depends("--passes", o.Passes, "LearnOptions.Passes"),
		checkpoint.Depends("--batch", batch, "LearnOptions.Batch"),
		checkpoint.Depends("--skip", o.Skip, "LearnOptions.Skip"),
		checkpoint.Depends("--exact", !o.Sample, "LearnOptions.Sample"),
		checkpoint.Depends("--cd-samples", o.Samples, "LearnOptions.Samples"),
		checkpoint.Depends("--sampler", t.gradients.Sampler, "LearnOptions.Sampler"),
		checkpoint.Depends("--seed", o.Seed, "LearnOptions.Seed"),
		checkpoint.Depends("--curve-every", o.CurveEvery, "LearnOptions.CurveEvery"),
	}
}

// digest returns what stands for all that a hash has seen.
func digest(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// Checkpoint is the state of a run between two updates.
type Checkpoint struct {
	Run       []checkpoint.Property
	Pass      int
	Next      int // position in the stream
	Seen      int // subgraphs
	Optimizer cd.State
	Steps     []byte // of a run without a given number of passes

	chains map[int][]uint64
	curve  []Point
}

// A checkpoint is written by package wire, with the fields in their order behind the magic number and a version, a u32. A
// map is a list, ascending by key. Chains are words of 64 atoms, the first in the lowest bit.
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

// ReadCheckpoint reads a checkpoint of a run with those properties from any bytes. The error is a *CheckpointError.
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

// packed stores a state, a bit for each atom.
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

// unpack reads a state that packed stored; without one the state stays as it is. The error is a *CheckpointError: only a
// checkpoint has states of another size.
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
