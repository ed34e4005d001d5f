package table

import (
	"encoding/binary"
	"hash/maphash"
	"math"
)

const (
	blockShift = 20
	blockSize  = 1 << blockShift
	idSize     = 4 // bytes before a name
	markEvery  = 16
	firstSlots = 16
	maxNames   = math.MaxUint32

	placeBits = 40 // of a slot
	placeMask = 1<<placeBits - 1
)

// seed makes the slots that names take unforeseeable. They do not show: ids follow first mention.
var seed = maphash.MakeSeed()

// Dict numbers the names of one type densely, in order of first mention. Beside a name's own bytes it takes 16 to 27
// more. The zero Dict is empty and ready for use. Any number of goroutines may read it while none adds to it.
type Dict struct {
	// blocks hold the names in the order of their ids, each behind its id, in four bytes, and its length, a uvarint.
	// That begins in the first blockSize bytes of a block and lies in it as a whole.
	blocks [][]byte
	marks  []uint64 // place of each sixteenth name: block << blockShift | offset
	slots  []uint64 // high bits of a name's hash | its place + 1, where its hash says or behind; 0 where free
	names  int
}

// Len returns the number of names.
func (d *Dict) Len() int { return d.names }

// Name returns the name of an id below Len.
func (d *Dict) Name(id uint32) string {
	place := d.marks[id/markEvery]
	for range id % markEvery {
		place = d.after(place)
	}
	_, name := d.at(place)
	return string(name)
}

// Lookup returns the id of a name, and whether there is one.
func (d *Dict) Lookup(name string) (uint32, bool) {
	if d.names == 0 {
		return 0, false
	}
	b := []byte(name)
	_, id, found := d.find(maphash.Bytes(seed, b), b)
	return id, found
}

// Intern returns the id of a name, which it adds where it is new. It keeps no reference to name. It panics on more than
// 2^32 - 1 names.
func (d *Dict) Intern(name []byte) uint32 {
	if 4*d.names >= 3*len(d.slots) {
		d.grow()
	}
	hash := maphash.Bytes(seed, name)
	slot, id, found := d.find(hash, name)
	if found {
		return id
	}
	if uint64(d.names) == maxNames {
		panic("table: more names than ids")
	}
	d.slots[slot] = hash&^placeMask | (d.add(name) + 1)
	return uint32(d.names - 1)
}

// find returns the slot of a name and its id, or the free slot where it would go.
func (d *Dict) find(hash uint64, name []byte) (slot int, id uint32, found bool) {
	mask := len(d.slots) - 1
	for slot = int(hash) & mask; ; slot = (slot + 1) & mask {
		s := d.slots[slot]
		if s == 0 {
			return slot, 0, false
		}
		if (s^hash)>>placeBits != 0 {
			continue
		}
		if id, other := d.at(s&placeMask - 1); string(other) == string(name) {
			return slot, id, true
		}
	}
}

// at returns the id at a place and a view of its name.
func (d *Dict) at(place uint64) (id uint32, name []byte) {
	b := d.blocks[place>>blockShift][place%blockSize:]
	id, b = binary.LittleEndian.Uint32(b), b[idSize:]
	if length := int(b[0]); length < 0x80 {
		return id, b[1 : 1+length] // nearly always
	}
	length, width := binary.Uvarint(b)
	return id, b[width : width+int(length)]
}

// after returns the place behind another; there is one more name.
func (d *Dict) after(place uint64) uint64 {
	_, name := d.at(place)
	block, offset := place>>blockShift, int(place%blockSize)+recordSize(name)
	if offset == len(d.blocks[block]) {
		return (block + 1) << blockShift
	}
	return block<<blockShift | uint64(offset)
}

// recordSize returns the bytes that a name takes in a block.
func recordSize(name []byte) int {
	size := idSize + 1 + len(name)
	for n := len(name); n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// add appends a name and returns its place.
func (d *Dict) add(name []byte) uint64 {
	last := len(d.blocks) - 1
	switch size := recordSize(name); {
	case last < 0:
		d.blocks = append(d.blocks, nil) // grows as it fills: most dictionaries are small
		last++
	case len(d.blocks[last])+size > blockSize:
		d.blocks = append(d.blocks, make([]byte, 0, max(size, blockSize)))
		last++
	}
	b := d.blocks[last]
	place := uint64(last)<<blockShift | uint64(len(b))
	if d.names%markEvery == 0 {
		d.marks = append(d.marks, place)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(d.names))
	b = binary.AppendUvarint(b, uint64(len(name)))
	d.blocks[last] = append(b, name...)
	d.names++
	return place
}

// grow doubles the slots.
func (d *Dict) grow() {
	d.slots = make([]uint64, max(firstSlots, 2*len(d.slots)))
	mask, place := len(d.slots)-1, uint64(0)
	for i := range d.names {
		if i > 0 {
			place = d.after(place)
		}
		_, name := d.at(place)
		hash := maphash.Bytes(seed, name)
		slot := int(hash) & mask
		for d.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		d.slots[slot] = hash&^placeMask | (place + 1)
	}
}
