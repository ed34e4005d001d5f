package localsearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/loglinear"
)

// parities are those of a component, the hard ones first. A state that satisfies them is found by elimination, and moves within their
// solutions flip several blocks.
type parities struct {
	all  []loglinear.Parity
	hard int
	kept []uint32  // by index
	key  []float64 // by parity: the soft ones with the largest come first
}

// list lists the parities of a component.
func (p *parities) list(f *Search, atoms []uint32) {
	p.all = p.all[:0]
	inside := func(q *loglinear.Parity) bool {
		return len(q.Atoms) > 0 && f.model.Components.Of(q.Atoms[0]) == f.model.Components.Of(atoms[0])
	}
	for _, q := range f.model.HardParities {
		if inside(&q) {
			p.all = append(p.all, q)
		}
	}
	p.hard = len(p.all)
	for _, q := range f.model.Parities {
		if inside(&q) && q.Energy > 0 && !math.IsInf(q.Energy, 1) {
			p.all = append(p.all, q)
		}
	}
	if len(p.all) > loglinear.MostEquations {
		p.all = p.all[:0]
	}
}

// keepParities satisfies all hard parities, and restricts moves to those that keep them. With soft, it includes as many soft ones as a slice
// of MC-SAT would at a temperature, the heavier first. It returns the number of blocks that change if each active one is
// offered a move.
func (f *Search) keepParities(soft bool, temperature float64, r *rand.Rand) (changes int) {
	p := &f.parities
	p.kept, p.key = p.kept[:0], p.key[:0]
	for i := range p.all {
		p.key = append(p.key, math.Inf(1))
		if i >= p.hard {
			p.key[i] = float64(p.all[i].Energy * (1 + float64(r.Float64())))
			if !soft || r.Float64() >= -elementary.Expm1(-p.all[i].Energy/temperature) {
				continue
			}
		}
		p.kept = append(p.kept, uint32(i))
	}
	slices.SortStableFunc(p.kept, func(i, j uint32) int { return cmp.Compare(p.key[j], p.key[i]) })
	f.flips.Solve(p.all, p.kept, f.s.X, func(a uint32) (block uint32, ok bool) {
		i := f.of[a]
		return i, i < uint32(len(f.blocks)) && f.blocks[i].unit
	}, r, func(uint32) {})
	for _, i := range f.active {
		f.flips.Leaders(i, f.activate)
	}
	f.flips.Repair(func(i uint32) {
		f.activate(i)
		f.move(i, 1-f.value[i])
	})
	for _, i := range f.active {
		if !f.flips.Follows(i) {
			changes++
			f.flips.Followers(i, func(uint32) { changes++ })
		}
	}
	return changes
}
