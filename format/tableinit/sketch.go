package tableinit

import (
	"bytes"
	"maps"
	"math"
	"strconv"

	"resolwe/format/tablefile"
)

// sketchSize is the number of values that a sketch keeps.
const sketchSize = 1 << 15

// sketch is a sample of a column's distinct values: those with hashes below a bound, with their frequencies (distinct sampling: Gibbons,
// 2001). All columns use the same hash, so samples can be compared. Up to sketchSize distinct values it is exact.
type sketch struct {
	bound  uint64 // hashes are below it; 0 means no bound
	values map[uint64]sampled
}

type sampled struct {
	count uint32
	whole int64 // the value, if the column has whole numbers
}

// hashOf is FNV-1a of 64 bits, finished by splitmix64.
func hashOf(cell []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range cell {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

func (s *sketch) add(hash uint64, whole int64) {
	if s.bound != 0 && hash >= s.bound {
		return
	}
	if s.values == nil {
		s.values = map[uint64]sampled{}
	}
	v := s.values[hash]
	v.count, v.whole = min(v.count, math.MaxUint32-1)+1, whole
	s.values[hash] = v
	if len(s.values) <= sketchSize {
		return
	}
	if s.bound == 0 {
		s.bound = 1 << 63
	} else {
		s.bound >>= 1
	}
	for h := range s.values {
		if h >= s.bound {
			delete(s.values, h)
		}
	}
}

// share returns the fraction of all values that the sketch keeps.
func (s *sketch) share() float64 {
	if s.bound == 0 {
		return 1
	}
	return float64(s.bound) / (1 << 63) / 2
}

// distinct estimates the number of distinct values.
func (s *sketch) distinct() float64 { return float64(len(s.values)) / s.share() }

// effective estimates the number of equally frequent values of which two random rows would be as likely to share one.
func (s *sketch) effective() float64 {
	var sum, squares float64 // whole numbers
	for _, v := range s.values {
		n := float64(v.count)
		sum += n
		squares += float64(n * n)
	}
	return float64(sum*sum) / max(squares, 1) / s.share()
}

// most returns the frequency of the most frequent value in the sketch.
func (s *sketch) most() (n float64) {
	for _, v := range s.values {
		n = max(n, float64(v.count))
	}
	return n
}

// unique reports whether no value repeats, as far as the sketch shows.
func (s *sketch) unique() bool {
	for _, v := range s.values {
		if v.count > 1 {
			return false
		}
	}
	return len(s.values) > 0
}

// within estimates the fraction of the distinct values that another column also has.
func (s *sketch) within(t *sketch) float64 {
	bound := s.bound
	if bound == 0 || t.bound != 0 && t.bound < bound {
		bound = t.bound
	}
	all, both := 0, 0
	for h := range s.values {
		if bound != 0 && h >= bound {
			continue
		}
		all++
		if _, ok := t.values[h]; ok {
			both++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

// density estimates the fraction of the whole numbers from lo to hi that occur. From a sample it is an upper limit, four standard errors
// above, so that sampling error does not look like gaps.
func (s *sketch) density(lo, hi int64) float64 {
	n := 0.0
	for _, v := range s.values {
		if v.whole >= lo && v.whole <= hi {
			n++
		}
	}
	most := n + float64(4*math.Sqrt(n*(1-s.share())))
	return min(1, most/s.share()/(float64(hi)-float64(lo)+1))
}

// spelling has the usual spelling of a column's cells while all are whole numbers, some of which are written with zeros around them, as 8.0 or
// 00012.
type spelling struct {
	values *sketch // nil until one is
	failed bool    // some cell is not a whole number
	lo, hi int64
	name   []byte
}

// add adds a cell, before it is added to the sketch of cells.
func (s *spelling) add(cell []byte, cells *sketch) {
	if s.failed {
		return
	}
	name, ok := tablefile.AppendWhole(s.name[:0], cell)
	n, err := strconv.ParseInt(string(name), 10, 64)
	s.name = name
	if s.failed = !ok || err != nil; s.failed {
		s.values = nil
		return
	}
	if s.lo, s.hi = min(s.lo, n), max(s.hi, n); len(cells.values) == 0 {
		s.lo, s.hi = n, n
	}
	if s.values == nil && !bytes.Equal(name, cell) {
		s.values = &sketch{cells.bound, maps.Clone(cells.values)}
	}
	if s.values != nil {
		s.values.add(hashOf(name), n)
	}
}
