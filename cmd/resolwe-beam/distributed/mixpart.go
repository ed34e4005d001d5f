package distributed

import (
	"cmp"

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
	p.code(w)
	return w.Sealed(), nil
}

// code writes or reads the fields.
func (p *MixPart) code(c wire.Coder) {
	has := p.sums != nil
	c.Code(&p.subgraphs, &p.skipped, &p.tied, &p.state, &has)
	if has {
		p.sums = cmp.Or(p.sums, &cd.Sums{})
		p.sums.Code(c)
	}
}

// UnmarshalBinary reads the output of MarshalBinary. It is safe for arbitrary bytes, and uses memory in proportion to them. The
// error is a *PartError.
func (p *MixPart) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, mixMagic)
	var out MixPart
	if out.code(r); !r.Done() {
		return errPartDamaged
	}
	*p = out
	return nil
}
