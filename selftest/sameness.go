package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/kernels/naive"
)

// sameness lists the checks of what has to be the same bytes: results for each number of workers, and streams that are
// written and read.
func (s *suite) sameness() []check {
	workers := check{subject: "workers", name: "1, 2 and 8: same results", unit: "difference"}
	for i := range min(s.times(1), 3) {
		workers.cases = append(workers.cases, s.sameForWorkers(i))
	}
	streams := check{subject: "streams", name: "written and read: same subgraphs", unit: "difference"}
	for i := range min(s.times(1), 3) {
		streams.cases = append(streams.cases,
			s.sameAsWritten(func() (*task, error) { return s.demoTask(i, 10) }),
			s.sameAsWritten(func() (*task, error) {
				return randomTask(s.source("written", i), naive.TaskOptions{Counts: true, Subgraphs: 8})
			}))
	}
	return []check{workers, streams}
}

// shapedFormulas are formulas over the demo's predicates with counting literals and shapes.
const shapedFormulas = `
#{a: articleEdit(a, u)} >= 3 ^ member(u, c) => modifies(t, u)
#{a, w: articleTalk(a, u) ^ articleTalk(a, w)} >= 4 ^ modifies(t, u)
0.3 log: articleEdit(a, u) ^ modifies(t, u)
-0.2 once: userTalk(w, u) ^ modifies(t, u)
0.4 mean: sameLanguage(u, w) ^ modifies(t, w) ^ modifies(t, u)
`

// demoTask generates a stream of n subgraphs.
func (s *suite) demoTask(i, n int) (*task, error) {
	d := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(d.Model+shapedFormulas), resolwe.ModelOptions{})
	if err != nil {
		return nil, err
	}
	t := &task{model: m}
	opt := demo.Options{Subgraphs: n, Users: 12, Articles: 9, Seed: s.seed + uint64(i)}
	for sub, err := range d.Generate(t.model.Schema, opt) {
		if err != nil {
			return nil, err
		}
		t.subs = append(t.subs, sub)
	}
	return t, nil
}

// sameForWorkers selects, learns and infers with each number of workers.
func (s *suite) sameForWorkers(i int) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := s.demoTask(i, 20)
		if err != nil {
			return f, err
		}
		var want []string
		for _, workers := range []int{1, 2, 8} { // the others are held against the first
			got, err := s.results(ctx, t, workers)
			if err != nil {
				return f, err
			}
			if want == nil {
				want = got
				continue
			}
			for k, what := range []string{"select by gain", "select", "learn", "learn in batches", "infer"} {
				f.holds(got[k] == want[k], func() string { return fmt.Sprintf("%s with %d workers", what, workers) })
			}
		}
		return f, nil
	}
}

// results returns what selection, learning and inference give, as text.
func (s *suite) results(ctx context.Context, t *task, workers int) ([]string, error) {
	run := resolwe.Run{Workers: workers}
	best := resolwe.SelectOptions{Criterion: resolwe.Gain, Gain: resolwe.GainOptions{Formulas: 5, Depth: 2}, Run: run}
	grown, err := s.Select(ctx, t.model, t.stream(), best)
	if err != nil {
		return nil, err
	}
	choose := resolwe.SelectOptions{}
	choose.Threshold, choose.Criterion, choose.Run = new(1.0), resolwe.Lift, run
	chosen, err := s.Select(ctx, t.model, t.stream(), choose)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for i := range chosen.Candidates {
		fmt.Fprintf(&text, "%+v\n", chosen.Candidates[i].Totals)
	}
	out := []string{pathText(grown), text.String()}
	model, _ := chosen.Model(t.model)
	opt := resolwe.LearnOptions{}
	opt.Sample, opt.Method, opt.Passes = true, resolwe.PCD, 10
	opt.Seed, opt.Run = s.seed, run
	for _, opt.Batch = range []int{1, 8} {
		learned, err := s.Learn(ctx, model, t.stream(), opt)
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprint(weights(learned.Model.Formulas), learned.Objective))
		model = learned.Model
	}
	infer := resolwe.InferOptions{}
	infer.Method, infer.Samples, infer.BurnIn, infer.Chains = resolwe.MethodMCSAT, 20, new(5), 2
	infer.Seed, infer.Run = s.seed, run
	text.Reset()
	err = s.Infer(ctx, model, t.stream(), infer, func(m *resolwe.Marginals) error {
		_, err := fmt.Fprintln(&text, m.Index, m.Subgraph, m.P)
		return err
	})
	return append(out, text.String()), err
}

// pathText prints what was selected by gain, weights in full.
func pathText(s *resolwe.Selection) string {
	var b strings.Builder
	for i := range s.Gain {
		g := &s.Gain[i]
		fmt.Fprintln(&b, g.Family, g.Shrink, g.Base, g.Size, g.Bias)
		for _, step := range slices.Concat(g.Path, g.Tied) {
			fmt.Fprintln(&b, mln.FormatRule(step.Formula), step.Gain, step.Support, step.TrueRate, step.After)
		}
	}
	return b.String()
}

// sameAsWritten writes streams to files and reads them back, mapped and decompressed.
func (s *suite) sameAsWritten(build func() (*task, error)) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := build()
		if err == nil {
			t.subs, err = all(ctx, t.stream()) // with the constants of type lines, as streams have them
		}
		if err != nil {
			return f, err
		}
		dir, err := os.MkdirTemp("", "resolwe-selftest-")
		if err != nil {
			return f, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		for _, zstd := range []bool{false, true} {
			path := filepath.Join(dir, fmt.Sprintf("zstd-%v.rsg", zstd))
			if err := s.compareFile(ctx, t, path, rsg.WriterOptions{Zstd: zstd}, &f); err != nil {
				return f, err
			}
		}
		return f, nil
	}
}

// compareFile writes a stream and compares what is read of it: each subgraph as text, and the bytes of a stream of what was
// read.
func (s *suite) compareFile(ctx context.Context, t *task, path string, opt rsg.WriterOptions, f *finding) error {
	written, err := s.packed(t.model.Schema, t.subs, opt)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, written, 0o600); err != nil {
		return err
	}
	stream, err := resolwe.OpenStream(t.model, []string{path}, resolwe.StreamOptions{Names: true})
	if err != nil {
		return err
	}
	read, err := all(ctx, stream)
	if err == nil {
		err = t.compareAll(read, path, f)
	}
	if err == nil {
		var again []byte
		again, err = s.packed(t.model.Schema, read, opt)
		f.holds(bytes.Equal(again, written), func() string { return filepath.Base(path) + " written again" })
	}
	return errors.Join(err, stream.Close())
}

// all returns the subgraphs of a stream.
func all(ctx context.Context, s *resolwe.Stream) (subs []*subgraph.Subgraph, err error) {
	err = resolwe.Each(ctx, s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		subs = append(subs, sub.Clone())
		return nil
	})
	return subs, err
}

// compareAll compares subgraphs with the task's.
func (t *task) compareAll(read []*subgraph.Subgraph, path string, f *finding) error {
	f.equal(float64(len(read)), float64(len(t.subs)), 0, func() string { return "subgraphs of " + filepath.Base(path) })
	for i := range min(len(read), len(t.subs)) {
		var got, want bytes.Buffer
		if err := errors.Join(facts.Write(&got, read[i], t.model.Schema), facts.Write(&want, t.subs[i], t.model.Schema)); err != nil {
			return err
		}
		f.holds(bytes.Equal(got.Bytes(), want.Bytes()), func() string { return read[i].Name + " of " + filepath.Base(path) })
	}
	return nil
}
