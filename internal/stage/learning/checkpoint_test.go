package learning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/learning"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// outcome is all that learning gives.
func outcome(l *resolwe.Learned) string {
	return fmt.Sprint(rules(l.Model.Formulas), weights(l.Model.Formulas), l.Objective, l.Exact, l.Subgraphs, l.Visits, l.Stopped, l.Curve)
}

// recorded learns, and returns the checkpoint after each update and at the end.
func recorded(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.LearnOptions) (string, [][]byte) {
	t.Helper()
	var saved [][]byte
	opt.Checkpoints.Due = func() bool { return true }
	opt.Checkpoints.Save = func(data []byte) error {
		saved = append(saved, bytes.Clone(data))
		return nil
	}
	learned, err := resolwe.Learn(t.Context(), m, s, opt)
	check.OK(t, err)
	return outcome(learned), saved
}

// A run that goes on from any of its checkpoints gives the same bytes, with other workers and with what was kept in memory
// lost.
func TestLearn_Resume(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	db := tiedDB(7)
	plain := file(t, "", "s.db", []byte(db))
	for name, set := range map[string]func(*resolwe.LearnOptions){
		"cd":            func(*resolwe.LearnOptions) {},
		"sampled":       func(o *resolwe.LearnOptions) { o.Sample = true },
		"curve":         func(o *resolwe.LearnOptions) { o.Sample, o.Curve = true, true },
		"mini-batches":  func(o *resolwe.LearnOptions) { o.Sample, o.Batch = true, 3 },
		"pcd":           func(o *resolwe.LearnOptions) { o.Sample, o.Method = true, resolwe.PCD },
		"pcd batches":   func(o *resolwe.LearnOptions) { o.Sample, o.Method, o.Batch = true, resolwe.PCD, 4 },
		"first skipped": func(o *resolwe.LearnOptions) { o.Sample, o.Skip = true, 2 },
		"one pass":      func(o *resolwe.LearnOptions) { o.Sample, o.Passes = true, 1 },
		"auto":          func(o *resolwe.LearnOptions) { o.Passes, o.Curve = 0, true },
		"adagrad":       func(o *resolwe.LearnOptions) { o.Method, o.Curve = resolwe.AdaGrad, true },
		"cda":           func(o *resolwe.LearnOptions) { o.Method, o.Curve = resolwe.CDA, true },
		"auto tied":     func(o *resolwe.LearnOptions) { o.Passes, o.Sample, o.Curve = 0, true, true },
	} {
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		opt := resolwe.LearnOptions{Objective: true, Passes: 3}
		set(&opt)
		place := resolwe.StreamOptions{}
		if opt.Method == resolwe.PCD {
			place.First = 1 << 33 // a position beyond those of 32 bits
		}
		want, saved := recorded(t, m, open(t, m, place, plain), opt)
		for i := range 6 {
			at := r.IntN(len(saved))
			if i == 0 {
				at = len(saved) - 1 // learning was done
			}
			opt.Run.Workers = []int{1, 2, 3, 8}[i%4]
			opt.Checkpoints.Resume = saved[at]
			opt.CacheBytes = []int{0, -1, 2000}[i%3]
			learned, err := resolwe.Learn(t.Context(), m, open(t, m, place, plain), opt)
			check.OKf(t, err, "%s, checkpoint %d", name, at)
			check.Equal(t, fmt.Sprintf("%s, checkpoint %d of %d", name, at, len(saved)), outcome(learned), want)
		}
	}
}

// A pipe is fed again from its beginning.
func TestLearn_Resume_Pipe(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	pipe := func() *resolwe.Stream {
		return open(t, m, resolwe.StreamOptions{Stdin: strings.NewReader(tiedDB(6))}, "-")
	}
	opt := resolwe.LearnOptions{Objective: true, Subgraphs: 6}
	want, saved := recorded(t, m, pipe(), opt)
	for i, data := range saved { // the last one when learning was done
		opt.Checkpoints.Resume = data
		learned, err := resolwe.Learn(t.Context(), m, pipe(), opt)
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("checkpoint %d", i), outcome(learned), want)
	}
}

// A run that its caller ends saves where it is, whether by its context or with what it has.
func TestLearn_Ended(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	opt := resolwe.LearnOptions{Objective: true, Passes: 4, Sample: true, Method: resolwe.PCD}
	want, _ := recorded(t, m, inMemory(t, m, tiedDB(5)), opt)
	for _, after := range []int{1, 4, 5, 13, 19} {
		for _, cancelled := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			var saved []byte
			updates := 0
			first := opt
			first.Checkpoints.Save = func(data []byte) error {
				saved = bytes.Clone(data)
				return nil
			}
			first.Stop = func() bool {
				updates++
				if updates == after && cancelled {
					cancel()
				}
				return updates == after && !cancelled
			}
			learned, err := resolwe.Learn(ctx, m, inMemory(t, m, tiedDB(5)), first)
			cancel()
			switch {
			case cancelled && !errors.Is(err, context.Canceled):
				t.Fatalf("cancelled after %d: got %v", after, err)
			case !cancelled && (err != nil || !learned.Stopped || learned.Exact || learned.Visits != after || learned.Subgraphs != min(after, 5)):
				t.Fatalf("stopped after %d: got %+v, %v", after, learned, err)
			}
			rest := opt
			rest.Checkpoints.Resume = saved
			learned, err = resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(5)), rest)
			check.OK(t, err)
			check.Equal(t, fmt.Sprintf("after %d, cancelled %v", after, cancelled), outcome(learned), want)
		}
	}
}

// Time that ends with the last update stops nothing.
func TestLearn_EnoughAtTheEnd(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	opt := resolwe.LearnOptions{Objective: true, Passes: 1}
	want, _ := recorded(t, m, inMemory(t, m, tiedDB(3)), opt)
	updates := 0
	opt.Stop = func() bool {
		updates++
		return updates > 2
	}
	learned, err := resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(3)), opt)
	check.OK(t, err)
	check.Equal(t, "result", outcome(learned), want)
}

// A stream in another form is the same stream only if its records are: facts that were changed in a packed file are seen by their checksums,
// whether it is mapped or unpacked as it is read.
func TestLearn_ResumeChanged(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	pack := func(db string) []byte { return streamtest.Pack(t, m.Schema, subgraphs(t, m, db), rsg.WriterOptions{}) }
	same, other := pack(tiedDB(4)), pack(strings.Replace(tiedDB(4), "e(A0, A1)", "e(A1, A0)", 1))
	_, saved := recorded(t, m, open(t, m, resolwe.StreamOptions{}, file(t, "", "s.rsg", same)), resolwe.LearnOptions{})
	opt := resolwe.LearnOptions{Checkpoints: resolwe.Checkpoints{Resume: saved[len(saved)-1]}}
	for name, pack := range map[string]func([]byte) []byte{"s.rsg": bytes.Clone, "s.rsg.gz": archivetest.Gzip[[]byte]} {
		_, err := resolwe.Learn(t.Context(), m, open(t, m, resolwe.StreamOptions{}, file(t, "", name, pack(same))), opt)
		check.OKf(t, err, "%s, the same", name)
		_, err = resolwe.Learn(t.Context(), m, open(t, m, resolwe.StreamOptions{}, file(t, "", name, pack(other))), opt)
		check.ErrorAs[*resolwe.CheckpointError](t, err, "%s, a fact changed", name)
	}
}

func TestLearn_ResumeOther(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	base := resolwe.LearnOptions{Objective: true, Passes: 2}
	_, saved := recorded(t, m, inMemory(t, m, tiedDB(4)), base)
	base.Checkpoints.Resume = saved[2]
	for _, test := range []struct {
		name, says string
		model      string
		db         string
		set        func(*resolwe.LearnOptions)
	}{
		{"formula", "the model", strings.Replace(tied, "0.7", "0.8", 1), "", nil},
		{"one formula more", "the model", tied + "q(x) ^ !e(x, x)\n", "", nil},
		{"one subgraph more", "the number of subgraphs", tied, tiedDB(5), nil},
		{"another name", "the stream", tied, strings.Replace(tiedDB(4), "s2", "other", 1), nil},
		{"a fact", "the contents of the stream", tied, strings.Replace(tiedDB(4), "e(A0, A1)", "e(A1, A0)", 1), nil},
		{"a truth", "the contents of the stream", tied, strings.Replace(tiedDB(4), "q(", "!q(", 1), nil},
		{"an unknown truth", "the contents of the stream", tied, strings.Replace(tiedDB(4), "q(", "?q(", 1), nil},
		{"an entity", "the contents of the stream", tied, strings.ReplaceAll(tiedDB(4), "A7", "B7"), nil},
		{"a center", "the contents of the stream", tied, strings.Replace(tiedDB(4), "@subgraph s2", "@subgraph s2 center=A1", 1), nil},
		{"a time", "the contents of the stream", tied, strings.Replace(tiedDB(4), "@subgraph s2", "@subgraph s2 time=2024-01-01", 1), nil},
		{"a type line", "the model's constants", "a = {A0, B0}\n" + tied, "", nil},
		{"sigma", "LearnOptions.Sigma", tied, "", func(o *resolwe.LearnOptions) { o.Sigma = 3 }},
		{"method", "LearnOptions.Method", tied, "", func(o *resolwe.LearnOptions) { o.Method = resolwe.PCD }},
		{"passes", "LearnOptions.Passes", tied, "", func(o *resolwe.LearnOptions) { o.Passes = 3 }},
		{"batch", "LearnOptions.Batch", tied, "", func(o *resolwe.LearnOptions) { o.Batch = 2 }},
		{"exact", "LearnOptions.Sample", tied, "", func(o *resolwe.LearnOptions) { o.Sample = true }},
		{"samples", "LearnOptions.Samples", tied, "", func(o *resolwe.LearnOptions) { o.Samples = 6 }},
		{"sampler", "LearnOptions.Sampler", tied, "", func(o *resolwe.LearnOptions) { o.Sampler = resolwe.MethodGibbs }},
		{"seed", "LearnOptions.Seed", tied, "", func(o *resolwe.LearnOptions) { o.Seed = 2 }},
		{"curve", "LearnOptions.Curve", tied, "", func(o *resolwe.LearnOptions) { o.Curve = true }},
	} {
		m, opt, db := parse(t, test.model), base, tiedDB(4)
		if test.set != nil {
			test.set(&opt)
		}
		if test.db != "" {
			db = test.db
		}
		_, err := resolwe.Learn(t.Context(), m, inMemory(t, m, db), opt)
		e, ok := errors.AsType[*resolwe.CheckpointError](err)
		if !ok || e.Damaged || !e.IsUsage() || !strings.Contains(e.Error(), test.says) {
			t.Errorf("%s: got %v, want that %s differs", test.name, err, test.says)
		}
	}
}

// A checkpoint of which a byte is missing or changed is refused.
func TestLearn_ResumeDamaged(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	opt := resolwe.LearnOptions{Objective: true}
	s := inMemory(t, m, tiedDB(2))
	_, saved := recorded(t, m, s, opt)
	good := saved[0]
	refused := func(what string, data []byte) {
		opt.Checkpoints.Resume = data
		_, err := resolwe.Learn(t.Context(), m, s, opt)
		if !errors.Is(err, subgraph.ErrCorrupt) || !errors.As(err, new(*resolwe.CheckpointError)) {
			t.Errorf("%s: got %v, want that it is damaged", what, err)
		}
	}
	for i := range good {
		changed := bytes.Clone(good)
		changed[i] ^= 1 << (i % 8)
		refused(fmt.Sprintf("bit of byte %d", i), changed)
		refused(fmt.Sprintf("%d bytes", i), good[:i])
	}
	refused("empty", []byte{})
	refused("one byte more", append(bytes.Clone(good), 0))
	refused("a pass without subgraphs", learning.Moved(good, 1, 0, 0))
	refused("a position without subgraphs", learning.Moved(good, 0, 1, 0))
}

// A checkpoint that cannot be saved ends learning.
func TestLearn_SaveFails(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	opt := resolwe.LearnOptions{Objective: true}
	want := errors.New("no space left")
	opt.Checkpoints.Save = func([]byte) error { return want }
	for _, due := range []func() bool{nil, func() bool { return true }} {
		opt.Checkpoints.Due = due
		check.ErrorIs(t, check.Err(resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(2)), opt)), want, "error")
	}
}

// FuzzResume goes on from any bytes: that ends in an error, or in a result.
func FuzzResume(f *testing.F) {
	m := parse(f, tied)
	subs := subgraphs(f, m, tiedDB(2))
	opt := resolwe.LearnOptions{Objective: true, Passes: 3, Sample: true, Method: resolwe.PCD, Curve: true}
	opt.Checkpoints.Due = func() bool { return true }
	var last []byte
	opt.Checkpoints.Save = func(data []byte) error {
		last = bytes.Clone(data)
		f.Add(last)
		return nil
	}
	check.OK(f, check.Err(resolwe.Learn(f.Context(), m, resolwe.NewStream(m, subs), opt)))
	f.Add(learning.Moved(last, opt.Passes, 0, 0))
	opt.Checkpoints = resolwe.Checkpoints{}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = streamtest.Reseal(data)
		again, err := learning.Rewrite(data)
		if err == nil && !bytes.Equal(again, data) {
			t.Error("another checkpoint reads as the same")
		}
		opt := opt
		opt.Checkpoints.Resume = data
		_, err = resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
		if err != nil && !errors.As(err, new(*resolwe.CheckpointError)) {
			t.Errorf("got %v, want a *CheckpointError", err)
		}
	})
}

// FuzzResumeAuto does the same where the number of passes is not given, with few passes.
func FuzzResumeAuto(f *testing.F) {
	m := parse(f, tied)
	subs := subgraphs(f, m, tiedDB(2))
	opt := resolwe.LearnOptions{Objective: true}
	opt.Checkpoints.Due = func() bool { return true }
	saved := 0
	opt.Checkpoints.Save = func(data []byte) error {
		if saved++; saved < 40 {
			f.Add(bytes.Clone(data))
		}
		return nil
	}
	for _, opt.Sample = range []bool{true, false} {
		saved = 0
		check.OK(f, check.Err(resolwe.Learn(f.Context(), m, resolwe.NewStream(m, subs), opt)))
	}
	opt.Checkpoints = resolwe.Checkpoints{}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, sample := range []bool{false, true} {
			opt, left := opt, 20
			opt.Sample, opt.Checkpoints.Resume = sample, streamtest.Reseal(data)
			opt.Stop = func() bool {
				left--
				return left <= 0
			}
			_, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
			if err != nil && !errors.As(err, new(*resolwe.CheckpointError)) {
				t.Errorf("got %v, want a *CheckpointError", err)
			}
		}
	})
}
