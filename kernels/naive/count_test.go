package naive_test

import (
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/naive"
)

const schema = `link(item, item)
edit(item, user)
target act(item)
target listed pick(item, user)
`

func TestCounts(t *testing.T) {
	t.Parallel()
	const chain = "@subgraph s center=A1\n@entity item A0 A1 A2\nlink(A0, A1)\nlink(A1, A2)\nact(A1)\n"
	for _, test := range []struct {
		name, model, db string
		want            []float64
	}{
		{
			"every binding of every free variable counts", "1 link(x, y) ^ act(z)\n1 link(x, y) => act(y)\n1 x = y ^ act(x) ^ act(y)", chain,
			[]float64{2, 8, 1}, // 2 links by 1 active; 9 pairs less link(A1, A2); (A1, A1)
		},
		{
			"center inside the domain", "1 link(@center, y)\n1 act(@center)\n1 x != @center ^ act(x)", chain,
			[]float64{1, 1, 0},
		},
		{
			"center outside the domain", "1 link(@center, y)\n1 !link(@center, y)\n1 act(@center) v !act(@center)\n1 act(x) ^ x != @center",
			"@subgraph s center=A7\n@entity item A0 A1\nact(A1)\n",
			[]float64{0, 2, 0, 1}, // evidence is false; the target atom does not exist
		},
		{
			"constant outside the domain", "1 !link(A7, x)\n1 act(A7) v act(x)\n1 act(x) ^ x != A7\n1 act(x) ^ x = A7", chain,
			[]float64{3, 0, 1, 0},
		},
		{
			"type line", "item = {A1, A7}\n1 !link(A7, x)\n1 !act(x)\n1 x = A7 ^ !act(x)", chain,
			[]float64{4, 3, 1},
		},
		{
			"listed atoms", "1 pick(x, u)\n1 !pick(x, u)\n1 edit(x, u) => pick(x, u)",
			"@subgraph s\n@entity item A2\nedit(A0, B0)\nedit(A0, B1)\npick(A0, B0)\n!pick(A0, B1)\n!pick(A1, B1)\n",
			[]float64{1, 2, 2}, // of 6 groundings 3 exist
		},
		{
			"unknown atoms do not exist", "1 act(x)\n1 !act(x)\n1 link(x, x) => act(x)",
			"@subgraph s\n@entity item A0 A1\n?act(A0)\n",
			[]float64{0, 1, 1},
		},
		{
			"quantifiers leave out what does not exist",
			"1 edit(x, u) ^ (FORALL w pick(x, w))\n1 edit(x, u) ^ (EXIST w !pick(x, w))\n1 edit(x, u) => (EXIST y (pick(y, u) ^ y != x))",
			"@subgraph s\nedit(A0, B0)\nedit(A1, B1)\npick(A0, B0)\n!pick(A1, B0)\n",
			[]float64{1, 1, 2}, // A0 has B0 only; A1 has B0 only, false; the two non-edits
		},
		{
			"empty domain", "1 pick(x, u)\n1 (EXIST u edit(x, u))\n1 act(x) v (FORALL u edit(x, u))",
			"@subgraph s\n@entity item A0\n",
			[]float64{0, 0, 1},
		},
		{
			"shadowed variable", "1 act(x) ^ (EXIST x link(x, A1))", chain,
			[]float64{1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jointest.Load(t, schema+test.model+"\n", test.db)
			got := c.World(0).Values(c.Model.Formulas)
			check.Equal(t, "counts", got, test.want)
		})
	}
}

func TestQueryAtoms(t *testing.T) {
	t.Parallel()
	c := jointest.Load(t, "item = {A0, A9}\n"+schema, "@subgraph s\n@entity item A3\n@entity user B0\nact(A3)\n!act(A0)\n?act(A1)\n?pick(A1, B0)\n!pick(A3, B0)\n")
	act, pick := c.Model.Schema.Predicate("act"), c.Model.Schema.Predicate("pick")
	known := []naive.Atom{
		{Pred: act, Args: []string{"A3"}, Truth: subgraph.True, Stated: true},
		{Pred: act, Args: []string{"A0"}, Truth: subgraph.False, Stated: true},
		{Pred: act, Args: []string{"A9"}, Truth: subgraph.False},
		{Pred: pick, Args: []string{"A3", "B0"}, Truth: subgraph.False, Stated: true},
	}
	all := []naive.Atom{
		known[0], known[1],
		{Pred: act, Args: []string{"A1"}, Truth: subgraph.Unknown},
		known[2], known[3],
		{Pred: pick, Args: []string{"A1", "B0"}, Truth: subgraph.Unknown},
	}
	check.Equal(t, "known atoms", c.World(0).QueryAtoms(naive.Rules{}), known)
	check.Equal(t, "all atoms", c.World(0).QueryAtoms(naive.Rules{UnknownExist: true}), all)
}
