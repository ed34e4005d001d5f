package demo

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// How dense the evidence of the demo is. All of it is drawn independently of the rest.
const (
	editRate     = 0.25 // that a user edits an article; the same for discussing it
	linkRate     = 0.18 // that an article links to another
	similarRate  = 0.18 // that two articles are similar
	topicRate    = 0.8  // that an article has a topic, at each of three levels
	memberRate   = 0.5  // that a user is a member of a project
	interestRate = 0.5  // that a user has an interest
	talkRate     = 0.4  // that a user writes to a mentor
	mentorShare  = 10   // one user in so many is a mentor
	topics       = 10
	categories   = 2
	languages    = 8
)

// generator draws the subgraphs of a demo.
type generator struct {
	demo    Task
	opt     Options
	builder *subgraph.Builder
	types   map[string]int // of the schema, by name
	preds   map[string]int
}

// generator checks that the schema is fit for the demo.
func (d Task) generator(schema *mln.Schema, opt Options) (*generator, error) {
	model, err := mln.Parse("demo.mln", []byte(model), mln.Options{})
	if err != nil {
		return nil, err
	}
	g := &generator{
		demo: d, opt: opt, builder: subgraph.NewBuilder(schema),
		types: map[string]int{}, preds: map[string]int{},
	}
	for _, p := range model.Schema.Predicates {
		i := schema.Predicate(p.Name)
		if i < 0 || !sameDeclaration(&model.Schema, p, schema, schema.Predicates[i]) {
			return nil, &SchemaError{p.Name}
		}
		g.preds[p.Name] = i
	}
	for _, name := range model.Schema.Types {
		g.types[name] = schema.Type(name)
	}
	return g, nil
}

// sameDeclaration reports whether two predicates have the same types, and both are to be predicted or neither.
func sameDeclaration(s *mln.Schema, p mln.Predicate, s2 *mln.Schema, p2 mln.Predicate) bool {
	if len(p.Args) != len(p2.Args) || p.Role.IsTarget() != p2.Role.IsTarget() {
		return false
	}
	for i, t := range p.Args {
		if s.Types[t] != s2.Types[p2.Args[i]] {
			return false
		}
	}
	return true
}

// world is a subgraph while it is drawn. The first articles are the targets, of which the data does not say who edits or
// discusses them. The first users are the mentors.
type world struct {
	*generator
	rand                     *rand.Rand
	users, articles, targets int
}

// subgraph draws the subgraph at a position of the stream.
func (g *generator) subgraph(index int) (*subgraph.Subgraph, error) {
	w := &world{generator: g, rand: rand.New(rand.NewPCG(g.opt.Seed, uint64(index)))}
	w.users, w.articles, w.targets = w.size(g.opt.Users), w.size(g.opt.Articles), g.opt.Targets
	g.builder.Reset("s"+strconv.Itoa(index+1), "", -1)
	w.entities("article", "A", w.articles)
	w.entities("user", "U", w.users)
	w.entities("category", "C", categories)
	w.entities("topic", "T", topics)

	logOdds := w.evidence()
	writers := w.talk()
	for t := range logOdds {
		for u, truth := range w.truth(logOdds[t], writers) {
			g.builder.Add(g.preds["modifies"], []uint32{uint32(t), uint32(u)}, truth)
		}
	}
	s, err := g.builder.Finish()
	if err != nil {
		return nil, err
	}
	s.Index = index
	return s, nil
}

// size draws a number between two thirds of the largest and the largest.
func (w *world) size(largest int) int { return largest - w.rand.IntN(largest/3+1) }

func (w *world) chance(p float64) bool { return w.rand.Float64() < p }

// entities declares the entities 0..n-1 of a type.
func (w *world) entities(typ, prefix string, n int) {
	for i := range n {
		w.builder.Entity(w.types[typ], prefix+strconv.Itoa(i+1))
	}
}

// state states a true atom.
func (w *world) state(pred string, a, b int) {
	w.builder.Add(w.preds[pred], []uint32{uint32(a), uint32(b)}, subgraph.True)
}

// evidence draws all evidence but userTalk. It returns the log-odds that it gives to modifies(t, u), by target and user.
func (w *world) evidence() [][]float64 {
	similar, links := w.similarities(), w.links()
	edits, talks := w.contributions("articleEdit"), w.contributions("articleTalk")
	w.labels("category", w.articles, categories, 1)
	w.labels("level1Topic", w.articles, topics, topicRate)
	topic := w.labels("level2Topic", w.articles, topics, topicRate)
	w.labels("level3Topic", w.articles, topics, topicRate)
	member := w.labels("member", w.users, topics, memberRate)
	w.labels("interest", w.users, topics, interestRate)
	w.sharedLanguages()

	logOdds := matrix[float64](w.targets, w.users)
	for t, row := range logOdds {
		for u := range row {
			row[u] = w.demo.Base
			if topic[t] >= 0 && topic[t] == member[u] {
				row[u] += w.demo.Strengths[1]
			}
			for a := w.targets; a < w.articles; a++ {
				if edits[a][u] && talks[a][u] && similar[a][t] && links[a][t] {
					row[u] += w.demo.Strengths[0]
				}
			}
		}
	}
	return logOdds
}

func matrix[T any](rows, cols int) [][]T {
	m := make([][]T, rows)
	for i := range m {
		m[i] = make([]T, cols)
	}
	return m
}

// contributions draws who edits, or discusses, which articles.
func (w *world) contributions(pred string) [][]bool {
	m := matrix[bool](w.articles, w.users)
	for a := w.targets; a < w.articles; a++ {
		for u := range w.users {
			if w.chance(editRate) {
				m[a][u] = true
				w.state(pred, a, u)
			}
		}
	}
	return m
}

// links draws which articles link to which.
func (w *world) links() [][]bool {
	m := matrix[bool](w.articles, w.articles)
	for a := range m {
		for b := range m {
			if a != b && w.chance(linkRate) {
				m[a][b] = true
				w.state("hyperLink", a, b)
			}
		}
	}
	return m
}

// similarities draws which articles are similar: a symmetric relation.
func (w *world) similarities() [][]bool {
	m := matrix[bool](w.articles, w.articles)
	for a := range m {
		for b := range a {
			if w.chance(similarRate) {
				m[a][b], m[b][a] = true, true
				w.state("similar", a, b)
				w.state("similar", b, a)
			}
		}
	}
	return m
}

// labels gives each of n entities at most one of k labels. It returns them, -1 for none.
func (w *world) labels(pred string, n, k int, rate float64) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
		if w.chance(rate) {
			out[i] = w.rand.IntN(k)
			w.state(pred, i, out[i])
		}
	}
	return out
}

// sharedLanguages gives each user a language and states who share one.
func (w *world) sharedLanguages() {
	language := make([]int, w.users)
	for u := range language {
		language[u] = w.rand.IntN(languages)
		for v := range u {
			if language[u] == language[v] {
				w.state("sameLanguage", u, v)
				w.state("sameLanguage", v, u)
			}
		}
	}
}

// talk draws who writes to which mentor. It returns the writers of each mentor.
func (w *world) talk() [][]int {
	mentors := 1 + (w.users-1)/mentorShare
	writers := make([][]int, mentors)
	for u := mentors; u < w.users; u++ {
		if w.chance(talkRate) {
			m := w.rand.IntN(mentors)
			writers[m] = append(writers[m], u)
			w.state("userTalk", u, m)
		}
	}
	return writers
}

// truth draws who modifies one article, given the log-odds of each user before userTalk counts. A mentor and those who
// write to the mentor form a star, so the draw from their joint distribution is exact: first the mentor, with the
// writers summed out, then each writer. With weight s, userTalk(u, m) ^ modifies(t, u) => modifies(t, m) takes s from
// the log-odds of a writer u where the mentor m does not modify the article, and nothing where m does.
func (w *world) truth(logOdds []float64, writers [][]int) []subgraph.Truth {
	s := w.demo.Strengths[2]
	out := make([]subgraph.Truth, w.users)
	final := slices.Clone(logOdds)
	for m, us := range writers {
		for _, u := range us {
			final[m] += elementary.Log1p(elementary.Exp(logOdds[u])) - elementary.Log1p(elementary.Exp(logOdds[u]-s))
		}
		out[m] = w.draw(final[m])
		for _, u := range us {
			if out[m] == subgraph.False {
				final[u] -= s
			}
		}
	}
	for u := len(writers); u < w.users; u++ {
		out[u] = w.draw(final[u])
	}
	return out
}

// draw draws a truth value from its log-odds.
func (w *world) draw(logOdds float64) subgraph.Truth {
	if w.chance(1 / (1 + elementary.Exp(-logOdds))) {
		return subgraph.True
	}
	return subgraph.False
}
