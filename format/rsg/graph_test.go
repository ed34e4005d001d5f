package rsg_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/subgraph"
)

// graph is one large graph out of which subgraphs are cut: friends and owns of the social schema.
type graph struct {
	rng           *rand.Rand
	persons       int
	things        int
	friends, owns map[[2]int]bool
	part          float64 // of the persons that a subgraph has
	hidden        float64 // of the friends that a subgraph does not tell
}

func newGraph(rng *rand.Rand, persons, things int) *graph {
	g := &graph{rng: rng, friends: map[[2]int]bool{}, owns: map[[2]int]bool{}, part: 0.9}
	g.grow(persons, things)
	return g
}

// grow adds persons and things, with their ties among themselves and to those before.
func (g *graph) grow(persons, things int) {
	p, q := g.persons, g.things
	g.persons, g.things = p+persons, q+things
	for x := range g.persons {
		for y := range g.persons {
			if max(x, y) >= p && g.rng.IntN(3) == 0 {
				g.friends[[2]int{x, y}] = true
			}
		}
		for y := range g.things {
			if (x >= p || y >= q) && g.rng.IntN(3) == 0 {
				g.owns[[2]int{x, y}] = true
			}
		}
	}
}

// cut returns subgraphs of most of the graph, each with entities in an order of its own, and some facts of its own.
func (g *graph) cut(tb testing.TB, n int) []*subgraph.Subgraph {
	tb.Helper()
	b, out := newBuilder(social()), make([]*subgraph.Subgraph, n)
	for i := range out {
		out[i] = g.one(tb, b, i)
	}
	return out
}

func (g *graph) one(tb testing.TB, b builder, i int) *subgraph.Subgraph {
	tb.Helper()
	b.Reset(fmt.Sprint("s", i), "", -1)
	here := map[int]uint32{}
	for _, x := range g.rng.Perm(g.persons) {
		if g.rng.Float64() < g.part {
			here[x] = b.Entity(0, fmt.Sprint("P", x))
		}
	}
	owned := map[int]bool{} // a thing is there with an owner
	for x := range g.persons {
		for y := range g.things {
			_, ok := here[x]
			owned[y] = owned[y] || ok && g.owns[[2]int{x, y}]
		}
	}
	for _, x := range g.rng.Perm(g.persons) {
		id, ok := here[x]
		if !ok {
			continue
		}
		for y := range g.persons {
			if other, ok := here[y]; ok && g.friends[[2]int{x, y}] && g.rng.Float64() >= g.hidden {
				b.Add(0, []uint32{id, other}, subgraph.True)
			}
		}
		if g.rng.IntN(2) == 0 {
			b.Add(2, []uint32{id}, subgraph.Truth(1+g.rng.IntN(3)))
		}
	}
	for _, y := range g.rng.Perm(g.things) {
		if !owned[y] {
			continue
		}
		thing := b.Entity(1, fmt.Sprint("T", y))
		for x, id := range here {
			if g.owns[[2]int{x, y}] {
				b.Add(4, []uint32{id, thing}, subgraph.True)
			}
		}
	}
	s := b.finish(tb)
	s.Index = i
	return s
}
