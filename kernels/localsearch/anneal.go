package localsearch

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// cooling is a geometric schedule of temperatures, in units of energy.
type cooling struct {
	hot, cold float64
	sweeps    int
}

// anneal makes moves of probability min(1, exp(gain / temperature)), but for those of less than 1e-4, then those that gain alone until there is none.
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

// thresholds are logarithms of evenly spaced probabilities: gains, in units of the temperature, from which on a move is made.
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

// climb gives each active block the value that gains most, and reports whether any did.
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

// Of repairs.
const (
	repairSteps = 1989 // and as many as 20 for each block
	repairNoise = 0.2  // probability of a random move instead of the best one
	tabuTenure  = 10   // steps in which a block is not moved again unless no other can be
)

// repair satisfies violated constraints one by one, by the moves of their atoms that lose least (MaxWalkSAT).
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

// move is a block's taking another value.
type move struct {
	block uint32
	value int32
}

// eachMove calls offer with the moves of a block that flip an atom.
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
