package mcsat

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"resolwe/kernels/mcsat/rows"
)

// draws is the memory of sweeps over hubs.
type draws struct {
	p []float64 // by slot
	// of the atoms at a place
	uniform, field, change [maxCopies]float64
}

// sweepHubs is sweep for networks of pairs and products.
func (c *Chain) sweepHubs(r *rand.Rand) {
	scope, x := &c.m.scope, &c.m.hubs
	c.draws.p = resized(c.draws.p, x.slots)
	for _, a := range scope.single {
		c.draws.p[x.slot[a]] = c.drawSingle(a, r.Float64())
	}
	for _, place := range scope.places {
		c.drawPlace(place, r)
	}
	if !c.summed {
		return
	}
	for _, a := range scope.atoms {
		c.sums[a] += c.draws.p[x.slot[a]]
	}
	c.passes++
}

// drawPlace draws the atoms at a place, none of which depends on another one.
func (c *Chain) drawPlace(place uint32, rng *rand.Rand) {
	x, d := &c.m.hubs, &c.draws
	n, w := x.columns, x.width
	from := int(place) * w
	field, uniform, before := d.field[:w], d.uniform[:w], uint64(0)
	self := 0.0 // what an atom meets itself
	if place < x.copies.width {
		self = x.selfEnergy[place]
	}
	a := x.copies.atom(place, 0)
	for r, h := range c.load.field[from : from+n] {
		v := mask(c.x[a])
		before |= v & 1 << r
		field[r] = h + math.Float64frombits(math.Float64bits(self)^v<<63)
		uniform[r] = rng.Float64()
		a += x.copies.shift
	}
	if place < x.copies.width {
		x.sum(field, c.load.pull, x.start[place], x.start[place+1], 0)
	}
	after := rows.Draw(d.p[from:from+w], field, uniform) & (1<<n - 1)
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
