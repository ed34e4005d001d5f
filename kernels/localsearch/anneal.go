package localsearch

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// cooling is a geometric temperature schedule, in units of energy.
type cooling struct {
	hot, cold float64
	sweeps    int
}

// anneal makes moves with probability min(1, exp(gain / temperature)), ignoring probabilities below 1e-4, then only improving moves until
// there are none.
func (f *Search) anneal(c cooling, opt *Options, r *rand.Rand) error {
	t, factor := c.hot, 1.0
	if c.sweeps > 1 {
		factor = elementary.Pow(c.cold/c.hot, 1/float64(c.sweeps-1))
	}
	for range c.sweeps {
		if err := opt.Stop(); err != nil {
			return err
		}
		f.sweep(t, r)
		t *= factor
	}
	for range c.sweeps {
		if !f.climb() {
			break
		}
	}
	return nil
}

// thresholds are logarithms of evenly spaced probabilities: the minimum gains, in units of the temperature, at which a move is made.
var thresholds = func() (t [1 << 12]float64) {
	for i := range t {
		t[i] = elementary.Log((float64(i) + 0.5) / float64(len(t)))
	}
	return t
}()

// sweep offers each active block a random other value.
func (f *Search) sweep(t float64, r *rand.Rand) {
	for _, i := range f.active {
		n := f.blocks[i].values
		u := r.Uint64()
		v := f.value[i] + 1 + int32(u>>32*uint64(n-1)>>32)
		if v >= n {
			v -= n
		}
		if f.gain(i, v) >= float64(t*thresholds[u%uint64(len(thresholds))]) {
			f.move(i, v)
		}
	}
}

// climb gives each active block its best value, and reports whether any changed.
func (f *Search) climb() bool {
	moved := false
	for _, i := range f.active {
		best, value := 0.0, f.value[i]
		for v := range f.blocks[i].values {
			if v == f.value[i] {
				continue
			}
			if g := f.gain(i, v); g > best {
				best, value = g, v
			}
		}
		if value != f.value[i] {
			f.move(i, value)
			moved = true
		}
	}
	return moved
}

// Parameters of repair.
const (
	repairSteps = 1989 // plus 20 for each block
	repairNoise = 0.2  // probability of a random move instead of the best one
	tabuTenure  = 10   // steps before a block may move again, unless no other can
)

// repair satisfies violated constraints one by one, by the cheapest moves of their atoms (MaxWalkSAT).
func (f *Search) repair(r *rand.Rand) {
	c := &f.constraints
	if len(c.violated.List) == 0 {
		return
	}
	f.tabu = grow.Zeroed(f.tabu, len(f.blocks))
	moves := loglinear.Moves[move]{
		Each: func(constraint uint32, offer func(move)) {
			f.scope = f.model.AppendAtoms(f.scope[:0], constraint)
			for _, a := range f.scope {
				if i := f.of[a]; i < uint32(len(f.blocks)) {
					f.eachMove(i, a, offer)
				}
			}
		},
		Cost: func(m move, step int) float64 {
			cost := -f.gain(m.block, m.value)
			if step < f.tabu[m.block] {
				cost += float64(1e6 * c.penalty)
			}
			return cost
		},
		Make: func(m move, step int) {
			f.activate(m.block)
			f.move(m.block, m.value)
			f.tabu[m.block] = step + tabuTenure + 1
		},
	}
	moves.Repair(&c.violated, repairSteps+20*len(f.blocks), repairNoise, r)
}

// move sets a block to another value.
type move struct {
	block uint32
	value int32
}

// eachMove calls offer with the moves of a block that flip atom a.
func (f *Search) eachMove(i, a uint32, offer func(move)) {
	b := &f.blocks[i]
	switch {
	case b.unit:
		offer(move{i, 1 - f.value[i]})
	case f.value[i] != f.at[a]:
		offer(move{i, f.at[a]})
	default:
		for v := range b.values {
			if v != f.value[i] {
				offer(move{i, v})
			}
		}
	}
}
