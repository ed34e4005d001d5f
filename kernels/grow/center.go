package grow

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// State is what is known of a center: its entities, by the hop that found them, and what was asked. Entities are numbered by type.
type State struct {
	schema *mln.Schema
	levels [][]uint8 // by type and entity: the hop, or none
	asked  [][]bool  // by slot of relation and argument, then entity
	slots  []int     // by relation, its first slot
}

// none is the level of an entity that is not known.
const none = 255

// NewState returns the state of a center of which nothing is known.
func NewState(schema *mln.Schema) *State {
	s := &State{schema: schema, levels: make([][]uint8, len(schema.Types))}
	n := 0
	for _, p := range schema.Predicates {
		s.slots = append(s.slots, n)
		n += len(p.Args)
	}
	s.asked = make([][]bool, n)
	return s
}

// Clone returns an independent copy.
func (s *State) Clone() *State {
	out := *s
	out.levels, out.asked = slices.Clone(s.levels), slices.Clone(s.asked)
	for i := range out.asked {
		out.asked[i] = slices.Clone(out.asked[i])
	}
	for i := range out.levels {
		out.levels[i] = slices.Clone(out.levels[i])
	}
	return &out
}

// Learn records that a hop has found an entity; hop 0 is for what the center starts with.
func (s *State) Learn(typ int, id uint32, hop int) {
	l := s.levels[typ]
	for len(l) <= int(id) {
		l = append(l, none)
	}
	l[id] = min(l[id], uint8(hop)) // #nosec G115 -- at most MostHops
	s.levels[typ] = l
}

// Fact records the entities of a fact that a probe has found.
func (s *State) Fact(p *Probe, args []uint32) {
	for i, id := range args {
		s.Learn(s.schema.Predicates[p.Pred].Args[i], id, p.Hop)
	}
}

// Ask returns, in ascending order, the entities that a probe binds and for which it has not been asked. It marks them as asked unless peek
// is true. Fixed is the entity of the center or the constant, if the probe binds one.
func (s *State) Ask(p *Probe, fixed uint32, peek bool) (out []uint32) {
	slot := s.slots[p.Pred] + p.At
	asked := s.asked[slot]
	visit := func(id uint32) {
		if int(id) < len(asked) && asked[id] {
			return
		}
		out = append(out, id)
		if peek {
			return
		}
		for len(asked) <= int(id) {
			asked = append(asked, false)
		}
		asked[id] = true
	}
	if p.Bound != Known {
		visit(fixed)
	} else {
		for id, level := range s.levels[s.schema.Predicates[p.Pred].Args[p.At]] {
			if int(level) < p.Hop {
				visit(uint32(id)) // #nosec G115 -- a number of entities
			}
		}
	}
	s.asked[slot] = asked
	return out
}

// Begin records what a center starts with: the entities of its query atoms, and itself. The function id numbers names.
func (s *State) Begin(sub *subgraph.Subgraph, centers []bool, id func(typ int, name string) (uint32, bool)) {
	for pred, p := range s.schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		for _, t := range sub.Relations[pred].Tables() {
			for c, col := range t.Cols {
				for _, x := range col {
					if y, ok := id(p.Args[c], sub.Domains[p.Args[c]].Names.Name(x)); ok {
						s.Learn(p.Args[c], y, 0)
					}
				}
			}
		}
	}
	for typ, is := range centers {
		if is {
			if x, ok := id(typ, sub.Center); ok {
				s.Learn(typ, x, 0)
			}
		}
	}
}

// Replay grows a subgraph whose facts are known but hidden until they are asked for.
type Replay struct {
	*State
	sub     *subgraph.Subgraph
	fetched [][]bool      // by relation and row
	index   []*grow.Lists // by slot of relation and argument: rows by entity; nil until needed
	pretend bool          // count facts, but do not fetch them
}

// NewReplay returns a replay of a subgraph, which must have all its relations and names, and outlive the replay.
func NewReplay(schema *mln.Schema, sub *subgraph.Subgraph, centers []bool) *Replay {
	r := &Replay{State: NewState(schema), sub: sub, fetched: make([][]bool, len(sub.Relations))}
	r.index = make([]*grow.Lists, len(r.asked))
	r.Begin(sub, centers, r.id)
	return r
}

// id returns the number of an entity. A name that the data does not mention has no number and no facts.
func (r *Replay) id(typ int, name string) (uint32, bool) {
	if d := r.sub.Domains[typ]; d.Names != nil {
		if id, ok := d.Names.Lookup(name); ok {
			return id, true
		}
	}
	return uint32(r.sub.Domains[typ].Size), name != "" // #nosec G115 -- a number of entities
}

// rows returns the rows of a relation by the entity of one argument. The last entity is one that the data does not mention.
func (r *Replay) rows(pred, at int) *grow.Lists {
	x := &r.index[r.slots[pred]+at]
	if *x == nil {
		*x = &grow.Lists{}
		t := &r.sub.Relations[pred].True
		(*x).Build(r.sub.Domains[r.schema.Predicates[pred].Args[at]].Size+1, func(emit func(entity, row uint32)) {
			for row := range t.Len() {
				emit(t.Cols[at][row], uint32(row)) // #nosec G115 -- a number of facts
			}
		})
	}
	return *x
}

// Spent counts look-ups and their cost.
type Spent struct {
	Calls, Facts int
	Cost         float64
}

// Plus returns the sum of the two.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Calls + o.Calls, s.Facts + o.Facts, s.Cost + o.Cost}
}

// Step makes the probes of a step.
func (r *Replay) Step(step Step, costs Costs) (sum Spent) {
	var args []uint32
	for i := range step {
		p := &step[i]
		ids := r.Ask(p, r.fixed(p), false)
		x, t, facts := r.rows(p.Pred, p.At), &r.sub.Relations[p.Pred].True, 0
		if r.fetched[p.Pred] == nil && !r.pretend {
			r.fetched[p.Pred] = make([]bool, t.Len())
		}
		for _, id := range ids {
			for _, row := range x.Of(id) {
				args = args[:0]
				for _, col := range t.Cols {
					args = append(args, col[row])
				}
				r.Fact(p, args)
				if !r.pretend {
					r.fetched[p.Pred][row] = true
				}
				facts++
			}
		}
		sum = sum.Plus(Spent{len(ids), facts, costs.Of(p, len(ids), facts)})
	}
	return sum
}

// fixed returns the entity to which a probe of the center or a constant is bound.
func (r *Replay) fixed(p *Probe) uint32 {
	id, _ := r.id(r.schema.Predicates[p.Pred].Args[p.At], p.Name(r.sub.Center))
	return id
}

// Name returns the name of the entity that a probe binds, or "" if it binds all known ones.
func (p *Probe) Name(center string) string {
	switch p.Bound {
	case Known:
		return ""
	case Center:
		return center
	}
	return p.Bound[1:]
}

// Would returns what a step would spend.
func (r *Replay) Would(step Step, costs Costs) Spent {
	return (&Replay{State: r.Clone(), sub: r.sub, fetched: r.fetched, index: r.index, pretend: true}).Step(step, costs)
}

// Pending returns the number of calls in the first hop of a step that has any.
func (s *State) Pending(step Step, fixed func(*Probe) uint32) (n int) {
	hop := 0
	for i := range step {
		p := &step[i]
		if n > 0 && p.Hop > hop {
			return n
		}
		hop = p.Hop
		n += len(s.Ask(p, fixed(p), true))
	}
	return n
}

// Grown returns the subgraph with the facts fetched so far and the query atoms. It shares memory with the whole subgraph.
func (r *Replay) Grown() *subgraph.Subgraph {
	out := *r.sub
	out.Relations = make([]subgraph.Relation, len(r.sub.Relations))
	for pred, p := range r.schema.Predicates {
		if p.Role.IsTarget() {
			out.Relations[pred] = r.sub.Relations[pred]
			continue
		}
		from, to := &r.sub.Relations[pred].True, &out.Relations[pred].True
		to.Cols = make([][]uint32, len(p.Args))
		for row, is := range r.fetched[pred] {
			if is {
				for c := range to.Cols {
					to.Cols[c] = append(to.Cols[c], from.Cols[c][row])
				}
			}
		}
		if len(p.Args) == 2 && to.Len() > 0 {
			to.BuildIndex(r.sub.Domains[p.Args[0]].Size, r.sub.Domains[p.Args[1]].Size)
		}
	}
	return &out
}
