package oracle_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
)

// eachCase runs a test on every case with a file that matches pattern.
func eachCase(t *testing.T, pattern string, test func(t *testing.T, path string, c *jointest.Task)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../../../cmd/resolwe/testdata/cases/*", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no case has %s (%v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			test(t, path, jointest.LoadCase(t, filepath.Dir(path)))
		})
	}
}

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	check.OK(t, json.Unmarshal([]byte(jointest.ReadFile(t, path)), &v))
	return v
}

func TestCounts_MatchesCases(t *testing.T) {
	t.Parallel()
	type counts struct {
		Subgraph string
		Counts   []float64
	}
	eachCase(t, "counts.json", func(t *testing.T, path string, c *jointest.Task) {
		t.Helper()
		var got []counts
		for i := range c.Plain {
			w := c.World(i)
			got = append(got, counts{c.Plain[i].Name, w.Values(c.Model.Formulas)})
		}
		check.Equal(t, "counts", got, readJSON[[]counts](t, path), cmpopts.EquateApprox(0, 1e-9))
	})
}

func TestMarginals_MatchesCases(t *testing.T) {
	t.Parallel()
	eachCase(t, "exact.json", func(t *testing.T, path string, c *jointest.Task) {
		t.Helper()
		_, err := os.Stat(filepath.Join(filepath.Dir(path), "given"))
		rules := oracle.Rules{UnknownExist: true, Given: err == nil}
		want := readJSON[[]struct {
			Subgraph  string
			Marginals map[string]float64
		}](t, path)
		for i := range c.Plain {
			w := c.World(i)
			d, err := w.Enumerate(c.Model.Formulas, nil, rules)
			check.OK(t, err)
			marginals := d.Marginals()
			free := 0
			for k, a := range w.QueryAtoms(rules) {
				if rules.Given && a.Stated {
					continue // not in the case's marginals
				}
				free++
				check.Near(t, marginals[k], want[i].Marginals[atomName(c, a)], 1e-9, "%s, P(%s)", c.Plain[i].Name, atomName(c, a))
			}
			check.Is(t, free, len(want[i].Marginals), "%s, query atoms", c.Plain[i].Name)
		}
	})
}
