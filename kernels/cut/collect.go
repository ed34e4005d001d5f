package cut

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/kernels/bitset"
)

// factRelations are the relations with the true, false and unknown atoms of a predicate, -1 for none.
type factRelations [3]int

func factsOf(r *recipe.Recipe) []factRelations {
	facts := make([]factRelations, len(r.Schema.Predicates))
	for i := range facts {
		facts[i] = factRelations{-1, -1, -1}
	}
	for i, rel := range r.Relations {
		switch rel.Role {
		case recipe.RoleTrue, recipe.RoleFalse, recipe.RoleUnknown:
			facts[rel.Index][rel.Role.Truth()-subgraph.True] = i
		case recipe.RoleTable, recipe.RoleHelper, recipe.RoleEntity, recipe.RoleCenter:
		}
	}
	return facts
}

// numbering assigns local ids to the entities of one type in a subgraph.
type numbering interface {
	begin()
	add(r *rows, column int) // adds a column of rows
	finish() subgraph.Domain
	locals(r *rows, column int) []uint32 // returns the local ids in a column of rows
}

// entityNumbering numbers entities in dictionary order.
type entityNumbering struct {
	dict    *table.Dict
	members []uint64 // bits
	before  []uint32 // by word: number of members in earlier words, from lo on
	lo, hi  int      // range of words that may have members, without hi
	n       int
}

func (m *entityNumbering) begin() {
	if words := bitset.Words(m.dict.Len()); m.members == nil {
		m.members, m.before = make([]uint64, words), make([]uint32, words)
	} else if m.lo < m.hi {
		clear(m.members[m.lo:m.hi])
	}
	m.lo, m.hi, m.n = len(m.members), 0, 0
}

func (m *entityNumbering) add(r *rows, column int) {
	lo, hi, last := m.lo, m.hi, uint64(math.MaxUint64)
	for i := column; i < len(r.data); i += r.width {
		id := r.data[i]
		if id == last {
			continue
		}
		last = id
		word := int(id >> 6)
		m.members[word] |= 1 << (id & 63)
		lo, hi = min(lo, word), max(hi, word+1)
	}
	m.lo, m.hi = lo, hi
}

func (m *entityNumbering) finish() subgraph.Domain {
	for w := m.lo; w < m.hi; w++ {
		m.before[w] = uint32(m.n)
		m.n += bits.OnesCount64(m.members[w])
	}
	ids := make([]uint32, 0, m.n)
	for w := m.lo; w < m.hi; w++ {
		for word := m.members[w]; word != 0; word &= word - 1 {
			ids = append(ids, uint32(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return subgraph.Domain{Size: m.n, Names: &names{m.dict, ids}}
}

// local returns the local id of a member.
func (m *entityNumbering) local(id uint64) uint32 {
	word, bit := id>>6, id&63
	return m.before[word] + uint32(bits.OnesCount64(m.members[word]&(1<<bit-1)))
}

func (m *entityNumbering) locals(r *rows, column int) []uint32 {
	ids := make([]uint32, r.n)
	last, local := r.data[column], m.local(r.data[column])
	for i := range ids {
		if id := r.data[i*r.width+column]; id != last {
			last, local = id, m.local(id)
		}
		ids[i] = local
	}
	return ids
}

// names are the names of a domain.
type names struct {
	dict *table.Dict
	ids  []uint32 // of the local ones, ascending
}

// Name returns the name of a local id.
func (n *names) Name(id uint32) string { return n.dict.Name(n.ids[id]) }

// Lookup returns the local id of a name, if it has one.
func (n *names) Lookup(name string) (uint32, bool) {
	id, ok := n.dict.Lookup(name)
	if !ok {
		return 0, false
	}
	i, found := slices.BinarySearch(n.ids, id)
	return uint32(i), found
}

// tuples returns the tuples of a relation, nil for -1.
func (c *Cutter) tuples(relation int) *rows {
	switch {
	case relation < 0:
		return nil
	case c.plan.recipe.Relations[relation].Local:
		return &c.local[relation]
	}
	return c.plan.shared[relation]
}

// collect returns the facts and entities of the subgraph.
func (c *Cutter) collect(at *Center) ([]subgraph.Relation, []subgraph.Domain, error) {
	schema := c.plan.recipe.Schema
	for _, m := range c.numbering {
		m.begin()
	}
	for i, f := range c.plan.facts {
		for k, relation := range f {
			r := c.tuples(relation)
			for j, other := range f[:k] {
				if row := common(c.tuples(other), r); row != nil {
					return nil, nil, c.conflict(at, i, row, [2]subgraph.Truth{subgraph.True + subgraph.Truth(j), subgraph.True + subgraph.Truth(k)})
				}
			}
			for column, t := range schema.Predicates[i].Args {
				if r != nil {
					c.numbering[t].add(r, column)
				}
			}
		}
	}
	for _, i := range c.plan.entities {
		c.numbering[c.plan.recipe.Relations[i].Index].add(c.tuples(i), 0)
	}
	domains := make([]subgraph.Domain, len(schema.Types))
	for t := range domains {
		domains[t] = c.numbering[t].finish()
	}
	relations := make([]subgraph.Relation, len(schema.Predicates))
	for i, f := range c.plan.facts {
		args := schema.Predicates[i].Args
		for k, t := range relations[i].Tables() {
			*t = c.table(c.tuples(f[k]), args, domains)
		}
	}
	return relations, domains, nil
}

// table returns tuples with local ids. These are in the order of the dictionary, so that sorted tuples stay sorted.
func (c *Cutter) table(r *rows, args []int, domains []subgraph.Domain) subgraph.Table {
	t := subgraph.Table{Cols: make([][]uint32, len(args))}
	if r == nil || r.n == 0 {
		return t
	}
	for column, typ := range args {
		t.Cols[column] = c.numbering[typ].locals(r, column)
	}
	if len(args) == 2 {
		t.BuildIndex(domains[args[0]].Size, domains[args[1]].Size)
	}
	return t
}

// common returns a row that both sorted lists contain, nil for none.
func common(a, b *rows) []uint64 {
	if a == nil || b == nil {
		return nil
	}
	for i, k := 0, 0; i < a.n && k < b.n; {
		switch c := slices.Compare(a.row(i), b.row(k)); {
		case c == 0:
			return a.row(i)
		case c < 0:
			i++
		default:
			k++
		}
	}
	return nil
}

func (c *Cutter) conflict(at *Center, predicate int, row []uint64, both [2]subgraph.Truth) error {
	p := &c.plan.recipe.Schema.Predicates[predicate]
	args := make([]string, len(p.Args))
	for i, t := range p.Args {
		if c.plan.recipe.Schema.IsNumber(t) {
			args[i] = mln.FormatNumber(decodeFloat(row[i]))
		} else {
			args[i] = c.plan.universe.Dicts[t].Name(uint32(row[i]))
		}
	}
	return &UsageError{fmt.Sprintf("center %s: %s(%s) is stated both %v and %v; let one of the rules leave it out",
		at.Name, p.Name, strings.Join(args, ", "), both[0], both[1])}
}
