package selection

import (
	"math/bits"

	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// bind counts over the values of output d and later ones: the last output as a set, the others one by one.
func (c *Counter) bind(d int) {
	if d == len(c.binding)-2 && c.cand.product.matrix != plan.None {
		c.collect(d)
		return
	}
	set := c.candidates(d)
	if d == len(c.binding)-1 {
		c.last(d, set)
		return
	}
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			c.scratch.Step()
			v := uint32(i<<6 + bits.TrailingZeros64(w))
			c.binding[d] = v
			for k := range c.cand.targets {
				if t := &c.cand.targets[k]; t.level == d {
					c.holds[k] = bitset.Has(c.atoms(t.truth, t), v)
				}
			}
			if !c.coincide(d) {
				c.bind(d + 1)
			}
		}
	}
}

// typeOf returns the type of output d.
func (c *Counter) typeOf(d int) int {
	q := c.cand.query
	return q.Conj.Types[q.Outputs[d]]
}

// candidates returns the values of output d for which the selector can hold and the target atoms completed by d are known, given the
// earlier outputs.
func (c *Counter) candidates(d int) []uint64 {
	q := c.cand.query
	set := c.scratch.Candidates(q, d, c.binding, c.cand.multiplies)
	c.words += uint64(len(set) * (1 + len(q.Vectors) + len(q.Mats) + len(c.cand.targets)))
	for i := range c.cand.targets {
		switch t := &c.cand.targets[i]; d {
		case t.level:
			bitset.AndInto(set, c.atoms(t.known, t))
		case t.other:
			bitset.AndInto(set, c.scratch.Set(t.some))
		}
	}
	return set
}

// prefetch announces the rows that the candidates will need of the matrices between their first output and another.
func (c *Counter) prefetch() {
	for _, cand := range c.task.compiled {
		c.cand = cand
		if !cand.dense || !c.scratch.Possible(cand.query) {
			continue
		}
		var rows []uint64
		for _, f := range cand.query.Mats {
			if f.Row > 0 || cand.multiplies(f) {
				continue
			}
			if rows == nil {
				rows = c.candidates(0)
			}
			c.scratch.Prefetch(f.Node, rows)
		}
	}
	c.scratch.BuildBatches()
}

// atoms returns the values of a target's last output for which its atom is in a node's relation.
func (c *Counter) atoms(id plan.NodeID, t *target) []uint64 {
	if t.other < 0 {
		return c.scratch.Set(id)
	}
	return c.scratch.Row(id, c.binding[t.other])
}

// last counts over a set of values of the last output.
func (c *Counter) last(d int, set []uint64) {
	for _, p := range c.cand.pairs {
		a, b := &c.cand.targets[p[0]], &c.cand.targets[p[1]]
		if max(a.level, b.level) != d {
			continue
		}
		switch v, equal, all := c.coincidence(a, b, d); {
		case all:
			return
		case equal && int(v>>6) < len(set):
			bitset.Clear(set, v)
		}
	}
	if !bitset.Any(set) {
		return
	}
	for m, mask := range c.cand.masks {
		c.counts[m] += c.countTrue(d, set, mask)
	}
}

// countTrue counts the members of set for which the target literals of mask are true.
func (c *Counter) countTrue(d int, set []uint64, mask uint32) int64 {
	meet := set
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		t := &c.cand.targets[i]
		if t.level != d {
			if !c.holds[i] {
				return 0
			}
			continue
		}
		if &meet[0] == &set[0] {
			c.meet = append(c.meet[:0], set...)
			meet = c.meet
		}
		bitset.AndInto(meet, c.atoms(t.truth, t))
		c.words += uint64(len(set))
	}
	c.words += uint64(len(set))
	return int64(bitset.Count(meet))
}

// tally counts a grounding for those sets whose literals all hold.
func (c *Counter) tally() {
	for m, mask := range c.cand.masks {
		if c.holdBefore(mask, len(c.cand.query.Outputs)) {
			c.counts[m]++
		}
	}
}

// coincide reports whether two target literals completed by output d are the same atom.
func (c *Counter) coincide(d int) bool {
	for _, p := range c.cand.pairs {
		a, b := &c.cand.targets[p[0]], &c.cand.targets[p[1]]
		if max(a.level, b.level) != d {
			continue
		}
		if _, _, all := c.coincidence(a, b, d+1); all {
			return true
		}
	}
	return false
}

// coincidence compares the atoms of two literals of one predicate while outputs from d on are unbound: they are equal
// for every value of d (all), for the value v, or for none.
func (c *Counter) coincidence(a, b *target, d int) (v uint32, equal, all bool) {
	need := int64(-1)
	for k := range a.args {
		x, y := c.value(a.args[k], d), c.value(b.args[k], d)
		if x == unbound {
			x, y = y, x
		}
		switch {
		case x == y:
		case y != unbound || (need >= 0 && need != x):
			return 0, false, false
		default:
			need = x
		}
	}
	if need < 0 {
		return 0, true, true
	}
	return uint32(need), true, false
}

const unbound = -2

func (c *Counter) value(a plan.Arg, d int) int64 {
	switch {
	case !a.IsVar():
		return int64(c.scratch.Const(a))
	case int(a) >= d:
		return unbound
	}
	return int64(c.binding[a])
}

// enumerate counts by enumerating the selected groundings.
func (c *Counter) enumerate() {
	tuples := make([][]uint32, len(c.cand.targets))
	for i := range c.cand.targets {
		tuples[i] = make([]uint32, len(c.cand.targets[i].args))
	}
	c.holds = append(c.holds[:0], make([]bool, len(c.cand.targets))...)
	c.scratch.Enumerate(c.cand.query, false, func(binding []uint32, _ int64) bool {
		c.binding = append(c.binding[:0], binding...)
		for i := range c.cand.targets {
			t := &c.cand.targets[i]
			for k, a := range t.args {
				tuples[i][k] = uint32(c.value(a, len(binding)))
			}
			c.holds[i] = join.Contains(&c.scratch.Sub.Relations[t.pred].True, tuples[i])
		}
		for _, p := range c.cand.pairs {
			if _, _, all := c.coincidence(&c.cand.targets[p[0]], &c.cand.targets[p[1]], len(binding)); all {
				return true
			}
		}
		c.tally()
		return true
	})
}
