package rsg

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/grow"
)

// isNumberName reports whether a name is a number in its shortest spelling, so that equal numbers are one entity.
func isNumberName(name string) bool {
	v, ok := mln.ParseNumber(name)
	return ok && mln.FormatNumber(v) == name
}

// newNames is the content of a record's NAMS section: the names that it adds to the stream.
type newNames struct {
	bases  []uint32 // by type: global id of the first new name
	counts []uint32 // by type
	starts []uint32 // by type: index of its first name in offsets
	ends   []uint32 // one more than the number of names
	blob   []byte
}

// parse reads a NAMS section with that many types, as views of b if the machine allows it.
func (n *newNames) parse(b []byte, types int) error {
	fixed := 2 * wordSize * types
	if len(b) < fixed+wordSize {
		return malformed("shorter than its fields")
	}
	ws := words(b[:fixed])
	n.bases, n.counts, n.starts = ws[:types:types], ws[types:], grow.To(n.starts, types)
	total := uint64(0)
	for t, count := range n.counts {
		n.starts[t] = uint32(total)
		total += uint64(count)
		if uint64(n.bases[t])+uint64(count) > math.MaxUint32 {
			return malformed("global ids beyond 32 bits")
		}
		if total >= uint64(len(b)-fixed)/wordSize {
			return malformed("more names than the section holds")
		}
	}
	tail := fixed + wordSize*int(total+1)
	n.ends, n.blob = words(b[fixed:tail]), b[tail:]
	if n.ends[0] != 0 || !slices.IsSorted(n.ends) || uint64(n.ends[total]) != uint64(len(n.blob)) {
		return malformed("offsets of names do not ascend to the end")
	}
	return nil
}

// clone returns a copy in memory of its own.
func (n *newNames) clone() *newNames {
	return &newNames{
		bases: slices.Clone(n.bases), counts: slices.Clone(n.counts), starts: n.starts,
		ends: slices.Clone(n.ends), blob: slices.Clone(n.blob),
	}
}

// appendNext appends the first free global id of each type after the names.
func (n *newNames) appendNext(dst []uint32) []uint32 {
	for t, count := range n.counts {
		dst = append(dst, n.bases[t]+count)
	}
	return dst
}

// at returns the i-th new name of a type.
func (n *newNames) at(typ int, i uint32) []byte {
	k := n.starts[typ] + i
	return n.blob[n.ends[k]:n.ends[k+1]]
}

// has reports whether the global id is one of the new ones.
func (n *newNames) has(typ int, id uint32) bool { return id-n.bases[typ] < n.counts[typ] }

// dictionary returns the names of entities by type and global id.
type dictionary interface {
	name(typ int, id uint32) []byte
}

// dictionaryPart is the part of a stream's dictionary read from a pipe so far: the new names of each record.
type dictionaryPart []*newNames

// name returns the name of a global id, which must not be lost.
func (d dictionaryPart) name(typ int, id uint32) []byte {
	n := d[sort.Search(len(d), func(i int) bool { return d[i].bases[typ] > id })-1]
	return n.at(typ, id-n.bases[typ])
}

// dictionaryWhole is the dictionary of a stream that is being written or verified, by type.
type dictionaryWhole []table.Dict

// name returns the name of a global id.
func (d dictionaryWhole) name(typ int, id uint32) []byte { return []byte(d[typ].Name(id)) }

// intern returns the number of a name, which it adds where it is new.
func intern(d *table.Dict, name string) (uint32, error) {
	if uint64(d.Len()) == table.MaxNames {
		if _, known := d.Lookup(name); !known {
			return 0, errTooMany
		}
	}
	return d.Intern([]byte(name)), nil
}

// domainNames are the names of a domain of a subgraph that was read.
type domainNames struct {
	typ    int
	ids    []uint32 // global ids of the local ones
	center string
	local  uint32 // the center's local id, noCenter if the domain lacks it
	wanted map[string]uint32
	dict   dictionary // nil if names are not requested

	once  sync.Once
	index map[string]uint32
}

// Name returns the name of a local id, or "#" and its global id if names are not requested.
func (d *domainNames) Name(id uint32) string {
	if d.dict == nil {
		return "#" + strconv.FormatUint(uint64(d.ids[id]), 10)
	}
	return string(d.dict.name(d.typ, d.ids[id]))
}

// Lookup returns the local id of a name. If names are not requested, it only knows the center and the wanted ones.
func (d *domainNames) Lookup(name string) (uint32, bool) {
	if d.local != noCenter && name == d.center {
		return d.local, true
	}
	if id, ok := d.wanted[name]; ok {
		i := slices.Index(d.ids, id)
		return uint32(max(i, 0)), i >= 0
	}
	if d.dict == nil {
		return 0, false
	}
	d.once.Do(func() {
		d.index = make(map[string]uint32, len(d.ids))
		for i := range d.ids {
			d.index[d.Name(uint32(i))] = uint32(i)
		}
	})
	id, ok := d.index[name]
	return id, ok
}
