package rsg

import "resolwe/format/subgraph"

// Buffer is the memory of one subgraph, which reading another one into it overwrites. The zero value is empty. It belongs
// to one goroutine.
type Buffer struct {
	frame     frame
	names     newNames
	next      []uint32   // by type: first free global id behind the record
	head      *head      // nil where it could not be read
	ids       [][]uint32 // by type: global ids of the local ones
	relations []subgraph.Relation
	shared    *subgraph.Shared // nil where no relation is induced
	sub       subgraph.Subgraph
	whole     subgraph.Completion

	// What the above is made of.
	heads    head
	cols     [][]uint32
	link     link
	domains  []subgraph.Domain
	entities []domainNames
	found    []map[string]uint32
}

func (b *Buffer) name() string {
	if b.head == nil {
		return ""
	}
	return b.head.name
}
