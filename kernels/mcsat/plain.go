package mcsat

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// plain samples by Gibbs sweeps alone, which cost a fraction of slices, and decides for which components that was enough.
type plain struct {
	ties
	lanes  []*walkLane
	probes walk
	p      []float64  // by atom: its marginal
	usual  []bool     // by place: its more frequent state
	quiet  []bool     // by place: is mostly in one state
	at     []standing // by component
	seed   uint64
	looks  uint64
}

// standing assesses a component's samples.
type standing struct {
	Doubts
	slow bool // standard errors are so large that slices may do better
	away int  // largest number of steps in which probes came back
}

// allowed returns the largest mean standard error of a component's marginals, over the samples, that needs no slices. It is smaller with
// few pairs: slices then mix nearly as well as independent draws.
func (g *plain) allowed(k, samples int) float64 {
	const few, little, much = 200, 0.1, 0.5 // variance of a sweep's draw
	variance := much
	if g.pairs(k) <= few {
		variance = little
	}
	return math.Sqrt(variance / float64(max(1, samples*g.sweeps[k])))
}

// objects reports whether the component should be sampled with slices.
func (s *standing) objects() bool { return s.Any() || s.slow }

// open returns the lanes of chains with the given origins.
func (g *plain) open(origins []origin) []sampler {
	n := (len(origins) + walkChains - 1) / walkChains
	for len(g.lanes) < n {
		g.lanes = append(g.lanes, &walkLane{})
	}
	out := make([]sampler, n)
	for i, l := range g.lanes[:n] {
		l.ties, l.starts = &g.ties, origins[walkChains*i:min(len(origins), walkChains*(i+1))]
		out[i] = l
	}
	g.seed, g.looks = origins[0].atoms, 0
	return out
}

// judge assesses each component after the merged samples. The error is that of opt.Stop.
func (g *plain) judge(f *Inference, opt *Options) error {
	g.at = grow.Zeroed(g.at, len(g.components))
	judges := f.mix.Judges()
	for k := range g.at {
		s, varied, sum := &g.at[k], false, 0.0
		from, end := g.places(k)
		limit := f.mix.RHatLimit(end - from)
		for i := from; judges && i < end; i++ {
			v, varies := f.mix.Verdict(i)
			if sum += v.Error; !varies {
				continue
			}
			varied = true
			if v.RHat > limit {
				s.Apart.add(g.atoms[i])
			}
		}
		s.Short = !varied && f.closed.leaves(g.atoms[from:end])
		s.slow = sum/float64(end-from) > g.allowed(k, f.mix.Samples())
	}
	return g.probe(f, opt)
}

// precise reports whether the components that do not object have the requested precision, or all object.
func (g *plain) precise(f *Inference, opt *Options, atoms int) (bool, error) {
	if err := g.judge(f, opt); err != nil {
		return false, err
	}
	worst := 0.0
	for k := range g.at {
		s := &g.at[k]
		if s.objects() {
			continue
		}
		worst = max(worst, unseen(&f.mix, s.away))
		from, end := g.places(k)
		for i := from; i < end; i++ {
			v, _ := f.mix.Verdict(i)
			worst = max(worst, v.Error*halfWithin(atoms))
		}
	}
	return worst <= opt.Error, nil
}

// probe starts chains with the quiet atoms in their rarer state, all of them or a random half, and checks whether each component comes
// back.
func (g *plain) probe(f *Inference, opt *Options) error {
	n := len(g.atoms)
	g.looks++
	g.p, g.usual, g.quiet = grow.To(g.p, len(g.place)), grow.To(g.usual, n), grow.To(g.quiet, n)
	f.mix.Means(g.p)
	sources := make([]rand.PCG, walkProbes)
	for c := range sources {
		sources[c] = *rand.NewPCG(g.seed, g.looks<<8|uint64(c))
	}
	w := &g.probes
	w.set(&g.ties, sources)
	r := rand.New(rand.NewPCG(g.seed, g.looks<<8|walkProbes))
	for i, a := range g.atoms {
		p := g.p[a]
		g.usual[i], g.quiet[i] = p > 0.5, min(p, 1-p) <= probeRare
		for c := range walkProbes {
			v := r.Float64() < p
			if g.quiet[i] {
				v = g.usual[i] != (c == 0 || r.Uint64()&1 == 0)
			}
			w.state[i] |= loglinear.Mask(v) & 1 << c
		}
	}
	return g.comeBack(opt)
}

// comeBack continues the probes until, in all components, only as many atoms as usual are elsewhere.
func (g *plain) comeBack(opt *Options) error {
	limit := max(probeSteps, opt.BurnIn)
	back := make([]uint64, len(g.at)) // by component: the probes that are back
	for steps := 0; ; steps++ {
		if opt.Enough != nil && opt.Enough() {
			return nil
		}
		all := true
		for k := range g.at {
			if back[k] |= g.back(k); back[k] == 1<<walkProbes-1 {
				continue
			}
			all = false
			if g.at[k].away = steps + 1; steps == limit {
				g.suspect(k, bits.TrailingZeros64(^back[k]))
			}
		}
		if all || steps == limit {
			return nil
		}
		if err := opt.Stop(); err != nil {
			return err
		}
		g.probes.step()
	}
}

// back returns the probes in which a component is back.
func (g *plain) back(k int) (probes uint64) {
	from, end := g.places(k)
	elsewhere, rare := [walkProbes]int{}, 0.0
	for i := from; i < end; i++ {
		if !g.quiet[i] {
			continue
		}
		p := g.p[g.atoms[i]]
		rare += min(p, 1-p)
		for away := g.away(i); away != 0; away &= away - 1 {
			elsewhere[bits.TrailingZeros64(away)]++
		}
	}
	usual := rare + float64(3*math.Sqrt(rare))
	for c, n := range elsewhere {
		if float64(n) <= usual {
			probes |= 1 << c
		}
	}
	return probes
}

// away returns the probes in which a quiet place is not in its usual state.
func (g *plain) away(i int) uint64 {
	return (g.probes.state[i] ^ loglinear.Mask(g.usual[i])) & (1<<walkProbes - 1)
}

// suspect lists the atoms of a component that stay elsewhere in a probe.
func (g *plain) suspect(k, probe int) {
	from, end := g.places(k)
	for i := from; i < end; i++ {
		if g.quiet[i] && g.away(i)>>probe&1 == 1 {
			g.at[k].Stuck.add(g.atoms[i])
		}
	}
}
