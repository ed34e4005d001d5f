package main_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

// told are the parts of a report that TestReport_Predictions computes from the table of predictions.
type told struct {
	Glance struct {
		Tiles []struct{ Value, Text string }
	}
	Cases struct {
		List []struct {
			Subgraph string
			P        float64
			True     bool
			Fold     int
		}
		Total, Trues int64
		Table        []struct {
			Checked, Found      int
			Least, Lift, Recall float64
			Precision           struct{ Value float64 }
		}
	}
}

// The figures of the page, as JSON, are those computed naively from the table of predictions, to the last digit, for any number of workers.
func TestReport_Predictions(t *testing.T) {
	t.Parallel()
	const dir = "testdata/compat/v1/"
	table := filepath.Join(t.TempDir(), "p.csv")
	args := []string{"report", dir + "model.mln", "--stream", dir + "plain.rsg", "--folds", "2", "--systems", "gain,base", "--infer=--samples=20", "--select=--support=20", "--predictions", table, "--json"}
	got := printed[told](t, args...)
	lines, err := csv.NewReader(strings.NewReader(string(contents(t, table)))).ReadAll()
	check.OK(t, err)
	type row struct {
		subgraph string
		fold     int
		rank.Scored
	}
	rows, trues := []row(nil), 0
	for _, l := range lines[1:] {
		p, err := strconv.ParseFloat(l[7], 64)
		check.OK(t, err)
		fold, err := strconv.Atoi(l[5])
		check.OK(t, err)
		r := row{l[0], fold - 1, rank.Scored{P: p, True: l[6] == "1"}}
		if r.True {
			trues++
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.P, a.P) })
	check.Equal(t, "numbers of cases", []int64{got.Cases.Total, got.Cases.Trues, int64(len(got.Cases.List))}, []int64{int64(len(rows)), int64(trues), int64(len(rows))})
	for i, x := range got.Cases.List {
		check.Is(t, row{x.Subgraph, x.Fold, rank.Scored{P: x.P, True: x.True}}, rows[i], "case %d", i)
	}
	groups, sum, both := map[string][]rank.Scored{}, 0., 0.
	for _, r := range rows {
		groups[r.subgraph] = append(groups[r.subgraph], r.Scored)
	}
	for _, group := range groups {
		if area := oracle.AUCROC(group); !math.IsNaN(area) {
			sum, both = sum+area, both+1
		}
	}
	check.Is(t, got.Glance.Tiles[0].Value, fmt.Sprintf("%.1f%%", 100*sum/both), "%s", got.Glance.Tiles[0].Text)
	check.AtLeast(t, len(got.Cases.Table), 3, "thresholds")
	for _, x := range got.Cases.Table {
		found := 0
		for _, r := range rows[:x.Checked] {
			if r.True {
				found++
			}
		}
		precision := float64(found) / float64(x.Checked)
		check.Equal(t, fmt.Sprint("of the first ", x.Checked), []float64{float64(x.Found), x.Least, x.Precision.Value, x.Lift, x.Recall},
			[]float64{float64(found), rows[x.Checked-1].P, precision, precision / (float64(trues) / float64(len(rows))), float64(found) / float64(trues)})
	}
	check.Equal(t, "with one worker", printed[told](t, append(args, "--workers", "1")...), got)
}
