package discover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// mostScreened is how many of a category's values, the most frequent ones, are screened as constants.
const mostScreened = 200

// An owner tells whether the entities at an argument of a relation have at most one partner each, in all subgraphs: whether the relation
// is an attribute of theirs.
type owner struct {
	typ, from, to int               // the entities' type; arguments of the relation
	partner       map[string]string // nil once one has two
}

// newOwners returns the owners of a relation between types that may be categories.
func (o *Observer) newOwners(args []int) (out []owner) {
	if len(args) != 2 || o.schema.IsNumber(args[0]) || o.schema.IsNumber(args[1]) {
		return nil
	}
	for from, typ := range args {
		if o.unowned[typ] {
			out = append(out, owner{typ, from, 1 - from, map[string]string{}})
		}
	}
	return out
}

// add observes the relation in a subgraph.
func (w *owner) add(t *subgraph.Table, domain, other subgraph.Names) {
	if w.partner == nil || t.Len() == 0 || domain == nil || other == nil {
		return
	}
	for i, id := range t.Cols[w.from] {
		name, partner := domain.Name(id), other.Name(t.Cols[w.to][i])
		switch p, known := w.partner[name]; {
		case !known:
			w.partner[strings.Clone(name)] = strings.Clone(partner)
		case p != partner:
			w.partner = nil
			return
		}
	}
}

// listUnowned finds the types that a schema gives no attribute and no atom to predict.
func (o *Observer) listUnowned() {
	o.unowned = make([]bool, len(o.schema.Types))
	for t := range o.unowned {
		o.unowned[t] = !o.schema.IsNumber(t)
	}
	for _, p := range o.schema.Predicates {
		own := p.Role.IsTarget() || len(p.Args) == 1 || len(p.Args) == 2 && (p.Args[0] == p.Args[1] || o.schema.IsNumber(p.Args[1]))
		for _, t := range p.Args {
			o.unowned[t] = o.unowned[t] && !own
		}
	}
}

// categories returns the most frequent names of each type that has too many for constants and is no entity's own: it has no attributes and
// no atoms to predict, and is not the centers'. A name of one subgraph among several tells nothing of others.
func (o *Observer) categories() [][]string {
	out := make([][]string, len(o.unowned))
	for t, names := range o.names {
		if !o.unowned[t] || len(names) <= mostConstants || o.isCenter(t) ||
			slices.ContainsFunc(slices.Concat(o.owners...), func(w owner) bool { return w.typ == t && len(w.partner) > 0 }) {
			continue
		}
		list := slices.Collect(maps.Keys(names))
		list = slices.DeleteFunc(list, func(name string) bool { return names[name] < min(2, o.subgraphs) })
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(names[b], names[a]), strings.Compare(a, b)) })
		out[t] = list[:min(len(list), mostScreened)]
	}
	return out
}

// screens returns the patterns that screen the names of categories as constants: the shortest paths from a head to each.
func (g *Grower) screens(seen *Observer) (out []*Pattern) {
	if g.opt.Values == 0 {
		return nil
	}
	categories := seen.categories()
	reached := map[[2]int]bool{} // a target, and a type
	paths := slices.Clone(g.frontier)
	for _, root := range paths {
		for _, t := range root.types {
			reached[[2]int{root.Target, t}] = true
		}
	}
	for length := 1; length <= g.opt.Length && len(paths) > 0; length++ {
		var longer []*Pattern
		for _, p := range paths {
			g.extend(p, func(q *Pattern) bool {
				q.setKey(g.symmetric)
				if q.collective(g.schema) || !q.isOpen() || g.seen[q.key] || slices.ContainsFunc(q.literals[q.Len()-1].args, g.isName) {
					return true
				}
				g.seen[q.key] = true
				longer = append(longer, q)
				return true
			})
		}
		paths = paths[:0]
		var ends [][2]int
		for _, q := range longer {
			more := false
			for v := len(q.parent.types); v < len(q.types); v++ {
				end := [2]int{q.Target, q.types[v]}
				if g.number[end[1]] || reached[end] {
					continue
				}
				ends, more = append(ends, end), true
				for _, name := range categories[end[1]] {
					out = append(out, q.bound(int32(v), g.constant(end[1], name)))
				}
			}
			if more {
				paths = append(paths, q)
			}
		}
		for _, end := range ends {
			reached[end] = true
		}
	}
	clear(g.seen)
	return out[:min(len(out), perCandidate*g.opt.Max)]
}

func (g *Grower) isName(a int32) bool { return a < 0 && g.constants[^a].Kind == mln.TermConstant }

// constant returns a name as an argument.
func (g *Grower) constant(typ int, name string) int32 {
	c := mln.Term{Kind: mln.TermConstant, Name: name, Type: typ}
	at := slices.Index(g.constants, c)
	if at < 0 {
		at = len(g.constants)
		g.constants = append(g.constants, c)
	}
	return ^int32(at)
}

// bound returns the pattern with a constant for a variable that its last literal introduced.
func (p *Pattern) bound(v, constant int32) *Pattern {
	l := p.literals[p.Len()-1]
	l.args = slices.Clone(l.args)
	for i, a := range l.args {
		switch {
		case a == v:
			l.args[i] = constant
		case a > v:
			l.args[i]--
		}
	}
	return p.parent.with(l, slices.Delete(slices.Clone(p.types[len(p.parent.types):]), int(v)-len(p.parent.types), int(v)-len(p.parent.types)+1))
}

// takeScreens makes constants of the names of each type whose patterns gain most, and more than the best of as many by chance: half the
// square of a normal deviate exceeds ln(k) about once in k draws.
func (g *Grower) takeScreens(patterns []*Pattern, t *Tally) {
	gains := map[int32]float64{}
	for i, p := range patterns {
		s := &t.Stats[i]
		if at := slices.IndexFunc(p.literals[p.Len()-1].args, g.isName); at >= 0 && s.Rows >= g.support(p.Target, t) {
			c := p.literals[p.Len()-1].args[at]
			gains[c] = max(gains[c], s.gain(t.Rows[p.Target], t.True[p.Target]))
		}
	}
	best := slices.SortedFunc(maps.Keys(gains), func(a, b int32) int {
		return cmp.Or(cmp.Compare(gains[b], gains[a]), cmp.Compare(b, a))
	})
	taken, chance := map[int]int{}, elementary.Log(float64(len(patterns)))
	for _, c := range best {
		typ := g.constants[^c].Type
		if taken[typ]++; gains[c] > chance && taken[typ] <= g.opt.Values {
			g.constantsOf[typ] = append(g.constantsOf[typ], c)
		}
	}
}

// support returns the minimum support of the patterns of a target.
func (g *Grower) support(target int, t *Tally) int64 {
	return cmp.Or(g.opt.Support, int64(features.LeastSupport(t.True[target])))
}
