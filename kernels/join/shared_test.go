package join_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// randomPieces returns subgraphs of one world, complete and with what they share left out.
func randomPieces(r *rand.Rand) (complete, shared []*subgraph.Subgraph) {
	world := randomSubgraph(r)
	keep := []float64{1, 0.9, 0.5}[r.IntN(3)]
	for i := range 4 {
		complete = append(complete, jointest.Induce(schema, r, world, fmt.Sprint("s", i), keep))
	}
	return complete, jointest.Share(schema, complete, nil)
}

// Whatever is left out of a subgraph because it is shared, every way of evaluation gives the same.
func TestScratch_Shared(t *testing.T) {
	t.Parallel()
	onBackground := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 43))
		prog := plan.NewProgram(schema)
		prog.Consts = constants
		for range 6 {
			prog.Query(randomConj(r))
		}
		a, b := join.NewScratch(prog), join.NewScratch(prog)
		b.LimitBackground(8 * r.IntN(8))
		complete, shared := randomPieces(r)
		for k := range complete {
			a.Reset(complete[k])
			b.Reset(shared[k])
			onBackground += b.OnBackground()
			for i, q := range prog.Queries {
				checkEqual(t, a, b, q, fmt.Sprintf("seed %d, %s, query %d", seed, complete[k].Name, i))
			}
		}
	}
	check.AtLeast(t, onBackground, 250, "nodes over a background")
}

// checkEqual compares the evaluations of a query by two scratches.
func checkEqual(t *testing.T, a, b *join.Scratch, q *plan.Query, name string) {
	t.Helper()
	bindings := 1
	for _, v := range q.Outputs {
		bindings *= a.Size(q.Conj.Types[v])
	}
	if bindings > 5000 {
		return // too many to be listed
	}
	for _, how := range []struct {
		name string
		eval func(s *join.Scratch) map[string]int64
	}{
		{"truth", func(s *join.Scratch) map[string]int64 { return productOf(s, q, boolFactors) }},
		{"counts", func(s *join.Scratch) map[string]int64 { return productOf(s, q, countFactors) }},
		{"enumerated", func(s *join.Scratch) map[string]int64 { return enumerated(s, q) }},
	} {
		if !q.Reduced && how.name != "enumerated" {
			continue
		}
		if got, want := counted(t, b, how.eval), counted(t, a, how.eval); !maps.Equal(got, want) {
			t.Fatalf("%s, %s (-got +want):\n%s\n%+v", name, how.name, cmp.Diff(got, want), q.Conj)
		}
	}
}

func counted(t *testing.T, s *join.Scratch, eval func(*join.Scratch) map[string]int64) (out map[string]int64) {
	t.Helper()
	check.OK(t, s.Counting(func() error {
		out = eval(s)
		return nil
	}))
	return out
}

func enumerated(s *join.Scratch, q *plan.Query) map[string]int64 {
	out := map[string]int64{}
	s.Enumerate(q, true, func(binding []uint32, n int64) bool {
		out[fmt.Sprint(binding)] = n
		return true
	})
	return out
}

// large has relations of several hundred tuples, so that products are worth being built together.
func large(r *rand.Rand) *subgraph.Subgraph {
	b := subgraph.NewBuilder(schema)
	b.Reset("large", "", -1)
	sizes := []int{50 + r.IntN(100), 50 + r.IntN(100)}
	for typ, n := range sizes {
		for i := range n {
			b.Entity(typ, fmt.Sprintf("%c%d", 'A'+typ, i))
		}
	}
	for pred, p := range schema.Predicates {
		if len(p.Args) > 2 {
			continue
		}
		density := []float64{0.01, 0.1, 0.5}[r.IntN(3)]
		eachTuple(sizes, p.Args, func(tuple []uint32) {
			if r.Float64() < density {
				b.Add(pred, tuple, subgraph.True)
			}
		})
	}
	s, err := b.Finish()
	if err != nil {
		panic(err) // every atom is stated once
	}
	return s
}

// products compiles chains of three and four entities, in which products share their last relations.
func products(r *rand.Rand) *plan.Program {
	const mark, link, edit, act = 0, 1, 2, 4
	prog := plan.NewProgram(schema)
	for range 8 {
		c := &plan.Conj{Types: []int{0, 0, 1, 0}}
		c.Add(plan.Literal{Source: plan.SourceTrue, Pred: link, Args: []plan.Arg{0, 3}, Negated: r.IntN(4) == 0})
		c.Add(plan.Literal{Source: plan.SourceTrue, Pred: link, Args: []plan.Arg{1, 3}})
		if r.IntN(2) == 0 {
			c.Add(plan.Literal{Source: plan.SourceTrue, Pred: link, Args: []plan.Arg{0, 1}})
		}
		if r.IntN(2) == 0 {
			c.Add(plan.Literal{Source: plan.SourceTrue, Pred: mark, Args: []plan.Arg{1}})
		}
		c.Add(plan.Literal{Source: plan.SourceTrue, Pred: edit, Args: []plan.Arg{1, 2}})
		if r.IntN(2) == 0 {
			c.Add(plan.Literal{Source: plan.SourceTrue, Pred: act, Args: []plan.Arg{1, 2}})
		}
		prog.Query(c, []int{0, 2})
	}
	return prog
}

// Rows that are built together are those that are built one by one.
func TestScratch_Build(t *testing.T) {
	t.Parallel()
	lanes := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 44))
		prog := products(r)
		world := large(r)
		complete := []*subgraph.Subgraph{world, jointest.Induce(schema, r, world, "part", 0.9)}
		shared := jointest.Share(schema, complete, func(pred int) bool { return r.IntN(3) > 0 })
		packed, plain := join.NewScratch(prog), join.NewScratch(prog)
		for k := range complete {
			plain.Reset(complete[k])
			for _, sub := range []*subgraph.Subgraph{complete[k], shared[k]} {
				packed.Reset(sub)
				for _, q := range prog.Queries {
					packed.Prefetch(q.Mats[0].Node, randomSet(r, plain.Size(0)))
				}
				packed.BuildBatches()
				lanes += packed.Lanes()
				for i, q := range prog.Queries {
					for x := range uint32(plain.Size(0)) {
						got, want := packed.Row(q.Mats[0].Node, x), plain.Row(q.Mats[0].Node, x)
						if !slices.Equal(got, want) {
							t.Fatalf("seed %d, %s, query %d: row %d has\n%x, want\n%x", seed, sub.Name, i, x, got, want)
						}
						if got, want := packed.CountRow(q.Mats[0].Node, x), plain.CountRow(q.Mats[0].Node, x); !cmp.Equal(got, want) {
							t.Fatalf("seed %d, %s, query %d: counts of row %d are\n%v, want\n%v", seed, sub.Name, i, x, got, want)
						}
					}
				}
			}
		}
	}
	check.AtLeast(t, lanes, 20, "lanes of columns")
}

// randomSet holds few or most of n entities.
func randomSet(r *rand.Rand, n int) []uint64 {
	set := make([]uint64, bitset.Words(n))
	p := r.Float64()
	for i := range uint32(n) {
		if r.Float64() < p {
			bitset.Set(set, i)
		}
	}
	return set
}

// Entries within two sets are counted as rows tell.
func TestScratch_Pairs(t *testing.T) {
	t.Parallel()
	tiled := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 45))
		prog := products(r)
		sub := large(r)
		rows, s := join.NewScratch(prog), join.NewScratch(prog)
		if seed%2 == 1 {
			s.NarrowTiles()
		}
		rows.Reset(sub)
		s.Reset(sub)
		for id := range prog.Nodes {
			n := &prog.Nodes[id]
			if n.Arity != 2 {
				continue
			}
			sets := [][]uint64{
				randomSet(r, rows.Size(n.Row)), randomSet(r, rows.Size(n.Row)),
				randomSet(r, rows.Size(n.Col)), randomSet(r, rows.Size(n.Col)),
			}
			asked := []join.Pair{{Rows: 0, Cols: 2}, {Rows: 1, Cols: 2}, {Rows: 1, Cols: 3}}
			got := slices.Clone(asked)
			s.Pairs(plan.NodeID(id), sets, got)
			for k, want := range asked {
				bitset.Each(sets[want.Rows], func(x uint32) bool {
					row := rows.Row(plan.NodeID(id), x)
					want.N += int64(bitset.AndCount(row, sets[want.Cols]))
					if n.Row == n.Col && bitset.Has(row, x) && bitset.Has(sets[want.Cols], x) {
						want.Same++
					}
					return true
				})
				check.MustIs(t, got[k], want, "seed %d, node %d, pair %d", seed, id, k)
			}
		}
		tiled += s.Tiled()
	}
	check.AtLeast(t, tiled, 12, "relations in tiles")
}

func TestAppendCommon(t *testing.T) {
	t.Parallel()
	s := join.NewScratch(plan.NewProgram(schema))
	s.Reset(large(rand.New(rand.NewPCG(1, 47))))
	size := uint32(s.Size(0))
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 47))
		list := func(p float64) (out []uint32) {
			for id := range size {
				if r.Float64() < p {
					out = append(out, id)
				}
			}
			return out
		}
		shapes := []float64{0, 0.005, 0.1, 0.9}
		a, b := list(shapes[r.IntN(4)]), list(shapes[r.IntN(4)])
		want := []uint32{7}
		for _, id := range a {
			if slices.Contains(b, id) {
				want = append(want, id)
			}
		}
		check.MustSlices(t, s.AppendCommon([]uint32{7}, a, b), want, "seed %d", seed)
	}
}

// A cache of rows is a map that forgets.
func TestRowCache(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 48))
	var c join.RowCache
	for range 20 {
		c.Begin(300)
		want := map[uint32][]uint64{}
		for range r.IntN(200) {
			x := uint32(r.IntN(300))
			if got, ok := want[x]; ok != (c.Row(x) != nil) || ok && &got[0] != &(*c.Row(x))[0] {
				t.Fatalf("row %d: got %v, want %v", x, c.Row(x), got)
			} else if !ok {
				want[x] = []uint64{uint64(x)}
				c.Keep(x, want[x])
			}
		}
	}
}

// What is derived from a background is bounded, and kept from one subgraph to the next.
func TestScratch_KeepsBackground(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 46))
	prog := products(r)
	world := large(r)
	shared := jointest.Share(schema, []*subgraph.Subgraph{world}, nil)
	for name, c := range map[string]struct {
		limit int
		kept  bool
	}{"within the limit": {1 << 20, true}, "beyond it": {1, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := join.NewScratch(prog)
			s.LimitBackground(c.limit)
			s.Reset(shared[0])
			for _, q := range prog.Queries {
				s.Row(q.Mats[0].Node, 0)
			}
			if s.BackgroundWords() == 0 {
				t.Fatal("got no rows over the background, want some")
			}
			s.Reset(shared[0])
			check.Equal(t, "kept rows", s.BackgroundWords() > 0, c.kept)
		})
	}
}
