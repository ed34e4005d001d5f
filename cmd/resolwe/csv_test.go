package main_test

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// TestCrossvalCSV has every number of the JSON in the CSV, and seconds where they are asked for.
func TestCrossvalCSV(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	args := []string{"crossval", model, "--stream", facts, "--folds", "2", "--learn-on", "all", "--infer", "--samples 200"}
	cv := printed[struct{ Systems, Tests []map[string]any }](t, append(args, "--json", "--timings")...)
	want := map[string]any{"system,fold,measure": "value"}
	var names []string
	for _, system := range cv.Systems {
		name := system["name"].(string)
		names = append(names, name)
		for measure, value := range system {
			switch values := value.(type) {
			case float64, nil:
				want[name+",all,"+measure] = value
			case []any:
				if strings.HasSuffix(measure, "_ci95") {
					want[name+",all,"+measure+"_low"], want[name+",all,"+measure+"_high"] = values[0], values[1]
					continue
				}
				for k, v := range values {
					if measure == "by_fold" {
						for m, v := range v.(map[string]any) {
							want[fmt.Sprintf("%s,%d,%s", name, k+1, m)] = v
						}
						continue
					}
					if measure == "seconds" {
						for _, step := range []string{"select", "learn", "total"} {
							want[fmt.Sprintf("%s,%d,%s_seconds", name, k+1, step)] = "some"
						}
						continue
					}
					want[fmt.Sprintf("%s,%d,%s", name, k+1, measure)] = v
				}
			}
		}
	}
	for _, test := range cv.Tests {
		for key, value := range test {
			if key == "against" {
				continue
			}
			lead := names[0] + " - " + test["against"].(string) + ",all," + test["measure"].(string) + "_"
			switch v := value.(type) {
			case float64, nil:
				want[lead+key] = v
			case []any:
				want[lead+"ci95_low"], want[lead+"ci95_high"] = v[0], v[1]
			}
		}
	}

	got := map[string]any{}
	lines, err := csv.NewReader(strings.NewReader(output(t, append(args, "--csv", "--timings")...))).ReadAll()
	check.OK(t, err)
	for _, l := range lines {
		key := strings.Join(l[:3], ",")
		switch value, err := strconv.ParseFloat(l[3], 64); {
		case strings.HasSuffix(l[2], "_seconds") && err == nil && value >= 0:
			got[key] = "some"
		case l[3] == "":
			got[key] = nil
		case err == nil:
			got[key] = value
		default:
			got[key] = l[3]
		}
	}
	check.Equal(t, "lines", got, want)
	if plain := output(t, append(args, "--csv")...); strings.Contains(plain, "seconds") {
		t.Errorf("seconds without --timings:\n%s", plain)
	}
	if got := resolwe(t, append(args, "--csv", "--json")...); got.status != 2 {
		t.Errorf("--csv with --json: got status %d, want 2", got.status)
	}
}
