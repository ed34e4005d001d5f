package table

import (
	"hash/maphash"
	"math"
	"strings"
)

// MaxNames is how many names a [Dict] has at most.
const MaxNames = math.MaxUint32 - 1

// seed makes the hashes of names unforeseeable. They do not show: ids follow first mention.
var seed = maphash.MakeSeed()

// Dict numbers the names of one type densely, in order of first mention. Beside a name's own bytes it takes about 20 to 45
// more. The zero Dict is empty and ready for use; it must not be copied once it has names. Any number of goroutines may read it while none
// adds to it.
type Dict struct {
	text  strings.Builder // the names, in the order of their ids
	ends  []uint64        // by id: where its name ends in text
	slots []slot          // hash table with linear probing; its size is a power of two
}

// slot is a name in the hash table. The hash spares most looks at names that differ.
type slot struct {
	hash uint32
	next uint32 // one more than its id; 0 where there is none
}

// Len returns the number of names.
func (d *Dict) Len() int { return len(d.ends) }

// Name returns the name of an id below Len, without allocating.
func (d *Dict) Name(id uint32) string { return d.text.String()[d.start(id):d.ends[id]] }

// NamesFrom returns the names from an id on, at most Len, one behind the other.
func (d *Dict) NamesFrom(id uint32) string { return d.text.String()[d.start(id):] }

func (d *Dict) start(id uint32) uint64 {
	if id == 0 {
		return 0
	}
	return d.ends[id-1]
}

// Lookup returns the id of a name, and whether there is one.
func (d *Dict) Lookup(name string) (uint32, bool) {
	if len(d.slots) == 0 {
		return 0, false
	}
	s := d.find([]byte(name), hash([]byte(name)))
	return max(s.next, 1) - 1, s.next > 0
}

// Intern returns the id of a name, which it adds where it is new. It keeps no reference to name. It panics on more than
// [MaxNames] names.
func (d *Dict) Intern(name []byte) uint32 {
	if 4*d.Len() >= 3*len(d.slots) {
		d.extend()
	}
	h := hash(name)
	s := d.find(name, h)
	if s.next > 0 {
		return s.next - 1
	}
	if uint64(d.Len()) == MaxNames {
		panic("table: more names than ids")
	}
	d.text.Write(name)
	d.ends = append(d.ends, uint64(d.text.Len()))
	*s = slot{h, uint32(d.Len())}
	return s.next - 1
}

// InternAll appends to dst what [Dict.Intern] returns for names that lie one behind the other in text, up to their ends. It is faster than one call for
// each: what it waits for in memory it waits for together.
func (d *Dict) InternAll(dst []uint32, text []byte, ends []int) []uint32 {
	const together = 256
	var (
		hashes [together]uint32
		slots  [together]slot
		spans  [together][2]uint64 // in d.text
	)
	start := 0
	for ; len(ends) > 0; ends = ends[min(together, len(ends)):] {
		some := ends[:min(together, len(ends))]
		from := start
		for i, end := range some {
			hashes[i] = hash(text[from:end])
			from = end
		}
		clear(slots[:])
		if mask := uint32(len(d.slots) - 1); len(d.slots) > 0 {
			for i := range some {
				slots[i] = d.slots[hashes[i]&mask]
			}
		}
		for i := range some {
			if next := slots[i].next; next > 0 && slots[i].hash == hashes[i] {
				spans[i] = [2]uint64{d.start(next - 1), d.ends[next-1]}
			} else {
				slots[i].next = 0
			}
		}
		known := d.text.String()
		for i, end := range some {
			name, id := text[start:end], slots[i].next-1
			if slots[i].next == 0 || known[spans[i][0]:spans[i][1]] != string(name) {
				id = d.Intern(name)
			}
			dst, start = append(dst, id), end
		}
	}
	return dst
}

func hash(name []byte) uint32 { return uint32(maphash.Bytes(seed, name)) }

// find returns the slot of a name, or the free one where it belongs.
func (d *Dict) find(name []byte, hash uint32) *slot {
	mask := len(d.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if s.next == 0 || s.hash == hash && d.Name(s.next-1) == string(name) {
			return s
		}
	}
}

// extend doubles the hash table.
func (d *Dict) extend() {
	old := d.slots
	d.slots = make([]slot, max(8, 2*len(old)))
	mask := len(d.slots) - 1
	for _, s := range old {
		i := int(s.hash) & mask
		for s.next > 0 && d.slots[i].next > 0 {
			i = (i + 1) & mask
		}
		if s.next > 0 {
			d.slots[i] = s
		}
	}
}
