package distributed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// properties lists what the result depends on, but for what the stream holds.
func (x *Mixer) properties() []checkpoint.Property {
	h := sha256.New()
	for _, n := range x.parts {
		fmt.Fprintln(h, n)
	}
	return append(
		x.task.Properties(x.size), checkpoint.Depends("the shards", text(h), ""),
		checkpoint.Depends("--mix", int(x.method), "distributed.MixMethod"),
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
	w := wire.NewWriter("")
	for _, n := range []int{int(x.stage), x.mixed, x.tied} {
		w.Int(n)
	}
	x.newton.Write(w)
	if x.stage == together {
		x.course.Write(w)
	}
	c := resolwe.Checkpoint{Run: x.properties(), Pass: x.epoch, Seen: x.seen, Optimizer: x.state, Steps: w.Sealed()}
	return c.MarshalBinary()
}

// Restore goes on from the state of a mixer of the same model, options and parts. Any bytes may be given. The error is a
// *resolwe.CheckpointError; the mixer is then as it was.
func (x *Mixer) Restore(data []byte) error {
	c, err := resolwe.ReadCheckpoint(data, x.properties())
	if err != nil {
		return err
	}
	r := wire.NewReader(c.Steps, "")
	at, mixed, tied := stage(r.Int()), r.Int(), r.Int()
	n := x.task.Newton()
	n.Read(r)
	var course cd.Course
	if at == together {
		course.Read(r, len(c.Optimizer.Weights))
	}
	if !r.Done() || at > together || mixed > x.passes(at) || x.optimizer(x.size, 1).Restore(c.Optimizer) != nil {
		return checkpoint.ErrDamaged
	}
	x.epoch, x.seen, x.state = c.Pass, c.Seen, c.Optimizer
	x.stage, x.mixed, x.tied, x.newton, x.course = at, mixed, tied, n, course
	return nil
}
