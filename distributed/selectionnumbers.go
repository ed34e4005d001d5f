package distributed

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"resolwe"
	"resolwe/internal/wire"
)

// CountNumbers counts the numbers that selection by gain looks for boundaries of, on all subgraphs of a stream, opened for
// the selector's model.
func (s *Selector) CountNumbers(ctx context.Context, stream *resolwe.Stream) (*NumberCounts, error) {
	c, err := s.Selector.CountNumbers(ctx, stream)
	if err != nil {
		return nil, err
	}
	return &NumberCounts{c, s.identity}, nil
}

// WithNumbers returns a selector that also has the candidates which compare numbers with the boundaries: those of the counts
// on all parts.
func (s *Selector) WithNumbers(b resolwe.NumberBoundaries) *Selector {
	with := s.Selector.WithNumbers(b)
	return &Selector{with, with.Identity()}
}

// NumberCounts are the counts of numbers on a part of a stream. Parts that share no subgraph add up to the counts on all of
// them, in any order. The zero value is the counts on nothing.
type NumberCounts struct {
	resolwe.NumberCounts

	identity string // of the model, the criterion and its options; "" for counts on nothing
}

// Add adds the counts of another part. The error is a *PartError where they are of another model, criterion or options;
// then nothing is added.
func (c *NumberCounts) Add(o *NumberCounts) error {
	switch {
	case o.identity == "":
		return nil
	case c.identity == "":
		c.identity, c.NumberCounts = o.identity, resolwe.NumberCounts{}
	case c.identity != o.identity:
		return errCountsOther
	}
	for a, numbers := range o.NumberCounts {
		if c.NumberCounts[a] == nil {
			c.NumberCounts[a] = map[float64]uint64{}
		}
		for v, n := range numbers {
			c.NumberCounts[a][v] += n
		}
	}
	return nil
}

// numbersMagic begins counts of numbers, by package wire: the identity, and for each argument its predicate, its place, and
// the values with their counts, ascending.
const numbersMagic = "\x93RSWNC\x01\n"

// MarshalBinary returns the counts as bytes: the same ones for the same counts. It does not fail.
func (c *NumberCounts) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(numbersMagic)
	w.String(c.identity)
	w.Int(len(c.NumberCounts))
	for _, a := range slices.SortedFunc(maps.Keys(c.NumberCounts), compareArguments) {
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

func compareArguments(a, b resolwe.Argument) int {
	return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.At, b.At))
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is a
// *PartError.
func (c *NumberCounts) UnmarshalBinary(data []byte) error {
	type number struct {
		value float64
		count uint64
	}
	type argument struct {
		resolwe.Argument
		numbers []number
	}
	r := wire.NewReader(data, numbersMagic)
	out := NumberCounts{identity: r.String(), NumberCounts: resolwe.NumberCounts{}}
	list := wire.List(r, 3*8, func() argument {
		a := argument{Argument: resolwe.Argument{Predicate: r.Int(), At: r.Int()}}
		a.numbers = wire.List(r, 2*8, func() number { return number{r.Float(), r.Uint()} })
		return a
	})
	for i, a := range list {
		r.Refuse(i > 0 && compareArguments(list[i-1].Argument, a.Argument) >= 0)
		values := make(map[float64]uint64, len(a.numbers))
		for k, n := range a.numbers {
			r.Refuse(math.IsNaN(n.value) || math.IsInf(n.value, 0) || n.value == 0 && math.Signbit(n.value) || n.count == 0)
			r.Refuse(k > 0 && n.value <= a.numbers[k-1].value)
			values[n.value] = n.count
		}
		out.NumberCounts[a.Argument] = values
	}
	if !r.Done() || out.identity == "" && len(list) > 0 {
		return errCountsDamaged
	}
	*c = out
	return nil
}
