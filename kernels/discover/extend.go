package discover

import (
	"slices"

	"resolwe/format/mln"
)

// extend calls visit for the pattern with each literal that may follow, until visit returns false.
func (g *Grower) extend(p *Pattern, visit func(*Pattern) bool) bool {
	for pred := range g.schema.Predicates {
		e := extension{Grower: g, from: p, pred: pred, args: make([]int32, len(g.schema.Predicates[pred].Args)), visit: visit}
		choose := func() bool { return e.evidence(0) }
		if g.schema.Predicates[pred].Role.IsTarget() {
			choose = e.target
		}
		if !choose() {
			return false
		}
	}
	return true
}

// close calls visit for a path with each evidence literal that leads from its open end to a variable of the head that it does not
// begin at, or to the center, until visit returns false. What is no open path has none.
func (g *Grower) close(p *Pattern, visit func(*Pattern) bool) bool {
	if !p.isOpen() {
		return true
	}
	first := p.literals[0].args
	closing := func(q *Pattern) bool {
		args := q.literals[len(p.literals)].args
		to := slices.ContainsFunc(args, func(a int32) bool {
			return !slices.Contains(first, a) && (a >= 0 && int(a) < q.heads || a < 0 && g.constants[^a].Kind == mln.TermCenter)
		})
		return q.fresh || !to || !slices.ContainsFunc(args, p.brings) || visit(q)
	}
	for pred := range g.schema.Predicates {
		if !g.schema.Predicates[pred].Role.IsTarget() {
			e := extension{Grower: g, from: p, pred: pred, args: make([]int32, len(g.schema.Predicates[pred].Args)), visit: closing}
			if !e.evidence(0) {
				return false
			}
		}
	}
	return true
}

// extension is the choice of the arguments of a literal.
type extension struct {
	*Grower
	from   *Pattern
	pred   int
	args   []int32
	types  []int // of new variables
	visit  func(*Pattern) bool
	differ [2]int32
}

// evidence chooses the arguments from k on.
func (e *extension) evidence(k int) bool {
	if k == len(e.args) {
		return e.emit()
	}
	typ := e.schema.Predicates[e.pred].Args[k]
	known := len(e.from.types)
	for v, t := range slices.Concat(e.from.types, e.types) {
		if e.args[k] = int32(v); t == typ && !e.evidence(k+1) {
			return false
		}
	}
	e.args[k] = int32(known + len(e.types))
	e.types = append(e.types, typ)
	ok := e.evidence(k + 1)
	e.types = e.types[:len(e.types)-1]
	if !ok {
		return false
	}
	for _, c := range e.constantsOf[typ] {
		if e.args[k] = c; !e.evidence(k + 1) {
			return false
		}
	}
	return true
}

// emit visits the pattern, where its literal is a new one that hangs on the others.
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

// hangs reports whether arguments share a variable with a pattern: but for products, one that is not the head's, or no other
// literal. Conjunctions of patterns that share the head's variables alone are for selection by gain to make.
func (e *extension) hangs(args []int32) bool {
	first := e.from.heads
	if e.opt.Products || len(e.from.literals) == 0 {
		first = 0
	}
	return slices.ContainsFunc(args, func(a int32) bool { return int(a) >= first && int(a) < len(e.from.types) })
}

// target makes literals of a target predicate: of the head's, one that differs in one variable, which is not the head's.
func (e *extension) target() bool {
	if e.pred != e.from.Target {
		return e.variables(0)
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
		if len(e.args) > 1 && (len(e.from.literals) == 0 || e.opt.Products) {
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

// variables chooses arguments from k on among the variables that there are.
func (e *extension) variables(k int) bool {
	if k == len(e.args) {
		return e.emit()
	}
	for v, t := range e.from.types {
		if e.args[k] = int32(v); t == e.schema.Predicates[e.pred].Args[k] && !e.variables(k+1) {
			return false
		}
	}
	return true
}

// listConstants gives each type the terms, beside variables, that literals may have.
func (g *Grower) listConstants(f *Facts) {
	g.constantsOf = make([][]int32, len(g.schema.Types))
	for t := range g.schema.Types {
		if f.Center[t] {
			g.addConstant(mln.Term{Kind: mln.TermCenter, Name: "@center", Type: t})
		}
		for _, name := range f.Constants[t] {
			g.addConstant(mln.Term{Kind: mln.TermConstant, Name: name, Type: t})
		}
	}
}

func (g *Grower) addConstant(t mln.Term) {
	g.constantsOf[t.Type] = append(g.constantsOf[t.Type], ^int32(len(g.constants)))
	g.constants = append(g.constants, t)
}
