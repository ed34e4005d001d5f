package cut

import (
	"math"
	"math/bits"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/kernels/bitset"
)

// factRelations are the relations that hold the atoms of a predicate, -1 where none does.
type factRelations struct{ truths, falsehoods int }

func factsOf(r *recipe.Recipe) []factRelations {
	facts := make([]factRelations, len(r.Schema.Predicates))
	for i := range facts {
		facts[i] = factRelations{-1, -1}
	}
	for i, rel := range r.Relations {
		switch rel.Role {
		case recipe.RoleTrue:
			facts[rel.Index].truths = i
		case recipe.RoleFalse:
			facts[rel.Index].falsehoods = i
		case recipe.RoleTable, recipe.RoleHelper, recipe.RoleEntity, recipe.RoleCenter:
		}
	}
	return facts
}

// numbering gives the entities of one type that a subgraph mentions their local ids, in the order of the dictionary.
type numbering struct {
	members []uint64 // bits
	before  []uint32 // by word: members in the words before; of the words from lo to hi
	lo, hi  int      // words that may have members, hi not included
	n       int
}

// begin makes room for ids below size.
func (m *numbering) begin(size int) {
	if m.members == nil {
		m.members, m.before = make([]uint64, bitset.Words(size)), make([]uint32, bitset.Words(size))
	} else if m.lo < m.hi {
		clear(m.members[m.lo:m.hi])
	}
	m.lo, m.hi, m.n = len(m.members), 0, 0
}

// add takes in a column of rows.
func (m *numbering) add(r *rows, column int) {
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

// finish numbers the members and returns them.
func (m *numbering) finish() []uint32 {
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
	return ids
}

// local returns the local id of a member.
func (m *numbering) local(id uint64) uint32 {
	word, bit := id>>6, id&63
	return m.before[word] + uint32(bits.OnesCount64(m.members[word]&(1<<bit-1)))
}

// locals returns the local ids in a column of rows.
func (m *numbering) locals(r *rows, column int) []uint32 {
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

// Lookup returns the local id of a name.
func (n *names) Lookup(name string) (uint32, bool) {
	id, ok := n.dict.Lookup(name)
	if !ok {
		return 0, false
	}
	i, found := slices.BinarySearch(n.ids, id)
	return uint32(i), found
}

// Source returns the dictionary and the ids.
func (n *names) Source() (dictionary any, numbers []uint32) { return n.dict, n.ids }

// mention takes in the entities of a type that stand in a column.
func (c *Cutter) mention(typ int, r *rows, column int) {
	if typ == c.numbers.typ {
		c.numbers.add(r, column)
		return
	}
	c.numbering[typ].add(r, column)
}

// size returns the number of the entities of a type that were mentioned.
func (c *Cutter) size(typ int) int {
	if typ == c.numbers.typ {
		return len(c.numbers.values)
	}
	return c.numbering[typ].n
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
	c.numbers.begin()
	for t := range schema.Types {
		c.numbering[t].begin(c.plan.universe.Dicts[t].Len())
	}
	for i, f := range c.plan.facts {
		truths, falsehoods := c.tuples(f.truths), c.tuples(f.falsehoods)
		if row := common(truths, falsehoods); row != nil {
			return nil, nil, c.conflict(at, i, row)
		}
		for _, r := range []*rows{truths, falsehoods} {
			for column, t := range schema.Predicates[i].Args {
				if r != nil {
					c.mention(t, r, column)
				}
			}
		}
	}
	for _, i := range c.plan.entities {
		c.mention(c.plan.recipe.Relations[i].Index, c.tuples(i), 0)
	}
	domains := make([]subgraph.Domain, len(schema.Types))
	for t := range domains {
		if t == c.numbers.typ {
			values := c.numbers.finish()
			domains[t] = subgraph.Domain{Size: len(values), Names: values}
			continue
		}
		ids := c.numbering[t].finish()
		domains[t] = subgraph.Domain{Size: len(ids), Names: &names{c.plan.universe.Dicts[t], ids}}
	}
	relations := make([]subgraph.Relation, len(schema.Predicates))
	for i, f := range c.plan.facts {
		args := schema.Predicates[i].Args
		relations[i].True = c.table(c.tuples(f.truths), args)
		relations[i].False = c.table(c.tuples(f.falsehoods), args)
		relations[i].Unknown = c.table(nil, args)
	}
	return relations, domains, nil
}

// table returns tuples with local ids. These are in the order of the dictionary, so that sorted tuples stay sorted.
func (c *Cutter) table(r *rows, args []int) subgraph.Table {
	t := subgraph.Table{Cols: make([][]uint32, len(args))}
	if r == nil || r.n == 0 {
		return t
	}
	for column, typ := range args {
		if typ == c.numbers.typ {
			t.Cols[column] = c.numbers.locals(r, column)
		} else {
			t.Cols[column] = c.numbering[typ].locals(r, column)
		}
	}
	if len(args) == 2 {
		t.BuildIndex(c.size(args[0]), c.size(args[1]))
	}
	return t
}

// common returns a row that both sorted rows hold, nil where there is none.
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

func (c *Cutter) conflict(at *Center, predicate int, row []uint64) error {
	p := &c.plan.recipe.Schema.Predicates[predicate]
	e := &ConflictError{Center: at.Name, Predicate: p.Name}
	for i, t := range p.Args {
		if t == c.numbers.typ {
			e.Args = append(e.Args, mln.FormatNumber(decodeFloat(row[i])))
			continue
		}
		e.Args = append(e.Args, c.plan.universe.Dicts[t].Name(uint32(row[i])))
	}
	return e
}
