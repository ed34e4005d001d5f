package jointest

import (
	"slices"

	"resolwe/format/subgraph"
)

// WithConstants returns a view of a subgraph whose domains also contain the constants of a model's type lines, by type. New ones
// follow the subgraph's own entities.
func WithConstants(sub *subgraph.Subgraph, constants [][]string) *subgraph.Subgraph {
	out := *sub
	out.Domains = slices.Clone(sub.Domains)
	for typ, names := range constants {
		d := &out.Domains[typ]
		e := extended{Names: d.Names, size: d.Size}
		for _, name := range names {
			if _, ok := e.Lookup(name); !ok {
				e.added = append(e.added, name)
			}
		}
		*d = subgraph.Domain{Size: d.Size + len(e.added), Names: e}
	}
	return &out
}

// extended holds the names of a domain and of further entities.
type extended struct {
	subgraph.Names
	size  int
	added []string
}

func (e extended) Name(id uint32) string {
	if int(id) < e.size {
		return e.Names.Name(id)
	}
	return e.added[int(id)-e.size]
}

func (e extended) Lookup(name string) (uint32, bool) {
	if id, ok := e.Names.Lookup(name); ok {
		return id, true
	}
	i := slices.Index(e.added, name)
	return uint32(e.size + max(i, 0)), i >= 0
}
