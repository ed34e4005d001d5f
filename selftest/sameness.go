package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
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
		streams.cases = append(streams.cases, s.sameAsWritten(i))
	}
	return []check{workers, streams}
}

// demoTask generates a stream of n subgraphs.
func (s *suite) demoTask(i, n int) (*task, error) {
	d := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(d.Model), resolwe.ModelOptions{})
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
			for k, what := range []string{"select", "learn", "learn in batches", "infer"} {
				f.holds(got[k] == want[k], func() string { return fmt.Sprintf("%s with %d workers", what, workers) })
			}
		}
		return f, nil
	}
}

// results returns what selection, learning and inference give, as text.
func (s *suite) results(ctx context.Context, t *task, workers int) ([]string, error) {
	run := resolwe.Run{Workers: workers}
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
	out := []string{text.String()}
	model, _ := chosen.Model(t.model)
	opt := resolwe.LearnOptions{}
	opt.Sample, opt.Seed, opt.Run = true, s.seed, run
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

// sameAsWritten writes streams to files and reads them back, mapped and decompressed.
func (s *suite) sameAsWritten(i int) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := s.demoTask(i, 10)
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
	var read []*subgraph.Subgraph
	err = resolwe.Each(ctx, stream, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		read = append(read, sub.Clone())
		return nil
	})
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
