package measure

import (
	"math"
	"math/bits"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/exactsum"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Scratch is the memory in which one goroutine computes values.
type Scratch struct {
	of     *Program
	derive *derive.Scratch
	join   *join.Scratch

	group   *group
	binding []uint32
	rows    []uint32            // of the current atom: the outputs that are not shared, row by row
	masks   []uint64            // windows of the rows
	listed  map[uint64][]uint32 // rows by key of the shared outputs, for a query that is not reduced
	values  []float64
	within  []uint64 // windows of the values
	exact   exactsum.Sum
}

// NewScratch returns the memory for a program.
func NewScratch(p *Program) *Scratch {
	return &Scratch{of: p, derive: derive.NewScratch(p.relations), join: join.NewScratch(p.prog)}
}

// Stop makes Values call ask from time to time; an error from it ends Values.
func (s *Scratch) Stop(ask func() error) {
	s.derive.Stop(ask)
	s.join.Stop = ask
}

// Values returns the value of each item for each query atom, NaN if undefined or if the head does not match the atom. atoms holds the atoms' arguments by place. The error is a
// *derive.NumberError, a *derive.OverflowError, join.ErrOverflow, or that of Stop.
func (s *Scratch) Values(sub *subgraph.Subgraph, atoms [][]uint32) (values [][]float64, err error) {
	if sub, err = s.derive.Extend(sub); err != nil {
		return nil, err
	}
	s.join.Reset(sub)
	values = make([][]float64, len(s.of.heads))
	all := slices.Repeat([]float64{math.NaN()}, len(values)*len(atoms[0]))
	for i := range values {
		values[i], all = all[:len(atoms[0])], all[len(atoms[0]):]
	}
	for _, g := range s.of.groups {
		if err := s.join.Counting(func() error { return s.compute(g, atoms, values) }); err != nil {
			return nil, err
		}
	}
	for i, head := range s.of.heads {
		for a := range values[i] {
			if head != nil && !s.matches(head, atoms, a) {
				values[i][a] = math.NaN()
			}
		}
	}
	return values, nil
}

// matches reports whether an atom has a head's constants, and equal arguments where it repeats a variable.
func (s *Scratch) matches(head []mln.Term, atoms [][]uint32, a int) bool {
	for i, t := range head {
		want := s.join.ID(t)
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
func (s *Scratch) compute(g *group, atoms [][]uint32, values [][]float64) error {
	s.group = g
	s.binding = grow.Zeroed(s.binding, len(g.outputs))
	possible := s.join.Possible(g.query)
	if possible && !g.query.Reduced {
		s.list()
	}
	first := map[uint64]int{} // first atom by key of the shared outputs
	for a := range atoms[0] {
		s.join.Step()
		key, fits := s.bind(atoms, a)
		if b, seen := first[key]; seen {
			for _, c := range g.columns {
				values[c.item][a] = values[c.item][b]
			}
			continue
		}
		if fits {
			first[key] = a
		}
		s.rows = s.rows[:0]
		if possible && fits {
			s.find(key)
		}
		if err := s.accumulate(a, values); err != nil {
			return err
		}
	}
	return nil
}

// bind binds the shared outputs to an atom's arguments. It returns a number that identifies the binding, and whether it is consistent
// with the constants and equalities of the core.
func (s *Scratch) bind(atoms [][]uint32, a int) (key uint64, fits bool) {
	var set uint64
	for _, h := range s.group.shared {
		id := atoms[h.head][a]
		if !h.arg.IsVar() {
			if int32(id) != s.join.Const(h.arg) {
				return math.MaxUint64, false
			}
			continue
		}
		if set>>h.arg&1 != 0 && s.binding[h.arg] != id {
			return math.MaxUint64, false
		}
		s.binding[h.arg] = id
		set |= 1 << h.arg
	}
	return s.key(s.binding), true
}

// key numbers the bindings of the shared outputs.
func (s *Scratch) key(binding []uint32) (key uint64) {
	for i, id := range binding[:s.group.bound] {
		hi, lo := bits.Mul64(key, uint64(s.join.Size(s.group.query.Conj.Types[s.group.outputs[i]])))
		if hi != 0 || lo > math.MaxUint64-uint64(id)-1 {
			join.Overflow()
		}
		key = lo + uint64(id)
	}
	return key
}

// find finds the rows of the current binding.
func (s *Scratch) find(key uint64) {
	g := s.group
	if !g.query.Reduced {
		s.rows = append(s.rows, s.listed[key]...)
		return
	}
	for d := range g.bound {
		if !bitset.Has(s.join.Candidates(g.query, d, s.binding, nil), s.binding[d]) {
			return
		}
	}
	s.enumerate(g.bound)
}

// enumerate appends the bindings of the outputs from d on, given the earlier ones.
func (s *Scratch) enumerate(d int) {
	if d == len(s.binding) {
		s.rows = s.append(s.rows, s.binding)
		return
	}
	bitset.Each(s.join.Candidates(s.group.query, d, s.binding, nil), func(v uint32) bool {
		s.join.Step()
		s.binding[d] = v
		s.enumerate(d + 1)
		return true
	})
}

// list lists the rows of all bindings.
func (s *Scratch) list() {
	s.listed = map[uint64][]uint32{}
	s.join.Enumerate(s.group.query, false, func(binding []uint32, _ int64) bool {
		key := s.key(binding)
		s.listed[key] = s.append(s.listed[key], binding)
		return true
	})
}

// append appends a row. If an atom is itself the row, without further entities, it appends a dummy.
func (s *Scratch) append(rows, binding []uint32) []uint32 {
	if len(binding) == s.group.bound {
		return append(rows, 0)
	}
	return append(rows, binding[s.group.bound:]...)
}

// entity returns the entity of an argument in a row.
func (s *Scratch) entity(a plan.Arg, row []uint32) uint32 {
	switch {
	case !a.IsVar():
		return uint32(s.join.Const(a)) // present, since the query's guards hold
	case int(a) < s.group.bound:
		return s.binding[a]
	}
	return row[int(a)-s.group.bound]
}

// each calls visit with the numbers of a lookup for a row, until it returns false.
func (s *Scratch) each(l lookup, row []uint32, visit func(float64) bool) error {
	numbers, err := s.derive.Numbers(l.typ)
	if err != nil {
		return err
	}
	id := s.entity(l.arg, row)
	if l.node == plan.None {
		visit(numbers[id])
		return nil
	}
	for _, n := range s.join.Lists(l.node).Row(id) {
		if !visit(numbers[n]) {
			break
		}
	}
	return nil
}
