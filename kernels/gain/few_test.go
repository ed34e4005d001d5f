package gain_test

import (
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// With few subgraphs a family is chosen only where it saves a lot: logarithms for what they nearly say, rules for what they
// alone can.
func TestSelect_FewSubgraphs(t *testing.T) {
	for _, of := range []struct {
		name  string
		odds  func([]int64) float64
		rules bool
	}{
		{"a threshold", func(row []int64) float64 {
			if row[0] >= 4 {
				return 1
			}
			return -1
		}, false},
		{"exclusive or", func(row []int64) float64 {
			if has(row[0]) != has(row[1]) {
				return 3
			}
			return -3
		}, true},
	} {
		r := seeded(t)
		d := random(r, 4, 400, 6, .5, of.odds)
		res, err := d.matrix(t, r.Perm(4)).Select(gain.Options{})
		check.OK(t, err)
		if res.Family == gain.FamilyRules != of.rules || !of.rules && res.Family != gain.FamilyLogs {
			t.Errorf("%s: %v", of.name, res.Family)
		}
	}
}
