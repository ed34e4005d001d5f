package selftest

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"resolwe"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// sampling lists the checks of the samplers. Each network is tested in two ways, see [suite.invariant] and [suite.arrives];
// random ones in the second way only where single flips forget the start, adversarial ones unless they are known not to.
func (s *suite) sampling() []check {
	var out []check
	for _, method := range []resolwe.Method{resolwe.MethodMCSAT, resolwe.MethodGibbs} {
		gibbs := method == resolwe.MethodGibbs
		for _, t := range adversarial() {
			c := check{subject: method.String(), name: t.name, unit: "probability"}
			s.addNetwork(&c, method, t.network, func(*grounded) bool { return !gibbs || !t.far })
			out = append(out, c)
		}
		unit := check{subject: method.String(), name: "unit weights -3 to 3, tied", unit: "probability"}
		for _, t := range unitWeights(true) {
			s.addNetwork(&unit, method, t.network, func(*grounded) bool { return true })
		}
		out = append(out, unit, s.randomNetworks(method, false), s.randomNetworks(method, true))
	}
	return out
}

// randomNetworks is the check on random networks, every second one given what the data states.
func (s *suite) randomNetworks(method resolwe.Method, hard bool) check {
	c := check{subject: method.String(), name: "random networks", unit: "probability"}
	if hard {
		c.name += " with hard formulas"
	}
	each := s.single()
	for i := range s.times(4) {
		mode := []ground.Mode{ground.Predicting, ground.Conditioning}[i%2]
		each.addNetwork(&c, method, func(ctx context.Context) (*grounded, error) {
			return randomNetwork(ctx, s.source(c.name, i), i, mode, hard)
		}, (*grounded).forgets)
	}
	return c
}

// network grounds an adversarial case.
func (t *adversarialCase) network(ctx context.Context) (*grounded, error) {
	task, err := newTask(t.model, t.db)
	if err != nil {
		return nil, err
	}
	return newNetwork(ctx, task, ground.Predicting)
}

// addNetwork adds the tests of a sampler on a network: both, or where it need not arrive the first.
func (s *suite) addNetwork(
	c *check, method resolwe.Method, build func(context.Context) (*grounded, error), need func(*grounded) bool,
) {
	for _, way := range []func(context.Context, *grounded, resolwe.Method, *rand.Rand, *finding) error{
		s.invariant,
		func(ctx context.Context, n *grounded, method resolwe.Method, r *rand.Rand, f *finding) error {
			if !need(n) {
				return nil
			}
			return s.arrives(ctx, n, method, r, f)
		},
	} {
		r := s.source(c.subject+c.name, len(c.cases))
		c.cases = append(c.cases, func(ctx context.Context) (f finding, err error) {
			n, err := build(ctx)
			if err != nil {
				return f, err
			}
			n.agree(&f)
			return f, way(ctx, n, method, r, &f)
		})
	}
}

// event is the truth of one or two sampled atoms.
type event struct {
	set  uint32
	hits int // in the present chain
	eProcess
}

// events lists them, to be observed so many times.
func (n *grounded) events(times int) []event {
	var out []event
	atoms := n.sampled()
	for i, a := range atoms {
		for _, b := range atoms[:i+1] {
			set := uint32(1)<<a | uint32(1)<<b
			out = append(out, event{set: set, eProcess: eProcessAround(n.exact.probability(set), 0, times)})
		}
	}
	return out
}

// invariant tests whether steps leave the distribution as it is. A chain begins at a state drawn from the exact
// distribution; then each state that follows has that distribution too, however slowly the chain mixes. What is bet on is
// how often, in the few steps of each of many chains, each atom and each pair of atoms is true.
func (s *suite) invariant(ctx context.Context, n *grounded, method resolwe.Method, r *rand.Rand, f *finding) error {
	chains := s.times(6000)
	events := n.events(chains)
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Rounds = method, 1 // which is all that there is to a step
	c := s.Chain()
	x := make([]bool, n.exact.atoms)
	broken := 0
	for range chains {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n.exact.draw(x, r)
		if err := c.Start(&n.model, x, opt, r); err != nil {
			return err
		}
		broken += n.follow(c, events, r)
	}
	f.equal(float64(broken)/float64(chains), 0, 0, func() string { return "states that break hard formulas" })
	for e := range events {
		f.bet(&events[e].eProcess, func() string { return "steps keep P(" + n.name(members(events[e].set)...) + ")" })
	}
	return nil
}

// follow observes events in a few steps of a chain. It returns how many of them break hard formulas.
func (n *grounded) follow(c chain, events []event, r *rand.Rand) (broken int) {
	const steps = 4
	for range steps {
		c.Step(r)
		if !allowed(n.model.Net, c.State()) {
			broken++
		}
		state := gathered(c.State())
		for e := range events {
			if state&events[e].set == events[e].set {
				events[e].hits++
			}
		}
	}
	for e := range events {
		events[e].observe(float64(events[e].hits) / steps)
		events[e].hits = 0
	}
	return broken
}

// gathered is the inverse of spread.
func gathered(x []bool) uint32 {
	state := uint32(0)
	for a, v := range x {
		if v {
			state |= 1 << a
		}
	}
	return state
}

// members lists the atoms of a set.
func members(set uint32) []uint32 {
	var out []uint32
	for ; set != 0; set &= set - 1 {
		out = append(out, uint32(bits.TrailingZeros32(set)))
	}
	return out
}

// What the second way asks for.
const (
	burnIn    = 32
	startBias = 0.005 // that a random start may leave in marginals
)

// forgets reports whether single flips alone leave a fifth of startBias at most.
func (n *grounded) forgets() bool { return n.exact.startBias(burnIn) <= startBias/5 }

// arrives tests the marginals that inference gives: those of many short runs, each from a random start of its own, average
// to the exact ones within startBias.
func (s *suite) arrives(ctx context.Context, n *grounded, method resolwe.Method, r *rand.Rand, f *finding) error {
	runs := s.times(1000)
	opt := resolwe.InferOptions{}
	opt.Method, opt.Samples, opt.BurnIn, opt.Given = method, burnIn, new(burnIn/4), // of four sweeps each
		n.mode == ground.Conditioning
	opt.Seed, opt.Run.Workers = r.Uint64(), 1
	atoms := n.sampled()
	tests := make([]eProcess, len(atoms))
	for i, a := range atoms {
		tests[i] = eProcessAround(n.want[n.query[a]], startBias, runs)
	}
	seen := 0
	err := s.Infer(ctx, n.task.model, n.copies(runs), opt, func(m *resolwe.Marginals) error {
		seen++
		for i, a := range atoms {
			tests[i].observe(m.P[n.query[a]])
		}
		return nil
	})
	f.holds(seen == runs, func() string { return "not every run has marginals" })
	for i, a := range atoms {
		f.bet(&tests[i], func() string { return "inference: P(" + n.name(a) + ")" })
	}
	return err
}
