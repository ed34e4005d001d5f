package bitset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/bitset"
)

var sizes = []int{0, 1, 63, 64, 65, 127, 128, 129, 1000}

// guard surrounds the words that an operation may write.
const guard = 0xdeadbeefdeadbeef

// set is a random subset of 0..n-1, as words between guards and as members.
type set struct {
	memory  []uint64
	words   []uint64
	members []uint32
}

func random(r *rand.Rand, n int) *set {
	memory := make([]uint64, bitset.Words(n)+2)
	memory[0], memory[len(memory)-1] = guard, guard
	s := &set{memory: memory, words: memory[1 : len(memory)-1]}
	density := r.Float64()
	for i := range n {
		if r.Float64() < density {
			s.members = append(s.members, uint32(i))
		}
	}
	bitset.SetAll(s.words, s.members)
	return s
}

func (s *set) check(t *testing.T, what string, want []uint32) {
	t.Helper()
	check.Slices(t, bitset.AppendIDs(nil, s.words), want, "%s", what)
	if s.memory[0] != guard || s.memory[len(s.memory)-1] != guard {
		t.Errorf("%s: wrote beyond its words", what)
	}
}

func (s *set) has(i uint32) bool { return slices.Contains(s.members, i) }

// those returns the ids below n for which f holds.
func those(n int, f func(i uint32) bool) []uint32 {
	var out []uint32
	for i := range uint32(n) {
		if f(i) {
			out = append(out, i)
		}
	}
	return out
}

func TestOperations_MatchMembers(t *testing.T) {
	t.Parallel()
	for _, n := range sizes {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				a, b := random(r, n), random(r, n)
				checkQueries(t, n, a)

				bitset.AndInto(a.words, b.words)
				both := those(n, func(i uint32) bool { return a.has(i) && b.has(i) })
				a.check(t, "and", both)
				bitset.NotInto(a.words, n)
				a.check(t, "not", those(n, func(i uint32) bool { return !slices.Contains(both, i) }))

				c := random(r, n)
				bitset.OrInto(c.words, b.words)
				c.check(t, "or", those(n, func(i uint32) bool { return c.has(i) || b.has(i) }))
				bitset.Fill(c.words, n)
				c.check(t, "fill", those(n, func(uint32) bool { return true }))
				if n > 0 {
					i := uint32(r.IntN(n))
					bitset.Clear(c.words, i)
					c.check(t, "clear", those(n, func(k uint32) bool { return k != i }))
					bitset.Set(c.words, i)
					c.check(t, "set", those(n, func(uint32) bool { return true }))
				}
			}
		})
	}
}

func checkQueries(t *testing.T, n int, a *set) {
	t.Helper()
	a.check(t, "members", a.members)
	check.Is(t, bitset.Count(a.words), len(a.members), "count")
	check.Is(t, bitset.Any(a.words), len(a.members) > 0, "any")
	for i := range uint32(n) {
		check.Is(t, bitset.Has(a.words, i), a.has(i), "has %d", i)
	}
	var visited []uint32
	bitset.Each(a.words, func(i uint32) bool {
		visited = append(visited, i)
		return len(visited) < 3
	})
	check.Slices(t, visited, a.members[:min(3, len(a.members))], "each")
}

func ExampleAndInto() {
	a, b := make([]uint64, bitset.Words(100)), make([]uint64, bitset.Words(100))
	bitset.SetAll(a, []uint32{1, 64, 99})
	bitset.SetAll(b, []uint32{2, 64, 99})
	bitset.AndInto(a, b)
	fmt.Println(bitset.AppendIDs(nil, a), bitset.Count(a))
	// Output: [64 99] 2
}

func ExampleAndCount() {
	friends, smokers := []uint64{0b1110, 1}, []uint64{0b0110, 1}
	fmt.Println(bitset.AndCount(friends, smokers))
	// Output: 3
}

func ExampleOrRows() {
	edited := []uint64{ // the users of articles 0, 1 and 2, in rows of one word
		0b0001,
		0b0110,
		0b1000,
	}
	users := make([]uint64, 1)
	bitset.OrRows(users, edited, []uint32{0, 2})
	fmt.Println(bitset.AppendIDs(nil, users))
	// Output: [0 3]
}

func ExampleAddAndCounts() {
	edited := []uint64{0b0111}                       // the users of an article
	sets := make([]uint64, bitset.Stride(2))         // two sets of users, word by word
	sets[0], sets[1] = 0b0110, 0b1000                // smokers, and friends of the first user
	sums := make([]uint64, 2*bitset.Stride(2))       // of topics 0 and 1
	bitset.AddAndCounts(sums, 0b10, edited, sets, 2) // the article is on topic 1
	fmt.Println(sums[bitset.Stride(2)], sums[bitset.Stride(2)+1])
	// Output: 2 0
}
