package distributed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"resolwe/format/checkpoint"
	"resolwe/internal/stage/learning"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// properties lists what the result depends on.
func (x *Mixer) properties() []checkpoint.Property {
	h := sha256.New()
	for _, n := range x.parts {
		fmt.Fprintln(h, n)
	}
	return append(
		x.task.Properties(x.size, x.Records), checkpoint.Depends("the shards", hex.EncodeToString(h.Sum(nil)[:16]), ""),
		checkpoint.Depends("--mix", int(x.method), "distributed.MixMethod"),
	)
}

// numbers are the codes of phases in states.
var numbers = [...]int{cd.Exactly: 0, cd.Nearly: 1, cd.Online: 2, cd.Settling: 3}

// MarshalBinary returns the state between two epochs as bytes: a checkpoint.
func (x *Mixer) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("")
	w.Code(&numbers[x.Phase], &x.mixed, &x.tied, x.Newton)
	if x.Phase == cd.Settling {
		x.Course.Code(w)
	}
	c := learning.Checkpoint{Run: x.properties(), Pass: x.epoch, Seen: x.seen, Optimizer: x.state, Steps: w.Sealed()}
	return c.MarshalBinary()
}

// Restore sets the state that a mixer of the same model, options and parts has saved. It is safe for arbitrary bytes. If there is
// an error, a *resolwe.CheckpointError, the mixer is unchanged.
func (x *Mixer) Restore(data []byte) error {
	c, err := learning.ReadCheckpoint(data, x.properties())
	if err != nil {
		return err
	}
	r := wire.NewReader(c.Steps, "")
	s := x.task.NewSchedule()
	at, mixed, tied := slices.Index(numbers[:], r.Int()), r.Int(), r.Int()
	s.Begin(cd.Exactly, x.size, 1)
	s.Newton.Read(r)
	if s.Phase = cd.Phase(at); s.Phase == cd.Settling {
		s.Course.Read(r, len(c.Optimizer.Weights))
	}
	s.Optimum = s.NewOptimizer(x.opt.Sigma, x.size, math.MaxInt/2)
	if !r.Done() || at < 0 || mixed > x.passes(s.Phase) || s.Optimum.Restore(c.Optimizer) != nil {
		return checkpoint.ErrDamaged
	}
	x.epoch, x.seen, x.state = c.Pass, c.Seen, c.Optimizer
	x.Schedule, x.mixed, x.tied = s, mixed, tied
	return nil
}
