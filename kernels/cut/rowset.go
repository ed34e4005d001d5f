package cut

import (
	"math/bits"
	"slices"
)

// rowHash mixes a row into a number whose upper bits are spread evenly.
func rowHash(row []uint64) uint64 {
	h := uint64(0)
	for _, v := range row {
		h = (bits.RotateLeft64(h, 29) ^ v) * mixer
	}
	return h
}

// hashTable holds numbers from 1 on, 0 where a place is free, in a power of two of places. Its memory is reused.
type hashTable struct {
	places []uint32
	shift  int
}

const (
	fewSlots  = 256
	manySlots = 1 << 13
	mixer     = 0x9e3779b97f4a7c15
)

// reset makes the table empty, with room for n numbers.
func (s *hashTable) reset(n int) {
	size := max(fewSlots, 1<<bits.Len(uint(2*n)))
	s.places = slices.Grow(s.places[:0], size)[:size]
	clear(s.places)
	s.shift = 64 - bits.TrailingZeros(uint(size))
}

// first returns the place where a search for a row begins, and next the one after another.
func (s *hashTable) first(row []uint64) int { return int(rowHash(row) >> s.shift) }
func (s *hashTable) next(place int) int     { return (place + 1) & (len(s.places) - 1) }

// put adds a number under a row that is not there yet.
func (s *hashTable) put(row []uint64, number int) {
	i := s.first(row)
	for s.places[i] != 0 {
		i = s.next(i)
	}
	s.places[i] = uint32(number)
}

// rowSet finds repetitions among rows as they are added.
type rowSet struct{ seen hashTable }

// keep drops the last of the rows where it repeats one before.
func (s *rowSet) keep(r *rows) {
	last := r.row(r.n - 1)
	i := s.seen.first(last)
	for ; s.seen.places[i] != 0; i = s.seen.next(i) {
		if r.begins(int(s.seen.places[i]-1), last) {
			r.n--
			r.data = r.data[:r.n*r.width]
			return
		}
	}
	if s.seen.places[i] = uint32(r.n); 2*r.n <= len(s.seen.places) {
		return
	}
	s.seen.reset(2 * r.n)
	for k := range r.n {
		s.seen.put(r.row(k), k+1)
	}
}

// stamps is a set of numbers that is emptied at once. Its memory is reused.
type stamps struct {
	places []stamp // by hash; a power of two of them
	used   int
	shift  int
	epoch  uint32
}

type stamp struct {
	value uint64
	epoch uint32 // that added the value; 0 where the place is free
}

// reset forgets all numbers. Small results do not pay for a large one before.
func (s *stamps) reset() {
	if n := len(s.places); n == 0 || n > manySlots {
		s.resize(fewSlots)
	}
	clear(s.places)
	s.used, s.epoch = 0, 1
}

func (s *stamps) resize(n int) {
	s.places, s.used = make([]stamp, n), 0
	s.shift = 64 - bits.TrailingZeros(uint(n))
}

// empty makes the set empty, and keeps the numbers' places.
func (s *stamps) empty() {
	if s.epoch++; s.epoch == 0 {
		s.reset()
	}
}

// place returns where a number is or would go.
func (s *stamps) place(v uint64) *stamp {
	mask := len(s.places) - 1
	for i := int(v * mixer >> s.shift); ; i = (i + 1) & mask {
		if p := &s.places[i]; p.epoch == 0 || p.value == v {
			return p
		}
	}
}

// add adds a number and reports whether it was not there.
func (s *stamps) add(v uint64) bool {
	p := s.place(v)
	switch p.epoch {
	case s.epoch:
		return false
	case 0:
		s.used++
	}
	*p = stamp{v, s.epoch}
	if 2*s.used > len(s.places) {
		old := s.places
		s.resize(2 * len(old))
		for _, o := range old {
			if o.epoch != 0 {
				*s.place(o.value) = o
				s.used++
			}
		}
	}
	return true
}

// directory finds the groups of sorted rows that begin alike. Its memory is reused.
type directory struct {
	prefix int // number of columns that the rows of a group share
	starts []uint32
	groups hashTable
}

// build groups sorted rows.
func (d *directory) build(r *rows, prefix int) {
	d.prefix, d.starts = prefix, d.starts[:0]
	for i := range r.n {
		if i == 0 || !slices.Equal(r.row(i - 1)[:prefix], r.row(i)[:prefix]) {
			d.starts = append(d.starts, uint32(i))
		}
	}
	d.groups.reset(len(d.starts))
	for g, start := range d.starts {
		d.groups.put(r.row(int(start))[:prefix], g+1)
	}
	d.starts = append(d.starts, uint32(r.n))
}

// find returns the rows that begin with the values.
func (d *directory) find(r *rows, values []uint64) (lo, hi int) {
	for i := d.groups.first(values); d.groups.places[i] != 0; i = d.groups.next(i) {
		g := d.groups.places[i]
		if lo = int(d.starts[g-1]); r.begins(lo, values) {
			return lo, int(d.starts[g])
		}
	}
	return 0, 0
}
