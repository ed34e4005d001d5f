package discover

import (
	"encoding/binary"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// Pattern is a conjunction of positive literals connected to the variables of a query atom, the head.
type Pattern struct {
	Target int // the head's predicate; its arguments are the variables from 0 on

	literals []literal
	types    []int    // of the variables, the head's first
	heads    int      // number of head variables
	differ   [2]int32 // two variables that must differ; equal indices for none
	key      string   // common to patterns that are equal up to renaming
	fresh    bool     // whether its last literal introduced a variable
	parent   *Pattern // pattern without the last literal; nil if there are no literals
	stats    Stats
	formula  *mln.Formula
	text     string // canonical
}

// literal is an atom of an evidence predicate, or a true one of a target predicate. Arguments are variables, or ^i for constant i of the
// grower.
type literal struct {
	pred int
	args []int32
}

func (l *literal) equal(m *literal) bool { return l.pred == m.pred && slices.Equal(l.args, m.args) }

// Len returns the number of literals, without the head.
func (p *Pattern) Len() int { return len(p.literals) }

// root is the pattern without literals.
func root(schema *mln.Schema, target int) *Pattern {
	types := slices.Clone(schema.Predicates[target].Args)
	return &Pattern{Target: target, types: types, heads: len(types)}
}

// with returns the pattern with one more literal, whose variables from len(p.types) on are new and have the given types.
func (p *Pattern) with(l literal, types []int) *Pattern {
	return &Pattern{
		Target: p.Target, literals: append(slices.Clip(p.literals), l), types: append(slices.Clip(p.types), types...),
		heads: p.heads, fresh: len(types) > 0, parent: p,
	}
}

// isOpen reports whether a pattern is an open path: each literal introduces a variable, and contains one introduced by the literal before
// it.
func (p *Pattern) isOpen() bool {
	for q := p; q.Len() > 0; q = q.parent {
		if !q.fresh || q.parent.Len() > 0 && !slices.ContainsFunc(q.literals[q.Len()-1].args, q.parent.brings) {
			return false
		}
	}
	return true
}

// brings reports whether a variable is introduced by the last literal.
func (p *Pattern) brings(a int32) bool { return int(a) >= len(p.parent.types) && int(a) < len(p.types) }

// numeric reports whether the last literal introduced a number.
func (p *Pattern) numeric(number []bool) bool {
	return p.Len() > 0 && slices.ContainsFunc(p.types[len(p.parent.types):], func(t int) bool { return number[t] })
}

// collective reports whether the last literal is of a target predicate.
func (p *Pattern) collective(schema *mln.Schema) bool {
	n := len(p.literals)
	return n > 0 && schema.Predicates[p.literals[n-1].pred].Role.IsTarget()
}

// setKey finds the smallest encoding over the orders of the non-head variables that occur at the same places.
func (p *Pattern) setKey(symmetric []bool) {
	fresh := make([]int32, len(p.types)-p.heads)
	places := make([]string, len(fresh))
	for i := range fresh {
		fresh[i] = int32(p.heads + i)
		places[i] = p.places(fresh[i], symmetric)
	}
	slices.SortStableFunc(fresh, func(a, b int32) int {
		return strings.Compare(places[int(a)-p.heads], places[int(b)-p.heads])
	})
	to := make([]int32, len(p.types))
	for v := range p.heads {
		to[v] = int32(v)
	}
	var permute func(i int)
	permute = func(i int) {
		if i == len(fresh) {
			if key := p.encode(to, symmetric); p.key == "" || key < p.key {
				p.key = key
			}
			return
		}
		for j := i; j < len(fresh) && places[int(fresh[j])-p.heads] == places[int(fresh[i])-p.heads]; j++ {
			fresh[i], fresh[j] = fresh[j], fresh[i]
			to[fresh[i]] = int32(p.heads + i)
			permute(i + 1)
			fresh[i], fresh[j] = fresh[j], fresh[i]
		}
	}
	permute(0)
}

// places encodes where a variable occurs: its type, then predicates and arguments.
func (p *Pattern) places(v int32, symmetric []bool) string {
	var at []uint32
	for _, l := range p.literals {
		for i, a := range l.args {
			if a == v {
				if symmetric[l.pred] {
					i = 0
				}
				at = append(at, uint32(l.pred)<<8|uint32(i))
			}
		}
	}
	slices.Sort(at)
	out := binary.BigEndian.AppendUint32(nil, uint32(p.types[v]))
	for _, x := range at {
		out = binary.BigEndian.AppendUint32(out, x)
	}
	return string(out)
}

// encode encodes the literals, in order, with the variables renamed.
func (p *Pattern) encode(to []int32, symmetric []bool) string {
	name := func(a int32) int32 {
		if a < 0 {
			return a
		}
		return to[a]
	}
	texts := make([]string, len(p.literals))
	for i, l := range p.literals {
		out := binary.BigEndian.AppendUint32(nil, uint32(l.pred))
		args := make([]int32, len(l.args))
		for k, a := range l.args {
			args[k] = name(a)
		}
		if symmetric[l.pred] {
			slices.Sort(args)
		}
		for _, a := range args {
			out = binary.BigEndian.AppendUint32(out, uint32(a))
		}
		texts[i] = string(out)
	}
	slices.Sort(texts)
	head := binary.BigEndian.AppendUint32(nil, uint32(p.Target))
	head = binary.BigEndian.AppendUint32(head, uint32(name(p.differ[0])))
	return string(binary.BigEndian.AppendUint32(head, uint32(name(p.differ[1])))) + strings.Join(texts, "")
}
