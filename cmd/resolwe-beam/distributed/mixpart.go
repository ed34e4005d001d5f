package distributed

import (
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// MixPart is the result of a part of a stream in an epoch of a Mixer, which can be sent as bytes.
type MixPart struct {
	subgraphs int
	skipped   int
	tied      int      // atoms of a component that is too large for exact sums, in which case there are none
	sums      *cd.Sums // of a Newton step
	state     cd.State // of mixing
}

var errPartDamaged = &PartError{"mixing", "a part is damaged"}

// Skipped returns how many damaged subgraphs were skipped.
func (p *MixPart) Skipped() int { return p.skipped }

// mixMagic begins an encoded MixPart. Its fields follow in order, written with package wire.
const mixMagic = "\x93RSWMX\x03\n"

// MarshalBinary returns the part as bytes.
func (p *MixPart) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(mixMagic)
	for _, n := range []int{p.subgraphs, p.skipped, p.tied} {
		w.Int(n)
	}
	p.state.Write(w)
	w.Bool(p.sums != nil)
	if p.sums != nil {
		p.sums.Write(w)
	}
	return w.Sealed(), nil
}

// UnmarshalBinary reads the output of MarshalBinary. It is safe for arbitrary bytes, and uses memory in proportion to them. The
// error is a *PartError.
func (p *MixPart) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, mixMagic)
	out := MixPart{subgraphs: r.Int(), skipped: r.Int(), tied: r.Int()}
	out.state.Read(r)
	if r.Bool() {
		out.sums = &cd.Sums{}
		out.sums.Read(r)
	}
	if !r.Done() {
		return errPartDamaged
	}
	*p = out
	return nil
}
