package distributed

import (
	"maps"
	"math"
	"slices"

	"resolwe/internal/stage/selecting"
	"resolwe/internal/wire"
)

// NumberCounts are the counts of numbers of a resolwe.Selector on a part of a stream, which can be sent as bytes. Counts of parts
// that share no subgraph add up, in any order, to the counts of all of them.
type NumberCounts struct{ selecting.NumberCounts }

// Add adds the counts of another part.
func (c *NumberCounts) Add(o *NumberCounts) {
	if c.NumberCounts == nil {
		c.NumberCounts = selecting.NumberCounts{}
	}
	for a, numbers := range o.NumberCounts {
		if c.NumberCounts[a] == nil {
			c.NumberCounts[a] = map[float64]uint64{}
		}
		for v, n := range numbers {
			c.NumberCounts[a][v] += n
		}
	}
}

// numbersMagic begins encoded counts of numbers: for each argument its predicate, its position, and the values in ascending order
// with their counts, written with package wire.
const numbersMagic = "\x93RSWNC\x02\n"

// MarshalBinary returns the counts as bytes: the same ones for the same counts. It does not fail.
func (c *NumberCounts) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(numbersMagic)
	w.Int(len(c.NumberCounts))
	for _, a := range slices.SortedFunc(maps.Keys(c.NumberCounts), selecting.Argument.Compare) {
		w.Int(a.Predicate)
		w.Int(a.At)
		numbers := c.NumberCounts[a]
		w.Int(len(numbers))
		for _, v := range slices.Sorted(maps.Keys(numbers)) {
			w.Float(v)
			w.Uint(numbers[v])
		}
	}
	return w.Sealed(), nil
}

// UnmarshalBinary reads the output of MarshalBinary. It is safe for arbitrary bytes, and uses memory in proportion to them. The
// error is a *PartError.
func (c *NumberCounts) UnmarshalBinary(data []byte) error {
	type number struct {
		value float64
		count uint64
	}
	type argument struct {
		selecting.Argument
		numbers []number
	}
	r := wire.NewReader(data, numbersMagic)
	out := NumberCounts{selecting.NumberCounts{}}
	list := wire.List(r, 3*8, func() argument {
		a := argument{Argument: selecting.Argument{Predicate: r.Int(), At: r.Int()}}
		a.numbers = wire.List(r, 2*8, func() number { return number{r.Float(), r.Uint()} })
		return a
	})
	for i, a := range list {
		r.Refuse(i > 0 && list[i-1].Compare(a.Argument) >= 0)
		values := make(map[float64]uint64, len(a.numbers))
		for k, n := range a.numbers {
			r.Refuse(math.IsNaN(n.value) || math.IsInf(n.value, 0) || n.value == 0 && math.Signbit(n.value) || n.count == 0)
			r.Refuse(k > 0 && n.value <= a.numbers[k-1].value)
			values[n.value] = n.count
		}
		out.NumberCounts[a.Argument] = values
	}
	if !r.Done() {
		return errCountsDamaged
	}
	*c = out
	return nil
}
