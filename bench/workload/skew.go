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

// SkewOptions size a skewed stream. A field that is 0 stands for its default.
type SkewOptions struct {
	Subgraphs int     // in the stream, 2 to 10000; 30
	Factor    float64 // work of the large one over the mean of the others; 100
	Seed      uint64
}

// withDefaults replaces zeros and checks the result.
func (o SkewOptions) withDefaults() (SkewOptions, error) {
	if o.Subgraphs == 0 {
		o.Subgraphs = 30
	}
	if o.Factor == 0 {
		o.Factor = 100
	}
	switch {
	case o.Subgraphs < 2 || o.Subgraphs > maxSubgraphs:
		return o, &resolwe.OptionError{Option: "--subgraphs", Reason: fmt.Sprintf("2 to %d", maxSubgraphs)}
	case !(o.Factor >= 1) || math.IsInf(o.Factor, 0):
		return o, &resolwe.OptionError{Option: "--factor", Reason: "a number of at least 1"}
	}
	return o, nil
}

// maxSubgraphs bounds a stream that is held in memory.
const maxSubgraphs = 10000

// Sizes of the subgraphs of a skewed stream: ordinary ones, and the bound of the large one.
const (
	ordinaryUsers   = 480
	largestUsers    = 4096
	usersPerArticle = 3
	usersPerTarget  = 30
)

// NewSkewed generates a stream of demo.Task in memory, of which the last subgraph takes opt.Factor times the work of the
// others' mean: all but one worker have nothing to do meanwhile, unless it is shared. Work is the time that it takes one
// core, so the stream depends on the machine. The factor that is returned was measured. It comes as near as a few tries
// bring it, but falls short where 4096 users do not suffice.
func NewSkewed(ctx context.Context, opt SkewOptions) (Source, float64, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return Source{}, 0, err
	}
	d := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(d.Model), resolwe.ModelOptions{})
	if err != nil {
		return Source{}, 0, err
	}
	g := &skewer{task: d, model: m, seed: opt.Seed}
	if g.overhead, err = g.seconds(ctx, nil); err != nil {
		return Source{}, 0, err
	}
	subs, err := g.generate(opt.Subgraphs-1, ordinaryUsers)
	if err != nil {
		return Source{}, 0, err
	}
	mean, err := g.seconds(ctx, subs)
	if err != nil {
		return Source{}, 0, err
	}
	mean /= float64(len(subs))
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

// generate returns subgraphs of about so many users.
func (g *skewer) generate(n, users int) ([]*subgraph.Subgraph, error) {
	out := make([]*subgraph.Subgraph, 0, n+1)
	opt := demo.Options{
		Subgraphs: n, Users: users, Articles: users / usersPerArticle, Targets: users / usersPerTarget, Seed: g.seed,
	}
	for s, err := range g.task.Generate(g.model.Schema, opt) {
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Limits of the search for the large subgraph: how often a size is tried, and what is near enough.
const (
	maxSizes = 12
	near     = 0.05
)

// large returns a subgraph that takes about so many seconds, and its time. What subgraphs of one size take varies, so that
// the search keeps the nearest. It steps by the cube root of what is missing, since time grows at most with the cube of
// the users.
func (g *skewer) large(ctx context.Context, want float64) (best *subgraph.Subgraph, bestTime float64, err error) {
	users := float64(ordinaryUsers)
	distance := math.Inf(1)
	for range maxSizes {
		subs, err := g.generate(1, int(users))
		if err != nil {
			return nil, 0, err
		}
		took, err := g.seconds(ctx, subs)
		if err != nil {
			return nil, 0, err
		}
		missing := want / took
		if d := math.Abs(math.Log(missing)); d < distance || best == nil {
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

// tries is how often a time is taken; the shortest counts.
const tries = 3

// seconds returns the time that a selection on the subgraphs takes one core, beside the overhead.
func (g *skewer) seconds(ctx context.Context, subs []*subgraph.Subgraph) (float64, error) {
	var runs stage
	opt := &Options{Subgraphs: len(subs) + 1, Workers: 1}
	for range tries {
		err := runs.run(func() error {
			_, err := selectOn(ctx, g.model, resolwe.NewStream(g.model, subs), opt)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	took := slices.Min(runs.wall)
	if cpu := slices.Min(runs.cpu); cpu > 0 { // which does not grow as others compute
		took = cpu
	}
	return max(took-g.overhead, resolution), nil
}

// resolution is the least difference of times that means anything.
const resolution = 1e-6
