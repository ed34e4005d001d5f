package ground

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// piece is a part of a selector that shares one variable with the rest and has a literal too wide for matrices. It is
// enumerated on its own, once for all formulas that have it.
type piece struct {
	key   string // equal where the counts are
	out   int    // the shared variable, among the outputs
	query *plan.Query
}

// cutPieces takes the pieces out of a selector that does not reduce, where the rest then does. A shared variable that is
// no output becomes the last one, to be summed over.
func (c *compiled) cutPieces(prog *plan.Program) {
	conj, outputs := *c.query.Conj, slices.Clone(c.query.Outputs)
	conj.Literals, conj.Differs = slices.Clone(conj.Literals), slices.Clone(conj.Differs)
	var pieces []piece
	summed := false
	for v := range conj.Types {
		part, ok := cut(&conj, outputs, v)
		if !ok {
			continue
		}
		if !slices.Contains(outputs, v) {
			if summed || !conj.Mentions(v) {
				return
			}
			summed = true
			outputs = append(outputs, v)
		}
		pieces = append(pieces, piece{
			key: pieceKey(part, v), out: slices.Index(outputs, v), query: prog.Query(part, []int{v}),
		})
	}
	if len(pieces) == 0 {
		return
	}
	if q := prog.Query(&conj, outputs); q.Reduced {
		c.query, c.pieces, c.summed = q, pieces, summed
	}
}

// cut moves from a conjunction what hangs on it by variable v alone, where that has a wide literal.
func cut(conj *plan.Conj, outputs []int, v int) (*plan.Conj, bool) {
	part := make([]bool, len(conj.Types)) // variables beyond v
	for i := range conj.Literals {
		l := &conj.Literals[i]
		vars := l.Vars()
		if len(vars) < 3 || !slices.Contains(vars, plan.Arg(v)) {
			continue
		}
		for _, u := range vars {
			part[u] = true
		}
	}
	part[v] = false
	if !slices.Contains(part, true) {
		return nil, false
	}
	in := func(args ...plan.Arg) bool {
		return slices.ContainsFunc(args, func(a plan.Arg) bool { return a.IsVar() && part[a] })
	}
	for grown := true; grown; {
		grown = false
		take := func(args ...plan.Arg) {
			for _, a := range args {
				if in(args...) && a.IsVar() && int(a) != v && !part[a] {
					part[a], grown = true, true
				}
			}
		}
		for i := range conj.Literals {
			take(conj.Literals[i].Args...)
		}
		for _, d := range conj.Differs {
			take(d.A, d.B)
		}
	}
	for _, o := range outputs {
		if part[o] {
			return nil, false
		}
	}
	out := &plan.Conj{Types: conj.Types}
	conj.Literals = slices.DeleteFunc(conj.Literals, func(l plan.Literal) bool {
		if in(l.Args...) {
			out.Literals = append(out.Literals, l)
		}
		return in(l.Args...)
	})
	conj.Differs = slices.DeleteFunc(conj.Differs, func(d plan.Differ) bool {
		if in(d.A, d.B) {
			out.Differs = append(out.Differs, d)
		}
		return in(d.A, d.B)
	})
	return out, true
}

// pieceKey describes a conjunction with its variables numbered as they come, and the one that its counts are by.
func pieceKey(c *plan.Conj, v int) string {
	names := map[plan.Arg]int{plan.Arg(v): 0}
	name := func(a plan.Arg) int {
		if !a.IsVar() {
			return int(a)
		}
		if _, ok := names[a]; !ok {
			names[a] = len(names)
		}
		return names[a]
	}
	var key strings.Builder
	for _, l := range c.Literals {
		fmt.Fprint(&key, l.Source, " ", l.Pred, " ", l.Negated)
		for _, a := range l.Args {
			fmt.Fprint(&key, " ", name(a))
		}
		key.WriteString("; ")
	}
	for _, d := range c.Differs {
		fmt.Fprint(&key, name(d.A), "!=", name(d.B), "; ")
	}
	return key.String()
}

// pieceCounts returns the number of solutions of a piece for each value of the shared variable.
func (g *Grounder) pieceCounts(p *piece) []int64 {
	counts, ok := g.pieces[p.key]
	if !ok {
		counts = make([]int64, g.scratch.Size(p.query.Conj.Types[p.query.Outputs[0]]))
		g.scratch.Enumerate(p.query, true, func(binding []uint32, n int64) bool {
			counts[binding[0]] = n
			return true
		})
		g.pieces[p.key] = counts
	}
	return counts
}

// summed returns n times the number of values of the last output, each with its multiplicity.
func (g *Grounder) summed(n int64) int64 {
	last, sum := len(g.binding)-1, int64(0)
	g.values(last, n, func(n int64) { sum = join.Add(sum, n) })
	return sum
}
