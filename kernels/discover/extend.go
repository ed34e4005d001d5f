package discover

import (
	"maps"
	"slices"

	"resolwe/format/mln"
)

// extend calls visit for the pattern extended by each possible literal, until visit returns false.
func (g *Grower) extend(p *Pattern, visit func(*Pattern) bool) bool {
	closing := p.Len() == g.opt.Length
	if closing {
		if !p.isOpen() {
			return true
		}
		all := visit
		visit = func(q *Pattern) bool { return !g.closes(q) || all(q) }
	}
	for pred, of := range g.schema.Predicates {
		e := extension{Grower: g, from: p, pred: pred, args: make([]int32, len(of.Args)), visit: visit}
		if of.Role.IsTarget() {
			if !closing && !e.target() {
				return false
			}
		} else if !e.choose(0, true) {
			return false
		}
	}
	return true
}

// closes reports whether the last literal of a path leads from the open end of the others to the center, or to a head variable at which
// they do not start.
func (g *Grower) closes(q *Pattern) bool {
	first, args := q.literals[0].args, q.literals[q.Len()-1].args
	to := slices.ContainsFunc(args, func(a int32) bool {
		return !slices.Contains(first, a) && (a >= 0 && int(a) < q.heads || a < 0 && g.constants[^a].Kind == mln.TermCenter)
	})
	return !q.fresh && to && slices.ContainsFunc(args, q.parent.brings)
}

// extension enumerates the arguments of a new literal.
type extension struct {
	*Grower
	from   *Pattern
	pred   int
	args   []int32
	types  []int // of new variables
	visit  func(*Pattern) bool
	differ [2]int32
}

// choose chooses the arguments from k on among the existing variables and, where allowed, new ones and constants.
func (e *extension) choose(k int, others bool) bool {
	if k == len(e.args) {
		return e.emit()
	}
	typ := e.schema.Predicates[e.pred].Args[k]
	known := len(e.from.types)
	for v, t := range slices.Concat(e.from.types, e.types) {
		joins := v >= e.from.heads && e.number[typ] // equal numbers mean little
		if e.args[k] = int32(v); t == typ && !joins && !e.choose(k+1, others) {
			return false
		}
	}
	if !others {
		return true
	}
	e.args[k] = int32(known + len(e.types))
	e.types = append(e.types, typ)
	ok := e.choose(k+1, true)
	e.types = e.types[:len(e.types)-1]
	if !ok {
		return false
	}
	for _, c := range e.constantsOf[typ] {
		if e.args[k] = c; !e.choose(k+1, true) {
			return false
		}
	}
	return true
}

// emit visits the pattern if its literal is new and connected to the others.
func (e *extension) emit() bool {
	l := literal{e.pred, slices.Clone(e.args)}
	if e.symmetric[e.pred] && l.args[0] > l.args[1] || !e.hangs(l.args) ||
		slices.ContainsFunc(e.from.literals, func(m literal) bool { return m.equal(&l) }) {
		return true
	}
	p := e.from.with(l, e.types)
	p.differ = e.differ
	return e.visit(p)
}

// hangs reports whether arguments share a variable with the pattern: any one if there is no other literal,
// otherwise one that is not the head's. Conjunctions of patterns that share only head variables are left to selection by gain.
func (e *extension) hangs(args []int32) bool {
	first := e.from.heads
	if len(e.from.literals) == 0 {
		first = 0
	}
	return slices.ContainsFunc(args, func(a int32) bool { return int(a) >= first && int(a) < len(e.from.types) })
}

// target makes literals of a target predicate. A literal of the head's predicate differs from the head in one variable, which is not the
// head's.
func (e *extension) target() bool {
	if e.pred != e.from.Target {
		return e.choose(0, false)
	}
	for k := range e.args {
		for i := range e.args {
			e.args[i] = int32(i)
		}
		typ := e.schema.Predicates[e.pred].Args[k]
		e.differ[0] = int32(k)
		for v := e.from.heads; v < len(e.from.types); v++ {
			e.args[k], e.differ[1] = int32(v), int32(v)
			if e.from.types[v] == typ && !e.emit() {
				return false
			}
		}
		if len(e.args) > 1 && len(e.from.literals) == 0 {
			e.args[k], e.types = int32(len(e.from.types)), []int{typ}
			e.differ[1] = e.args[k]
			ok := e.emit()
			e.types = nil
			if !ok {
				return false
			}
		}
	}
	return true
}

// listConstants lists the terms other than variables that literals may have, by type.
func (g *Grower) listConstants(o *Observer) {
	g.constantsOf = make([][]int32, len(g.schema.Types))
	for t := range g.schema.Types {
		if o.isCenter(t) {
			g.constants = append(g.constants, mln.Term{Kind: mln.TermCenter, Name: "@center", Type: t})
		}
		for _, name := range slices.Sorted(maps.Keys(o.names[t])) {
			if len(o.names[t]) > mostConstants {
				break
			}
			g.constants = append(g.constants, mln.Term{Kind: mln.TermConstant, Name: name, Type: t})
		}
	}
	for i, c := range g.constants {
		g.constantsOf[c.Type] = append(g.constantsOf[c.Type], ^int32(i))
	}
}
