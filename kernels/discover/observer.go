package discover

import (
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// mostConstants is how many entities a type has at most whose names stand as constants in candidates.
const mostConstants = 12

// Observer gathers what the data say of a schema: which types have the center of each subgraph among their entities, which have
// few entities, and which predicates hold in both directions wherever they hold.
type Observer struct {
	schema    *mln.Schema
	centers   int               // subgraphs with a center
	center    []int             // by type: those in which it is one of its entities
	names     []map[string]bool // nil where there are too many
	symmetric []bool

	functional [][2]bool // by predicate of two arguments: whether an entity at one has a single partner at most
}

// NewObserver returns one that has seen no subgraph.
func NewObserver(schema *mln.Schema) *Observer {
	o := &Observer{schema: schema, center: make([]int, len(schema.Types)), symmetric: make([]bool, len(schema.Predicates))}
	for t := range schema.Types {
		var names map[string]bool
		if !schema.IsNumber(t) {
			names = map[string]bool{}
		}
		o.names = append(o.names, names)
	}
	for i, p := range schema.Predicates {
		o.functional = append(o.functional, [2]bool{len(p.Args) == 2, len(p.Args) == 2})
		o.symmetric[i] = !p.Role.IsTarget() && len(p.Args) == 2 && p.Args[0] == p.Args[1]
	}
	return o
}

// Add takes a complete subgraph of the schema, with the names of its entities.
func (o *Observer) Add(sub *subgraph.Subgraph) {
	if sub.Center != "" {
		o.centers++
	}
	for t, d := range sub.Domains {
		if d.Names == nil {
			continue
		}
		if _, ok := d.Names.Lookup(sub.Center); ok && sub.Center != "" {
			o.center[t]++
		}
		for id := 0; id < d.Size && o.names[t] != nil; id++ {
			if name := d.Names.Name(uint32(id)); !o.names[t][name] {
				o.names[t][strings.Clone(name)] = true
			}
			if len(o.names[t]) > mostConstants {
				o.names[t] = nil
			}
		}
	}
	for i, p := range o.schema.Predicates {
		t := &sub.Relations[i].True
		o.functional[i][0] = o.functional[i][0] && isFunctional(&t.Forward)
		o.functional[i][1] = o.functional[i][1] && isFunctional(&t.Backward)
		o.symmetric[i] = o.symmetric[i] && isSymmetric(&sub.Relations[i].True, sub.Domains[p.Args[0]].Size)
	}
}

func isFunctional(x *subgraph.Index) bool {
	for id := 1; id < len(x.Offsets); id++ {
		if x.Offsets[id] > x.Offsets[id-1]+1 {
			return false
		}
	}
	return true
}

func isSymmetric(t *subgraph.Table, size int) bool {
	if t.Len() == 0 {
		return true
	}
	for x := range uint32(size) {
		if !slices.Equal(t.Forward.Row(x), t.Backward.Row(x)) {
			return false
		}
	}
	return true
}
