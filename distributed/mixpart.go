package distributed

import (
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// MixPart is what came of a part of a stream in an epoch of a Mixer, which travels as bytes.
type MixPart struct {
	identity  string // of the run
	epoch     int
	part      int
	subgraphs int
	skipped   int
	tied      int      // atoms of a component that is too large for exact sums; there are none then
	sums      *cd.Sums // of a Newton step
	state     cd.State // of mixing
}

var errPartDamaged = &PartError{"mixing", "a part is damaged"}

// Skipped returns how many damaged subgraphs were left out.
func (p *MixPart) Skipped() int { return p.skipped }

// mixMagic begins what has been learned, by package wire: its fields in their order.
const mixMagic = "\x93RSWMX\x02\n"

// MarshalBinary returns what was learned as bytes.
func (p *MixPart) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(mixMagic)
	w.String(p.identity)
	for _, n := range []int{p.epoch, p.part, p.subgraphs, p.skipped, p.tied} {
		w.Int(n)
	}
	p.state.Write(w)
	w.Bool(p.sums != nil)
	if p.sums != nil {
		p.sums.Write(w)
	}
	return w.Sealed(), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is a
// *PartError.
func (p *MixPart) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, mixMagic)
	out := MixPart{identity: r.String(), epoch: r.Int(), part: r.Int(), subgraphs: r.Int(), skipped: r.Int(), tied: r.Int()}
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
