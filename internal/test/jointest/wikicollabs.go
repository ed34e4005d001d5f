package jointest

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"resolwe/examples"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// Size is the size of a subgraph made by WikiCollabs.
type Size struct {
	Articles, Users int
	Targets         int // articles whose modifies atoms are known
}

// Paper is roughly the size of the subgraphs of Mihalkova and Moustafa (2011).
var Paper = Size{Articles: 300, Users: 1500, Targets: 10}

// WikiCollabsModel returns the model of the task WikiCollabs, with further formulas at its end.
func WikiCollabsModel(tb testing.TB, more string) *mln.Model {
	tb.Helper()
	text, err := examples.FS.ReadFile("wikicollabs/wikicollabs.mln")
	check.OK(tb, err)
	m, err := mln.Parse("wikicollabs.mln", append(text, more...), mln.Options{})
	check.OK(tb, err)
	return m
}

// WikiCollabs makes a subgraph of the task WikiCollabs: articles that are linked, similar, categorised and cited; users who edit
// and discuss a few of them; and, for some articles, who will modify them, more often those who edited similar ones. The schema is
// that of the task's model.
func WikiCollabs(schema *mln.Schema, r *rand.Rand, size Size) *subgraph.Subgraph {
	b := subgraph.NewBuilder(schema)
	b.Reset("s", "", -1)
	g := &wiki{Rand: r, schema: schema, builder: b}
	articles := g.entities("article", size.Articles)
	users := g.entities("user", size.Users)
	categories := g.entities("category", 1+size.Articles/10)
	externals := g.entities("external", 1+size.Articles/5)

	g.facts("hyperLink", 8*size.Articles, articles, articles)
	similar := g.facts("similar", 4*size.Articles, articles, articles)
	g.facts("verySimilar", size.Articles, articles, articles)
	g.facts("category", 3*size.Articles, articles, categories)
	for _, level := range []string{"1", "2", "3"} {
		g.facts("level"+level+"Exact", size.Articles, articles, externals)
		g.facts("level"+level+"Inexact", 2*size.Articles, articles, externals)
	}
	edits := g.facts("articleEdit", 3*size.Users, articles, users)
	g.facts("articleTalk", size.Users/2, articles, users)
	g.facts("userTalk", 2*size.Users, users, users)

	edited := map[[2]uint32]bool{} // by target and user: the user edited an article similar to the target
	for pair := range similar {
		for _, u := range users {
			if edits[[2]uint32{pair[0], u}] {
				edited[[2]uint32{pair[1], u}] = true
			}
		}
	}
	modifies := schema.Predicate("modifies")
	for _, t := range articles[:size.Targets] {
		for _, u := range users {
			p, truth := 0.002, subgraph.False
			if edited[[2]uint32{t, u}] {
				p = 0.2
			}
			if r.Float64() < p {
				truth = subgraph.True
			}
			b.Add(modifies, []uint32{t, u}, truth)
		}
	}
	s, err := b.Finish()
	if err != nil {
		panic(err) // every atom has one truth value
	}
	return s
}

// wiki is a subgraph under construction.
type wiki struct {
	*rand.Rand
	schema  *mln.Schema
	builder *subgraph.Builder
}

func (g *wiki) entities(typ string, n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = g.builder.Entity(g.schema.Type(typ), typ+strconv.Itoa(i))
	}
	return ids
}

// facts states n random atoms of a binary predicate, with small ids more often than large ones, and returns them.
func (g *wiki) facts(pred string, n int, rows, cols []uint32) map[[2]uint32]bool {
	at := func(ids []uint32) uint32 {
		x := g.Float64()
		return ids[int(x*x*float64(len(ids)))]
	}
	out := map[[2]uint32]bool{}
	for range n {
		pair := [2]uint32{at(rows), at(cols)}
		out[pair] = true
		g.builder.Add(g.schema.Predicate(pred), pair[:], subgraph.True)
	}
	return out
}
