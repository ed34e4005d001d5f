package workload_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/bench/workload"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func demoModel(tb testing.TB) *resolwe.Model {
	tb.Helper()
	m, err := resolwe.ParseModel("demo.mln", []byte(demo.New().Model), resolwe.ModelOptions{})
	check.OK(tb, err)
	return m
}

// demoTask writes n subgraphs of the demo to a file, and returns it as a source.
func demoTask(tb testing.TB, n int) workload.Source {
	tb.Helper()
	m := demoModel(tb)
	path := filepath.Join(tb.TempDir(), "demo.rsg")
	f, err := os.Create(path)
	check.OK(tb, err)
	w, err := rsg.NewWriter(f, m.Schema, rsg.WriterOptions{})
	check.OK(tb, err)
	for s, err := range demo.New().Generate(m.Schema, demo.Options{Subgraphs: n, Seed: 1}) {
		check.OK(tb, errors.Join(err, w.Write(s)))
	}
	check.OK(tb, errors.Join(w.Close(), f.Close()))
	return source(m, path)
}

// source is a stream of paths.
func source(m *resolwe.Model, paths ...string) workload.Source {
	return workload.Source{Model: m, Open: func() (*resolwe.Stream, error) {
		return resolwe.OpenStream(m, paths, resolwe.StreamOptions{Stdin: strings.NewReader("@subgraph s\n")})
	}}
}

// names returns the names of a report's stages, whose times it checks.
func names(t *testing.T, r *workload.Report) []string {
	t.Helper()
	var out []string
	for _, s := range r.Stages {
		out = append(out, s.Name)
		if w := s.Wall; !(w.Least > 0 && w.Least <= w.Median && w.Median <= w.Most) {
			t.Errorf("%s: got wall times %+v, want positive ones in order", s.Name, w)
		}
		if c := s.CPU; c.Least < 0 || c.Most < c.Median {
			t.Errorf("%s: got CPU times %+v", s.Name, c)
		}
	}
	return out
}

func TestSelect_MeasuresWhatSelectDoes(t *testing.T) {
	t.Parallel()
	src := demoTask(t, 32) // more than the paper's criterion reads by default
	for _, tt := range []struct {
		name      string
		subgraphs int
		want      int
	}{
		{"first", 3, 3},
		{"more than there are", 50, 32},
		{"all", 0, 32},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			r, err := workload.Select(t.Context(), src, workload.Options{
				Subgraphs: tt.subgraphs, Workers: 2, Runs: 3, Done: func() { runs++ },
			})
			check.OK(t, err)
			check.Equal(t, "stages", names(t, r), []string{"open", "select", "pass"})
			if r.Subgraphs != tt.want || r.Workers != 2 || r.Runs != 3 || runs != 4 {
				t.Errorf("got %d subgraphs, %d workers, %d runs, %d counted", r.Subgraphs, r.Workers, r.Runs, runs)
			}
			check.Is(t, r.Groundings, groundings(t, src, tt.want), "groundings")
			if r.Bytes <= 0 || r.Peak == 0 || !(r.Ratio.Median > 0) || r.Work.Words+r.Work.Edges == 0 {
				t.Errorf("got %d bytes, peak %d, ratio %v, work %+v; want positive ones", r.Bytes, r.Peak, r.Ratio, r.Work)
			}
			check.Is(t, r.PerSecond(2), 2/r.Main().Wall.Median, "per second")
		})
	}
}

// groundings counts what a selection on the first n subgraphs counts.
func groundings(t *testing.T, src workload.Source, n int) uint64 {
	t.Helper()
	s, err := src.Open()
	check.OK(t, err)
	defer s.Close()
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper}
	opt.Subgraphs = n
	sel, err := resolwe.Select(t.Context(), src.Model, s, opt)
	check.OK(t, err)
	sum := uint64(0)
	for i := range sel.Candidates {
		sum += sel.Candidates[i].Joint.Selected
	}
	return sum
}

func TestRead_EndsEarly(t *testing.T) {
	t.Parallel()
	src := demoTask(t, 8)
	for _, tt := range []struct{ subgraphs, want int }{{3, 3}, {0, 8}} {
		r, err := workload.Read(t.Context(), src, workload.Options{Subgraphs: tt.subgraphs, Runs: 1})
		check.OK(t, err)
		check.Is(t, r.Subgraphs, tt.want, "%d, subgraphs", tt.subgraphs)
		check.Equal(t, "stages", names(t, r), []string{"open", "read", "pass"})
	}
}

// Text cannot be mapped.
func TestSelect_Text(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "facts.db")
	check.OK(t, os.WriteFile(path, []byte("articleEdit(A, U)\nsimilar(A, B)\nmodifies(B, U)\n"), 0o600))
	r, err := workload.Select(t.Context(), source(demoModel(t), path), workload.Options{Runs: 1})
	check.OK(t, err)
	check.Equal(t, "stages", names(t, r), []string{"open", "select"})
	if r.Bytes != 0 || !math.IsNaN(r.Ratio.Median) || r.Groundings != 1 {
		t.Errorf("got %d bytes, ratio %v, %d groundings, want 0, NaN, 1", r.Bytes, r.Ratio, r.Groundings)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	src := demoTask(t, 1)
	isOption := func(err error) bool {
		_, ok := errors.AsType[*resolwe.OptionError](err)
		return ok
	}
	for _, tt := range []struct {
		name string
		src  workload.Source
		opt  workload.Options
		want func(error) bool
	}{
		{"no run", src, workload.Options{}, isOption},
		{"negative k2", src, workload.Options{Subgraphs: -1, Runs: 1}, isOption},
		{"pipe", source(src.Model, "-"), workload.Options{Runs: 1}, func(err error) bool { return errors.Is(err, resolwe.ErrReadOnce) }},
		{"no file", source(src.Model, "none.rsg"), workload.Options{Runs: 1}, func(err error) bool {
			_, ok := errors.AsType[*resolwe.PathError](err)
			return ok
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := workload.Select(t.Context(), tt.src, tt.opt); !tt.want(err) {
				t.Errorf("got error %v", err)
			}
		})
	}
}

func TestSelect_Scaling(t *testing.T) {
	t.Parallel()
	opt := workload.Options{Workers: 3, Runs: 2, Scaling: true}
	runs := 0
	opt.Done = func() { runs++ }
	r, err := workload.Select(t.Context(), demoTask(t, 4), opt)
	check.OK(t, err)
	if want := opt.Rounds(); runs != want || runs != 7 {
		t.Errorf("got %d runs, want %d, which is 7", runs, want)
	}
	var workers []int
	for _, p := range r.Points {
		workers = append(workers, p.Workers)
		if !(p.Wall.Least > 0 && p.Speedup.Least > 0) {
			t.Errorf("%d workers: got %+v", p.Workers, p)
		}
	}
	check.Equal(t, "workers", workers, []int{1, 2, 3})
	check.Is(t, r.Points[0].Speedup, (workload.Spread{Median: 1, Least: 1, Most: 1}), "one worker over itself")
}

func TestNewSpread(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		runs []float64
		want workload.Spread
	}{
		{"none", nil, workload.Spread{Median: nan, Least: nan, Most: nan}},
		{"one", []float64{3}, workload.Spread{Median: 3, Least: 3, Most: 3}},
		{"even", []float64{4, 1, 2, 9}, workload.Spread{Median: 3, Least: 1, Most: 9}},
		{"odd", []float64{5, 1, 2}, workload.Spread{Median: 2, Least: 1, Most: 5}},
	} {
		check.Equal(t, tt.name, workload.NewSpread(tt.runs, nil), tt.want, cmpopts.EquateNaNs())
	}
}

func TestChecksum_AddsTheWords(t *testing.T) {
	t.Parallel()
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for size := range 100 {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		want := uint64(0)
		for i := 0; i+8 <= size; i += 8 {
			want += binary.LittleEndian.Uint64(data[i:])
		}
		check.Equal(t, fmt.Sprintf("seed %d, %d bytes", seed, size), workload.Checksum(data), want)
	}
}

func TestPeak_SeesAnAllocation(t *testing.T) {
	t.Parallel()
	var block []byte
	n, err := workload.Peak(func() error {
		block = make([]byte, 64<<20)
		block[0] = 1
		return nil
	})
	if err != nil || n < uint64(len(block)) {
		t.Errorf("got %d, %v, want at least %d", n, err, len(block))
	}
}
