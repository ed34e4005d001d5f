package tree

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// node is the table of the node at work, over its dimensions: the node itself, which varies fastest, and its separator in
// order of elimination. A message of a child is a table over some of them in the same order.
type node struct {
	dims    []uint32 // nodes
	counts  []int    // values of the variable of each
	size    []int    // entries of a table over the dimensions before each; and of all
	items   []item
	masks   []ownFactor
	small   []float64 // tables of the items
	table   []float64
	value   []uint32 // by variable
	allowed []span   // of a factor: see box
	step    []int    // parallel to allowed, in the factor's table
	walk    walk
}

// item is a table over some dimensions.
type item struct {
	mask    uint32
	at, end int // in node.small; of a message in Tree.up
	message bool
	logs    bool
}

// ownFactor is a factor of the node with the dimensions of its scope.
type ownFactor struct{ mask, factor uint32 }

// underflow is the least sum of logarithms at which products and quotients of the smallest entries are still exact to
// the last bits.
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
	d.table = grow.To(d.table, d.size[len(d.dims)])
	d.value = grow.To(d.value, len(t.vars.arity))
}

// mask returns the dimensions of ascending nodes.
func (d *node) mask(nodes []uint32) uint32 {
	mask, i := uint32(0), 0
	for _, n := range nodes {
		for d.dims[i] != n {
			i++
		}
		mask |= 1 << i
	}
	return mask
}

// listOwn lists the node's factors by their dimensions.
func (t *Tree) listOwn(n uint32) {
	d := &t.node
	d.masks = d.masks[:0]
	for _, i := range t.own[t.ownStart[n]:t.ownStart[n+1]] {
		mask := uint32(0)
		for _, v := range t.factors.of(i) {
			mask |= 1 << slices.Index(d.dims, t.order.node[v])
		}
		d.masks = append(d.masks, ownFactor{mask, i})
	}
	byMask := func(a, b ownFactor) int { return cmp.Compare(a.mask, b.mask) }
	if !slices.IsSortedFunc(d.masks, byMask) {
		slices.SortStableFunc(d.masks, byMask)
	}
}

// begin adds a table of zeros to node.small.
func (d *node) begin(mask uint32) (at, end int) {
	size := 1
	for m := mask; m != 0; m &= m - 1 {
		size *= d.counts[bits.TrailingZeros32(m)]
	}
	at = len(d.small)
	end = at + size
	d.small = slices.Grow(d.small, size)[:end]
	clear(d.small[at:end])
	return at, end
}

// eachMarked calls f for each entry of a factor's table where the factor matters: a soft one is true there, a hard one false.
func (t *Tree) eachMarked(own ownFactor, f func(k int)) {
	factor := &t.factors.list[own.factor]
	if factor.kind == feature || factor.kind == hardFeature {
		t.eachEntry(own, func(k int) {
			if t.factors.truth(factor, &t.vars, t.node.value) != factor.hard() {
				f(k)
			}
		})
		return
	}
	if t.box(own) {
		t.node.eachIn(f)
	}
}

// eachEntry calls f for each entry of a factor's table, with node.value set to it.
func (t *Tree) eachEntry(own ownFactor, f func(k int)) {
	d := &t.node
	for m := own.mask; m != 0; m &= m - 1 {
		d.value[t.order.variable[d.dims[bits.TrailingZeros32(m)]]] = 0
	}
	for k := 0; ; k++ {
		f(k)
		m := own.mask
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v := &d.value[t.order.variable[d.dims[i]]]
			if *v++; int(*v) < d.counts[i] {
				break
			}
			*v = 0
		}
		if m == 0 {
			return
		}
	}
}

// box sets node.allowed to the values of each variable of a factor at which its literals are true, or those of a clause false:
// the factor's marked entries have one of them each. It reports whether there are such entries.
func (t *Tree) box(own ownFactor) bool {
	d := &t.node
	d.allowed, d.step = d.allowed[:0], d.step[:0]
	step := 1
	for m := own.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d.allowed = append(d.allowed, span{end: uint32(d.counts[i])})
		d.step = append(d.step, step)
		step *= d.counts[i]
	}
	possible := true
	t.factors.eachLit(&t.factors.list[own.factor], t.m.Net, func(l network.Lit) {
		p := t.vars.of[l.Atom()]
		if p.variable == none {
			possible = possible && p.negated != l.Negated()
			return
		}
		i := slices.Index(d.dims, t.order.node[p.variable])
		possible = d.allowed[bits.OnesCount32(own.mask&(1<<i-1))].restrict(p.value, p.negated == l.Negated()) && possible
	})
	return possible
}

// span are the values from one to before another, but for some.
type span struct {
	from, end uint32
	but       []uint32
}

// restrict leaves out all values but one, or that one. It reports whether any is left.
func (s *span) restrict(value uint32, only bool) bool {
	inside := s.from <= value && value < s.end && !slices.Contains(s.but, value)
	switch {
	case only && inside:
		*s = span{from: value, end: value + 1}
	case only:
		*s = span{}
	case inside && len(s.but) == 0 && value == s.from:
		s.from++
	case inside && len(s.but) == 0 && value == s.end-1:
		s.end--
	case inside:
		s.but = append(s.but, value)
	}
	return s.from+uint32(len(s.but)) < s.end
}

// eachIn calls f for each entry of the box.
func (d *node) eachIn(f func(k int)) { d.eachFrom(len(d.allowed)-1, 0, f) }

func (d *node) eachFrom(i, k int, f func(k int)) {
	if i < 0 {
		f(k)
		return
	}
	s := &d.allowed[i]
	for v := s.from; v < s.end; v++ {
		if len(s.but) == 0 || !slices.Contains(s.but, v) {
			d.eachFrom(i-1, k+int(v)*d.step[i], f)
		}
	}
}

// eachUnary calls f for each atom of a node's variable and each value at which it is true.
func (t *Tree) eachUnary(n uint32, f func(a uint32, value int)) {
	for _, a := range t.vars.atomsOf(t.order.variable[n]) {
		switch p := t.vars.of[a]; {
		case !p.negated:
			f(a, int(p.value))
		default: // of two values
			f(a, int(1-p.value))
		}
	}
}

// atomEnergy returns what an atom on its own adds where it is true.
func (t *Tree) atomEnergy(a uint32) float64 {
	h := t.m.Bias[a]
	t.m.Bilinear.EachSelf(a, func(i uint32, mult int64) { h += float64(t.m.Bilinear.Energy[i] * float64(mult)) })
	return h
}

// gather sets the items: the energies of the variable's atoms and of the factors, those over the same dimensions in one
// table, and the messages of the children; by their last dimension.
func (t *Tree) gather(n uint32) {
	d := &t.node
	t.dimensions(n)
	t.listOwn(n)
	d.items, d.small = d.items[:0], d.small[:0]
	at, end := d.begin(1)
	t.eachUnary(n, func(a uint32, value int) { d.small[value] += t.atomEnergy(a) })
	d.items = append(d.items, item{mask: 1, at: at, end: end})
	for _, own := range d.masks {
		if own.mask != d.items[len(d.items)-1].mask {
			at, end = d.begin(own.mask)
			d.items = append(d.items, item{mask: own.mask, at: at, end: end})
		}
		energy, energies := t.factors.list[own.factor].energy(t.m), d.small[at:end]
		t.eachMarked(own, func(k int) { energies[k] += energy })
	}
	for _, c := range t.children(n) {
		d.items = append(d.items, item{
			mask: d.mask(t.order.separator(c)), at: t.at[c], end: t.at[c+1], message: true, logs: t.logs[c],
		})
	}
	d.sort()
}

// sort sorts the items by their last dimension.
func (d *node) sort() {
	byMask := func(a, b item) int { return cmp.Compare(a.mask, b.mask) }
	if !slices.IsSortedFunc(d.items, byMask) {
		slices.SortStableFunc(d.items, byMask)
	}
}

// last takes the last item, where its last dimension is j, and prepares the walk for a table over the dimensions up to it.
func (d *node) last(j int) *item {
	k := len(d.items) - 1
	if k < 0 || bits.Len32(d.items[k].mask) != j+1 {
		return nil
	}
	d.walk.over(d.counts[:j+1], d.items[k].mask)
	d.items = d.items[:k]
	return &d.items[:k+1][k]
}

// fold sums the table over its last dimension j.
func (d *node) fold(j int) {
	size := d.size[j]
	first := d.table[:size]
	for k := size; k < d.size[j+1]; k += size {
		for i, v := range d.table[k : k+size] {
			first[i] += v
		}
	}
}

// valuesOf returns an item's table.
func (t *Tree) valuesOf(i *item) []float64 {
	if i.message {
		return t.up[i.at:i.end]
	}
	return t.node.small[i.at:i.end]
}

// fill fills the table with the product of the items, or their sum where they are logarithms.
func (t *Tree) fill(logs bool) {
	d := &t.node
	start := 1.0
	if logs {
		start = 0
	}
	for i := range d.table[:d.size[1]] {
		d.table[i] = start
	}
	items := d.items
	for j := range d.dims {
		size := d.size[j]
		for k := size; j > 0 && k < d.size[j+1]; k += size {
			copy(d.table[k:k+size], d.table)
		}
		for ; len(items) > 0 && bits.Len32(items[0].mask) == j+1; items = items[1:] {
			d.walk.over(d.counts[:j+1], items[0].mask)
			if values := t.valuesOf(&items[0]); logs {
				add(&d.walk, d.table, values)
			} else {
				d.walk.multiply(d.table, values)
			}
		}
	}
}

// scale makes the largest of some logarithms 0. It returns what it was, and the least that is then left but minus infinity.
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
