package mcsat

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/loglinear/rows"
	"resolwe/kernels/network"
)

// draws is the memory for sweeps over entities.
type draws struct {
	p []float64 // by slot
	// of the atoms at a place
	uniform, field, change [network.MaxReplicas]float64
}

// sweepPlaces is sweep for networks of pairs and bilinear factors.
func (c *Chain) sweepPlaces(r *rand.Rand) {
	scope, x := &c.s.M.Scope, &c.s.M.Bilinear
	c.draws.p = grow.To(c.draws.p, x.Slots())
	for _, place := range scope.Places {
		c.drawPlace(place, r)
	}
	if !c.summed {
		return
	}
	for _, a := range scope.Atoms {
		c.sums[a] += c.draws.p[x.Slot[a]]
	}
	c.passes++
}

// drawPlace draws the sampled atoms at a place, which are independent of each other.
func (c *Chain) drawPlace(place uint32, rng *rand.Rand) {
	x, d := &c.s.M.Bilinear, &c.draws
	n, w := int(x.Replicas.N), x.Width
	from := int(place) * w
	field, uniform, before := d.field[:w], d.uniform[:w], uint64(0)
	self := 0.0 // an atom's interaction with itself
	if place < x.Replicas.Width {
		self = x.SelfEnergy[place]
	}
	a := x.Replicas.Atom(place, 0)
	for r, h := range c.s.Fields.Atom[from : from+n] {
		v := loglinear.Mask(c.s.X[a])
		before |= v & 1 << r
		field[r] = h + math.Float64frombits(math.Float64bits(self)^v<<63)
		uniform[r] = rng.Float64()
		a += x.Replicas.Shift
	}
	x.SumPlace(field, c.s.Fields.Entity, place)
	after := rows.Draw(d.p[from:from+w], field, uniform)
	if flips := (before ^ after) & c.s.M.Scope.Replicas[place]; flips != 0 {
		c.flipPlace(place, flips)
	}
}

// flipPlace flips the atoms at a place in the replicas whose bits are set.
func (c *Chain) flipPlace(place uint32, flips uint64) {
	x := &c.s.M.Bilinear
	change := c.draws.change[:x.Width]
	clear(change)
	for ; flips != 0; flips &= flips - 1 {
		r := bits.TrailingZeros64(flips)
		a := x.Replicas.Atom(place, uint32(r))
		c.s.X[a] = !c.s.X[a]
		change[r] = loglinear.Sign(c.s.X[a])
	}
	neighbours, classes := c.s.M.Couplings.At(place)
	rows.AddEach(c.s.Fields.Atom, change, neighbours, classes, c.s.M.Couplings.Energy)
	if place < x.Replicas.Width {
		c.s.FlipRow(place, change)
	}
}
