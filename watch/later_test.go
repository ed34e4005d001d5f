package watch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/watch"
)

// drifting returns the subgraphs of a stream that changes.
func drifting(t *testing.T, m *resolwe.Model, opt drift.Options) (subs []*subgraph.Subgraph) {
	t.Helper()
	_, err := drift.Generate(m.Schema, opt, func(s *subgraph.Subgraph) error {
		subs = append(subs, s.Clone())
		return nil
	})
	check.OK(t, err)
	return subs
}

// hiding returns a subgraph in which the truth of some target atoms is unknown.
func hiding(m *resolwe.Model, s *subgraph.Subgraph, hidden func(id uint32) bool) *subgraph.Subgraph {
	out, r := s.Clone(), &s.Relations[m.Schema.Predicate("buys")]
	var truths [2][]uint32 // true and unknown
	for id := range uint32(s.Domains[0].Size) {
		if hidden(id) {
			truths[1] = append(truths[1], id)
		} else if slices.Contains(r.True.Cols[0], id) {
			truths[0] = append(truths[0], id)
		}
	}
	to := &out.Relations[m.Schema.Predicate("buys")]
	to.True.Cols, to.Unknown.Cols = [][]uint32{truths[0]}, [][]uint32{truths[1]}
	return out
}

// watched is what a run shows, with all predictions of known truth, by system and place.
type watched struct {
	record

	summary *watch.Summary
	scored  [len(watch.Systems)]map[int][]inferring.Prediction
}

func (r *watched) run(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, opt watch.Options) {
	t.Helper()
	for k := range r.scored {
		r.scored[k] = map[int][]inferring.Prediction{}
	}
	opt = r.options(opt)
	opt.Scored = func(place, system int, _ inferring.Figures, atoms []inferring.Prediction) {
		r.scored[system][place] = append(r.scored[system][place], atoms...)
	}
	var err error
	r.summary, err = watch.Watch(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
}

// events returns the events and the models.
func (r *record) events() (out []string) {
	for _, l := range r.lines {
		if !strings.HasPrefix(l, "line") {
			out = append(out, l)
		}
	}
	return out
}

// Truth that comes a number of subgraphs later, in records of its own, has the effects of truth that is known with that delay: the same
// predictions, alarms and models. A run resumes from any checkpoint, with truth that has come, or is still to come.
func TestWatch_LaterAsDelayed(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	weighted := model(t, "-1.5", "1.25", "0", ".8", "0")
	for _, tt := range []struct {
		m       *resolwe.Model
		opt     watch.Options
		at, all int // the change, and subgraphs
	}{
		{weighted, watch.Options{Delay: 100, Alarm: 20}, 300, 900},
		{weighted, watch.Options{Delay: 40, Block: 20, Alarm: 20, Adapt: watch.AdaptNone}, 200, 400},
		{candidates(t), watch.Options{Start: 200, Block: 100, Delay: 100, Alarm: 20, Adapt: watch.AdaptStructure}, 450, 1200},
	} {
		subs := drifting(t, tt.m, drift.Options{Kind: "abrupt", At: tt.at, Subgraphs: tt.all, Size: 1, Seed: 5})
		block, delay := tt.opt.Block, tt.opt.Delay
		if block == 0 {
			block = 50
		}
		after := make([][]*subgraph.Subgraph, len(subs)) // records by the subgraph that they follow
		known := len(subs) - delay                       // of the others nothing is ever known
		for i, s := range subs[:known] {
			first := i - i%block + delay // of the block after which the truth is known
			at := first + rng.IntN(block)
			after[at] = append(after[at], s)
		}
		var stream []*subgraph.Subgraph
		for i, s := range subs {
			s = hiding(tt.m, s, func(uint32) bool { return true })
			if stream = append(stream, s); i >= known {
				subs[i] = s
			}
			rng.Shuffle(len(after[i]), func(j, k int) { after[i][j], after[i][k] = after[i][k], after[i][j] })
			stream = append(stream, after[i]...)
		}
		var want, got watched
		tt.opt.Run = resolwe.Run{Workers: 2}
		want.run(t, tt.m, subs, tt.opt)
		tt.opt.Delay = 0
		got.run(t, tt.m, stream, tt.opt)
		check.Equal(t, "predictions", got.scored, want.scored)
		check.Equal(t, "events and models", got.events(), want.events())
		check.AtLeast(t, want.summary.Alarms, 1, "alarms")
		check.Is(t, want.summary.Takeovers > 0, tt.opt.Adapt != watch.AdaptNone, "takeovers")
		check.Equal(t, "records", got.summary.Later, watch.Later{Records: known})
		for k, f := range got.summary.Figures {
			check.Near(t, f.CLL, want.summary.Figures[k].CLL, 1e-12, "CLL of %s", watch.Systems[k])
			check.Near(t, f.MAP, want.summary.Figures[k].MAP, 1e-12, "MAP of %s", watch.Systems[k])
		}
		at := rng.IntN(len(got.saved))
		again := tt.opt
		again.Run = streamtest.Yielding(3)
		again.Checkpoints.Resume = got.saved[at]
		var rest watched
		rest.run(t, tt.m, stream, again)
		check.Equal(t, fmt.Sprint("after checkpoint ", at), rest.lines, got.lines[got.marks[at]:])
		check.Equal(t, "summary after a checkpoint", fmt.Sprint(*rest.summary), fmt.Sprint(*got.summary))
	}
}

// Whichever atoms are unknown at first, and in how many records their truth comes, each is counted once, with the prediction that was made
// for it then; the published model predicts as where all is known.
func TestWatch_LaterOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m := model(t, "-1.5", "1.25", "0", ".8", "0")
	subs := drifting(t, m, drift.Options{Kind: "none", At: 1, Subgraphs: 200, Size: 1, Seed: 5})
	var stream, records []*subgraph.Subgraph
	never := 0
	for _, s := range subs {
		in := make([]int, s.Domains[0].Size) // 0: known at once; 1 and 2: in such a record; 3: never
		for i := range in {
			if in[i] = rng.IntN(4); in[i] == 3 {
				never++
			}
		}
		stream = append(stream, hiding(m, s, func(id uint32) bool { return in[id] > 0 }))
		for k := 1; k < 3; k++ { // what is not of this record, or an earlier one, is unknown in it; some records come twice
			record := hiding(m, s, func(id uint32) bool { return in[id] > k })
			for range 1 + rng.IntN(2) {
				records = append(records, record)
			}
		}
		for len(records) > 0 && rng.IntN(4) > 0 {
			i := rng.IntN(len(records))
			stream, records = append(stream, records[i]), slices.Delete(records, i, i+1)
		}
	}
	stream = append(stream, records...)
	var want, got watched
	opt := watch.Options{Adapt: watch.AdaptNone, Block: 17}
	want.run(t, m, subs, opt)
	got.run(t, m, stream, opt)
	check.Equal(t, "atoms", got.summary.Atoms+never, want.summary.Atoms)
	check.Equal(t, "subgraphs", got.summary.Subgraphs, len(subs))
	count := func(list []inferring.Prediction, what inferring.Prediction) (n int) {
		for _, p := range list {
			if p == what {
				n++
			}
		}
		return n
	}
	for place, atoms := range got.scored[1] {
		for _, p := range atoms {
			check.AtMost(t, count(atoms, p), count(want.scored[1][place], p), "subgraph %d: times that %v was counted", place, p)
		}
	}
}

// The figures of later truth are those computed by hand; a record that states nothing awaited is counted, and is no error.
func TestWatch_LaterByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what, target, db string
		atoms            int
		loss             float64 // summed over subgraphs of the means over their atoms, each time that truth is known
		later            watch.Later
	}{
		{"all unknown", "listed ", "@subgraph s1\nreads(A)\n?buys(A)\n@subgraph s2\nreads(B)\nbuys(B)\n@subgraph s1\nreads(A)\nbuys(A)\n", 2, 2 * soft(1.1), watch.Later{Records: 1}},
		{"without evidence", "listed ", "@subgraph s1\nreads(A)\n?buys(A)\n@subgraph s1\n!buys(A)\n", 1, soft(-1.1), watch.Later{Records: 1}},
		{"the first counts", "listed ", "@subgraph s1\n?buys(A)\n@subgraph s1\n!buys(A)\n@subgraph s1\nbuys(A)\n", 1, soft(1.1), watch.Later{Records: 2, Ignored: 1}},
		{"still unknown", "listed ", "@subgraph s1\n?buys(A)\n@subgraph s1\n?buys(A)\n@subgraph s1\nbuys(A)\n", 1, soft(-1.1), watch.Later{Records: 2, Ignored: 1}},
		{"never unknown", "listed ", "@subgraph s1\nbuys(A)\n@subgraph s1\nbuys(A)\n!buys(B)\n", 1, soft(-1.1), watch.Later{Records: 1, Ignored: 1}},
		{"another atom", "listed ", "@subgraph s1\n?buys(A)\nbuys(B)\n@subgraph s1\nbuys(C)\nbuys(B)\n", 1, soft(-1.1), watch.Later{Records: 1, Ignored: 1}},
		{"not stated, not mentioned", "", "@subgraph s1\n?buys(A)\n?buys(B)\n@subgraph s1\nbuys(B)\n", 1, soft(-1.1), watch.Later{Records: 1}},
		{"not stated, but mentioned", "", "@subgraph s1\n?buys(A)\n?buys(B)\n@subgraph s1\n@entity person A\nbuys(B)\n", 2, (soft(1.1) + soft(-1.1)) / 2, watch.Later{Records: 1}},
	} {
		m := streamtest.Parse(t, "reads(person)\ncooks(person)\ntarget "+tt.target+"buys(person)\n2.2 reads(x) ^ buys(x)\n-1.1 buys(x)\n")
		var sum float64
		lines := 0
		s := streamtest.Open(t, m, resolwe.StreamOptions{Names: true}, streamtest.File(t, t.TempDir(), "s.db", []byte(tt.db)))
		got, err := watch.Watch(t.Context(), m, s, watch.Options{Scored: func(_, system int, f inferring.Figures, _ []inferring.Prediction) {
			if watch.Systems[system] == "published" {
				sum -= f.CLL
			}
		}, Line: func(*watch.Line) error { lines++; return nil }})
		check.OK(t, err)
		check.Equal(t, tt.what, []any{got.Atoms, got.Later}, []any{tt.atoms, tt.later})
		check.Near(t, sum, tt.loss, 1e-9, "%s: loss", tt.what)
	}
}

// A record of later truth needs neither a center nor a time, although subgraphs do.
func TestWatch_LaterBare(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "knows(person, person)\ntarget listed buys(person)\n2.2 knows(@center, x) ^ buys(x)\n-1.1 buys(x)\n")
	db := "@subgraph s1 center=C time=2020-01-01\nknows(C, A)\n?buys(A)\n@subgraph s2 center=C time=2020-01-03\nbuys(A)\n@subgraph s1\nbuys(A)\n@subgraph s3 center=C time=2020-01-04\n!buys(A)\n"
	dir := t.TempDir()
	first, second, _ := strings.Cut(db, "@subgraph s1\n")
	for _, paths := range [][]string{
		{streamtest.File(t, dir, "all.db", []byte(db))},
		{streamtest.File(t, dir, "first.db", []byte(first)), streamtest.File(t, dir, "second.db", []byte("@subgraph s1\n"+second))},
	} {
		got, err := watch.Watch(t.Context(), m, streamtest.Open(t, m, resolwe.StreamOptions{Names: true}, paths...), watch.Options{Block: 1, Wait: time.Hour})
		check.OK(t, err)
		check.Equal(t, "atoms, subgraphs and records", []any{got.Atoms, got.Subgraphs, got.Later}, []any{3, 3, watch.Later{Records: 1}})
	}
}

// soft is -ln of the probability of what has log-odds z.
func soft(z float64) float64 { return math.Log1p(math.Exp(-z)) }

// At most the blocks of the last 100,000 unknown atoms are awaited.
func TestWatch_LaterGivenUp(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "target listed buys(person)\n-1.1 buys(x)\n")
	const subgraphs, atoms = 13, 10_000
	var b strings.Builder
	record := func(name int, mark string) {
		fmt.Fprintf(&b, "@subgraph s%d\n", name)
		for i := range atoms {
			fmt.Fprintf(&b, "%sbuys(P%d)\n", mark, i)
		}
	}
	for i := range subgraphs {
		record(i, "?")
	}
	for _, i := range []int{1, 2, 12} {
		record(i, "")
	}
	s := streamtest.Open(t, m, resolwe.StreamOptions{Names: true}, streamtest.File(t, t.TempDir(), "s.db", []byte(b.String())))
	got, err := watch.Watch(t.Context(), m, s, watch.Options{Block: 1})
	check.OK(t, err)
	check.Equal(t, "atoms", got.Atoms, 2*atoms)
	check.Equal(t, "later", got.Later, watch.Later{Records: 3, Ignored: 1, GivenUp: 2 * atoms})
}
