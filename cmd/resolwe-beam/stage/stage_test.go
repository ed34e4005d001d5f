package stage_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // one of runners
	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/distributed"
	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

// runners are this process, and Prism in it as one of Beam's runners.
var runners = []string{job.Local, "prism"}

// everywhere runs a test on all runners.
func everywhere(t *testing.T, test func(t *testing.T, runner string)) {
	t.Helper()
	for _, runner := range runners {
		t.Run(runner, func(t *testing.T) { test(t, runner) })
	}
}

// start starts a runner.
func start(t *testing.T, runner string, retries int) *job.Runner {
	t.Helper()
	r := &job.Runner{Name: runner, Work: t.TempDir(), Retries: retries, Log: slog.New(slog.DiscardHandler)}
	check.OK(t, r.Start())
	t.Cleanup(func() {
		left, err := os.ReadDir(r.Work)
		if err != nil {
			t.Error(err)
		}
		for _, f := range left {
			if !strings.HasPrefix(f.Name(), "beamloopbackworker-") {
				t.Errorf("%s is left in the working folder", f.Name())
			}
		}
		check.OK(t, r.Close())
	})
	return r
}

func task(t *testing.T, m *resolwe.Model) stage.Task {
	t.Helper()
	out, err := stage.NewTask(m, resolwe.ModelOptions{}, 2, false)
	check.OK(t, err)
	return out
}

func find(t *testing.T, inputs ...string) []shard.Shard {
	t.Helper()
	list, err := shard.Find(t.Context(), inputs)
	check.OK(t, err)
	return list
}

func open(t *testing.T, m *resolwe.Model, path string) *resolwe.Stream {
	t.Helper()
	s, err := resolwe.OpenStream(m, []string{path}, resolwe.StreamOptions{Names: true})
	check.OK(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// selectArgs are those of the command line.
func selectArgs(criterion string, k2 int) flags.Select {
	gain := flags.Gain{Formulas: 60, Depth: 3, Support: new(20), Rows: 1_000_000}
	return flags.Select{K2: &k2, Criterion: criterion, Gain: gain}
}

// printed is all that is printed of a selection.
func printed(t *testing.T, m *resolwe.Model, sel *resolwe.Selection) string {
	t.Helper()
	var b bytes.Buffer
	kept, note := sel.Model(m)
	check.OK(t, errors.Join(report.Select(0, sel, report.Seconds{}).JSON(&b), kept.Write(&b, note)))
	return b.String()
}

// Whatever the shards, their order, ranges and the failures of workers are, selection is that of the whole stream.
func TestSelect(t *testing.T) { everywhere(t, testSelect) }

func testSelect(t *testing.T, runner string) {
	t.Helper()
	d := beamtest.New(t, 40, 8, 1)
	r := start(t, runner, 200)
	for seed, c := range []struct {
		criterion string
		k2        int
		element   int
		failing   float64
	}{
		{"paper", 100, 0, 0},
		{"paper", 17, 3, 0.15},
		{"kl", 31, 0, 0.3},
		{"lift", 40, 1, 0.02},
		{"llr", 1, 0, 0},
		{"gain", 100, 0, 0},
		{"gain", 33, 4, 0.15},
	} {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		args := selectArgs(c.criterion, c.k2)
		opt, err := args.Options(7)
		check.OK(t, err)
		want, err := resolwe.Select(t.Context(), d.Model, open(t, d.Model, d.Stream), opt)
		check.OK(t, err)
		list := shard.Divided(shard.Within(find(t, d.Folder), 0, c.k2), c.element)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var mu sync.Mutex
		failures := 0
		restore := stage.SetDisturb(func(shard.Shard) error {
			mu.Lock()
			defer mu.Unlock()
			if runner == job.Local && c.failing > 0 && (failures == 0 || rng.Float64() < c.failing) {
				failures++
				return errors.New("the machine is gone")
			}
			return nil
		})
		got, _, err := stage.Select(t.Context(), r, task(t, d.Model), args, 7, list)
		restore()
		check.OKf(t, err, "case %d", seed)
		check.NoDiff(t, cmp.Diff(printed(t, d.Model, want), printed(t, d.Model, got)), "case %d, %d failures (-whole +shards)", seed, failures)
	}
}

// A shard whose result is lost before it is read does not make the others count twice.
func TestSelect_ResultLost(t *testing.T) {
	d := beamtest.New(t, 40, 4, 1)
	r := start(t, job.Local, 1)
	args := selectArgs("paper", 40)
	opt, err := args.Options(7)
	check.OK(t, err)
	want, err := resolwe.Select(t.Context(), d.Model, open(t, d.Model, d.Stream), opt)
	check.OK(t, err)
	lost := 0
	defer stage.SetDisturb(func(s shard.Shard) error {
		done, err := filepath.Glob(filepath.Join(r.Work, "*-result-[12]"))
		if s.Number == 3 && lost == 0 {
			lost++
			err = errors.Join(err, os.Remove(done[0])) // one of them, since two of the shards before this one are done
		}
		return err
	})()
	got, _, err := stage.Select(t.Context(), r, task(t, d.Model), args, 7, find(t, d.Folder))
	check.OK(t, err)
	check.Equal(t, "selection", printed(t, d.Model, got), printed(t, d.Model, want))
	check.Equal(t, "lost", lost, 1)
}

// Selection on no subgraph runs no job.
func TestSelect_Nothing(t *testing.T) {
	d := beamtest.New(t, 2, 1, 1)
	sel, _, err := stage.Select(t.Context(), &job.Runner{}, task(t, d.Model), selectArgs("paper", 3), 7, nil)
	if err != nil || sel.Subgraphs != 0 || len(sel.Selected) != 0 {
		t.Errorf("got %+v, %v, want nothing selected", sel, err)
	}
}

// A failure names the shard and its record, has the exit status of its kind, and is not tried again where that is vain.
func TestFailure(t *testing.T) { everywhere(t, testFailure) }

func testFailure(t *testing.T, runner string) {
	t.Helper()
	d := beamtest.New(t, 20, 4, 2)
	list := find(t, d.Folder)
	data, err := os.ReadFile(list[2].Path)
	check.OK(t, err)
	data[len(data)/2] ^= 0x40
	check.OK(t, os.WriteFile(list[2].Path, data, 0o600))
	r := start(t, runner, 3)
	_, _, err = stage.Select(t.Context(), r, task(t, d.Model), selectArgs("paper", 20), 7, list)
	e := (*job.FailedError)(nil)
	if !errors.As(err, &e) || e.Status != console.Damaged || !e.Final {
		t.Fatalf("got %v, want a *job.FailedError of damaged input", err)
	}
	for _, want := range []string{"shard " + list[2].Path, "record ", "at byte "} {
		check.Contains(t, e.Message, want, "message")
	}
	restore := stage.SetDisturb(func(shard.Shard) error { return errors.New("no disk") })
	defer restore()
	_, _, err = stage.Select(t.Context(), start(t, runner, 0), task(t, d.Model), selectArgs("paper", 20), 7, list[:1])
	if !errors.As(err, &e) || e.Status != console.Failed || e.Final || !strings.Contains(e.Message, "no disk") {
		t.Errorf("got %v, want a *job.FailedError that is not final", err)
	}
}

// Learning by jobs is the mixer's, also where it goes on from the state between two of them, and workers fail.
func TestLearner(t *testing.T) { everywhere(t, testLearner) }

func testLearner(t *testing.T, runner string) {
	t.Helper()
	d := beamtest.New(t, 24, 5, 3)
	m, err := resolwe.ReadModel(d.Weighted, resolwe.ModelOptions{})
	check.OK(t, err)
	m = m.With(m.Formulas[:2]) // not tied
	path := filepath.Join(t.TempDir(), "task.mln")
	var b bytes.Buffer
	check.OK(t, m.Write(&b, nil))
	check.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
	if m, err = resolwe.ReadModel(path, resolwe.ModelOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, mix := range []string{"auto", "cd", "newton"} {
		args := stage.LearnArgs{Mix: mix, Skip: 5, Learn: flags.Learn{
			Sigma: 2, Method: "cd", Passes: "auto", Exact: "auto", CDSamples: 5, Sampler: "auto",
		}}
		if mix == "cd" {
			args.Passes, args.Batch = "3", new(1)
		}
		list := find(t, d.Folder)
		l, err := stage.NewLearner(start(t, runner, 100), task(t, m), args, 1, list, 0)
		check.OK(t, err)
		want := mixed(t, m, args, shard.Within(list, 5, 24), stage.Records(l))
		rng := rand.New(rand.NewPCG(4, 4))
		restore := stage.SetDisturb(func(shard.Shard) error {
			if rng.Float64() < 0.1 {
				return errors.New("the machine is gone")
			}
			return nil
		})
		var state []byte
		for range 3 { // to the optimum it would take more
			l, err := stage.NewLearner(start(t, runner, 100), task(t, m), args, 1, list, 0)
			check.OK(t, err)
			if state != nil {
				check.OK(t, l.Restore(state))
			}
			check.OK(t, l.Pass(t.Context()))
			state, _ = l.MarshalBinary()
		}
		restore()
		if !bytes.Equal(state, want) {
			t.Errorf("%s: jobs and the mixer differ", mix)
		}
	}
}

// mixed returns the state of a mixer that has learned on shards, by no job.
func mixed(t *testing.T, m *resolwe.Model, args stage.LearnArgs, list []shard.Shard, records string) []byte {
	t.Helper()
	opt, err := args.Options(1)
	check.OK(t, err)
	opt.Skip = args.Skip
	method := map[string]distributed.MixMethod{"cd": distributed.MixCD, "newton": distributed.MixNewton}[args.Mix]
	var sizes []int
	for _, s := range list {
		sizes = append(sizes, s.Subgraphs())
	}
	x, err := distributed.NewMixer(m, opt, method, sizes)
	check.OK(t, err)
	x.Records = records
	for range 3 {
		var parts []*distributed.MixPart
		for i, s := range list {
			o, err := s.Open(t.Context(), m, resolwe.StreamOptions{Names: true})
			check.OK(t, err)
			p, err := x.Learn(t.Context(), o.Stream, i)
			check.OK(t, errors.Join(err, o.Close()))
			parts = append(parts, p)
		}
		check.OK(t, x.Mix(parts))
	}
	state, _ := x.MarshalBinary()
	return state
}
