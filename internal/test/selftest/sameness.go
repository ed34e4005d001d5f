package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/internal/test/oracle"
)

// sameness lists the checks for identical bytes: of results for different numbers of workers, and of streams written and read back.
func (s *suite) sameness() []check {
	workers := check{subject: "workers", name: "1, 2 and 8: same results", unit: "difference"}
	streams := check{subject: "streams", name: "written and read: same subgraphs", unit: "difference"}
	for i := range min(s.times(1), 3) {
		workers.cases = append(workers.cases, on(s.demo(i, 20), s.sameForWorkers))
		streams.cases = append(streams.cases, on(s.demo(i, 10), s.sameAsWritten),
			on(s.random("written", i, oracle.TaskOptions{Counts: true, Aggregates: true, Subgraphs: 8}), s.sameAsWritten))
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

// demo generates a stream of n subgraphs.
func (s *suite) demo(i, n int) func(context.Context) (*task, error) {
	return func(context.Context) (*task, error) {
		d := demo.New()
		t, err := newTask(d.Model+shapedFormulas, "")
		if err != nil {
			return nil, err
		}
		t.subs = nil
		for sub, err := range d.Generate(t.model.Schema, demo.Options{Subgraphs: n, Users: 12, Articles: 9, Seed: s.seed + uint64(i)}) {
			if err != nil {
				return nil, err
			}
			t.subs = append(t.subs, sub)
		}
		return t, nil
	}
}

// sameForWorkers selects, learns and infers with each number of workers.
func (s *suite) sameForWorkers(ctx context.Context, t *task, f *Check) error {
	want, err := s.results(ctx, t, 1)
	if err != nil {
		return err
	}
	for _, workers := range []int{2, 8} {
		got, err := s.results(ctx, t, workers)
		if err != nil {
			return err
		}
		for k, what := range []string{"select by gain", "select", "learn", "learn in batches", "infer"} {
			f.holds(got[k] == want[k], func() string { return fmt.Sprintf("%s with %d workers", what, workers) })
		}
	}
	return nil
}

// results returns the results of selection, learning and inference, as text.
func (s *suite) results(ctx context.Context, t *task, workers int) ([]string, error) {
	run := resolwe.Run{Workers: workers}
	best := resolwe.SelectOptions{Criterion: resolwe.Gain, Gain: resolwe.GainOptions{Formulas: 5, Depth: 2}, Run: run}
	grown, err := s.Select(ctx, t.model, t.stream(), best)
	if err != nil {
		return nil, err
	}
	chosen, err := s.Select(ctx, t.model, t.stream(), resolwe.SelectOptions{Threshold: new(1.0), Criterion: resolwe.Lift, Run: run})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for i := range grown.Gain { // weights in full
		g := &grown.Gain[i]
		fmt.Fprintln(&text, g.Family, g.Shrink, g.Base, g.Size, g.Bias)
		for _, step := range slices.Concat(g.Path, g.Tied) {
			fmt.Fprintln(&text, mln.FormatRule(step.Formula), step.Gain, step.Support, step.TrueRate, step.After)
		}
	}
	out := []string{text.String()}
	text.Reset()
	for i := range chosen.Candidates {
		fmt.Fprintf(&text, "%+v\n", chosen.Candidates[i].Totals)
	}
	out = append(out, text.String())
	model, _ := chosen.Model(t.model)
	opt := resolwe.LearnOptions{Sample: true, Method: resolwe.PCD, Passes: 10, Seed: s.seed, Run: run}
	for _, opt.Batch = range []int{1, 8} {
		learned, err := s.Learn(ctx, model, t.stream(), opt)
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprint(weights(learned.Model.Formulas), learned.Objective))
		model = learned.Model
	}
	infer := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 20, BurnIn: new(5), Chains: 2, Seed: s.seed, Run: run}
	text.Reset()
	err = s.Infer(ctx, model, t.stream(), infer, func(m *resolwe.Marginals) error {
		_, err := fmt.Fprintln(&text, m.Index, m.Subgraph, m.P)
		return err
	})
	return append(out, text.String()), err
}

// sameAsWritten writes a stream to files, plain and compressed, and reads them back.
func (s *suite) sameAsWritten(ctx context.Context, t *task, f *Check) (err error) {
	t.subs, err = all(ctx, t.stream()) // with the constants of type lines, like streams
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "resolwe-selftest-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, zstd := range []bool{false, true} {
		path := filepath.Join(dir, fmt.Sprintf("zstd-%v.rsg", zstd))
		if err := s.compareFile(ctx, t, path, rsg.WriterOptions{Zstd: zstd}, f); err != nil {
			return err
		}
	}
	return nil
}

// compareFile writes a stream, reads it back, and compares each subgraph as text, and the bytes of a stream written again.
func (s *suite) compareFile(ctx context.Context, t *task, path string, opt rsg.WriterOptions, f *Check) (err error) {
	written, err := s.Pack(t.model.Schema, t.subs, opt)
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
	defer func() { err = errors.Join(err, stream.Close()) }()
	read, err := all(ctx, stream)
	if err != nil {
		return err
	}
	name := filepath.Base(path)
	f.equal(float64(len(read)), float64(len(t.subs)), 0, func() string { return "subgraphs of " + name })
	for i := range min(len(read), len(t.subs)) {
		var got, want bytes.Buffer
		if err := errors.Join(facts.Write(&got, read[i], t.model.Schema), facts.Write(&want, t.subs[i], t.model.Schema)); err != nil {
			return err
		}
		f.holds(bytes.Equal(got.Bytes(), want.Bytes()), func() string { return read[i].Name + " of " + name })
	}
	again, err := s.Pack(t.model.Schema, read, opt)
	f.holds(bytes.Equal(again, written), func() string { return name + " written again" })
	return err
}
