package join_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Every way of evaluation gives what nested loops give, on several subgraphs with one scratch.
func TestScratch_MatchesNestedLoops(t *testing.T) {
	t.Parallel()
	reduced, multiway := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 41))
		prog := plan.NewProgram(schema)
		prog.Consts = constants
		for range 6 {
			if c, outputs := randomConj(r); prog.Query(c, outputs).Reduced {
				reduced++
			} else {
				multiway++
			}
		}
		s := join.NewScratch(prog)
		for range 4 {
			s.Reset(randomSubgraph(r))
			for i, q := range prog.Queries {
				checkQuery(t, s, q, fmt.Sprintf("seed %d, query %d", seed, i))
			}
		}
	}
	if reduced < 500 || multiway < 100 {
		t.Errorf("got %d reduced queries and %d others, want many of both", reduced, multiway)
	}
}

// TestScratch_Apart counts, in small and larger subgraphs, entities that share something with another one, apart from that one.
func TestScratch_Apart(t *testing.T) {
	t.Parallel()
	const x, y, u, v = 0, 1, 2, 3
	lit := func(name string, args ...plan.Arg) plan.Literal {
		source := plan.SourceTrue
		if pred := schema.Predicate(name); schema.Predicates[pred].Role.IsTarget() {
			source = plan.SourceKnown
		}
		return plan.Literal{Source: source, Pred: schema.Predicate(name), Args: args}
	}
	prog := plan.NewProgram(schema)
	for _, literals := range [][]plan.Literal{
		{lit("edit", x, u), lit("edit", y, u)},
		{lit("edit", x, u), lit("pick", u, y), lit("mark", y)},
		{lit("edit", x, u), lit("edit", y, u), lit("sole", u), lit("mark", y)},
		{lit("edit", x, u), lit("edit", x, v), lit("edit", y, v), lit("mark", y), lit("sole", u)},
		{lit("edit", x, u), lit("tag", u, x, u), lit("edit", y, u), lit("mark", y)},
		{lit("link", x, y), lit("edit", x, u), lit("edit", y, u)},
	} {
		conj := &plan.Conj{Types: []int{0, 0, 1, 1}[:3], Differs: []plan.Differ{{A: x, B: y}}}
		if slices.ContainsFunc(literals, func(l plan.Literal) bool { return slices.Contains(l.Args, v) }) {
			conj.Types = conj.Types[:4]
		}
		for _, l := range literals {
			conj.Add(l)
		}
		for output := range conj.Types {
			prog.Query(conj, []int{output})
		}
		prog.Query(renamed(conj), []int{x}) // u goes before y
	}
	s := join.NewScratch(prog)
	for seed := range uint64(200) {
		s.Reset(randomSubgraph(rand.New(rand.NewPCG(seed, 43))))
		for i, q := range prog.Queries {
			checkQuery(t, s, q, fmt.Sprintf("seed %d, query %d", seed, i))
		}
	}
}

// renamed returns a conjunction with its second and third variable swapped.
func renamed(c *plan.Conj) *plan.Conj {
	swap := func(a plan.Arg) plan.Arg { return []plan.Arg{0, 2, 1, 3}[a] }
	out := &plan.Conj{Types: slices.Clone(c.Types)}
	out.Types[1], out.Types[2] = c.Types[2], c.Types[1]
	for _, d := range c.Differs {
		out.Differs = append(out.Differs, plan.Differ{A: swap(d.A), B: swap(d.B)})
	}
	for _, l := range c.Literals {
		args := make([]plan.Arg, len(l.Args))
		for i, a := range l.Args {
			args[i] = swap(a)
		}
		l.Args = args
		out.Add(l)
	}
	return out
}

func checkQuery(t *testing.T, s *join.Scratch, q *plan.Query, name string) {
	t.Helper()
	bindings := 1
	for _, typ := range q.Conj.Types {
		bindings *= s.Size(typ)
	}
	if bindings > 5000 {
		return // too many for nested loops
	}
	want := solutions(s, q.Conj, q.Outputs)
	holds := map[string]int64{}
	for k := range want {
		holds[k] = 1
	}
	fail := func(how string, got, want map[string]int64) {
		if !maps.Equal(got, want) {
			t.Fatalf("%s, %s (-got +want):\n%s\n%+v %+v", name, how, cmp.Diff(got, want), q, q.Conj)
		}
	}
	for _, count := range []bool{false, true} {
		got, last := map[string]int64{}, []uint32(nil)
		err := s.Counting(func() error {
			s.Enumerate(q, count, func(binding []uint32, n int64) bool {
				if last != nil && slices.Compare(last, binding) >= 0 {
					t.Errorf("%s: got %v after %v, want ascending bindings", name, binding, last)
				}
				last = slices.Clone(binding)
				got[fmt.Sprint(binding)] = n
				return true
			})
			return nil
		})
		check.OK(t, err)
		if count {
			fail("enumerated counts", got, want)
		} else {
			fail("enumerated", got, holds)
		}
	}
	if !q.Reduced {
		return
	}
	counts := map[string]int64{}
	check.OK(t, s.Counting(func() error {
		counts = productOf(s, q, countFactors)
		return nil
	}))
	fail("counts", counts, want)
	fail("truth", productOf(s, q, boolFactors), holds)
}

// factors evaluates a reduced query's factors at a binding of its outputs.
type factors func(s *join.Scratch, q *plan.Query, binding []uint32) int64

func productOf(s *join.Scratch, q *plan.Query, f factors) map[string]int64 {
	out := map[string]int64{}
	if !s.Guards(q.Conj) {
		return out
	}
	var sizes, types []int
	for t := range schema.Types {
		sizes = append(sizes, s.Size(t))
	}
	for _, v := range q.Outputs {
		types = append(types, q.Conj.Types[v])
	}
	eachTuple(sizes, types, func(binding []uint32) {
		if n := f(s, q, binding); n > 0 {
			out[fmt.Sprint(binding)] = n
		}
	})
	return out
}

func countFactors(s *join.Scratch, q *plan.Query, binding []uint32) int64 {
	n := int64(1)
	for _, id := range q.Scalars {
		n *= s.Count(id)
	}
	for _, v := range q.Vectors {
		n *= s.Counts(v.Node)[binding[v.Var]]
	}
	for _, m := range q.Mats {
		row := s.CountRow(m.Node, binding[m.Row])
		i, ok := slices.BinarySearch(row.IDs, binding[m.Col])
		if !ok {
			return 0
		}
		n *= row.At(i)
	}
	return n
}

func boolFactors(s *join.Scratch, q *plan.Query, binding []uint32) int64 {
	for _, id := range q.Scalars {
		if !s.Holds(id) {
			return 0
		}
	}
	for _, v := range q.Vectors {
		if !bitset.Has(s.Set(v.Node), binding[v.Var]) {
			return 0
		}
	}
	for _, m := range q.Mats {
		if !bitset.Has(s.Row(m.Node, binding[m.Row]), binding[m.Col]) {
			return 0
		}
	}
	return 1
}

func TestScratch_Enumerate_Stops(t *testing.T) {
	t.Parallel()
	prog := plan.NewProgram(schema)
	q := prog.Query(&plan.Conj{Types: []int{0, 1}}, []int{0, 1})
	s := join.NewScratch(prog)
	for seed := range uint64(20) {
		s.Reset(randomSubgraph(rand.New(rand.NewPCG(seed, 42))))
		calls, limit := 0, 3
		s.Enumerate(q, false, func([]uint32, int64) bool {
			calls++
			return calls < limit
		})
		check.Is(t, calls, min(limit, s.Size(0)*s.Size(1)), "seed %d, calls", seed)
	}
}
