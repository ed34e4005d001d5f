package distributed_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"

	"resolwe/cmd/resolwe-beam/distributed"
)

// untied returns the demo's model without the formula that connects target atoms, and a stream for it.
func untied(tb testing.TB, n int) (*resolwe.Model, []*subgraph.Subgraph) {
	tb.Helper()
	task := demo.New()
	declarations, _, _ := strings.Cut(task.Model, "template")
	m := streamtest.Parse(tb, declarations+strings.Join(task.Planted[:2], "\n")+"\n")
	return m, streamtest.Demo(tb, m, n, 1)
}

// sharingTypes returns the declarations of streamtest.Sharing.
func sharingTypes() string {
	declarations, _, _ := strings.Cut(streamtest.Sharing, "read(p,")
	return declarations
}

// mixer is a Mixer with the parts of its stream.
type mixer struct {
	*distributed.Mixer
	streams []*resolwe.Stream
}

// newMixer cuts subgraphs into parts.
func newMixer(tb testing.TB, m *resolwe.Model, subs []*subgraph.Subgraph, parts int, opt resolwe.LearnOptions, method distributed.MixMethod) mixer {
	tb.Helper()
	out := mixer{}
	var sizes []int
	for i := range parts {
		begin, end := len(subs)*i/parts, len(subs)*(i+1)/parts
		out.streams = append(out.streams, resolwe.NewStream(m, subs).Range(begin, end))
		sizes = append(sizes, max(0, end-max(begin, opt.Skip)))
	}
	x, err := distributed.NewMixer(m, opt, method, sizes)
	check.OK(tb, err)
	out.Mixer = x
	return out
}

// epoch carries out an epoch, with the parts in the given order.
func (x mixer) epoch(tb testing.TB, place []int) {
	tb.Helper()
	parts := make([]*distributed.MixPart, len(x.streams))
	for _, i := range place {
		p, err := x.Learn(tb.Context(), x.streams[i], i)
		check.OK(tb, err)
		data, _ := p.MarshalBinary()
		parts[i] = &distributed.MixPart{}
		check.OK(tb, parts[i].UnmarshalBinary(data))
	}
	check.OK(tb, x.Mix(parts))
}

// learned carries out the remaining epochs.
func (x mixer) learned(tb testing.TB, rng *rand.Rand) *resolwe.Learned {
	tb.Helper()
	for !x.Done() {
		x.epoch(tb, rng.Perm(len(x.streams)))
	}
	return x.Learned()
}

func (x mixer) objective(tb testing.TB) float64 {
	tb.Helper()
	sum := x.LogPrior()
	for i, s := range x.streams {
		ll, ok, err := x.LogLikelihood(tb.Context(), s, i)
		if err != nil || !ok {
			tb.Fatal(ok, err)
		}
		sum += ll
	}
	return sum
}

// A stream in a single part gives the same result as Learn, to the last bit.
func TestMixer_OnePartIsTheWhole(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 20)
	tied := streamtest.Parse(t, sharingTypes()+"links(p, q) ^ likes(p, u) => likes(q, u)\nread(p, u) => likes(p, u)\n")
	for name, c := range map[string]struct {
		model *resolwe.Model
		subs  []*subgraph.Subgraph
		batch int
	}{
		"independent": {m, subs, 1},
		"batches":     {m, subs, 3},
		"tied":        {tied, streamtest.Subgraphs(t, tied, streamtest.SharingDB(3, 9)), 1},
	} {
		opt := resolwe.LearnOptions{Objective: true, Passes: 3, Batch: c.batch, Skip: 2, Sample: name == "tied"}
		want, err := resolwe.Learn(t.Context(), c.model, resolwe.NewStream(c.model, c.subs), opt)
		check.OK(t, err)
		got := newMixer(t, c.model, c.subs, 1, opt, distributed.MixCD).learned(t, rand.New(rand.NewPCG(1, 1)))
		check.NoDiff(t, cmp.Diff(streamtest.Rules(want.Model.Formulas), streamtest.Rules(got.Model.Formulas)), "%s (-whole +one part)", name)
		if got.Subgraphs != want.Subgraphs || got.Visits != want.Visits {
			t.Errorf("%s: got %d subgraphs in %d visits, want %d in %d", name, got.Subgraphs, got.Visits, want.Subgraphs, want.Visits)
		}
	}
}

// Eight parts approach the optimum as epochs proceed; parts without subgraphs do not matter.
func TestMixer_NearTheOptimum(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 64)
	opt := resolwe.LearnOptions{Objective: true, Passes: 20}
	best, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	for _, c := range []struct {
		name   string
		method distributed.MixMethod
		parts  int
		epochs int
		skip   int
		far    float64 // relative
	}{
		{"cd", distributed.MixCD, 8, 5, 0, 0.01},
		{"newton", distributed.MixNewton, 8, 0, 0, 1e-6},
	} {
		opt.Passes, opt.Skip = c.epochs, c.skip
		x := newMixer(t, m, subs, c.parts, opt, c.method)
		x.learned(t, rand.New(rand.NewPCG(1, 1)))
		got := x.objective(t)
		if far := math.Abs(got/best.Objective - 1); far > c.far {
			t.Errorf("%s: got an objective of %v, want %v (%.3g apart, at most %v)", c.name, got, best.Objective, far, c.far)
		}
	}
}

// The weights of the model are the prior's means in every epoch, hard formulas are unchanged, and skipped parts have no effect.
func TestMixer_NewtonMatchesLearn(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 24)
	m = streamtest.Parse(t, strings.Replace(text(t, m), "member(u, c)", "1.5 member(u, c)", 1))
	opt := resolwe.LearnOptions{Objective: true, Passes: 40, Skip: 7, Sigma: 0.5}
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	opt.Passes = 0
	x := newMixer(t, m, subs, 6, opt, distributed.MixNewton) // the first part is skipped entirely
	got := x.learned(t, rand.New(rand.NewPCG(1, 1)))
	for i, f := range want.Model.Formulas {
		if g := got.Model.Formulas[i]; math.Abs(f.Weight-g.Weight) > 0.01 {
			t.Errorf("%s: got %v, want %v", mln.FormatFormula(f), g.Weight, f.Weight)
		}
	}
}

// text prints a model.
func text(tb testing.TB, m *resolwe.Model) string {
	tb.Helper()
	var b bytes.Buffer
	check.OK(tb, m.Write(&b, nil))
	return b.String()
}

// A mixer restored from another's state gives the same bytes.
func TestMixer_Restore(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 16)
	opt := resolwe.LearnOptions{Objective: true}
	for _, method := range []distributed.MixMethod{distributed.MixAuto, distributed.MixCD, distributed.MixNewton} {
		if opt.Passes = 0; method == distributed.MixCD {
			opt.Passes = 3
		}
		rng := rand.New(rand.NewPCG(2, uint64(method)))
		opt.Run.Workers = 1
		want := newMixer(t, m, subs, 4, opt, method).learned(t, rng)
		x := newMixer(t, m, subs, 4, opt, method)
		for !x.Done() {
			x.epoch(t, rng.Perm(4))
			state, _ := x.MarshalBinary()
			opt.Run.Workers = 2
			x = newMixer(t, m, subs, 4, opt, method)
			check.OK(t, x.Restore(state))
		}
		got := x.Learned()
		check.NoDiff(t, cmp.Diff(streamtest.Rules(want.Model.Formulas), streamtest.Rules(got.Model.Formulas)), "method %d (-in one go +restored)", method)
	}
}

// Results that are not of the mixer's parts and stage are refused.
func TestMixer_Refuses(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 8)
	opt := resolwe.LearnOptions{Objective: true, Passes: 2}
	x := newMixer(t, m, subs, 2, opt, distributed.MixCD)
	part := func(x mixer, i int) *distributed.MixPart {
		p, err := x.Learn(t.Context(), x.streams[i], i)
		check.OK(t, err)
		return p
	}
	first, second := part(x, 0), part(x, 1)
	exact := part(newMixer(t, m, subs, 2, resolwe.LearnOptions{}, distributed.MixNewton), 1)
	for name, parts := range map[string][]*distributed.MixPart{"one missing": {first}, "of another stage": {first, exact}} {
		before, _ := x.MarshalBinary()
		check.ErrorAs[*distributed.PartError](t, x.Mix(parts), "%s", name)
		if after, _ := x.MarshalBinary(); !bytes.Equal(before, after) {
			t.Errorf("%s: the mixer has changed", name)
		}
	}
	check.OK(t, x.Mix([]*distributed.MixPart{first, second}))
	state, _ := x.MarshalBinary()
	y := newMixer(t, m, subs, 2, opt, distributed.MixCD)
	y.Records = "others"
	check.ErrorAs[*resolwe.CheckpointError](t, y.Restore(state), "a state of other records")
	opt.Seed = 7
	check.ErrorAs[*resolwe.CheckpointError](t, newMixer(t, m, subs, 2, opt, distributed.MixCD).Restore(state), "a state of another seed")
}

// Passes and batches of exact gradients are refused, rather than taken for those of one machine.
func TestMixer_ExactPasses(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 8)
	for _, opt := range []resolwe.LearnOptions{{Passes: 1}, {Passes: 2}, {Batch: 7}} {
		_, err := distributed.NewMixer(m, opt, distributed.MixNewton, []int{4, 4})
		check.ErrorAs[*resolwe.OptionError](t, err, "newton, %d passes", opt.Passes)
		if opt.Batch > 0 {
			_, err = distributed.NewMixer(m, opt, distributed.MixAuto, []int{4, 4})
			check.ErrorAs[*resolwe.OptionError](t, err, "auto, batches")
			continue
		}
		x := newMixer(t, m, subs, 2, opt, distributed.MixAuto)
		var parts []*distributed.MixPart
		for i, s := range x.streams {
			p, err := x.Learn(t.Context(), s, i)
			check.OK(t, err)
			parts = append(parts, p)
		}
		check.ErrorAs[*resolwe.OptionError](t, x.Mix(parts), "auto, %d passes", opt.Passes)
	}
}

func TestNewMixer_Options(t *testing.T) {
	t.Parallel()
	m, _ := untied(t, 1)
	for name, c := range map[string]struct {
		change func(*resolwe.LearnOptions)
		method distributed.MixMethod
		parts  []int
	}{
		"pcd":        {func(o *resolwe.LearnOptions) { o.Method = resolwe.PCD }, distributed.MixCD, []int{1}},
		"sigma":      {func(o *resolwe.LearnOptions) { o.Sigma = -1 }, distributed.MixCD, []int{1}},
		"no method":  {nil, 3, []int{1}},
		"nothing":    {nil, distributed.MixCD, []int{0, 0}},
		"negative":   {nil, distributed.MixCD, []int{2, -1}},
		"overflowed": {nil, distributed.MixCD, []int{1, math.MaxInt}},
	} {
		opt := resolwe.LearnOptions{Objective: true}
		if c.change != nil {
			c.change(&opt)
		}
		check.ErrorAs[*resolwe.OptionError](t, check.Err(distributed.NewMixer(m, opt, c.method, c.parts)), "%s", name)
	}
}

// With sampling there is no exact gradient.
func TestMixer_NotExact(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, sharingTypes()+"likes(p, u) ^ likes(q, u)\nlikes(p, u) ^ likes(p, w)\n")
	opt := resolwe.LearnOptions{Objective: true, Sample: true}
	x := newMixer(t, m, streamtest.Subgraphs(t, m, streamtest.SharingDB(1, 3)), 1, opt, distributed.MixNewton)
	e := (*distributed.NotExactError)(nil)
	if _, err := x.Learn(t.Context(), x.streams[0], 0); !errors.As(err, &e) || !e.IsUsage() {
		t.Errorf("got %v, want a *NotExactError", err)
	}
}

func FuzzMixPart(f *testing.F) {
	m, subs := untied(f, 2)
	x := newMixer(f, m, subs, 1, resolwe.LearnOptions{Objective: true}, distributed.MixCD)
	part, err := x.Learn(f.Context(), x.streams[0], 0)
	check.OK(f, err)
	fuzzPart(f, func(t *testing.T, p *distributed.MixPart) {
		t.Helper()
		if err := x.Mix([]*distributed.MixPart{p}); err == nil {
			x = newMixer(t, m, subs, 1, resolwe.LearnOptions{Objective: true}, distributed.MixCD)
		}
	}, part)
}

// By default the result is that of Learn, to the last bit, however the stream is cut.
func TestMixer_AutoIsLearn(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 24)
	opt := resolwe.LearnOptions{Objective: true, Skip: 3}
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	if !want.Converged {
		t.Fatalf("got %+v", want)
	}
	for _, parts := range []int{1, 2, 5, 12, 24} {
		x := newMixer(t, m, subs, parts, opt, distributed.MixAuto)
		got := x.learned(t, rand.New(rand.NewPCG(1, uint64(parts))))
		name := fmt.Sprint(parts, " parts")
		check.Equal(t, name, streamtest.Rules(got.Model.Formulas), streamtest.Rules(want.Model.Formulas))
		if got.Objective != want.Objective || got.Gradient != want.Gradient || !got.Converged || got.Subgraphs != want.Subgraphs || x.Tied() != 0 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// Models that connect many target atoms are learned by synchronous steps, which start at the optimum of the pseudo-likelihood and
// approach that of the likelihood; the result does not depend on how the stream is cut, nor on where a run was resumed.
func TestMixer_AutoTied(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, sharingTypes()+"links(p, q) ^ likes(p, u) => likes(q, u)\nread(p, u) => likes(p, u)\n")
	subs := streamtest.Subgraphs(t, m, streamtest.SharingDB(3, 12))
	opt := resolwe.LearnOptions{Objective: true, Sample: true}
	rng := rand.New(rand.NewPCG(1, 1))
	x := newMixer(t, m, subs, 3, opt, distributed.MixAuto)
	want := x.learned(t, rng)
	if x.Tied() < 2 || math.IsNaN(want.Drift) || !math.IsNaN(want.Gradient) || want.Subgraphs != 12 {
		t.Errorf("got %+v, %d atoms tied", want, x.Tied())
	}
	for _, parts := range []int{1, 5} {
		y := newMixer(t, m, subs, parts, opt, distributed.MixAuto)
		for !y.Done() {
			y.epoch(t, rng.Perm(parts))
			state, err := y.MarshalBinary()
			check.OK(t, err)
			y = newMixer(t, m, subs, parts, opt, distributed.MixAuto)
			check.OK(t, y.Restore(state))
		}
		got := y.Learned()
		check.Equal(t, fmt.Sprint(parts, " parts"), streamtest.Rules(got.Model.Formulas), streamtest.Rules(want.Model.Formulas))
		if got.Drift != want.Drift || got.Passes != want.Passes {
			t.Errorf("%d parts: got %+v, want %+v", parts, got, want)
		}
	}
	best, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true})
	check.OK(t, err)
	if got := x.objective(t); !best.Exact || best.Objective-got > .01 {
		t.Errorf("got an objective of %v, want about %v", got, best.Objective)
	}
}
