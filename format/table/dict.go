package table

import (
	"hash/maphash"
	"math"
)

const (
	blockShift = 20
	blockSize  = 1 << blockShift
	firstSlots = 16
	maxNames   = math.MaxUint32
)

// seed makes the slots that names take unforeseeable. They do not show: ids follow first mention.
var seed = maphash.MakeSeed()

// Dict numbers the names of one type densely, in order of first mention. Beside a name's own bytes it takes 19 to 31
// more. The zero Dict is empty and ready for use. Any number of goroutines may read it while none adds to it.
type Dict struct {
	blocks [][]byte // the names in the order of their ids. Each begins in the first blockSize bytes of a block and lies in it as a whole
	starts []uint64 // by id: block << blockShift | offset
	slots  []uint64 // high half of a name's hash | its id + 1, where the hash says or behind; 0 where free
}

// Len returns the number of names.
func (d *Dict) Len() int { return len(d.starts) }

// Name returns the name of an id below Len.
func (d *Dict) Name(id uint32) string { return string(d.at(id)) }

// at returns a view of a name.
func (d *Dict) at(id uint32) []byte {
	start := d.starts[id]
	block := d.blocks[start>>blockShift]
	if next := int(id) + 1; next < len(d.starts) && d.starts[next]>>blockShift == start>>blockShift {
		block = block[:d.starts[next]%blockSize]
	}
	return block[start%blockSize:]
}

// Lookup returns the id of a name, and whether there is one.
func (d *Dict) Lookup(name string) (uint32, bool) {
	if len(d.starts) == 0 {
		return 0, false
	}
	b := []byte(name)
	_, id, found := d.find(maphash.Bytes(seed, b), b)
	return id, found
}

// Intern returns the id of a name, which it adds where it is new. It keeps no reference to name. It panics on more than
// 2^32 - 1 names.
func (d *Dict) Intern(name []byte) uint32 {
	if 4*len(d.starts) >= 3*len(d.slots) {
		d.grow()
	}
	hash := maphash.Bytes(seed, name)
	slot, id, found := d.find(hash, name)
	if found {
		return id
	}
	id = uint32(len(d.starts))
	if uint64(id) == maxNames {
		panic("table: more names than ids")
	}
	d.slots[slot] = hash>>32<<32 | uint64(id+1)
	last := len(d.blocks) - 1
	switch {
	case last < 0:
		d.blocks = append(d.blocks, nil) // grows as it fills: most dictionaries are small
		last++
	case len(d.blocks[last])+max(len(name), 1) > blockSize:
		d.blocks = append(d.blocks, make([]byte, 0, max(len(name), blockSize)))
		last++
	}
	d.starts = append(d.starts, uint64(last)<<blockShift|uint64(len(d.blocks[last])))
	d.blocks[last] = append(d.blocks[last], name...)
	return id
}

// find returns the slot of a name and its id, or the free slot where it would go.
func (d *Dict) find(hash uint64, name []byte) (slot int, id uint32, found bool) {
	mask := len(d.slots) - 1
	for slot = int(hash) & mask; ; slot = (slot + 1) & mask {
		s := d.slots[slot]
		if s == 0 {
			return slot, 0, false
		}
		if id := uint32(s) - 1; (s^hash)>>32 == 0 && string(d.at(id)) == string(name) {
			return slot, id, true
		}
	}
}

// grow doubles the slots.
func (d *Dict) grow() {
	d.slots = make([]uint64, max(firstSlots, 2*len(d.slots)))
	mask := len(d.slots) - 1
	for id := range d.starts {
		hash := maphash.Bytes(seed, d.at(uint32(id)))
		slot := int(hash) & mask
		for d.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		d.slots[slot] = hash>>32<<32 | uint64(id+1)
	}
}
