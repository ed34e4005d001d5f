package mcsat

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"resolwe/kernels/mcsat/rows"
)

// draws is the memory of sweeps over hubs.
type draws struct {
	uniform, p    []float64 // by slot
	field, change [maxCopies]float64
}

// sweepHubs is sweep for networks of pairs and products.
func (c *Chain) sweepHubs(r *rand.Rand) {
	c.drawUniform(r)
	scope, slot := &c.m.scope, c.m.hubs.slot
	for _, a := range scope.single {
		c.draws.p[slot[a]] = c.drawSingle(a, c.draws.uniform[slot[a]])
	}
	for _, place := range scope.places {
		c.drawPlace(place)
	}
	if !c.summed {
		return
	}
	for _, a := range scope.atoms {
		c.sums[a] += c.draws.p[slot[a]]
	}
	c.passes++
}

// drawUniform draws the random numbers of a sweep: those of loose atoms, then those of each copy.
func (c *Chain) drawUniform(r *rand.Rand) {
	d, x := &c.draws, &c.m.hubs
	d.uniform, d.p = resized(d.uniform, x.slots), resized(d.p, x.slots)
	for _, a := range c.m.scope.loose {
		d.uniform[x.slot[a]] = r.Float64()
	}
	for copied := range x.copies.n {
		first := d.uniform[x.slot[x.copies.atom(0, copied)]:] // of place 0, the others are rows apart
		for _, place := range x.met {
			first[int(place)*x.width] = r.Float64()
		}
	}
}

// drawPlace draws the atoms at a place, none of which depends on another one.
func (c *Chain) drawPlace(place uint32) {
	x, d := &c.m.hubs, &c.draws
	n, w := x.columns, x.width
	from := int(place) * w
	field, before := d.field[:w], uint64(0)
	copy(field, c.load.field[from:from+w])
	self := 0.0 // what an atom meets itself
	if place < x.copies.width {
		x.sum(field, c.load.pull, x.start[place], x.start[place+1], 0)
		self = x.selfEnergy[place]
	}
	a := x.copies.atom(place, 0)
	for r := range field[:n] {
		v := mask(c.x[a])
		before |= v & 1 << r
		field[r] += math.Float64frombits(math.Float64bits(self) ^ v<<63)
		a += x.copies.shift
	}
	after := rows.Draw(d.p[from:from+w], field, d.uniform[from:from+w]) & (1<<n - 1)
	if before != after {
		c.flipPlace(place, before^after)
	}
}

// flipPlace flips the atoms at a place in the copies whose bits are set.
func (c *Chain) flipPlace(place uint32, flips uint64) {
	x := &c.m.hubs
	change := c.draws.change[:x.width]
	clear(change)
	for ; flips != 0; flips &= flips - 1 {
		r := bits.TrailingZeros64(flips)
		a := x.copies.atom(place, uint32(r))
		c.x[a] = !c.x[a]
		change[r] = sign(c.x[a])
	}
	neighbours, classes := c.m.ties.at(place)
	rows.AddEach(c.load.field, change, neighbours, classes, c.m.ties.energy)
	if place < x.copies.width {
		c.flipRow(place, c.load.pull, change)
	}
}

// drawSingle draws an atom by a uniform number. It returns the probability of true.
func (c *Chain) drawSingle(a uint32, uniform float64) float64 {
	p := rows.Logistic(c.load.field[c.m.hubs.slot[a]] + c.hubField(a))
	if (uniform < p) != c.x[a] {
		c.x[a] = !c.x[a]
		c.flipHubs(a)
		c.flipTies(a)
	}
	return p
}

// flipTies follows an atom that has flipped in the fields of those that pairs tie to it.
func (c *Chain) flipTies(a uint32) {
	sign, slot := sign(c.x[a]), c.m.hubs.slot
	neighbours, classes, base := c.m.ties.of(a)
	for k, b := range neighbours {
		c.load.field[slot[base+b]] += sign * c.m.ties.energy[classes[k]]
	}
}
