package mcsat

import (
	"errors"
	"math"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// prober checks whether atoms that look settled really are: it moves them elsewhere, restores the hard constraints by search, and checks
// whether a chain from there comes back.
type prober struct {
	lane   lane
	seed   uint64
	looks  uint64
	quiet  []uint32  // settled atoms
	usual  []bool    // by atom: its more frequent state
	p      []float64 // by atom: its marginal
	moved  []bool    // by atom: some probe has started with it elsewhere
	rare   float64   // mean number of settled atoms that are elsewhere
	away   int       // largest number of steps in which probes came back
	pinned []uint32
}

// Parameters of probes.
const (
	probesFew   = 2 // if slices are expensive
	probesMany  = 8
	probeSteps  = 50  // in which a chain must come back; Options.BurnIn if larger
	probeRare   = 0.2 // largest probability of a settled atom's rarer state
	probePinned = 16  // atoms that no probe could move, to be moved one by one
)

// doubts returns the warnings about the merged marginals. The error is that of opt.Stop.
func (f *Inference) doubts(m *loglinear.Model, opt *Options) (d Doubts, err error) {
	f.mix.Apart(func(i int) { d.Apart.add(m.Scope.Atoms[i]) })
	d.Short = math.IsNaN(f.mix.Worst().RHat) && f.closed.leaves(m.Scope.Atoms)
	d.Stuck, err = f.probes.run(f, m, opt)
	return d, err
}

// unseen is the share of the samples that settled chains may have missed, given the steps in which probes came back: they can easily never
// reach a state with that share, although once there they would stay for many steps.
func unseen(mix *diagnostics.Convergence, away int) float64 {
	return float64(away) / float64(max(1, mix.Samples()))
}

// run probes the settled atoms. It returns those that stay elsewhere, and sets away.
func (p *prober) run(f *Inference, m *loglinear.Model, opt *Options) (stuck Suspects, err error) {
	p.looks++
	p.away = 0
	if p.settled(f, m); len(p.quiet) == 0 {
		return stuck, nil
	}
	r := rand.New(rand.NewPCG(p.seed, p.looks))
	n := probesFew
	if small(m) {
		n = probesMany
	}
	for i := range n {
		if opt.Enough != nil && opt.Enough() {
			return stuck, nil
		}
		p.lane.chain.search.pinned = 0
		p.scatter(m, i == 0, r)
		var took int
		if stuck, took, err = p.probe(m, opt, r); err != nil || stuck.N > 0 {
			return stuck, err
		}
		p.away = max(p.away, took)
	}
	if m.Constraints() == 0 {
		return stuck, nil
	}
	p.pinned = p.pinned[:0]
	for _, a := range p.quiet {
		if !p.moved[a] && len(p.pinned) < probePinned {
			p.pinned = append(p.pinned, a)
		}
	}
	for _, a := range p.pinned {
		for b, q := range p.p {
			p.lane.start[b] = r.Float64() < q
		}
		p.lane.start[a] = !p.usual[a]
		p.lane.chain.search.pinned = m.Implications.Block[a].Atom() + 1
		if stuck, _, err = p.probe(m, opt, r); err != nil || stuck.N > 0 {
			return stuck, err
		}
	}
	return stuck, nil
}

// settled finds the atoms that are mostly in one state.
func (p *prober) settled(f *Inference, m *loglinear.Model) {
	n := m.Net.NumAtoms
	p.quiet, p.rare = p.quiet[:0], 0
	p.usual, p.p, p.moved = grow.Zeroed(p.usual, n), grow.Zeroed(p.p, n), grow.Zeroed(p.moved, n)
	p.lane.start = grow.Zeroed(p.lane.start, n)
	f.mix.Means(p.p)
	for _, a := range m.Scope.Atoms {
		q := min(p.p[a], 1-p.p[a])
		if f.closed.Closed[a] || q > probeRare {
			continue
		}
		p.usual[a] = p.p[a] > 0.5
		p.quiet = append(p.quiet, a)
		p.rare += q
	}
}

// scatter moves settled atoms elsewhere, all or a random half, and draws the others by their marginals.
func (p *prober) scatter(m *loglinear.Model, all bool, r *rand.Rand) {
	x := p.lane.start
	for a, q := range p.p {
		x[a] = r.Float64() < q
	}
	for _, a := range p.quiet {
		x[a] = p.usual[a] != (all || r.Uint64()&1 == 0)
	}
	for _, g := range m.Scope.Groups {
		p.choose(m, g, r)
	}
}

// choose gives a group one of its values, a rare one if there is one.
func (p *prober) choose(m *loglinear.Model, g uint32, r *rand.Rand) {
	x, n := p.lane.start, 0
	atoms, _ := valuesOf(m, g)
	value, unusual := uint32(network.Unset), false
	for _, a := range atoms {
		if !x[a] {
			continue
		}
		x[a] = false
		if rare := p.p[a] < 0.5; rare && !unusual {
			value, unusual, n = a, true, 1
		} else if rare == unusual {
			if n++; r.IntN(n) == 0 {
				value = a
			}
		}
	}
	if value == network.Unset && m.Groups.ExactlyOne(g) {
		value = atoms[r.IntN(len(atoms))]
	}
	if value != network.Unset {
		x[value] = true
	}
}

// probe runs a chain from the prepared state until only as many settled atoms as usual are elsewhere. It returns the number of steps.
func (p *prober) probe(m *loglinear.Model, opt *Options, r *rand.Rand) (stuck Suspects, steps int, err error) {
	c := &p.lane.chain
	err = c.Start(m, p.lane.start, *opt, r)
	if e := (*loglinear.UnsatisfiableError)(nil); errors.As(err, &e) {
		return stuck, 0, nil // the search found no such state
	}
	if err != nil {
		return stuck, 0, err
	}
	for _, a := range p.quiet {
		p.moved[a] = p.moved[a] || c.s.X[a] != p.usual[a]
	}
	usual := p.rare + float64(3*math.Sqrt(p.rare))
	for ; float64(p.elsewhere(&stuck)) > usual; steps++ {
		if steps == max(probeSteps, opt.BurnIn) {
			return stuck, steps, nil
		}
		if err := opt.Stop(); err != nil {
			return stuck, steps, err
		}
		c.Step(r)
	}
	return Suspects{}, steps, nil
}

// elsewhere lists the settled atoms not in their usual state, and returns their number.
func (p *prober) elsewhere(out *Suspects) int {
	out.N, out.First = 0, out.First[:0]
	for _, a := range p.quiet {
		if p.lane.chain.s.X[a] != p.usual[a] {
			out.add(a)
		}
	}
	return out.N
}
