package ground_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// randomTree draws a tree over atoms below n.
func randomTree(r *rand.Rand, depth, n int) *network.Node {
	if depth == 0 || r.IntN(6) == 0 {
		return &network.Node{Op: network.OpLit, Lit: network.NewLit(uint32(r.IntN(n)), r.IntN(2) == 0)}
	}
	out := &network.Node{Op: []network.NodeOp{network.OpAnd, network.OpOr, network.OpNot, network.OpIff}[r.IntN(4)]}
	kids := r.IntN(4)
	switch out.Op {
	case network.OpNot:
		kids = 1
	case network.OpIff:
		kids = 2
	case network.OpAnd, network.OpOr, network.OpLit:
	}
	for range kids {
		out.Kids = append(out.Kids, randomTree(r, depth-1, n))
	}
	return out
}

const treeAtoms = 6

// eachState visits the truth table.
func eachState(visit func(x []bool)) {
	for bits := range 1 << treeAtoms {
		x := make([]bool, treeAtoms)
		for a := range x {
			x[a] = bits>>a&1 == 1
		}
		visit(x)
	}
}

func isTrue(x []bool) func(network.Lit) bool { return func(l network.Lit) bool { return l.True(x) } }

func allTrue(lits []network.Lit, x []bool) bool {
	return !slices.ContainsFunc(lits, func(l network.Lit) bool { return !l.True(x) })
}

func TestPolynomial_MatchesTruthTable(t *testing.T) {
	t.Parallel()
	long := 0
	for seed := range uint64(3000) {
		tree := randomTree(rand.New(rand.NewPCG(seed, 1)), 5, treeAtoms)
		p, ok := ground.Polynomial(tree)
		if !ok {
			long++
			continue
		}
		check.AtMost(t, len(p), ground.MaxTerms, "seed %d, terms", seed)
		for _, c := range p {
			if !slices.IsSortedFunc(c.Lits, func(a, b network.Lit) int { return int(a.Atom()) - int(b.Atom()) }) || c.N == 0 {
				t.Errorf("seed %d: term %v is not in order", seed, c)
			}
		}
		eachState(func(x []bool) {
			got, want := int64(0), int64(0)
			for _, c := range p {
				if allTrue(c.Lits, x) {
					got += c.N
				}
			}
			if tree.True(x) {
				want = 1
			}
			check.MustIs(t, got, want, "seed %d, state %v", seed, x)
		})
	}
	if long < 1 || long > 1500 {
		t.Errorf("got %d of 3000 trees without a short sum, want some", long)
	}
}

func TestClausal_MatchesTruthTable(t *testing.T) {
	t.Parallel()
	long := 0
	for seed := range uint64(3000) {
		tree := randomTree(rand.New(rand.NewPCG(seed, 2)), 4, treeAtoms)
		clauses, ok := ground.Clausal(tree)
		if !ok {
			long++
			continue
		}
		eachState(func(x []bool) {
			got := true
			for _, c := range clauses {
				got = got && slices.ContainsFunc(c, isTrue(x))
			}
			check.MustIs(t, got, tree.True(x), "seed %d, state %v", seed, x)
		})
	}
	if long < 1 || long > 1500 {
		t.Errorf("got %d of 3000 trees without few clauses, want some", long)
	}
}
