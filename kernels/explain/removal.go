package explain

import (
	"cmp"
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Judge returns an atom's log-odds on a subgraph and the contributions that sum to them.
type Judge func(sub *subgraph.Subgraph) (logOdds float64, contributions []Reason, err error)

// mostGroundings is the maximum number of groundings of a formula that Removal considers at once.
const mostGroundings = 1 << 14

// mostRounds is the maximum number of times that Removal finds groundings anew.
const mostRounds = 16

// Removal looks for a small set of the subgraph's facts without which the log-odds of an atom would have the opposite sign. It returns
// the set and those log-odds, nil if it finds none. The set is found greedily, by the contributions of the groundings that contain a
// fact, and is minimal: adding back any one fact restores the sign. Entities are kept. Afterwards the finder is set to another subgraph,
// see Reset. Errors are those of judge and Reset.
func (x *Finder) Removal(sub *subgraph.Subgraph, atom Atom, judge Judge) (facts []Atom, logOdds float64, err error) {
	r := &removal{finder: x, sub: sub.Complete(x.schema), atom: atom, judge: judge}
	before, contributions, err := r.say()
	if err != nil || before == 0 {
		return nil, 0, err
	}
	r.positive = before > 0
	for range mostRounds {
		old := len(r.facts)
		turned, err := r.extend(contributions)
		if err != nil {
			return nil, 0, err
		}
		if turned {
			if err := r.shorten(old); err != nil {
				return nil, 0, err
			}
			logOdds, _, err = r.say()
			return r.facts, logOdds, err
		}
		if len(r.facts) == old {
			break
		}
		if _, contributions, err = r.say(); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, nil
}

// removal is a search for facts to remove.
type removal struct {
	finder   *Finder
	sub      *subgraph.Subgraph
	atom     Atom
	judge    Judge
	positive bool // sign of the log-odds with all facts
	facts    []Atom
}

// say judges the subgraph without the removed facts.
func (r *removal) say() (float64, []Reason, error) {
	return r.judge(Without(r.sub, r.finder.schema, r.facts))
}

// turned reports whether removing some facts reverses the sign.
func (r *removal) turned(facts []Atom) (bool, error) {
	v, _, err := r.judge(Without(r.sub, r.finder.schema, facts))
	return v != 0 && (v > 0) != r.positive, err
}

// extend removes the facts that seem to matter most, until the sign reverses or no fact matters.
func (r *removal) extend(contributions []Reason) (turned bool, err error) {
	if err := r.finder.Reset(Without(r.sub, r.finder.schema, r.facts)); err != nil {
		return false, err
	}
	s := r.finder.supports(r.atom, contributions, r.positive)
	for next := len(r.facts) + 1; ; {
		f, ok := s.best()
		if !ok {
			return r.turned(r.facts)
		}
		s.remove(f)
		if r.facts = append(r.facts, s.facts[f]); len(r.facts) < next {
			continue
		}
		if turned, err = r.turned(r.facts); turned || err != nil {
			return turned, err
		}
		next = len(r.facts) + 1 + len(r.facts)/4 // so that the number of excess facts stays small
	}
}

// shorten puts facts back while the sign stays reversed. It first finds, by bisection, a prefix longer than from that reverses the sign
// though the prefix one fact shorter does not; then it tries the facts one by one.
func (r *removal) shorten(from int) error {
	for to := len(r.facts); from+1 < to; {
		mid := (from + to) / 2
		turned, err := r.turned(r.facts[:mid])
		if err != nil {
			return err
		}
		if turned {
			to, r.facts = mid, r.facts[:mid]
		} else {
			from = mid
		}
	}
	for again := true; again; {
		again = false
		for i := len(r.facts) - 1; i >= 0 && len(r.facts) > 1; i-- {
			fewer := slices.Delete(slices.Clone(r.facts), i, i+1)
			turned, err := r.turned(fewer)
			if err != nil {
				return err
			}
			if turned {
				r.facts, again = fewer, true
			}
		}
	}
	return nil
}

// supports are the facts that support the contributions to an atom.
type supports struct {
	facts []Atom
	index map[string]int
	parts []part
	sets  []set
	in    [][]int // by fact: the sets that contain it
	gone  []bool  // by fact
}

// part is a formula's contribution, which is lost once fewer than least of its sets remain.
type part struct {
	value float64 // positive if it favours the decision
	alive int
	least int
}

// set is a set of facts that are needed together.
type set struct {
	part  int
	alive bool
}

// supports returns the facts that support the contributions.
func (x *Finder) supports(atom Atom, contributions []Reason, positive bool) *supports {
	s := &supports{index: map[string]int{}}
	for _, c := range contributions {
		f := &x.formulas[c.Formula]
		if f.formula == nil || c.Value == 0 {
			continue
		}
		value := c.Value
		if !positive {
			value = -value
		}
		groundings := x.Groundings(c.Formula, atom, mostGroundings)
		s.begin(value, 1)
		for _, g := range groundings {
			s.add(x.facts(f.literals, g))
		}
		if len(groundings) > 0 {
			x.counted(s, f, value, groundings[0])
		}
	}
	return s
}

// Behind returns, for a formula with a feature at an atom, at most so many sets of facts that are true together: of what its first counting
// literal or aggregate counts or is over, those with the least values first where it takes the least, else those with the largest; without
// one, of its groundings.
func (x *Finder) Behind(formula int, atom Atom, limit int) (rows [][]Atom) {
	f := &x.formulas[formula]
	groundings := x.Groundings(formula, atom, limit)
	if len(groundings) == 0 || len(f.counts) == 0 {
		for _, g := range groundings {
			rows = append(rows, x.facts(f.literals, g))
		}
		return rows
	}
	c := f.counts[0]
	if c.counted != nil {
		c.literals = c.counted
	}
	found := x.bodies(f.formula, &c, groundings[0])
	if c.count.Kind != mln.AggregateCount && c.count.Kind != mln.AggregateShare {
		v := c.count.Listed[0]
		names := x.sub.Domains[f.formula.Vars[v].Type].Names
		value := func(binding []uint32) float64 { n, _ := mln.ParseNumber(names.Name(binding[v])); return n }
		slices.SortStableFunc(found, func(a, b []uint32) int {
			if c.count.Kind == mln.AggregateMin {
				return cmp.Compare(value(a), value(b))
			}
			return cmp.Compare(value(b), value(a))
		})
	}
	for _, b := range found[:min(limit, len(found))] {
		rows = append(rows, x.facts(c.literals, b))
	}
	return rows
}

// counted adds the sets behind the grounding's counting literal that would become false first.
func (x *Finder) counted(s *supports, f *finding, value float64, grounding []uint32) {
	var best [][]uint32
	var of *counting
	for i := range f.counts {
		c := &f.counts[i]
		found := x.bodies(f.formula, c, grounding)
		if of == nil || len(found)-int(c.least) < len(best)-int(of.least) {
			best, of = found, c
		}
	}
	if of == nil {
		return
	}
	s.begin(value, int(of.least))
	for _, b := range best {
		s.add(x.facts(of.literals, b))
	}
}

// bodies returns the bindings of a formula's variables counted by a counting literal, given the grounding of the free ones.
func (x *Finder) bodies(f *mln.Formula, c *counting, grounding []uint32) [][]uint32 {
	literals := slices.Clone(c.literals)
	for v, id := range grounding {
		typ := f.Vars[v].Type
		term := mln.Term{Kind: mln.TermVariable, Name: f.Vars[v].Name, Var: v, Type: typ}
		literals = append(literals, mln.Literal{Equal: &mln.Equal{A: term, B: x.entity(typ, id)}})
	}
	return x.solutions(f.Vars, literals, nil, c.vars, mostGroundings)
}

// facts returns the facts that match the positive evidence literals of a grounding.
func (x *Finder) facts(literals []mln.Literal, binding []uint32) []Atom {
	var out []Atom
	for _, l := range literals {
		if l.Atom == nil || l.Negated || l.Atom.Pred >= len(x.schema.Predicates) || x.isTarget(l) {
			continue
		}
		f := Atom{Pred: l.Atom.Pred, Args: make([]uint32, len(l.Atom.Args))}
		for i, t := range l.Atom.Args {
			switch t.Kind {
			case mln.TermVariable:
				f.Args[i] = binding[t.Var]
			case mln.TermCenter:
				f.Args[i], _ = x.sub.Domains[t.Type].Names.Lookup(x.sub.Center)
			case mln.TermConstant:
				f.Args[i], _ = x.sub.Domains[t.Type].Names.Lookup(t.Name)
			}
		}
		out = append(out, f)
	}
	return out
}

// begin starts a part.
func (s *supports) begin(value float64, least int) {
	s.parts = append(s.parts, part{value: value, least: max(1, least)})
}

// add adds a set of facts to the last part.
func (s *supports) add(facts []Atom) {
	if len(facts) == 0 {
		return
	}
	p := len(s.parts) - 1
	s.parts[p].alive++
	s.sets = append(s.sets, set{p, true})
	for _, f := range facts {
		key := fmt.Sprint(f.Pred, f.Args)
		i, ok := s.index[key]
		if !ok {
			i = len(s.facts)
			s.index[key] = i
			s.facts, s.in, s.gone = append(s.facts, f), append(s.in, nil), append(s.gone, false)
		}
		if k := len(s.in[i]); k == 0 || s.in[i][k-1] != len(s.sets)-1 {
			s.in[i] = append(s.in[i], len(s.sets)-1)
		}
	}
}

// best returns the fact that matters most, the first in a tie; ok is false if none matters.
func (s *supports) best() (fact int, ok bool) {
	most := 0.0
	for f, sets := range s.in {
		if s.gone[f] {
			continue
		}
		score := 0.0
		for _, i := range sets {
			if p := &s.parts[s.sets[i].part]; s.sets[i].alive && p.alive >= p.least {
				score += p.value / float64(p.alive-p.least+1)
			}
		}
		if score > most {
			fact, most, ok = f, score, true
		}
	}
	return fact, ok
}

// remove removes a fact.
func (s *supports) remove(fact int) {
	s.gone[fact] = true
	for _, i := range s.in[fact] {
		if s.sets[i].alive {
			s.sets[i].alive = false
			s.parts[s.sets[i].part].alive--
		}
	}
}

// Without returns a subgraph, with all relations of the schema, without some facts. It shares the rest.
func Without(sub *subgraph.Subgraph, schema *mln.Schema, facts []Atom) *subgraph.Subgraph {
	out := *sub
	out.Relations = slices.Clone(sub.Relations)
	byPred := map[int][][]uint32{}
	for _, f := range facts {
		byPred[f.Pred] = append(byPred[f.Pred], f.Args)
	}
	for pred, gone := range byPred {
		slices.SortFunc(gone, slices.Compare[[]uint32])
		old := &sub.Relations[pred].True
		t := subgraph.Table{Cols: make([][]uint32, len(old.Cols))}
		tuple := make([]uint32, len(old.Cols))
		for i := range old.Len() {
			for c, col := range old.Cols {
				tuple[c] = col[i]
			}
			if _, found := slices.BinarySearchFunc(gone, tuple, slices.Compare[[]uint32]); found {
				continue
			}
			for c, id := range tuple {
				t.Cols[c] = append(t.Cols[c], id)
			}
		}
		if types := schema.Predicates[pred].Args; len(types) == 2 && t.Len() > 0 {
			t.BuildIndex(sub.Domains[types[0]].Size, sub.Domains[types[1]].Size)
		}
		out.Relations[pred].True = t
	}
	return &out
}
