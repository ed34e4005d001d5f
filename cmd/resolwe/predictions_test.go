package main_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

// predicted are the figures of crossval that TestPredictions computes from the table.
type predicted struct {
	Systems []struct {
		Name          string
		AUCROC        float64 `json:"auc_roc_pooled"`
		AUCPR         float64 `json:"auc_pr"`
		LogLoss       float64 `json:"log_loss"`
		Accuracy, CLL float64
		Clusters      int
		ByFold        []any `json:"by_fold"`
	}
}

// Figures that are computed naively from the table of predictions are those printed, with a checkpoint or without, also one that lacks
// predictions, and for any number of workers.
func TestPredictions(t *testing.T) {
	t.Parallel()
	const dir = "testdata/compat/v1/"
	table := filepath.Join(t.TempDir(), "p.csv")
	saved := filepath.Join(t.TempDir(), "saved")
	check.OK(t, os.WriteFile(saved, contents(t, dir+"crossval.run"), 0o600))
	args := []string{"crossval", dir + "model.mln", "--stream", dir + "plain.rsg", "--folds", "2", "--systems", "gain,base", "--infer=--samples=20", "--select=--support=20", "--predictions", table, "--json"}
	got := printed[predicted](t, args...)
	text := contents(t, table)
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	check.OK(t, err)
	check.Is(t, strings.Join(lines[0], " "), "subgraph atom arg1 arg2 time fold truth gain base", "columns")
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		check.OK(t, err)
		return v
	}
	for k, s := range got.Systems {
		pools := map[string][]rank.Scored{}
		cll, n := map[string]float64{}, map[string]float64{}
		for _, l := range lines[1:] {
			check.Is(t, l[1][strings.Index(l[1], "(")+1:len(l[1])-1], strings.TrimSuffix(l[2]+", "+l[3], ", "), "arguments of %s", l[1])
			a := rank.Scored{P: number(l[7+k]), True: l[6] == "1"}
			pools[l[5]] = append(pools[l[5]], a)
			cll[l[0]] -= loss(a)
			n[l[0]]++
		}
		var want [4]float64
		for _, atoms := range pools {
			folds := float64(len(pools))
			want[0] += oracle.AUCROC(atoms) / folds
			want[1] += oracle.AUCPR(atoms) / folds
			for _, a := range atoms {
				want[2] += loss(a) / float64(len(atoms)) / folds
				if a.True == (a.P >= .5) {
					want[3] += 1 / float64(len(atoms)) / folds
				}
			}
		}
		for i, v := range []float64{s.AUCROC, s.AUCPR, s.LogLoss, s.Accuracy} {
			check.Near(t, v, want[i], 1e-9, "%s, measure %d", s.Name, i)
		}
		mean := 0.
		for subgraph := range cll {
			mean += cll[subgraph] / n[subgraph] / float64(len(cll))
		}
		check.Near(t, s.CLL, mean, 1e-9, "%s: CLL", s.Name)
		check.Is(t, len(s.ByFold), len(pools), "folds")
	}
	for _, more := range [][]string{{"--workers", "1"}, {"--checkpoint", saved, "--resume"}, {"--checkpoint", saved, "--resume", "--workers", "3"}} {
		check.OK(t, os.Remove(table))
		check.Equal(t, strings.Join(more, " "), printed[predicted](t, append(args, more...)...), got)
		check.Is(t, string(contents(t, table)), string(text), "table with %s", strings.Join(more, " "))
	}
	if got := resolwe(t, append(args, "--prequential")...); got.status != 2 {
		t.Errorf("with --prequential: status %d, want 2", got.status)
	}
	args[len(args)-2] = "p.txt"
	if got := resolwe(t, args...); got.status != 2 || !strings.Contains(got.stderr, "--predictions") {
		t.Errorf("another format: status %d, %s", got.status, got.stderr)
	}
}

func loss(a rank.Scored) float64 {
	p := min(max(a.P, 1e-6), 1-1e-6)
	if !a.True {
		p = 1 - p
	}
	return -math.Log(p)
}
