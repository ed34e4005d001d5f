package oracle_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	const db = `@subgraph s center=A0
@entity item A0 A1 A2
@entity user B0
link(A0, A1)
link(A0, A2)
link(A1, A1)
act(A0)
act(A1)
`
	for _, test := range []struct {
		name, model, db string
		selected, all   []int64
	}{
		{"selector with a variable of its own", "link(x, y) => act(y)", db, []int64{2, 1}, []int64{3, 2}},
		{"equal atoms are left out", "link(x, y) ^ act(x) => act(y)", db, []int64{2, 2, 1, 1}, []int64{6, 4, 4, 2}},
		{"variable that the selector does not bind", "link(x, x) ^ act(y)", db, []int64{3, 2}, []int64{3, 2}},
		{"selector that never holds", "link(A2, x) ^ act(y)", db, []int64{0, 0}, []int64{3, 2}},
		{"no selector", "act(x) ^ act(A0)", db, []int64{2, 1, 2, 1}, []int64{2, 1, 2, 1}},
		{"center", "link(@center, x) ^ x != @center => act(x)", db, []int64{2, 1}, []int64{3, 2}},
		{"target atom outside the domain", "link(x, y) => act(A7)", db, []int64{0, 0}, []int64{0, 0}},
		{"unknown atoms are left out", "link(x, y) => act(y)", db + "?act(A2)\n", []int64{1, 1}, []int64{2, 2}},
		{"listed atoms", "link(x, x) => pick(x, u)", db + "!pick(A1, B0)\npick(A0, B0)\n", []int64{1, 0}, []int64{2, 1}},
		{"empty domain", "edit(y, w) => act(x)", "@subgraph s\nact(A0)\n", []int64{0, 0}, []int64{1, 1}},
		{"empty domain, negated", "!edit(y, w) => act(x)", "@subgraph s\nact(A0)\n", []int64{0, 0}, []int64{1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jointest.Load(t, schema+test.model+"\n", test.db)
			candidates, _, err := mln.Candidates(c.Model)
			check.OK(t, err)
			selected, all := c.World(0).Selection(candidates[0])
			check.Equal(t, "selected, all", [][]int64{selected, all}, [][]int64{test.selected, test.all})
		})
	}
}
