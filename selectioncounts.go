package resolwe

import (
	"encoding/binary"

	"resolwe/internal/castagnoli"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
)

// SelectionCounts are the exact counts of a model's candidates on a part of a stream. Parts that share no subgraph add up
// to the counts of all of them, in any order. The zero value is the counts on nothing.
type SelectionCounts struct {
	Subgraphs uint64    // that were used
	Skipped   uint64    // damaged ones that were left out
	Work      join.Work // of the kernels; it may depend on the number of workers, and does not travel

	identity string // of the model and the criterion; "" for counts on nothing
	sums     selection.Sums
}

// CountsError says that selection counts cannot be used.
type CountsError struct{ Reason string }

// Error gives the reason.
func (e *CountsError) Error() string { return "selection counts: " + e.Reason }

var (
	errCountsDamaged = &CountsError{"damaged"}
	errCountsOther   = &CountsError{"of another model or criterion"}
)

// Add adds the counts of another part. The error is a *CountsError where they are of another model or criterion; then
// nothing is added.
func (c *SelectionCounts) Add(o *SelectionCounts) error {
	switch {
	case o.identity == "":
		return nil
	case c.identity == "":
		copied, err := selection.UnmarshalSums(o.sums.AppendBinary(nil))
		if err != nil {
			return errCountsDamaged
		}
		*c = *o
		c.sums = copied
		return nil
	case c.identity != o.identity || c.sums.Add(o.sums) != nil:
		return errCountsOther
	}
	c.Subgraphs += o.Subgraphs
	c.Skipped += o.Skipped
	c.Work.Add(o.Work)
	return nil
}

// Candidates calls visit with the statistics of each candidate, in the order of Selector.Candidates.
func (c *SelectionCounts) Candidates(visit func(i int, t *selection.Totals)) {
	for i := range c.sums {
		visit(i, &c.sums[i])
	}
}

// Counts travel as, all numbers little-endian:
//
//	magic, 8 bytes | subgraphs u64 | skipped u64 | length u64 and identity | sums | CRC-32C of all before, u32
const countsMagic = "\x93RSWSC\x01\n"

// MarshalBinary returns the counts as bytes: the same ones for the same counts.
func (c *SelectionCounts) MarshalBinary() ([]byte, error) {
	e := byteWriter{[]byte(countsMagic)}
	e.uint(c.Subgraphs)
	e.uint(c.Skipped)
	e.string(c.identity)
	b := c.sums.AppendBinary(e.b)
	return binary.LittleEndian.AppendUint32(b, castagnoli.Checksum(b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is a
// *CountsError.
func (c *SelectionCounts) UnmarshalBinary(data []byte) error {
	end := len(data) - checkpointTail
	if end < len(countsMagic) || string(data[:len(countsMagic)]) != countsMagic ||
		castagnoli.Checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return errCountsDamaged
	}
	d := byteReader{b: data[len(countsMagic):end]}
	out := SelectionCounts{Subgraphs: d.uint(), Skipped: d.uint(), identity: d.string()}
	var err error
	if out.sums, err = selection.UnmarshalSums(d.b); err != nil || d.bad || (out.identity == "" && len(out.sums) > 0) {
		return errCountsDamaged
	}
	*c = out
	return nil
}
