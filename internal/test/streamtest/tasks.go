package streamtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// Friends is a task with connected atoms.
const Friends = `friends(person, person)
target smokes(person)
friends(x, y) ^ smokes(x) => smokes(y)
`

// FriendsDB returns n subgraphs, numbered from first on.
func FriendsDB(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "@subgraph s%d\nfriends(A, B%d)\nfriends(B%d, C)\nsmokes(A)\n", i, i, i)
	}
	return b.String()
}

// Independent is a task whose atoms are independent given the evidence.
const Independent = `e(a, b)
f(b)
target q(a)
target listed r(b)
0.5 e(x, y) ^ f(y) => q(x)
e(x, y) ^ !r(y)
-1 f(y) => r(y)
`

// IndependentDB returns random facts of Independent.
func IndependentDB(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		for x := range 3 {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "q(A%d)\n", x)
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "!r(B%d)\n", x)
			} else {
				fmt.Fprintf(&b, "r(B%d)\n", x)
			}
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "f(B%d)\n", x)
			}
			fmt.Fprintf(&b, "e(A%d, B%d)\ne(A%d, B%d)\n", x, r.IntN(3), r.IntN(3), x)
		}
	}
	return b.String()
}

// TiedTask is a weighted task with connected atoms, over the graphs of RingsDB and FullDB.
const TiedTask = "e(a, a)\ntarget q(a)\n1 e(x, y) ^ q(x) => q(y)\n-0.5 q(x)\n"

// RingsDB returns, for each size, a subgraph that is a ring of that many atoms with chords.
func RingsDB(sizes ...int) string {
	r := rand.New(rand.NewPCG(8, 0))
	var b strings.Builder
	for i, n := range sizes {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		for x := range n {
			fmt.Fprintf(&b, "e(A%d, A%d)\ne(A%d, A%d)\n", x, r.IntN(n), x, (x+1)%n)
			if x%3 == 0 {
				fmt.Fprintf(&b, "q(A%d)\n", x)
			}
		}
	}
	return b.String()
}

// FullDB returns a subgraph in which all atoms are connected to each other.
func FullDB(atoms int) string {
	var b strings.Builder
	for x := range atoms {
		for y := range x {
			fmt.Fprintf(&b, "e(A%d, A%d)\n", x, y)
		}
	}
	return b.String()
}

// Sharing is a task over subgraphs that have much in common.
const Sharing = `links(page, page)
tagged(page, tag)
read(page, user)
target listed likes(page, user)
read(p, u) ^ links(p, q) => likes(q, u)
read(p, u) ^ tagged(p, t) ^ tagged(q, t) => likes(q, u)
read(p, u) ^ !links(p, q) => likes(q, u)
links(p, q) ^ likes(p, u) => likes(q, u)
links(p, q) ^ links(q, r) ^ read(p, u) => likes(r, u)
tagged(p, T1) ^ links(p, q) ^ read(q, u) => likes(p, u)
`

// SharingDB returns subgraphs that contain most of one graph of pages, with readers of their own.
func SharingDB(seed uint64, subgraphs int) string {
	rng := rand.New(rand.NewPCG(seed, 5))
	const pages = 12
	var links [pages][pages]bool
	var tags [pages]int
	for p := range pages {
		tags[p] = rng.IntN(3)
		for q := range pages {
			links[p][q] = rng.IntN(4) == 0
		}
	}
	var out strings.Builder
	for i := range subgraphs {
		fmt.Fprintf(&out, "@subgraph s%d\n", i)
		var here []int
		for _, p := range rng.Perm(pages) {
			if rng.IntN(8) > 0 {
				here = append(here, p)
				fmt.Fprintf(&out, "@entity page P%d\ntagged(P%d, T%d)\n", p, p, tags[p])
			}
		}
		for _, p := range here {
			for _, q := range here {
				if links[p][q] {
					fmt.Fprintf(&out, "links(P%d, P%d)\n", p, q)
				}
			}
			for u := range 3 {
				if rng.IntN(3) == 0 {
					fmt.Fprintf(&out, "read(P%d, U%d_%d)\n", p, i, u)
				}
				if k := rng.IntN(6); k < 3 {
					fmt.Fprintf(&out, "%slikes(P%d, U%d_%d)\n", [3]string{"", "!", "?"}[k], p, i, u)
				}
			}
		}
	}
	return out.String()
}

// Demo returns n subgraphs of the task of package demo.
func Demo(tb testing.TB, m *resolwe.Model, n int, seed uint64) (out []*subgraph.Subgraph) {
	tb.Helper()
	for s, err := range demo.New().Generate(m.Schema, demo.Options{Subgraphs: n, Seed: seed}) {
		check.OK(tb, err)
		out = append(out, s)
	}
	return out
}

// Towns is a task with candidates on numbers, candidates with several target literals, and two target predicates.
const Towns = `near(person, person)
age(person, number)
club(person, club)
badge(person)
target votes(person)
target happy(person)
age(x, n) ^ votes(x)
club(x, c) ^ votes(x)
badge(x) => votes(x)
avg{n, y: near(x, y) ^ age(y, n)} >= 40 => votes(x)
near(x, y) ^ votes(x) => votes(y)
club(x, c) => happy(x)
0.1 happy(x)
`

// TownsDB returns towns whose people vote by age, and like their neighbours.
func TownsDB(seed uint64, towns int) string {
	r := rand.New(rand.NewPCG(seed, 12))
	var b strings.Builder
	for i := range towns {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		camp := r.IntN(2)
		for x := range 6 + r.IntN(12) {
			age := 18 + r.IntN(60)
			fmt.Fprintf(&b, "age(P%d, %d)\n", x, age)
			side := (x/4 + camp) % 2
			if r.Float64() < .2+float64(.55*float64(side)) {
				fmt.Fprintf(&b, "badge(P%d)\n", x)
			}
			for range 3 {
				fmt.Fprintf(&b, "near(P%d, P%d)\n", x, x/4*4+(x+1+r.IntN(3))%4)
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "club(P%d, C%d)\n", x, r.IntN(3))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "happy(P%d)\n", x)
			}
			if r.Float64() < .1+float64(.75*float64(side)) {
				fmt.Fprintf(&b, "votes(P%d)\n", x)
			} else if age < 30 && r.IntN(2) == 0 {
				fmt.Fprintf(&b, "votes(P%d)\n", x)
			}
		}
	}
	return b.String()
}
