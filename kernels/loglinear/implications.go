package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Implications are what the hard constraints of a network imply directly, by unit propagation, by clauses of two literals and by
// elimination in parities: atoms with a fixed value, and atoms that are always equal or opposite.
// Such atoms flip together as a unit, identified by its first atom.
type Implications struct {
	fixed    []fixed
	Block    []network.Lit // by atom: the literal of its unit's first atom that it equals
	units    grow.Lists    // atoms of each unit
	Conflict int           // constraint that cannot be satisfied, or -1
	void     int           // violated constraint over no atoms, or -1

	trail   []uint32
	graph   grow.Lists    // implications between literals
	strong  []uint32      // by literal: its strongly connected component
	first   []network.Lit // by component: its first literal
	visit   []visit
	stack   []uint32
	calls   []uint32
	ordinal uint32

	parities grow.Lists // hard parities by component
	flips    Flips
	same     [][2]network.Lit // literals that parities make equal
	x        []bool           // a state that satisfies what is known
}

// fixed is the only possible value of an atom, if any.
type fixed uint8

const (
	free fixed = iota
	fixedFalse
	fixedTrue
)

// visit is the state of a literal in the search for strongly connected components.
type visit struct{ order, low, next uint32 }

func (h *Implications) reduce(m *Model) {
	n := m.Net.NumAtoms
	h.Conflict = -1
	h.fixed = grow.Zeroed(h.fixed, n)
	h.Block = grow.To(h.Block, n)
	h.void = m.voidConstraint()
	h.same = h.same[:0]
	h.separate()
	for more := true; more && len(m.Net.Clauses)+len(m.HardParities) > 0; {
		h.propagate(m)
		h.findBlocks(m)
		more = h.Conflict < 0 && h.eliminate(m)
	}
	h.units.Build(n, func(emit func(atom, item uint32)) {
		for a, l := range h.Block {
			emit(l.Atom(), uint32(a))
		}
	})
}

func (m *Model) voidConstraint() int {
	for i := range m.Constraints() {
		if clause, f := m.HardFactor(i); len(clause) == 0 && (f == nil || len(f.Atoms) == 0 && !f.Root.True(nil)) {
			return int(i)
		}
	}
	return -1
}

// Possible returns an *UnsatisfiableError if a hard constraint over no atoms is violated, or the implications contradict each other.
func (m *Model) Possible() error {
	if i := max(m.Implications.void, m.Implications.Conflict); i >= 0 {
		return m.Unsatisfiable(i, true)
	}
	return nil
}

// Fixed returns the only possible value of an atom; ok is false if both are possible.
func (h *Implications) Fixed(a uint32) (value, ok bool) {
	return h.fixed[a] == fixedTrue, h.fixed[a] != free
}

// Free returns the unit of an atom; ok is false if the atom is fixed.
func (h *Implications) Free(a uint32) (unit uint32, ok bool) {
	return h.Block[a].Atom(), h.fixed[a] == free
}

// Members returns the atoms of a unit.
func (h *Implications) Members(unit uint32) []uint32 { return h.units.Of(unit) }

// propagate fixes the atoms implied by unit clauses.
func (h *Implications) propagate(m *Model) {
	h.trail = h.trail[:0]
	for i := range m.Net.Clauses {
		h.imply(m, i)
	}
	for len(h.trail) > 0 {
		a := h.trail[len(h.trail)-1]
		h.trail = h.trail[:len(h.trail)-1]
		for _, ref := range m.Hard.Of(a) {
			h.imply(m, int(ref>>1))
		}
	}
}

// imply fixes the last open literal of a clause without a true one.
func (h *Implications) imply(m *Model, clause int) {
	lits, feature := m.HardFactor(uint32(clause))
	l, _, n := h.open(lits)
	switch {
	case feature != nil:
	case n == 0:
		h.Conflict = clause
	case n == 1:
		h.fix(l)
	}
}

// fix makes a literal true.
func (h *Implications) fix(l network.Lit) {
	h.fixed[l.Atom()] = fixedTrue
	if l.Negated() {
		h.fixed[l.Atom()] = fixedFalse
	}
	h.trail = append(h.trail, l.Atom())
}

// open returns the first two of the n literals of a clause that are not fixed to false; n is -1 if one is fixed to true.
func (h *Implications) open(clause []network.Lit) (first, second network.Lit, n int) {
	for _, l := range clause {
		if value, ok := h.Fixed(l.Atom()); ok {
			if value != l.Negated() {
				return 0, 0, -1
			}
			continue
		}
		switch n {
		case 0:
			first = l
		case 1:
			second = l
		}
		n++
	}
	return first, second, n
}

// findBlocks merges atoms whose literals imply each other through clauses of two literals (Aspvall, Plass and Tarjan, 1979).
func (h *Implications) findBlocks(m *Model) {
	h.graph.Build(2*m.Net.NumAtoms, func(emit func(atom, item uint32)) {
		for _, clause := range m.Net.Clauses {
			if a, b, n := h.open(clause); n == 2 {
				emit(uint32(a^1), uint32(b))
				emit(uint32(b^1), uint32(a))
			}
		}
		for _, s := range h.same {
			if _, _, n := h.open(s[:]); n == 2 {
				emit(uint32(s[0]), uint32(s[1]))
				emit(uint32(s[1]), uint32(s[0]))
				emit(uint32(s[0]^1), uint32(s[1]^1))
				emit(uint32(s[1]^1), uint32(s[0]^1))
			}
		}
	})
	if h.graph.Empty() { // what was equal in an earlier round is fixed by now, or will be
		h.separate()
		return
	}
	h.connect(2 * m.Net.NumAtoms)
	h.first = grow.To(h.first, 2*m.Net.NumAtoms)
	for i := range h.first {
		h.first[i] = network.Unset
	}
	for a := range uint32(m.Net.NumAtoms) {
		yes, no := h.strong[2*a], h.strong[2*a+1]
		if yes == no {
			h.Conflict = h.twoClause(m, a)
			continue
		}
		if h.first[yes] == network.Unset {
			h.first[yes], h.first[no] = network.NewLit(a, false), network.NewLit(a, true)
		}
		h.Block[a] = h.first[yes]
	}
}

// separate makes each atom a unit.
func (h *Implications) separate() {
	for a := range h.Block {
		h.Block[a] = network.NewLit(uint32(a), false)
	}
}

// twoClause returns a clause on an atom with two open literals.
func (h *Implications) twoClause(m *Model, a uint32) int {
	for _, ref := range m.Hard.Of(a) {
		lits, _ := m.HardFactor(ref >> 1)
		if _, _, n := h.open(lits); n == 2 {
			return int(ref >> 1)
		}
	}
	return h.Conflict
}

// connect numbers the strongly connected components of the literals (Tarjan, 1972), without recursion.
func (h *Implications) connect(n int) {
	h.strong = grow.To(h.strong, n)
	for l := range h.strong {
		h.strong[l] = network.Unset
	}
	h.visit = grow.Zeroed(h.visit, n)
	h.stack, h.ordinal = h.stack[:0], 0
	found := uint32(0)
	for l := range uint32(n) {
		if h.visit[l].order == 0 {
			found = h.explore(l, found)
		}
	}
}

func (h *Implications) explore(start, found uint32) uint32 {
	h.calls = h.calls[:0]
	h.enter(start)
	for len(h.calls) > 0 {
		l := h.calls[len(h.calls)-1]
		v := &h.visit[l]
		if next := h.graph.Of(l); int(v.next) < len(next) {
			to := next[v.next]
			v.next++
			switch {
			case h.visit[to].order == 0:
				h.enter(to)
			case h.strong[to] == network.Unset:
				v.low = min(v.low, h.visit[to].order)
			}
			continue
		}
		h.calls = h.calls[:len(h.calls)-1]
		if len(h.calls) > 0 {
			up := &h.visit[h.calls[len(h.calls)-1]]
			up.low = min(up.low, v.low)
		}
		if v.low == v.order {
			h.pop(l, found)
			found++
		}
	}
	return found
}

func (h *Implications) enter(l uint32) {
	h.ordinal++
	h.visit[l] = visit{order: h.ordinal, low: h.ordinal}
	h.stack = append(h.stack, l)
	h.calls = append(h.calls, l)
}

// pop removes a component, down to its first literal, from the stack.
func (h *Implications) pop(first, component uint32) {
	for {
		l := h.stack[len(h.stack)-1]
		h.stack = h.stack[:len(h.stack)-1]
		h.strong[l] = component
		if l == first {
			return
		}
	}
}
