package jointest

import (
	"fmt"
	"math/rand/v2"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Induce returns a random subgraph of a world: each entity with probability keep, in random order, and the tuples over these entities.
// Some evidence predicates, chosen at random, lose a few tuples. The world must have no unknown atoms of evidence predicates.
func Induce(schema *mln.Schema, r *rand.Rand, world *subgraph.Subgraph, name string, keep float64) *subgraph.Subgraph {
	b := subgraph.NewBuilder(schema)
	b.Reset(name, world.Center, -1)
	local := make([]map[uint32]uint32, len(schema.Types))
	for typ, d := range world.Domains {
		local[typ] = map[uint32]uint32{}
		for _, id := range r.Perm(d.Size) {
			if r.Float64() < keep {
				local[typ][uint32(id)] = b.Entity(typ, d.Names.Name(uint32(id)))
			}
		}
	}
	for pred, p := range schema.Predicates {
		loses := !p.Role.IsTarget() && r.IntN(4) == 0
		rel := &world.Relations[pred]
		for k, t := range []*subgraph.Table{&rel.True, &rel.False, &rel.Unknown} {
			tuple := make([]uint32, len(p.Args))
			for i := range t.Len() {
				all := !loses || r.IntN(10) > 0
				for c, typ := range p.Args {
					id, ok := local[typ][t.Cols[c][i]]
					tuple[c], all = id, all && ok
				}
				if all {
					b.Add(pred, tuple, subgraph.True+subgraph.Truth(k))
				}
			}
		}
	}
	s, err := b.Finish()
	if err != nil {
		panic(fmt.Sprintf("jointest: %v", err)) // the world states each atom once
	}
	return s
}
