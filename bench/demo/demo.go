// Package demo generates a small task with planted formulas, for trying and timing selection, learning and inference.
package demo

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"resolwe/bench/draw"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// Task describes a generated task like WikiCollabs (Mihalkova and Moustafa, 2011, section 4.1): which users will modify which
// articles. Its truth is drawn from the Markov logic network that has the planted formulas with their strengths as weights, and
// Base as the weight of the unit clause modifies(t, u). Everything else in the data is noise.
type Task struct {
	Model     string     // the task file: declarations and templates
	Planted   []string   // formulas, as printed by the expansion of Model
	Strengths [3]float64 // their weights in log-odds, in the same order
	Base      float64    // log-odds of modifies(t, u) if no planted formula applies
}

// New returns the demo. These formulas are planted:
//
//   - A user who both edits and discusses an article modifies the articles that it links to and is similar to: +4.5.
//     No three of the four literals suffice, so selection must find the compound.
//   - A user modifies the articles on the second-level topic of the project that the user is a member of: +4.
//   - What a user modifies, the mentor to whom the user writes modifies too: +3.5. It ties two target atoms. Only this
//     direction of it holds often, because many write to one.
//
// Without them an atom has the log-odds -2.5; about one in ten is true in all. The model expands to 44 candidates. With
// k2 = 30 and theta = 0.4 the paper's criterion keeps the three and no other: the planted ones average 0.7 to 0.85, the
// others at most 0.28. Chance does not carry any across theta in 993 of the streams of seeds 1 to 1000.
func New() Task {
	return Task{
		Model: model,
		Planted: []string{
			"articleEdit(t1, u) ^ articleTalk(t1, u) ^ similar(t1, t2) ^ hyperLink(t1, t2) => modifies(t2, u)",
			"member(u, c) ^ level2Topic(t, c) => modifies(t, u)",
			"userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2)",
		},
		Strengths: [3]float64{4.5, 4, 3.5},
		Base:      -2.5,
	}
}

const model = `// Which users will modify which articles?
articleEdit(article, user)
articleTalk(article, user)
userTalk(user, user)
sameLanguage(user, user)
hyperLink(article, article)
similar(article, article)
category(article, category)
level1Topic(article, topic)
level2Topic(article, topic)
level3Topic(article, topic)
member(user, topic)
interest(user, topic)
target listed modifies(article, user)
//= type user: user, users; who
//= modifies: is an edit | {2} edited {1}
//= articleEdit: {1} had been edited by {2} | {2} had edited {1}
//= articleTalk: {1} was discussed by {2} | {2} discussed {1}
//= userTalk: {1} wrote to {2} | {2} heard from {1}
//= sameLanguage: speaks the language of
//= hyperLink: links to | {2} is linked from {1}
//= similar: is similar to
//= level1Topic: has at level 1 | {2} is at level 1 of {1}
//= level2Topic: has at level 2 | {2} is at level 2 of {1}
//= level3Topic: has at level 3 | {2} is at level 3 of {1}
//= member: is a member of
//= interest: is interested in

template EDIT(t, u) compound 2 = articleEdit(t, u) | articleTalk(t, u)
template NEAR(t1, t2) compound 2 = similar(t1, t2) | hyperLink(t1, t2) | category(t1, c) ^ category(t2, c)
template FAR(t1, t2) = hyperLink(t2, t1) | hyperLink(t1, t) ^ hyperLink(t, t2)
  | level[1|2|3]Topic(t1, c) ^ level[1|2|3]Topic(t2, c)
template TASTE(u, c) = member(u, c) | interest(u, c)
template USER_REL(u1, u2) = userTalk(u1, u2) | sameLanguage(u1, u2) | interest(u1, c) ^ interest(u2, c)
  | articleEdit(a, u1) ^ articleEdit(a, u2) | articleTalk(a, u1) ^ articleTalk(a, u2)

EDIT(t1, u) ^ NEAR(t1, t2) => modifies(t2, u)
EDIT(t1, u) ^ FAR(t1, t2) => modifies(t2, u)
TASTE(u, c) ^ level[1|2|3]Topic(t, c) => modifies(t, u)
USER_REL(u1, u2) ^ modifies(t, u1) => modifies(t, u2)
`

// Options set the size of a generated stream. A field of 0 stands for its default.
type Options struct {
	Subgraphs int // in the stream; 80
	Users     int // in the largest subgraphs; the others have at least two thirds of them; 36
	Articles  int // in the largest subgraphs, likewise, targets included; 12
	Targets   int // articles for which modifies is to be predicted, in each subgraph, fewer than two thirds of the articles; 4
	Seed      uint64
}

// Densities of the demo's evidence, each drawn independently of the others.
const (
	editRate     = 0.25 // that a user edits an article; the same for discussing it
	linkRate     = 0.18 // that an article links to another
	similarRate  = 0.18 // that two articles are similar
	topicRate    = 0.8  // that an article has a topic, at each of three levels
	memberRate   = 0.5  // that a user is a member of a project
	interestRate = 0.5  // that a user has an interest
	talkRate     = 0.4  // that a user writes to a mentor
	mentorShare  = 10   // one user in 10 is a mentor
	topics       = 10
	categories   = 2
	languages    = 8
)

// Generate yields the subgraphs of a stream in order. schema is that of Model, or a larger one. Each subgraph has its own memory,
// and depends only on the seed, its position, Users, Articles and Targets. The first error ends the stream.
func (d Task) Generate(schema *mln.Schema, opt Options) iter.Seq2[*subgraph.Subgraph, error] {
	opt.Subgraphs, opt.Users, opt.Articles = cmp.Or(opt.Subgraphs, 80), cmp.Or(opt.Users, 36), cmp.Or(opt.Articles, 12)
	return func(yield func(*subgraph.Subgraph, error) bool) {
		b := subgraph.NewBuilder(schema)
		for i := range opt.Subgraphs {
			w := &world{Task: d, schema: schema, builder: b, rand: draw.New(opt.Seed, uint64(i)), targets: cmp.Or(opt.Targets, 4)}
			w.users, w.articles = w.size(opt.Users), w.size(opt.Articles)
			if s, err := w.subgraph(i); !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// world is a subgraph being drawn. The first articles are the targets; the data do not say who edits or discusses them. The first
// users are the mentors.
type world struct {
	Task
	schema                   *mln.Schema
	builder                  *subgraph.Builder
	rand                     draw.Source
	users, articles, targets int
}

// subgraph draws the subgraph at a position of the stream.
func (w *world) subgraph(index int) (*subgraph.Subgraph, error) {
	w.builder.Reset("s"+strconv.Itoa(index+1), "", -1)
	for _, t := range []struct {
		typ, prefix string
		n           int
	}{{"article", "A", w.articles}, {"user", "U", w.users}, {"category", "C", categories}, {"topic", "T", topics}} {
		for i := range t.n {
			w.builder.Entity(w.schema.Type(t.typ), t.prefix+strconv.Itoa(i+1))
		}
	}
	logOdds := w.evidence()
	writers := w.talk()
	for t := range logOdds {
		for u, truth := range w.truth(logOdds[t], writers) {
			w.state("modifies", t, u, truth)
		}
	}
	s, err := w.builder.Finish()
	if err != nil {
		return nil, err
	}
	s.Index = index
	return s, nil
}

// size draws a number between two thirds of the largest and the largest.
func (w *world) size(largest int) int { return largest - w.rand.IntN(largest/3+1) }

// state states an atom.
func (w *world) state(pred string, a, b int, truth subgraph.Truth) {
	w.builder.Add(w.schema.Predicate(pred), []uint32{uint32(a), uint32(b)}, truth)
}

// evidence draws all evidence except userTalk. It returns the log-odds that this gives to modifies(t, u), by target and user.
func (w *world) evidence() [][]float64 {
	similar := w.relate("similar", w.articles, similarRate, func(a, b int) bool { return b < a })
	for a, row := range similar {
		for b := range a {
			if row[b] {
				similar[b][a] = true
				w.state("similar", b, a, subgraph.True)
			}
		}
	}
	links := w.relate("hyperLink", w.articles, linkRate, func(a, b int) bool { return a != b })
	notTarget := func(a, _ int) bool { return a >= w.targets }
	edits, talks := w.relate("articleEdit", w.users, editRate, notTarget), w.relate("articleTalk", w.users, editRate, notTarget)
	w.labels("category", w.articles, categories, 1)
	w.labels("level1Topic", w.articles, topics, topicRate)
	topic := w.labels("level2Topic", w.articles, topics, topicRate)
	w.labels("level3Topic", w.articles, topics, topicRate)
	member := w.labels("member", w.users, topics, memberRate)
	w.labels("interest", w.users, topics, interestRate)
	language := make([]int, w.users)
	for u := range language {
		language[u] = w.rand.IntN(languages)
		for v := range u {
			if language[u] == language[v] {
				w.state("sameLanguage", u, v, subgraph.True)
				w.state("sameLanguage", v, u, subgraph.True)
			}
		}
	}

	logOdds := matrix[float64](w.targets, w.users)
	for t, row := range logOdds {
		for u := range row {
			row[u] = w.Base
			if topic[t] >= 0 && topic[t] == member[u] {
				row[u] += w.Strengths[1]
			}
			for a := w.targets; a < w.articles; a++ {
				if edits[a][u] && talks[a][u] && similar[a][t] && links[a][t] {
					row[u] += w.Strengths[0]
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

// relate draws which articles are related to which others, where that is allowed.
func (w *world) relate(pred string, others int, rate float64, may func(a, b int) bool) [][]bool {
	m := matrix[bool](w.articles, others)
	for a := range m {
		for b := range others {
			if may(a, b) && w.rand.Chance(rate) {
				m[a][b] = true
				w.state(pred, a, b, subgraph.True)
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
		if w.rand.Chance(rate) {
			out[i] = w.rand.IntN(k)
			w.state(pred, i, out[i], subgraph.True)
		}
	}
	return out
}

// talk draws who writes to which mentor. It returns the writers of each mentor.
func (w *world) talk() [][]int {
	mentors := 1 + (w.users-1)/mentorShare
	writers := make([][]int, mentors)
	for u := mentors; u < w.users; u++ {
		if w.rand.Chance(talkRate) {
			m := w.rand.IntN(mentors)
			writers[m] = append(writers[m], u)
			w.state("userTalk", u, m, subgraph.True)
		}
	}
	return writers
}

// truth draws who modifies one article, given the log-odds of each user without userTalk. A mentor and those who write to the
// mentor form a star, so the draw from their joint distribution is exact: first the mentor, with the writers summed out, then each
// writer. With weight s, userTalk(u, m) ^ modifies(t, u) => modifies(t, m) subtracts s from the log-odds of a writer u if the
// mentor m does not modify the article, and nothing if m does.
func (w *world) truth(logOdds []float64, writers [][]int) []subgraph.Truth {
	s := w.Strengths[2]
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
	if w.rand.Chance(elementary.Sigmoid(logOdds)) {
		return subgraph.True
	}
	return subgraph.False
}
