package resolwe

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"resolwe/internal/castagnoli"
	"resolwe/kernels/cd"
)

// A checkpoint is, all numbers little-endian:
//
//	magic, 8 bytes | version u32 | payload | CRC-32C of all before, u32
//
// The payload is the fields of a checkpoint in their order. Integers are u64; a float is its IEEE 754 bits; a string, a
// list, and a map, ascending by key, follow their length. Chains are words of 64 atoms, the first in the lowest bit.
const (
	checkpointMagic   = "\x93RSWCP\r\n"
	checkpointVersion = 1
	checkpointHead    = len(checkpointMagic) + 4
	checkpointTail    = 4
)

var errDamaged = &CheckpointError{Reason: "damaged", Damaged: true}

// encodeCheckpoint returns the bytes of a checkpoint.
func encodeCheckpoint(c *checkpoint) []byte {
	e := byteWriter{append([]byte(checkpointMagic), checkpointVersion, 0, 0, 0)}
	e.int(len(c.run))
	for _, p := range c.run {
		e.string(p.name)
		e.string(p.value)
	}
	e.int(c.pass)
	e.int(c.next)
	e.int(c.seen)
	e.optimizer(&c.optimizer)
	e.int(len(c.chains))
	for _, index := range slices.Sorted(maps.Keys(c.chains)) {
		e.int(index)
		e.int(len(c.chains[index]))
		for _, w := range c.chains[index] {
			e.uint(w)
		}
	}
	e.int(len(c.curve))
	for _, p := range c.curve {
		e.int(p.Pass)
		e.int(p.Index)
		e.int(p.Atoms)
		e.float(p.PLL)
		e.float(p.CLL)
		e.bool(p.Exact)
	}
	return binary.LittleEndian.AppendUint32(e.b, castagnoli.Checksum(e.b))
}

// byteWriter appends values.
type byteWriter struct{ b []byte }

func (e *byteWriter) uint(v uint64)   { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *byteWriter) int(v int)       { e.uint(uint64(v)) }
func (e *byteWriter) float(v float64) { e.uint(math.Float64bits(v)) }

func (e *byteWriter) bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	e.int(n)
}

func (e *byteWriter) string(s string) {
	e.int(len(s))
	e.b = append(e.b, s...)
}

func (e *byteWriter) optimizer(o *cd.State) {
	e.int(o.Updates)
	e.float(o.Clock)
	e.float(o.Averaged)
	for _, values := range [][]float64{o.Weights, o.Step, o.Average, o.Running, o.Information} {
		e.int(len(values))
		for _, v := range values {
			e.float(v)
		}
	}
}

// decodeCheckpoint reads a checkpoint from any bytes. It takes memory in proportion to them. The error is a
// *CheckpointError.
func decodeCheckpoint(data []byte) (*checkpoint, error) {
	if len(data) < checkpointHead+checkpointTail || string(data[:len(checkpointMagic)]) != checkpointMagic {
		return nil, &CheckpointError{Reason: "this is none", Damaged: true}
	}
	if v := binary.LittleEndian.Uint32(data[len(checkpointMagic):]); v != checkpointVersion {
		return nil, &CheckpointError{Reason: "of another version of this program", Damaged: true}
	}
	end := len(data) - checkpointTail
	if castagnoli.Checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, errDamaged
	}
	d := &byteReader{b: data[checkpointHead:end]}
	c := d.checkpoint()
	if d.bad || len(d.b) > 0 {
		return nil, errDamaged
	}
	return c, nil
}

// byteReader reads what a byteWriter wrote. Once it is bad, it reads zeros.
type byteReader struct {
	b   []byte
	bad bool
}

func (d *byteReader) checkpoint() *checkpoint {
	c := &checkpoint{chains: map[int][]uint64{}}
	c.run = list(d, 16, func() property { return property{d.string(), d.string()} })
	c.pass, c.next, c.seen = d.int(), d.int(), d.int()
	d.optimizer(&c.optimizer)
	last := -1
	for range d.length(16) {
		index := d.int()
		d.bad = d.bad || index <= last
		last = index
		c.chains[index] = list(d, 8, d.uint)
	}
	c.curve = list(d, 48, func() Point {
		return Point{Pass: d.int(), Index: d.int(), Atoms: d.int(), PLL: d.float(), CLL: d.float(), Exact: d.bool()}
	})
	return c
}

func (d *byteReader) optimizer(o *cd.State) {
	o.Updates, o.Clock, o.Averaged = d.int(), d.float(), d.float()
	for _, values := range []*[]float64{&o.Weights, &o.Step, &o.Average, &o.Running, &o.Information} {
		*values = list(d, 8, d.float)
	}
}

// list reads a list whose elements take at least size bytes.
func list[T any](d *byteReader, size int, element func() T) []T {
	out := make([]T, d.length(size))
	for i := range out {
		out[i] = element()
	}
	return out
}

func (d *byteReader) uint() uint64 {
	if len(d.b) < 8 {
		d.bad, d.b = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return v
}

func (d *byteReader) int() int {
	v := d.uint()
	if v > math.MaxInt32 {
		d.bad = true
		return 0
	}
	return int(v)
}

func (d *byteReader) float() float64 { return math.Float64frombits(d.uint()) }

func (d *byteReader) bool() bool {
	v := d.uint()
	d.bad = d.bad || v > 1
	return v == 1
}

// length reads how many elements follow, of at least size bytes each.
func (d *byteReader) length(size int) int {
	n := d.int()
	if n > len(d.b)/size {
		d.bad = true
		return 0
	}
	return n
}

func (d *byteReader) string() string {
	n := d.length(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}
