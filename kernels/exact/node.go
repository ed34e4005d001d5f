package exact

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// node is the table of the current node, over its dimensions: the node itself, which varies fastest, and its separator in order of
// elimination. A child's message is a table over some of them in the same order.
type node struct {
	dims   []uint32 // nodes
	counts []int    // number of values of each dimension's variable
	size   []int    // entries of a table over the dimensions before each; and over all
	items  []item
	own    []ownFactor
	small  []float64 // tables of the items
	table  []float64
	value  []uint32 // by variable
	box    []edge
	walk   walk
}

// item is a table over some dimensions.
type item struct {
	mask    uint32
	formula uint32 // for a table of its counts
	at, end int    // in node.small; for a message in Tree.up
	message bool
	logs    bool
}

// ownFactor is a factor of the node with the dimensions of its scope.
type ownFactor struct{ mask, factor uint32 }

// edge is a dimension of a factor's table, with the values at which the factor matters, in a box of such values.
type edge struct {
	variable uint32
	step     int
	allowed  []uint32
}

// underflow is the least sum of logarithms at which products and quotients of the smallest entries are still exact to the last bits.
const underflow = -600

// dimensions sets the dimensions of a node.
func (t *Tree) dimensions(n uint32) {
	d := &t.node
	d.dims = append(append(d.dims[:0], n), t.order.separator(n)...)
	d.counts, d.size = d.counts[:0], append(d.size[:0], 1)
	for i, s := range d.dims {
		d.counts = append(d.counts, t.values(s))
		d.size = append(d.size, d.size[i]*d.counts[i])
	}
	d.items, d.small = d.items[:0], d.small[:0]
	d.table = grow.To(d.table, d.size[len(d.dims)])
	d.value = grow.To(d.value, len(t.vars.arity))
}

// listOwn lists the node's factors by their dimensions.
func (t *Tree) listOwn(n uint32) {
	d := &t.node
	d.own = d.own[:0]
	for _, i := range t.own.Of(n) {
		mask := uint32(0)
		for _, v := range t.factors.scope(&t.factors.list[i]) {
			mask |= 1 << slices.Index(d.dims, t.order.node[v])
		}
		d.own = append(d.own, ownFactor{mask, i})
	}
	byMask := func(a, b ownFactor) int { return cmp.Compare(a.mask, b.mask) }
	if !slices.IsSortedFunc(d.own, byMask) {
		slices.SortStableFunc(d.own, byMask)
	}
}

// zeros adds an item of zeros and returns its table.
func (d *node) zeros(mask, formula uint32) []float64 {
	size := 1
	for m := mask; m != 0; m &= m - 1 {
		size *= d.counts[bits.TrailingZeros32(m)]
	}
	at := len(d.small)
	d.small = grow.By(d.small, size)
	d.items = append(d.items, item{mask: mask, formula: formula, at: at, end: at + size})
	clear(d.small[at:])
	return d.small[at:]
}

// eachMarked calls f for each entry of a factor's table at which the factor matters, with node.value set accordingly.
func (t *Tree) eachMarked(own ownFactor, f func(k int)) {
	d, factor := &t.node, &t.factors.list[own.factor]
	d.box = grow.To(d.box, bits.OnesCount32(own.mask))
	step := 1
	for i, m := 0, own.mask; m != 0; i, m = i+1, m&(m-1) {
		dim := bits.TrailingZeros32(m)
		b := &d.box[i]
		b.variable, b.step, b.allowed = t.order.variable[d.dims[dim]], step, b.allowed[:0]
		for v := range uint32(d.counts[dim]) {
			b.allowed = append(b.allowed, v)
		}
		step *= d.counts[dim]
	}
	if _, feature := factor.function(t.m); feature != nil {
		d.eachIn(len(d.box)-1, 0, func(k int) {
			if t.factors.matters(factor, &t.vars, d.value) {
				f(k)
			}
		})
		return
	}
	for _, l := range t.factors.literals(factor) {
		p := t.vars.of[l.Atom()]
		if p.variable == none {
			if p.negated == l.Negated() {
				return
			}
			continue
		}
		b := &d.box[slices.IndexFunc(d.box, func(b edge) bool { return b.variable == p.variable })]
		b.allowed = slices.DeleteFunc(b.allowed, func(v uint32) bool { return p.holds(v) == l.Negated() })
	}
	d.eachIn(len(d.box)-1, 0, f)
}

// eachIn calls f for the entries of the box, given the contribution k of the edges beyond i.
func (d *node) eachIn(i, k int, f func(k int)) {
	if i < 0 {
		f(k)
		return
	}
	b := &d.box[i]
	for _, v := range b.allowed {
		d.value[b.variable] = v
		d.eachIn(i-1, k+int(v)*b.step, f)
	}
}

// eachUnary calls f for each atom of a node's variable and each value for which it is true.
func (t *Tree) eachUnary(n uint32, f func(a uint32, value int)) {
	for _, a := range t.vars.members.Of(t.order.variable[n]) {
		p := t.vars.of[a]
		if p.negated { // has two values
			p.value = 1 - p.value
		}
		f(a, int(p.value))
	}
}

// atomEnergy returns the energy of an atom alone when true.
func (t *Tree) atomEnergy(a uint32) float64 {
	h := t.m.Bias[a]
	t.m.Bilinear.EachSelf(a, func(i uint32, mult int64) { h += float64(t.m.Bilinear.Energy[i] * float64(mult)) })
	return h
}

// gather sets the items, ordered by last dimension: the energies of the variable's atoms and of factors, those over the same dimensions in
// one table, and the children's messages.
func (t *Tree) gather(n uint32) {
	d := &t.node
	t.dimensions(n)
	t.listOwn(n)
	energies, mask := d.zeros(1, 0), uint32(1)
	t.eachUnary(n, func(a uint32, value int) { energies[value] += t.atomEnergy(a) })
	for _, own := range d.own {
		if own.mask != mask {
			energies, mask = d.zeros(own.mask, 0), own.mask
		}
		energy := t.factors.list[own.factor].energy(t.m)
		t.eachMarked(own, func(k int) { energies[k] += energy })
	}
	t.addMessages(n)
}

// addMessages adds the messages of the children to the items, and sorts these by their last dimension.
func (t *Tree) addMessages(n uint32) {
	d := &t.node
	for _, c := range t.children.Of(n) {
		at := t.cliques[c]
		d.items = append(d.items, item{mask: t.maskOf(c), at: at.at, end: t.cliques[c+1].at, message: true, logs: at.logs})
	}
	byMask := func(a, b item) int { return cmp.Compare(a.mask, b.mask) }
	if !slices.IsSortedFunc(d.items, byMask) {
		slices.SortStableFunc(d.items, byMask)
	}
}

// maskOf returns the dimensions of the message of a child.
func (t *Tree) maskOf(child uint32) uint32 {
	mask, i := uint32(0), 0
	for _, n := range t.order.separator(child) {
		for t.node.dims[i] != n {
			i++
		}
		mask |= 1 << i
	}
	return mask
}

// valuesOf returns an item's table.
func (t *Tree) valuesOf(i *item) []float64 {
	if i.message {
		return t.up[i.at:i.end]
	}
	return t.node.small[i.at:i.end]
}

// fill fills the table with the product of the items or, if they are logarithms, their sum.
func (t *Tree) fill(logs bool) {
	d := &t.node
	start := 1.0
	if logs {
		start = 0
	}
	for i := range d.table[:d.size[1]] {
		d.table[i] = start
	}
	expand(d, d.table, func(it *item) {
		if values := t.valuesOf(it); logs {
			add(&d.walk, d.table, values)
		} else {
			d.walk.multiply(d.table, values)
		}
	})
}

// expand expands a table over the first dimension to all dimensions, one at a time: it calls take for each item once the table has the
// item's last dimension, with the walk prepared for both.
func expand[T float64 | uint64](d *node, table []T, take func(it *item)) {
	items := d.items
	for j := range d.dims {
		size := d.size[j]
		for k := size; j > 0 && k < d.size[j+1]; k += size {
			copy(table[k:k+size], table)
		}
		for ; len(items) > 0 && bits.Len32(items[0].mask) == j+1; items = items[1:] {
			d.walk.over(d.counts[:j+1], items[0].mask)
			take(&items[0])
		}
	}
}

// scale shifts logarithms so that the largest is 0. It returns the previous largest, and the resulting least finite one.
func scale(logs []float64) (top, low float64) {
	top = math.Inf(-1)
	for _, v := range logs {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top, 0
	}
	for i := range logs {
		if logs[i] -= top; !math.IsInf(logs[i], -1) {
			low = min(low, logs[i])
		}
	}
	return top, low
}

// exponentiate turns logarithms into numbers.
func exponentiate(values []float64) {
	for i, v := range values {
		if v == 0 {
			values[i] = 1
			continue
		}
		values[i] = elementary.Exp(v)
	}
}
