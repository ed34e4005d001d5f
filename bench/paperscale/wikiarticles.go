package paperscale

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
)

// wikiArticles are the articles and their latent groups. The last ones are obscure: outside every project, and read by
// hermits alone.
type wikiArticles struct {
	known        int       // articles that are not obscure
	projectOf    []int32   // by known article
	projects     [][]int32 // articles of each
	topicOf      []int32   // by project
	topics       [][]int32 // projects of each
	popularity   powerLaw  // over ranks
	ranked       []int32   // known articles by rank
	rankOf       []int32
	articleNames []int32
}

// The shape of popularity: the most popular of 3,500 articles has about twenty times the mean.
const (
	popularityExponent = 0.8
	popularityOffset   = 0.003
)

const (
	leastProject = 8 // articles
	mostProject  = 60
)

func (w *wiki) drawArticles() {
	r := newRand(w.opt.Seed, streamArticles)
	w.known = w.size.articles - w.size.obscure
	w.projectOf = make([]int32, w.known)
	for next := 0; next < w.known; {
		size := min(leastProject+int(6*(pareto(r, 2, mostProject)-1)), mostProject, w.known-next)
		if rest := w.known - next - size; rest < leastProject {
			size += rest
		}
		w.addProject(next, size)
		next += size
	}
	for first := 0; first < len(w.projects); {
		size := min(3+r.IntN(7), len(w.projects)-first)
		w.addTopic(first, size)
		first += size
	}
	w.popularity = newPowerLaw(w.known, popularityExponent, popularityOffset)
	w.ranked = permutation(r, w.known)
	w.rankOf = make([]int32, w.known)
	for rank, a := range w.ranked {
		w.rankOf[a] = int32(rank)
	}
	w.articleNames = permutation(r, w.size.articles)
}

func (w *wiki) addProject(first, size int) {
	articles := make([]int32, size)
	for i := range articles {
		articles[i] = int32(first + i)
		w.projectOf[first+i] = int32(len(w.projects))
	}
	w.projects = append(w.projects, articles)
}

func (w *wiki) addTopic(first, size int) {
	projects := make([]int32, size)
	for i := range projects {
		projects[i] = int32(first + i)
		w.topicOf = append(w.topicOf, int32(len(w.topics)))
	}
	w.topics = append(w.topics, projects)
}

func (w *wiki) topic(article int32) int32 { return w.topicOf[w.projectOf[article]] }

// popular draws a known article by popularity.
func (w *wiki) popular(r *rand.Rand) int32 { return w.ranked[w.popularity.rank(r)] }

// inTopic draws an article of a topic.
func (w *wiki) inTopic(r *rand.Rand, topic int32) int32 {
	return pick(r, w.projects[pick(r, w.topics[topic])])
}

// somePopular draws k distinct articles out of a list, in proportion to a power of their popularity: by the Gumbel-max
// trick (Vieira, 2014).
func (w *wiki) somePopular(r *rand.Rand, list []int32, k int, power float64) []int32 {
	type keyed struct {
		key     float64
		article int32
	}
	keys := make([]keyed, len(list))
	for i, a := range list {
		x := float64(w.rankOf[a])/float64(w.known) + popularityOffset
		gumbel := -elementary.Log(-elementary.Log(1 - float64(r.Float64())))
		keys[i] = keyed{gumbel - float64(power*popularityExponent*elementary.Log(x)), a}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Compare(b.key, a.key) })
	out := make([]int32, min(k, len(keys)))
	for i := range out {
		out[i] = keys[i].article
	}
	return out
}
