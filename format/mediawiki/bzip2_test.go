package mediawiki_test

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
)

// bzip2Block is small, as rotations are sorted in the plain way.
const bzip2Block = 20_000

// bzipped packs a text as bzip2 does, with codes of nearly equal lengths, so that nothing gets small.
func bzipped(text string) []byte {
	w := &bitWriter{}
	w.bytes('B', 'Z', 'h', '9')
	total := uint32(0)
	for block := range slices.Chunk([]byte(text), bzip2Block) {
		sum := bzip2Sum(block)
		total = bits.RotateLeft32(total, 1) ^ sum
		w.bytes(0x31, 0x41, 0x59, 0x26, 0x53, 0x59)
		w.bits(uint64(sum), 32)
		w.block(runs(block))
	}
	w.bytes(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)
	w.bits(uint64(total), 32)
	w.bits(0, (8-w.n%8)%8)
	return w.out
}

// runs replaces a run of four to 255 equal bytes by four and the number of the rest.
func runs(block []byte) []byte {
	var out []byte
	for len(block) > 0 {
		n := 1
		for n < len(block) && n < 255 && block[n] == block[0] {
			n++
		}
		out = append(out, bytes.Repeat(block[:1], min(n, 4))...)
		if n >= 4 {
			out = append(out, byte(n-4))
		}
		block = block[n:]
	}
	return out
}

// rotate returns the Burrows-Wheeler transform and the place of the original.
func rotate(block []byte) (last []byte, origin int) {
	n := len(block)
	twice := append(slices.Clone(block), block...)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool {
		i, j := order[a], order[b]
		return bytes.Compare(twice[i:i+n], twice[j:j+n]) < 0
	})
	for row, i := range order {
		if i == 0 {
			origin = row
		}
		last = append(last, twice[i+n-1])
	}
	return last, origin
}

func (w *bitWriter) block(block []byte) {
	last, origin := rotate(block)
	used := slices.Compact(slices.Sorted(slices.Values(block)))
	w.bits(0, 1)
	w.bits(uint64(origin), 24)
	w.used(used)

	symbols := moves(last, slices.Clone(used))
	n := len(used) + 2
	symbols = append(symbols, n-1) // the end
	chunks := (len(symbols) + 49) / 50
	w.bits(2, 3) // tables
	w.bits(uint64(chunks), 15)
	w.bits(0, chunks) // all use the first
	long := bits.Len(uint(n - 1))
	short := 1<<long - n // so many codes are a bit shorter
	for range 2 {
		length := long
		if short > 0 {
			length--
		}
		w.bits(uint64(length), 5)
		for s := range n {
			if s == short && length < long {
				length++
				w.bits(0b10, 2)
			}
			w.bits(0, 1)
		}
	}
	for _, s := range symbols {
		if s < short {
			w.bits(uint64(s), long-1)
		} else {
			w.bits(uint64(s+short), long)
		}
	}
}

// used writes which bytes there are.
func (w *bitWriter) used(used []byte) {
	var sixteens [16]uint64
	for _, c := range used {
		sixteens[c/16] |= 0x8000 >> (c % 16)
	}
	for _, s := range sixteens {
		w.bits(min(s, 1), 1)
	}
	for _, s := range sixteens {
		if s != 0 {
			w.bits(s, 16)
		}
	}
}

// moves replaces each byte by its place in a list of those seen last, and runs of the first by digits 0 and 1.
func moves(last, list []byte) (symbols []int) {
	run := 0
	flush := func() {
		for ; run > 0; run = (run - 1) / 2 {
			symbols = append(symbols, (run+1)%2)
		}
	}
	for _, c := range last {
		i := bytes.IndexByte(list, c)
		if i == 0 {
			run++
			continue
		}
		flush()
		copy(list[1:], list[:i])
		list[0] = c
		symbols = append(symbols, i+1)
	}
	flush()
	return symbols
}

// bzip2Sum is CRC-32 with the highest bit first.
func bzip2Sum(block []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range block {
		sum ^= uint32(c) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return ^sum
}

// bitWriter writes bits, the highest first.
type bitWriter struct {
	out []byte
	n   int
}

func (w *bitWriter) bits(v uint64, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.out = append(w.out, 0)
		}
		if i < 64 {
			w.out[w.n/8] |= byte(v>>i&1) << (7 - w.n%8)
		}
		w.n++
	}
}

func (w *bitWriter) bytes(b ...byte) {
	for _, c := range b {
		w.bits(uint64(c), 8)
	}
}
