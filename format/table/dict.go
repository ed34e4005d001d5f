package table

import (
	"hash/maphash"
	"math"
)

const maxNames = math.MaxUint32

// seed makes the hashes of names unforeseeable. They do not show: ids follow first mention.
var seed = maphash.MakeSeed()

// Dict numbers the names of one type densely, in order of first mention. Beside a name's own bytes it takes about 30 to 60
// more. The zero Dict is empty and ready for use. Any number of goroutines may read it while none adds to it.
type Dict struct {
	text []byte            // the names, in the order of their ids
	ends []uint64          // by id: where its name ends in text
	ids  map[uint64]uint32 // by hash; a name whose hash another one has goes by the next that is free
}

// Len returns the number of names.
func (d *Dict) Len() int { return len(d.ends) }

// Name returns the name of an id below Len.
func (d *Dict) Name(id uint32) string { return string(d.name(id)) }

func (d *Dict) name(id uint32) []byte {
	from := uint64(0)
	if id > 0 {
		from = d.ends[id-1]
	}
	return d.text[from:d.ends[id]]
}

// Lookup returns the id of a name, and whether there is one.
func (d *Dict) Lookup(name string) (uint32, bool) {
	id, _, found := d.find([]byte(name))
	return id, found
}

// Intern returns the id of a name, which it adds where it is new. It keeps no reference to name. It panics on more than
// 2^32 - 1 names.
func (d *Dict) Intern(name []byte) uint32 {
	id, hash, found := d.find(name)
	if found {
		return id
	}
	if uint64(len(d.ends)) == maxNames {
		panic("table: more names than ids")
	}
	if d.ids == nil {
		d.ids = map[uint64]uint32{}
	}
	id = uint32(len(d.ends))
	d.text = append(d.text, name...)
	d.ends = append(d.ends, uint64(len(d.text)))
	d.ids[hash] = id
	return id
}

// find returns the id of a name, and the hash by which it goes or would go.
func (d *Dict) find(name []byte) (id uint32, hash uint64, found bool) {
	for hash = maphash.Bytes(seed, name); ; hash++ {
		if id, found = d.ids[hash]; !found || string(d.name(id)) == string(name) {
			return id, hash, found
		}
	}
}
