package rsg

import (
	"hash/maphash"
	"math"
)

// intern numbers distinct strings by first mention. It keeps them in one block of memory, because a stream may have hundreds of millions:
// about 16 bytes each beyond the text.
type intern struct {
	seed  maphash.Seed
	text  []byte
	ends  []uint64 // of the strings in text
	slots []uint32 // hash table with linear probing: number of a string plus one; its size is a power of two
}

func newIntern() *intern {
	return &intern{seed: maphash.MakeSeed(), slots: make([]uint32, 8)}
}

func newInterns(n int) []*intern {
	out := make([]*intern, n)
	for i := range out {
		out[i] = newIntern()
	}
	return out
}

func (n *intern) len() int { return len(n.ends) }

func (n *intern) start(i int) uint64 {
	if i == 0 {
		return 0
	}
	return n.ends[i-1]
}

func (n *intern) at(i int) []byte { return n.text[n.start(i):n.ends[i]] }

// slot returns the slot of a string, or the free one where it belongs.
func (n *intern) slot(s string) *uint32 {
	mask := uint64(len(n.slots) - 1)
	for i := maphash.String(n.seed, s) & mask; ; i = (i + 1) & mask {
		if k := n.slots[i]; k == 0 || string(n.at(int(k-1))) == s {
			return &n.slots[i]
		}
	}
}

// find returns the number of a string.
func (n *intern) find(s string) (uint32, bool) {
	k := *n.slot(s)
	return k - 1, k != 0
}

// add returns the number of a string, adding it if it is new. There are at most 2^32 - 2.
func (n *intern) add(s string) (uint32, error) {
	slot := n.slot(s)
	if *slot != 0 {
		return *slot - 1, nil
	}
	if uint64(n.len()) >= math.MaxUint32-1 {
		return 0, errTooMany
	}
	n.text = append(n.text, s...)
	n.ends = append(n.ends, uint64(len(n.text)))
	*slot = uint32(n.len())
	if 4*n.len() > 3*len(n.slots) {
		n.grow()
	}
	return uint32(n.len() - 1), nil
}

func (n *intern) grow() {
	n.slots = make([]uint32, 2*len(n.slots))
	mask := uint64(len(n.slots) - 1)
	for k := range n.len() {
		i := maphash.Bytes(n.seed, n.at(k)) & mask
		for n.slots[i] != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = uint32(k + 1)
	}
}
