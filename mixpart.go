package resolwe

import (
	"encoding/binary"

	"resolwe/internal/castagnoli"
	"resolwe/kernels/cd"
)

// MixPart is what a part of a stream has learned in an epoch of a Mixer, which travels as bytes.
type MixPart struct {
	identity  string // of the run
	epoch     int
	part      int
	subgraphs int
	skipped   int
	atoms     int      // of MixNewton
	state     cd.State // of MixNewton: Step is the sum of the gradients, Information that of the information
}

// MixError says that parts cannot be mixed.
type MixError struct{ Reason string }

// Error gives the reason.
func (e *MixError) Error() string { return "mixing: " + e.Reason }

var errPartDamaged = &MixError{"a part is damaged"}

// Subgraphs returns how many subgraphs were learned from.
func (p *MixPart) Subgraphs() int { return p.subgraphs }

// Skipped returns how many damaged subgraphs were left out.
func (p *MixPart) Skipped() int { return p.skipped }

// mixMagic begins what has been learned: its fields in their order follow as in a checkpoint, and a CRC-32C of all.
const mixMagic = "\x93RSWMX\x01\n"

// MarshalBinary returns what was learned as bytes.
func (p *MixPart) MarshalBinary() ([]byte, error) {
	e := byteWriter{[]byte(mixMagic)}
	e.string(p.identity)
	e.int(p.epoch)
	e.int(p.part)
	e.int(p.subgraphs)
	e.int(p.skipped)
	e.uint(uint64(p.atoms))
	e.optimizer(&p.state)
	return binary.LittleEndian.AppendUint32(e.b, castagnoli.Checksum(e.b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is a
// *MixError.
func (p *MixPart) UnmarshalBinary(data []byte) error {
	end := len(data) - checkpointTail
	if end < len(mixMagic) || string(data[:len(mixMagic)]) != mixMagic ||
		castagnoli.Checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return errPartDamaged
	}
	d := byteReader{b: data[len(mixMagic):end]}
	out := MixPart{identity: d.string(), epoch: d.int(), part: d.int(), subgraphs: d.int(), skipped: d.int(), atoms: int(d.uint())}
	d.optimizer(&out.state)
	if d.bad || len(d.b) > 0 {
		return errPartDamaged
	}
	*p = out
	return nil
}
