package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/ground"
)

func TestDoubtLearned(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	reached := crossval.Reached{Learned: true, Converged: true, Gradient: 1e-9, Drift: nan}
	short := crossval.Reached{Learned: true, Gradient: .25, Short: 12.5, Drift: nan}
	drifting := crossval.Reached{Learned: true, Gradient: nan, Short: nan, Drift: .5}
	unknown := crossval.Reached{Learned: true, Gradient: nan, Short: nan, Drift: nan}
	for _, test := range []struct {
		folds []crossval.Reached
		want  string
	}{
		{[]crossval.Reached{reached, {}, unknown}, ""}, // nothing was learned in the second
		{
			[]crossval.Reached{reached, short, short},
			"resolwe: warning: own, fold 2: learning ended short of the optimum: about 12.5 nats below it, largest gradient 0.25 per atom folds=2\n",
		},
		{
			[]crossval.Reached{drifting, reached},
			"resolwe: warning: own, fold 1: learning ended before the weights had settled: they still drift by up to 0.5 standard errors folds=1\n",
		},
	} {
		var stderr bytes.Buffer
		log := slog.New(console.NewMessages("resolwe", &stderr, slog.LevelInfo))
		report.DoubtLearned(log, &crossval.Outcome{Name: "own", Reached: test.folds})
		check.Equal(t, "warning", stderr.String(), test.want)
	}
}

func TestWarn(t *testing.T) {
	t.Parallel()
	var list []mln.Diagnostic
	for i := range 50_000 {
		list = append(list, mln.Diagnostic{Pos: mln.Position{File: "m.mln", Line: 1 + i, Column: 1}, Msg: "the same"})
	}
	for i := range 150 {
		list = append(list, mln.Diagnostic{Msg: fmt.Sprintf("other %d", i)})
	}
	var stderr bytes.Buffer
	report.Warn(slog.New(console.NewMessages("resolwe", &stderr, slog.LevelInfo)), list)
	lines := strings.Split(stderr.String(), "\n")
	check.Equal(t, "lines", len(lines), 102)
	check.Equal(t, "first", lines[0], "resolwe: warning: m.mln:1:1: the same (50000 times)")
	check.Equal(t, "second", lines[1], "resolwe: warning: other 0")
	check.Equal(t, "last", lines[100], "resolwe: warning: more warnings are left out number=51")
}

// A long grounding is warned of once, early where there are very many bindings; then its progress is told.
func TestLongGroundings(t *testing.T) {
	t.Parallel()
	const few = "1 q(a) ^ q(b) ^ q(c)\n"
	const many = "1 q(a) ^ q(b) ^ q(c) ^ q(d) ^ q(e) ^ q(f) ^ q(g) ^ q(h)\n"
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprint("A", i)
	}
	warning, told := "resolwe: warning: a formula takes long to ground: ", "resolwe: a formula takes long to ground: "
	for _, test := range []struct {
		formulas string
		progress bool
		seconds  []int // at which efforts are reported
		want     []string
	}{
		{few, true, []int{0, 2, 9}, nil},
		{few, true, []int{5, 7, 15, 16, 24, 25, 26, 40}, []string{warning, told, told}},
		{few, false, []int{0, 10, 30, 60}, []string{warning}},
		{many, true, []int{0, 1, 2, 11, 12}, []string{warning, told}},
	} {
		m := streamtest.Parse(t, "target q(x)\n"+test.formulas)
		var stderr bytes.Buffer
		log := slog.New(console.NewMessages("resolwe", &stderr, slog.LevelInfo))
		at := 0
		watch := report.LongGroundings(log, func() time.Time { return time.Unix(int64(test.seconds[at]), 0) }, test.progress)
		g := ground.NewGrounder(ground.Compile(m.Schema, m.Formulas, ground.Predicting))
		enough := errors.New("enough")
		g.Watch = func(e ground.Effort) {
			watch(e)
			at++
		}
		g.Stop = func() error {
			if at == len(test.seconds) {
				return enough
			}
			return nil
		}
		sub := streamtest.Subgraphs(t, m, "@subgraph s\n@entity x "+strings.Join(names, " ")+"\n")[0]
		if _, _, err := g.Ground(sub); !errors.Is(err, enough) {
			t.Errorf("got %v, want %v", err, enough)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		if len(test.want) == 0 {
			check.Equal(t, "messages", stderr.String(), "")
			continue
		}
		check.Equal(t, "number of messages", len(lines), len(test.want))
		for i, want := range test.want {
			if !strings.HasPrefix(lines[i], want+"q(") || !strings.Contains(lines[i], " subgraph=s bindings_tried=") {
				t.Errorf("got %q, want %q", lines[i], want)
			}
		}
	}
}
