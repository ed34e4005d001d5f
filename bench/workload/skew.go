package workload

import (
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/subgraph"
)

// SkewOptions size a skewed stream.
type SkewOptions struct {
	Subgraphs int     // in the stream, 2 to 10000
	Factor    float64 // work of the large one over the mean of the others
	Seed      uint64
}

// Sizes of the subgraphs of a skewed stream.
const (
	maxSubgraphs  = 10000 // that are held in memory
	ordinaryUsers = 480
	largestUsers  = 4096
)

// NewSkewed generates a stream of demo.Task in memory, of which the last subgraph takes opt.Factor times the work of the
// others' mean: all but one worker have nothing to do meanwhile, unless it is shared. Work is the time that it takes one
// core, so the stream depends on the machine. The factor that is returned was measured. It comes as near as a few tries
// bring it, but falls short where 4096 users do not suffice.
func NewSkewed(ctx context.Context, opt SkewOptions) (Source, float64, error) {
	switch {
	case opt.Subgraphs < 2 || opt.Subgraphs > maxSubgraphs:
		return Source{}, 0, &resolwe.OptionError{Option: "--subgraphs", Reason: fmt.Sprintf("2 to %d", maxSubgraphs)}
	case !(opt.Factor >= 1) || math.IsInf(opt.Factor, 0):
		return Source{}, 0, &resolwe.OptionError{Option: "--factor", Reason: "a number of at least 1"}
	}
	d := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(d.Model), resolwe.ModelOptions{})
	if err != nil {
		return Source{}, 0, err
	}
	g := &skewer{task: d, model: m, seed: opt.Seed}
	if _, g.overhead, err = g.generate(ctx, 0, ordinaryUsers); err != nil {
		return Source{}, 0, err
	}
	subs, took, err := g.generate(ctx, opt.Subgraphs-1, ordinaryUsers)
	if err != nil {
		return Source{}, 0, err
	}
	mean := took / float64(len(subs))
	large, took, err := g.large(ctx, opt.Factor*mean)
	if err != nil {
		return Source{}, 0, err
	}
	subs = append(subs, large)
	open := func() (*resolwe.Stream, error) { return resolwe.NewStream(m, subs), nil }
	return Source{Model: m, Open: open}, took / mean, nil
}

// skewer makes subgraphs, and measures what they take.
type skewer struct {
	task     demo.Task
	model    *resolwe.Model
	seed     uint64
	overhead float64 // seconds of a selection on no subgraph
}

// tries is how often a time is taken; the shortest counts. Differences below the resolution mean nothing.
const (
	tries      = 3
	resolution = 1e-6
)

// generate returns subgraphs of about a number of users, and the time that a selection on them takes one core, beside the
// overhead.
func (g *skewer) generate(ctx context.Context, n, users int) (subs []*subgraph.Subgraph, seconds float64, err error) {
	opt := demo.Options{Subgraphs: max(1, n), Users: users, Articles: users / 3, Targets: users / 30, Seed: g.seed}
	for s, err := range g.task.Generate(g.model.Schema, opt) {
		if err != nil {
			return nil, 0, err
		}
		subs = append(subs, s)
	}
	subs = subs[:n]
	var took clock
	for range tries {
		err := took.run(func() error {
			_, err := selectOn(ctx, g.model, resolwe.NewStream(g.model, subs), &Options{Subgraphs: n + 1, Workers: 1})
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	seconds = slices.Min(took.wall)
	if cpu := slices.Min(took.cpu); cpu > 0 { // which does not grow as others compute
		seconds = cpu
	}
	return subs, max(seconds-g.overhead, resolution), nil
}

// Limits of the search for the large subgraph: how often a size is tried, and what is near enough.
const (
	maxSizes = 12
	near     = 0.05
)

// large returns a subgraph that takes about a number of seconds, and its time. What subgraphs of one size take varies, so that
// the search keeps the nearest. It steps by the cube root of what is missing, since time grows at most with the cube of
// the users.
func (g *skewer) large(ctx context.Context, want float64) (best *subgraph.Subgraph, bestTime float64, err error) {
	users, distance := float64(ordinaryUsers), math.Inf(1)
	for range maxSizes {
		subs, took, err := g.generate(ctx, 1, int(users))
		if err != nil {
			return nil, 0, err
		}
		missing := want / took
		if d := math.Abs(math.Log(missing)); d < distance {
			best, bestTime, distance = subs[0], took, d
		}
		if distance < near || users == largestUsers && missing > 1 {
			break
		}
		users = min(max(ordinaryUsers, users*math.Cbrt(missing)), largestUsers)
	}
	best.Name = "large"
	return best, bestTime, nil
}
