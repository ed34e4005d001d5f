package subgraph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Sum returns a digest of the center, the entities and the facts of a subgraph that has all its relations.
func (s *Subgraph) Sum() string {
	h, b := sha256.New(), []byte(nil)
	word := func(n int) { b = binary.LittleEndian.AppendUint64(b, uint64(n)) }
	text := func(t string) {
		word(len(t))
		b = append(b, t...)
	}
	text(s.Center)
	for _, d := range s.Domains {
		word(d.Size)
		for id := 0; d.Names != nil && id < d.Size; id++ {
			text(d.Names.Name(uint32(id)))
		}
	}
	for i := range s.Relations {
		for _, t := range s.Relations[i].Tables() {
			word(t.Len())
			for _, column := range t.Cols {
				for _, id := range column {
					b = binary.LittleEndian.AppendUint32(b, id)
				}
			}
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}
