package localsearch

import (
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
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
	for range max(c.sweeps, mostClimbs) {
		if !f.climb() {
			break
		}
	}
	return nil
}

// mostClimbs is the least bound on the passes of a climb.
const mostClimbs = 50

// thresholds are logarithms of evenly spaced probabilities: the minimum gains, in units of the temperature, at which a move is made.
var thresholds = func() (t [1 << 12]float64) {
	for i := range t {
		t[i] = elementary.Log((float64(i) + 0.5) / float64(len(t)))
	}
	return t
}()

// sweep offers each active block a random other value; if that would violate constraints, now and then in a chain of moves.
func (f *Search) sweep(t float64, r *rand.Rand) {
	for _, i := range f.active {
		if f.flips.Follows(i) {
			continue
		}
		n := f.blocks[i].values
		u := r.Uint64()
		v := f.value[i] + 1 + int32(u>>32*uint64(n-1)>>32)
		if v >= n {
			v -= n
		}
		least := float64(t * thresholds[u%uint64(len(thresholds))])
		switch g := f.gain(i, v); {
		case g >= least:
			f.move(i, v)
		case g < -f.constraints.penalty/2 && len(f.constraints.violated.List) == 0 && u>>12%chainEvery == 0:
			f.chain(move{i, v}, least, r)
		}
	}
}

// climb gives each active block its best value, and reports whether any changed.
func (f *Search) climb() bool {
	moved := false
	for _, i := range f.active {
		if f.flips.Follows(i) {
			continue
		}
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

// Parameters of repair and of chains.
const (
	repairSteps = 1989 // plus 20 for each block
	repairNoise = 0.2  // probability of a random move instead of the best one
	tabuTenure  = 10   // steps before a block may move again, unless no other can
	chainEvery  = 32   // offers for each chain that is tried
	chainSteps  = 8    // most moves in a chain
)

// repair satisfies violated constraints one by one, by the cheapest moves of their atoms (MaxWalkSAT), and reports whether that took at most
// some steps.
func (f *Search) repair(steps int, r *rand.Rand) bool {
	f.walk.begin()
	return f.walk.moves.Repair(&f.constraints.violated, steps, repairNoise, r)
}

// chain makes a move that violates constraints and then others that satisfy them again, if their joint gain suffices: an ejection chain
// (Glover, 1996), such as an exchange of the values of two groups.
func (f *Search) chain(m move, least float64, r *rand.Rand) {
	w, v := &f.walk, &f.constraints.violated
	w.begin()
	f.take(m)
	if len(v.List) > 0 && w.moves.Repair(v, chainSteps, repairNoise, r) && w.gain >= least {
		return
	}
	for _, m := range slices.Backward(w.made) {
		f.move(m.block, m.value)
	}
}

// walk is the memory of repairs and chains.
type walk struct {
	moves loglinear.Moves[move]
	tabu  []int  // by block: the step until which it should not move again
	step  int    // of all walks
	made  []move // which lead back to the state at the beginning
	gain  float64
}

// begin allows all moves again.
func (w *walk) begin() { w.made, w.gain, w.step = w.made[:0], 0, w.step+tabuTenure+1 }

// bindWalk prepares repairs and chains.
func (f *Search) bindWalk() {
	w := &f.walk
	w.moves = loglinear.Moves[move]{
		Each: func(constraint uint32, offer func(move)) {
			f.scope = f.model.AppendAtoms(f.scope[:0], constraint)
			for _, a := range f.scope {
				if i := f.of[a]; i < uint32(len(f.blocks)) {
					f.eachMove(i, a, offer)
				}
			}
		},
		Cost: func(m move, _ int) float64 {
			cost := -f.gain(m.block, m.value)
			if w.step <= w.tabu[m.block] {
				cost += float64(1e6 * f.constraints.penalty)
			}
			return cost
		},
		Make: func(m move, _ int) { f.take(m) },
	}
}

// take makes a move, and forbids its block to move again soon.
func (f *Search) take(m move) {
	w := &f.walk
	w.made = append(w.made, move{m.block, f.value[m.block]})
	w.gain += f.gain(m.block, m.value)
	f.activate(m.block)
	f.move(m.block, m.value)
	w.step++
	w.tabu[m.block] = w.step + tabuTenure
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
		f.flips.Leaders(i, func(leader uint32) { offer(move{leader, 1 - f.value[leader]}) })
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
