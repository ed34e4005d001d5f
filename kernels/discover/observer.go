package discover

import (
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// mostConstants is the largest number of entities of a type whose names are used as constants in candidates.
const mostConstants = 12

// mostRecent is how many centers of earlier subgraphs are looked up in each domain.
const mostRecent = 16

// Observer collects facts on the data of a schema: which types include the center of each subgraph, which have few entities, which
// predicates are symmetric and which are functional, and how numbers go on in time.
type Observer struct {
	schema    *mln.Schema
	centers   int              // subgraphs with a center
	center    []int            // by type: number of those in whose domain the center's name is
	surprise  []float64        // by type: of that, in nats, if the center were any of the recent ones
	recent    []string         // centers of the last subgraphs
	names     []map[string]int // in how many subgraphs each is; nil for numbers, and if there are too many
	subgraphs int
	symmetric []bool

	functional [][2]bool // by binary predicate: whether an entity at an argument has at most one partner
	unowned    []bool    // by type: whether it may be a category
	owners     [][]owner // by predicate
	series     []series
}

// NewObserver returns an observer that has seen no subgraphs.
func NewObserver(schema *mln.Schema) *Observer {
	o := &Observer{schema: schema, center: make([]int, len(schema.Types)), surprise: make([]float64, len(schema.Types)), symmetric: make([]bool, len(schema.Predicates))}
	for t := range schema.Types {
		var names map[string]int
		if !schema.IsNumber(t) {
			names = map[string]int{}
		}
		o.names = append(o.names, names)
	}
	o.listUnowned()
	o.series = newSeries(schema)
	for i, p := range schema.Predicates {
		o.owners = append(o.owners, o.newOwners(p.Args))
		o.functional = append(o.functional, [2]bool{len(p.Args) == 2, len(p.Args) == 2})
		o.symmetric[i] = !p.Role.IsTarget() && len(p.Args) == 2 && p.Args[0] == p.Args[1]
	}
	return o
}

// Add observes a complete subgraph of the schema, with the names of its entities.
func (o *Observer) Add(sub *subgraph.Subgraph) {
	o.subgraphs++
	if sub.Center != "" {
		o.centers++
	}
	for t, d := range sub.Domains {
		if d.Names == nil {
			continue
		}
		if _, ok := d.Names.Lookup(sub.Center); ok && sub.Center != "" && !o.schema.IsNumber(t) { // a number is no entity's name
			o.center[t]++
			others := 0.
			for _, name := range o.recent {
				if _, ok := d.Names.Lookup(name); ok {
					others++
				}
			}
			o.surprise[t] -= elementary.Log((others + 1) / (float64(len(o.recent)) + 1))
		}
		o.addNames(t, d)
	}
	numbers := &numbers{sub, make([][]float64, len(sub.Domains))}
	for i := range o.series {
		o.series[i].add(o.schema, numbers)
	}
	if sub.Center != "" && !slices.Contains(o.recent, sub.Center) {
		o.recent = append(o.recent[max(0, len(o.recent)+1-mostRecent):], strings.Clone(sub.Center))
	}
	for i, p := range o.schema.Predicates {
		t := &sub.Relations[i].True
		for k := range o.owners[i] {
			w := &o.owners[i][k]
			w.add(t, sub.Domains[p.Args[w.from]].Names, sub.Domains[p.Args[w.to]].Names)
		}
		o.functional[i][0] = o.functional[i][0] && isFunctional(&t.Forward)
		o.functional[i][1] = o.functional[i][1] && isFunctional(&t.Backward)
		o.symmetric[i] = o.symmetric[i] && isSymmetric(&sub.Relations[i].True, sub.Domains[p.Args[0]].Size)
	}
}

// addNames counts the names of a type in a subgraph.
func (o *Observer) addNames(t int, d subgraph.Domain) {
	for id := 0; id < d.Size && o.names[t] != nil; id++ {
		name := d.Names.Name(uint32(id))
		if _, ok := o.names[t][name]; !ok {
			name = strings.Clone(name)
		}
		o.names[t][name]++
		if len(o.names[t]) > mostConstants && !o.unowned[t] {
			o.names[t] = nil
		}
	}
}

// isCenter reports whether the centers are of a type: their names are in all of its domains, and not because these, with such names as 1, 2,
// 3, have most names of centers anyway while another type's do not.
func (o *Observer) isCenter(t int) bool {
	always := func(t int) bool { return o.centers > 0 && o.center[t] == o.centers }
	for other := range o.center {
		if always(other) && o.surprise[other] > 2*o.surprise[t] {
			return false
		}
	}
	return always(t)
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
