package mcsat

import "math/rand/v2"

// sweepHubs is sweep for networks of pairs and products.
func (c *Chain) sweepHubs(r *rand.Rand) {
	for _, a := range c.m.scope.loose {
		c.drawHubAtom(a, c.load.field[a], r)
	}
	x := &c.m.hubs
	for copied := range x.copies.n {
		pull := c.load.pull[x.origin(copied):][:len(x.side)]
		for _, i := range x.met {
			a := x.copies.atom(i, copied)
			h := c.load.field[a] + x.sum(pull, x.start[i], x.start[i+1], 0)
			if self := x.selfEnergy[i]; c.x[a] { // which it meets itself
				h -= self
			} else {
				h += self
			}
			c.drawHubAtom(a, h, r)
		}
	}
	c.passes++
}

// drawHubAtom draws an atom whose field is h.
func (c *Chain) drawHubAtom(a uint32, h float64, r *rand.Rand) {
	p := logistic(h)
	c.sums[a] += p
	if (r.Float64() < p) == c.x[a] {
		return
	}
	c.x[a] = !c.x[a]
	c.flipHubs(a)
	sign := -1.0
	if c.x[a] {
		sign = 1
	}
	neighbours, classes := c.m.ties.of(a)
	for k, b := range neighbours {
		c.load.field[b] += sign * c.m.ties.energy[classes[k]]
	}
}
