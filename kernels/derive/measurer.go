package derive

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/exactsum"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Measurer is the memory in which one goroutine computes values.
type Measurer struct {
	of     *Measures
	derive *Scratch
	join   *join.Scratch

	group   *group
	binding []uint32
	rows    []uint32            // of the current atom: the outputs that are not shared, row by row
	masks   []uint64            // windows of the rows
	listed  map[uint64][]uint32 // rows by key of the shared outputs, for a query that is not reduced
	values  []float64
	within  []uint64 // windows of the values
	found   []float64
	exact   exactsum.Sum
}

// NewMeasurer returns the memory for measures.
func NewMeasurer(p *Measures) *Measurer {
	return &Measurer{of: p, derive: NewScratch(p.relations), join: join.NewScratch(p.prog)}
}

// Stop makes Values call ask from time to time; an error from it ends Values.
func (m *Measurer) Stop(ask func() error) {
	m.derive.Stop(ask)
	m.join.Stop = ask
}

// Values returns the value of each item for each query atom, NaN if undefined or if the head does not match the atom. atoms holds the atoms'
// arguments by place. The error is a *NumberError, an *OverflowError, join.ErrOverflow, or that of Stop.
func (m *Measurer) Values(sub *subgraph.Subgraph, atoms [][]uint32) (values [][]float64, err error) {
	if sub, err = m.derive.Extend(sub); err != nil {
		return nil, err
	}
	m.join.Reset(sub)
	values = make([][]float64, len(m.of.heads))
	all := slices.Repeat([]float64{math.NaN()}, len(values)*len(atoms[0]))
	for i := range values {
		values[i], all = all[:len(atoms[0])], all[len(atoms[0]):]
	}
	for _, g := range m.of.groups {
		if err := m.join.Counting(func() error { return m.compute(g, atoms, values) }); err != nil {
			return nil, err
		}
	}
	for i, head := range m.of.heads {
		for a := range values[i] {
			if head != nil && !m.matches(head, atoms, a) {
				values[i][a] = math.NaN()
			}
		}
	}
	return values, nil
}

// matches reports whether an atom has a head's constants, and equal arguments where it repeats a variable.
func (m *Measurer) matches(head []mln.Term, atoms [][]uint32, a int) bool {
	for i, t := range head {
		want := m.join.ID(t)
		if t.Kind == mln.TermVariable {
			first := slices.IndexFunc(head, func(h mln.Term) bool { return h.Kind == mln.TermVariable && h.Var == t.Var })
			want = int32(atoms[first][a])
		}
		if want != int32(atoms[i][a]) {
			return false
		}
	}
	return true
}

// compute computes the values of a group's items.
func (m *Measurer) compute(g *group, atoms [][]uint32, values [][]float64) error {
	m.group = g
	m.binding = grow.Zeroed(m.binding, len(g.outputs))
	possible := m.join.Possible(g.query)
	if possible && !g.query.Reduced {
		m.list()
	}
	first := map[uint64]int{} // first atom by key of the shared outputs
	for a := range atoms[0] {
		m.join.Step()
		key, fits := m.bind(atoms, a)
		if b, seen := first[key]; seen {
			for _, c := range g.columns {
				values[c.item][a] = values[c.item][b]
			}
			continue
		}
		if fits {
			first[key] = a
		}
		m.rows = m.rows[:0]
		if possible && fits {
			m.find(key)
		}
		if err := m.accumulate(a, values); err != nil {
			return err
		}
	}
	return nil
}

// eachBinding calls visit with the value of an aggregate for each binding of its group's shared outputs that has one, in lexicographic
// order. The binding is borrowed until visit returns.
func (m *Measurer) eachBinding(a *aggregate, visit func(binding []uint32, value float64)) (err error) {
	g := a.group
	m.group = g
	m.binding = grow.Zeroed(m.binding, len(g.outputs))
	var rows [][]uint32 // which agree in the prefix
	var memory []uint32
	values := [][]float64{{0}}
	flush := func() {
		if len(a.query.Outputs) > len(a.columns) || a.prefix < g.bound {
			slices.SortFunc(rows, slices.Compare)
			rows = slices.CompactFunc(rows, slices.Equal)
		}
		for rest := rows; len(rest) > 0 && err == nil; {
			copy(m.binding, rest[0][:g.bound])
			m.rows = m.rows[:0]
			for len(rest) > 0 && slices.Equal(rest[0][:g.bound], m.binding[:g.bound]) {
				m.rows, rest = m.append(m.rows, rest[0]), rest[1:]
			}
			values[0][0] = math.NaN()
			if err = m.accumulate(0, values); err == nil && !math.IsNaN(values[0][0]) {
				visit(m.binding, values[0][0])
			}
		}
		rows, memory = rows[:0], memory[:0]
	}
	m.join.Enumerate(a.query, false, func(binding []uint32, _ int64) bool {
		if len(rows) > 0 && !slices.Equal(rows[0][:a.prefix], binding[:a.prefix]) {
			flush()
		}
		at := len(memory)
		for _, c := range a.columns {
			memory = append(memory, binding[c])
		}
		rows = append(rows, memory[at:len(memory):len(memory)])
		return err == nil
	})
	flush()
	return err
}

// bind binds the shared outputs to an atom's arguments. It returns a number that identifies the binding, and whether it is consistent
// with the constants and equalities of the core.
func (m *Measurer) bind(atoms [][]uint32, a int) (key uint64, fits bool) {
	var set uint64
	for _, h := range m.group.shared {
		id := atoms[h.head][a]
		if !h.arg.IsVar() {
			if int32(id) != m.join.Const(h.arg) {
				return math.MaxUint64, false
			}
			continue
		}
		if set>>h.arg&1 != 0 && m.binding[h.arg] != id {
			return math.MaxUint64, false
		}
		m.binding[h.arg] = id
		set |= 1 << h.arg
	}
	return m.key(m.binding), true
}

// key numbers the bindings of the shared outputs.
func (m *Measurer) key(binding []uint32) (key uint64) {
	for i, id := range binding[:m.group.bound] {
		hi, lo := bits.Mul64(key, uint64(m.join.Size(m.group.query.Conj.Types[m.group.outputs[i]])))
		if hi != 0 || lo > math.MaxUint64-uint64(id)-1 {
			join.Overflow()
		}
		key = lo + uint64(id)
	}
	return key
}

// find finds the rows of the current binding.
func (m *Measurer) find(key uint64) {
	g := m.group
	if !g.query.Reduced {
		m.rows = append(m.rows, m.listed[key]...)
		return
	}
	for d := range g.bound {
		if !bitset.Has(m.join.Candidates(g.query, d, m.binding, nil), m.binding[d]) {
			return
		}
	}
	m.enumerate(g.bound)
}

// enumerate appends the bindings of the outputs from d on, given the earlier ones.
func (m *Measurer) enumerate(d int) {
	if d == len(m.binding) {
		m.rows = m.append(m.rows, m.binding)
		return
	}
	m.join.EachCandidate(m.group.query, d, m.binding, func(v uint32) bool {
		m.join.Step()
		m.binding[d] = v
		m.enumerate(d + 1)
		return true
	})
}

// list lists the rows of all bindings.
func (m *Measurer) list() {
	m.listed = map[uint64][]uint32{}
	m.join.Enumerate(m.group.query, false, func(binding []uint32, _ int64) bool {
		key := m.key(binding)
		m.listed[key] = m.append(m.listed[key], binding)
		return true
	})
}

// append appends a row. If an atom is itself the row, without further entities, it appends a dummy.
func (m *Measurer) append(rows, binding []uint32) []uint32 {
	if len(binding) == m.group.bound {
		return append(rows, 0)
	}
	return append(rows, binding[m.group.bound:]...)
}

// entity returns the entity of an argument in a row.
func (m *Measurer) entity(a plan.Arg, row []uint32) uint32 {
	switch {
	case !a.IsVar():
		return uint32(m.join.Const(a)) // present, since the query's guards hold
	case int(a) < m.group.bound:
		return m.binding[a]
	}
	return row[int(a)-m.group.bound]
}

// look returns the numbers of a lookup for a row. Borrowed until the next.
func (m *Measurer) look(l *lookup, row []uint32) ([]float64, error) {
	m.found = m.found[:0]
	if l.in != nil {
		m.found = append(m.found, m.indicator(l.in, row))
		return m.found, nil
	}
	numbers, err := m.derive.Numbers(l.typ)
	if err != nil {
		return nil, err
	}
	id := m.entity(l.arg, row)
	if l.node == plan.None {
		m.found = append(m.found, numbers[id])
		return m.found, nil
	}
	for _, n := range m.join.Lists(l.node).Row(id) {
		m.found = append(m.found, numbers[n])
	}
	return m.found, nil
}

// indicator returns 1 for a row in a relation, else 0.
func (m *Measurer) indicator(in *tuples, row []uint32) float64 {
	t := &m.derive.sub.Relations[in.pred].True
	var found bool
	if len(in.args) == 2 {
		_, found = slices.BinarySearch(t.Forward.Row(m.entity(in.args[0], row)), m.entity(in.args[1], row))
	} else {
		_, found = sort.Find(t.Len(), func(i int) int {
			for k, a := range in.args {
				if c := cmp.Compare(m.entity(a, row), t.Cols[k][i]); c != 0 {
					return c
				}
			}
			return 0
		})
	}
	if found {
		return 1
	}
	return 0
}
