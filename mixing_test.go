package resolwe_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/bench"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// untied returns the demo's model without the formula that ties target atoms, and a stream of it.
func untied(tb testing.TB, n int) (*resolwe.Model, []*subgraph.Subgraph) {
	tb.Helper()
	demo := bench.NewDemo()
	declarations, _, _ := strings.Cut(demo.Model, "template")
	m := parse(tb, declarations+strings.Join(demo.Planted[:2], "\n")+"\n")
	var subs []*subgraph.Subgraph
	for s, err := range demo.Generate(m.Schema, bench.DemoOptions{Subgraphs: n, Seed: 1}) {
		if err != nil {
			tb.Fatal(err)
		}
		subs = append(subs, s)
	}
	return m, subs
}

// sharingTypes returns the declarations of the task of sharingDB.
func sharingTypes() string {
	declarations, _, _ := strings.Cut(sharing, "read(p,")
	return declarations
}

// mixer is a mixer with the parts that it mixes.
type mixer struct {
	*resolwe.Mixer
	streams []*resolwe.Stream
}

// newMixer cuts subgraphs into so many parts.
func newMixer(tb testing.TB, m *resolwe.Model, subs []*subgraph.Subgraph, parts int, opt resolwe.LearnOptions, method resolwe.MixMethod) mixer {
	tb.Helper()
	out := mixer{}
	var sizes []int
	for i := range parts {
		begin, end := len(subs)*i/parts, len(subs)*(i+1)/parts
		out.streams = append(out.streams, resolwe.NewStreamAt(m, subs[begin:end], begin))
		sizes = append(sizes, max(0, end-max(begin, opt.Skip)))
	}
	x, err := resolwe.NewMixer(m, opt, method, sizes)
	if err != nil {
		tb.Fatal(err)
	}
	out.Mixer = x
	return out
}

// epoch goes through an epoch, the parts in the order that place gives.
func (x mixer) epoch(tb testing.TB, place []int) {
	tb.Helper()
	parts := make([]*resolwe.MixPart, len(x.streams))
	for _, i := range place {
		p, err := x.Learn(tb.Context(), x.streams[i], i)
		if err != nil {
			tb.Fatal(err)
		}
		data, _ := p.MarshalBinary()
		parts[i] = &resolwe.MixPart{}
		if err := parts[i].UnmarshalBinary(data); err != nil {
			tb.Fatal(err)
		}
	}
	if err := x.Mix(parts); err != nil {
		tb.Fatal(err)
	}
}

// learned goes through all epochs that are left.
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

// A stream in one part is learned from as by Learn, to the bit.
func TestMixer_OnePartIsTheWhole(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 20)
	tied := parse(t, sharingTypes()+"links(p, q) ^ likes(p, u) => likes(q, u)\nread(p, u) => likes(p, u)\n")
	for name, c := range map[string]struct {
		model *resolwe.Model
		subs  []*subgraph.Subgraph
		batch int
	}{
		"independent": {m, subs, 1},
		"batches":     {m, subs, 3},
		"tied":        {tied, subgraphs(t, tied, sharingDB(3, 9)), 1},
	} {
		opt := resolwe.DefaultLearnOptions()
		opt.Passes, opt.Batch, opt.Skip, opt.Sample = 3, c.batch, 2, name == "tied"
		want, err := resolwe.Learn(t.Context(), c.model, resolwe.NewStream(c.model, c.subs), opt)
		if err != nil {
			t.Fatal(err)
		}
		got := newMixer(t, c.model, c.subs, 1, opt, resolwe.MixCD).learned(t, rand.New(rand.NewPCG(1, 1)))
		if diff := cmp.Diff(rules(want.Model.Formulas), rules(got.Model.Formulas)); diff != "" {
			t.Errorf("%s (-whole +one part):\n%s", name, diff)
		}
		if got.Subgraphs != want.Subgraphs || got.Visits != want.Visits {
			t.Errorf("%s: got %d subgraphs in %d visits, want %d in %d", name, got.Subgraphs, got.Visits, want.Subgraphs, want.Visits)
		}
	}
}

// Eight parts come near the optimum, and nearer with each method's epochs; parts without a subgraph do not matter.
func TestMixer_NearTheOptimum(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 64)
	opt := resolwe.DefaultLearnOptions()
	opt.Passes = 20
	best, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		method resolwe.MixMethod
		parts  int
		epochs int
		skip   int
		far    float64 // relative
	}{
		{"cd", resolwe.MixCD, 8, 5, 0, 0.01},
		{"newton", resolwe.MixNewton, 8, 12, 0, 1e-6},
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

// The weights of a model are the prior's mean in every epoch, hard formulas stay as they are, and skipped parts have no say.
func TestMixer_NewtonMatchesLearn(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 24)
	m = parse(t, strings.Replace(text(t, m), "member(u, c)", "1.5 member(u, c)", 1))
	opt := resolwe.DefaultLearnOptions()
	opt.Passes, opt.Skip, opt.Sigma = 40, 7, 0.5
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Passes = 12
	x := newMixer(t, m, subs, 6, opt, resolwe.MixNewton) // the first part is skipped whole
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
	if err := m.Write(&b, nil); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// A mixer that goes on from the state of another gives the same bytes.
func TestMixer_Restore(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 16)
	opt := resolwe.DefaultLearnOptions()
	opt.Passes = 3
	for _, method := range []resolwe.MixMethod{resolwe.MixCD, resolwe.MixNewton} {
		rng := rand.New(rand.NewPCG(2, uint64(method)))
		opt.Run.Workers = 1
		want := newMixer(t, m, subs, 4, opt, method).learned(t, rng)
		x := newMixer(t, m, subs, 4, opt, method)
		for !x.Done() {
			x.epoch(t, rng.Perm(4))
			state, _ := x.MarshalBinary()
			opt.Run.Workers = 2
			x = newMixer(t, m, subs, 4, opt, method)
			if err := x.Restore(state); err != nil {
				t.Fatal(err)
			}
		}
		got := x.Learned()
		if diff := cmp.Diff(rules(want.Model.Formulas), rules(got.Model.Formulas)); diff != "" {
			t.Errorf("method %d (-in one go +restored):\n%s", method, diff)
		}
	}
}

// What is not of the epoch that goes on is not mixed.
func TestMixer_Refuses(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 8)
	opt := resolwe.DefaultLearnOptions()
	opt.Passes = 2
	x := newMixer(t, m, subs, 2, opt, resolwe.MixCD)
	part := func(x mixer, i int) *resolwe.MixPart {
		p, err := x.Learn(t.Context(), x.streams[i], i)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	opt.Seed = 7
	other := part(newMixer(t, m, subs, 2, opt, resolwe.MixCD), 1)
	first, second := part(x, 0), part(x, 1)
	for name, parts := range map[string][]*resolwe.MixPart{
		"one missing":    {first},
		"another order":  {second, first},
		"one twice":      {first, first},
		"of another run": {first, other},
		"nothing":        {first, {}},
	} {
		before, _ := x.MarshalBinary()
		if err := x.Mix(parts); !errors.As(err, new(*resolwe.MixError)) {
			t.Errorf("%s: got %v, want a *MixError", name, err)
		}
		if after, _ := x.MarshalBinary(); !bytes.Equal(before, after) {
			t.Errorf("%s: the mixer has changed", name)
		}
	}
	if err := x.Mix([]*resolwe.MixPart{first, second}); err != nil {
		t.Fatal(err)
	}
	if err := x.Mix([]*resolwe.MixPart{first, second}); !errors.As(err, new(*resolwe.MixError)) {
		t.Errorf("an epoch before: got %v, want a *MixError", err)
	}
	state, _ := x.MarshalBinary()
	if err := newMixer(t, m, subs, 2, opt, resolwe.MixCD).Restore(state); !errors.As(err, new(*resolwe.CheckpointError)) {
		t.Errorf("a state of another seed: got %v, want a *CheckpointError", err)
	}
}

func TestNewMixer_Options(t *testing.T) {
	t.Parallel()
	m, _ := untied(t, 1)
	for name, c := range map[string]struct {
		change func(*resolwe.LearnOptions)
		method resolwe.MixMethod
		parts  []int
	}{
		"pcd":        {func(o *resolwe.LearnOptions) { o.Method = resolwe.PCD }, resolwe.MixCD, []int{1}},
		"sigma":      {func(o *resolwe.LearnOptions) { o.Sigma = 0 }, resolwe.MixCD, []int{1}},
		"no method":  {nil, 0, []int{1}},
		"nothing":    {nil, resolwe.MixCD, []int{0, 0}},
		"negative":   {nil, resolwe.MixCD, []int{2, -1}},
		"too many":   {nil, resolwe.MixCD, []int{math.MaxInt32, 1}},
		"overflowed": {nil, resolwe.MixCD, []int{1, math.MaxInt}},
	} {
		opt := resolwe.DefaultLearnOptions()
		if c.change != nil {
			c.change(&opt)
		}
		if _, err := resolwe.NewMixer(m, opt, c.method, c.parts); !errors.As(err, new(*resolwe.OptionError)) {
			t.Errorf("%s: got %v, want an *OptionError", name, err)
		}
	}
}

// Atoms that are tied to many others have no exact gradient.
func TestMixer_NotExact(t *testing.T) {
	t.Parallel()
	m := parse(t, sharingTypes()+"likes(p, u) ^ likes(q, u)\nlikes(p, u) ^ likes(p, w)\n")
	opt := resolwe.DefaultLearnOptions()
	x := newMixer(t, m, subgraphs(t, m, sharingDB(1, 3)), 1, opt, resolwe.MixNewton)
	e := (*resolwe.NotExactError)(nil)
	if _, err := x.Learn(t.Context(), x.streams[0], 0); !errors.As(err, &e) || !e.IsUsage() {
		t.Errorf("got %v, want a *NotExactError", err)
	}
}

// Any bytes are a part, or an error.
func FuzzMixPart(f *testing.F) {
	m, subs := untied(f, 2)
	x := newMixer(f, m, subs, 1, resolwe.DefaultLearnOptions(), resolwe.MixCD)
	p, err := x.Learn(f.Context(), x.streams[0], 0)
	if err != nil {
		f.Fatal(err)
	}
	data, _ := p.MarshalBinary()
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, resolwe.Reseal(data)} {
			var p resolwe.MixPart
			if err := p.UnmarshalBinary(text); err != nil {
				if !errors.As(err, new(*resolwe.MixError)) {
					t.Errorf("got %v, want a *MixError", err)
				}
				continue
			}
			if again, _ := p.MarshalBinary(); !slices.Equal(again, text) {
				t.Error("what was read is written otherwise")
			}
			if err := x.Mix([]*resolwe.MixPart{&p}); err == nil {
				x = newMixer(t, m, subs, 1, resolwe.DefaultLearnOptions(), resolwe.MixCD)
			}
		}
	})
}
