package cut

import (
	"math"
	"slices"

	"resolwe/format/table"
)

// signBit turns the order of signed numbers into that of unsigned ones.
const signBit = 1 << 63

// encodeInt returns a number of 64 bits that is ordered as the integer.
func encodeInt(n int64) uint64 { return uint64(n) ^ signBit }

func decodeInt(v uint64) int64 { return int64(v ^ signBit) }

// encodeFloat returns a number of 64 bits that is ordered as the float. Both zeros are one, and so are all NaNs.
func encodeFloat(f float64) uint64 {
	switch {
	case f == 0:
		return signBit
	case math.IsNaN(f):
		return math.MaxUint64
	}
	if b := math.Float64bits(f); b < signBit {
		return b | signBit
	} else {
		return ^b
	}
}

func decodeFloat(v uint64) float64 {
	if v >= signBit {
		return math.Float64frombits(v ^ signBit)
	}
	return math.Float64frombits(^v)
}

// codec says which numbers the codes of a column stand for, in ascending order. The zero codec is that of entities.
type codec struct {
	base   uint64   // of code 0, where the codes are consecutive numbers
	values []uint64 // by code; nil where they are consecutive
	size   uint64   // codes are below it
}

func (c *codec) value(code uint32) uint64 {
	if c.values != nil {
		return c.values[code]
	}
	return c.base + uint64(code)
}

// code returns the code of a number, and whether it has one.
func (c *codec) code(v uint64) (uint32, bool) {
	if c.values != nil {
		i, found := slices.BinarySearch(c.values, v)
		return uint32(i), found
	}
	v -= c.base
	return uint32(v), v < c.size
}

// codesOf returns a column of a table as codes. Those of entities are the table's own memory.
func codesOf(c *table.Column, size int) ([]uint32, codec) {
	switch c.Kind {
	case table.KindEntity:
		return c.IDs, codec{size: uint64(size)}
	case table.KindFloat:
		return encode(len(c.Floats), func(i int) uint64 { return encodeFloat(c.Floats[i]) })
	case table.KindInt, table.KindDay, table.KindTime:
	}
	return encode(len(c.Nums), func(i int) uint64 { return encodeInt(c.Nums[i]) })
}

// encode returns codes for n numbers.
func encode(n int, at func(int) uint64) ([]uint32, codec) {
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for i := range n {
		v := at(i)
		lo, hi = min(lo, v), max(hi, v)
	}
	codes := make([]uint32, n)
	if n == 0 {
		return codes, codec{}
	}
	if hi-lo <= math.MaxUint32 {
		for i := range codes {
			codes[i] = uint32(at(i) - lo)
		}
		return codes, codec{base: lo, size: hi - lo + 1}
	}
	values := make([]uint64, n)
	for i := range values {
		values[i] = at(i)
	}
	slices.Sort(values)
	values = slices.Clip(slices.Compact(values))
	for i := range codes {
		k, _ := slices.BinarySearch(values, at(i))
		codes[i] = uint32(k)
	}
	return codes, codec{values: values, size: uint64(len(values))}
}
