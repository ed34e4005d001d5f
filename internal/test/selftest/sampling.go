package selftest

import (
	"context"
	"math/rand/v2"

	"resolwe"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// sampling lists the checks of the samplers. Each network is tested in two ways, see [suite.invariant] and [suite.arrives]. Random
// networks are tested in the second way only if single flips forget the start, adversarial ones unless single flips are known not
// to.
func (s *suite) sampling() []check {
	var out []check
	for _, method := range []resolwe.Method{resolwe.MethodMCSAT, resolwe.MethodGibbs} {
		named := func(name string) check { return check{subject: string(method), name: name, unit: "probability"} }
		for _, t := range adversarial() {
			c := named(t.name)
			s.addNetwork(&c, method, t.network, func(*grounded) bool { return method != resolwe.MethodGibbs || !t.far })
			out = append(out, c)
		}
		unit := named("unit weights -3 to 3, tied")
		for _, t := range unitWeights(true) {
			s.addNetwork(&unit, method, t.network, func(*grounded) bool { return true })
		}
		out = append(out, unit)
		for _, c := range []check{named("random networks"), named("random networks with hard formulas")} {
			for i := range s.times(4) {
				mode := []ground.Mode{ground.Predicting, ground.Conditioning}[i%2] // conditioning on the data
				opt := varied(i, oracle.TaskOptions{General: true, Hard: c.name != "random networks", Subgraphs: 1})
				s.single().addNetwork(&c, method, func(ctx context.Context) (*grounded, error) {
					return randomNetwork(ctx, s.source(c.name, i), mode, opt)
				}, (*grounded).forgets)
			}
			out = append(out, c)
		}
	}
	return out
}

// network grounds an adversarial case.
func (t *adversarialCase) network(ctx context.Context) (*grounded, error) {
	task, err := t.task(ctx)
	if err != nil {
		return nil, err
	}
	return newNetwork(ctx, task, ground.Predicting)
}

// addNetwork adds the tests of a sampler on a network: both, or only the first if it need not arrive.
func (s *suite) addNetwork(
	c *check, method resolwe.Method, build func(context.Context) (*grounded, error), need func(*grounded) bool,
) {
	r := s.source(c.subject+c.name, len(c.cases))
	c.cases = append(c.cases, on(build, func(ctx context.Context, n *grounded, f *Check) error {
		n.agree(f)
		return s.invariant(ctx, n, method, r, f)
	}))
	again := s.source(c.subject+c.name, len(c.cases))
	c.cases = append(c.cases, on(build, func(ctx context.Context, n *grounded, f *Check) error {
		if n.agree(f); !need(n) {
			return nil
		}
		return s.arrives(ctx, n, method, again.Uint64(), f)
	}))
}

// event is the truth of one or two sampled atoms.
type event struct {
	a, b uint32 // equal for a single atom
	hits int    // in the current chain
	eProcess
}

// events lists the events, to be observed a given number of times.
func (n *grounded) events(times int) []event {
	var out []event
	for i, b := range n.sampled {
		for _, a := range n.sampled[:i+1] {
			p := 0.0
			for _, s := range n.exact.States {
				if s.Atoms[a] && s.Atoms[b] {
					p += s.P
				}
			}
			out = append(out, event{a: a, b: b, eProcess: eProcessAround(p, 0, times)})
		}
	}
	return out
}

// event names an event.
func (n *grounded) event(e *event) string {
	if e.a == e.b {
		return n.name(e.a)
	}
	return n.name(e.a) + " ^ " + n.name(e.b)
}

// invariant tests whether steps leave the distribution unchanged. If a chain starts at a state drawn from the exact distribution,
// each later state has that distribution too, however slowly the chain mixes. The bets are on how often each atom, and each pair of
// atoms, is true in the few steps of each of many chains.
func (s *suite) invariant(ctx context.Context, n *grounded, method resolwe.Method, r *rand.Rand, f *Check) error {
	const steps = 4
	chains := s.times(6000)
	events := n.events(chains)
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Rounds = method, 1 // a single round is a step
	c := s.Chain()
	x := make([]bool, n.model.Net.NumAtoms)
	broken := 0
	for range chains {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n.draw(x, r)
		if err := c.Start(&n.model, x, opt, r); err != nil {
			return err
		}
		for range steps {
			c.Step(r)
			state := c.State()
			if cd.Breaks(n.model.Net, state) {
				broken++
			}
			for i := range events {
				if e := &events[i]; state[e.a] && state[e.b] {
					e.hits++
				}
			}
		}
		for i := range events {
			events[i].observe(float64(events[i].hits) / steps)
			events[i].hits = 0
		}
	}
	f.equal(float64(broken)/float64(chains), 0, 0, func() string { return "states that break hard formulas" })
	for i := range events {
		f.bet(&events[i].eProcess, func() string { return "steps keep P(" + n.event(&events[i]) + ")" })
	}
	return nil
}

// The parameters of the second way.
const (
	burnIn    = 32
	startBias = 0.005 // bias that a random start may leave in marginals
)

// arrives tests the marginals of inference: those of many short runs, each from its own random start, must average to the exact
// ones within startBias.
func (s *suite) arrives(ctx context.Context, n *grounded, method resolwe.Method, seed uint64, f *Check) error {
	runs := s.times(1000)
	opt := resolwe.InferOptions{
		Method: method, Samples: burnIn, BurnIn: new(burnIn / 4), // four sweeps each
		Given: n.mode == ground.Conditioning, Seed: seed, Run: resolwe.Run{Workers: 1},
	}
	tests := make([]eProcess, len(n.sampled))
	for i, a := range n.sampled {
		tests[i] = eProcessAround(n.want[a], startBias, runs)
	}
	seen := 0
	err := s.Infer(ctx, n.task.model, n.copies(runs), opt, func(m *resolwe.Marginals) error {
		seen++
		for i, a := range n.sampled {
			tests[i].observe(m.P[n.index[a]])
		}
		return nil
	})
	f.holds(seen == runs, func() string { return "not every run has marginals" })
	for i, a := range n.sampled {
		f.bet(&tests[i], func() string { return "inference: P(" + n.name(a) + ")" })
	}
	return err
}
