package paperscale

import (
	"strings"

	"resolwe/format/subgraph"
)

// wikiRole is the role of a formula. Planted is what holds within projects above all.
func wikiRole(formula string) Role {
	body, _, _ := strings.Cut(formula, " => ")
	relation := strings.TrimPrefix(strings.TrimPrefix(body, "articleEdit(t1, u) ^ "), "articleTalk(t1, u) ^ ")
	switch relation {
	case "verySimilar(t1, t2)", "hyperLink(t1, t2) ^ hyperLink(t2, t1)", "similar(t1, t2) ^ hyperLink(t1, t2)",
		"similar(t1, t2) ^ hyperLink(t2, t1)", "userTalk(u1, u2) ^ modifies(t, u1)":
		return Planted
	}
	if strings.Contains(relation, "Exact(") {
		return Noise
	}
	return Follows
}

// cut states the subgraph around a center. Contributions to the center's articles are the target alone; the evidence is
// contributions to other articles, of which it returns the number, and what relates any article to the center's.
func (w *wiki) cut(f *facts, center int32) int {
	users, own := w.collaborators(center), map[int32]bool{}
	f.entities("article", w.articles)
	f.entities("user", ids("U", users))
	for _, c := range w.did[center] {
		own[c.article] = true
	}
	place := map[int32]uint32{}
	for i, u := range users {
		place[u] = uint32(i)
	}
	edits, talks, userTalk := f.of("articleEdit", subgraph.True), f.of("articleTalk", subgraph.True), f.of("userTalk", subgraph.True)
	target, reached := map[[2]uint32]bool{}, map[int32]bool{}
	for i, u := range users {
		for _, c := range w.did[u] {
			if own[c.article] {
				target[[2]uint32{uint32(c.article), uint32(i)}] = true
				continue
			}
			reached[c.article] = true
			if c.edits > 0 {
				edits(uint32(c.article), uint32(i))
			}
			if c.talks > 0 {
				talks(uint32(c.article), uint32(i))
			}
		}
		for _, owner := range w.talk[u] {
			if j, ok := place[owner]; ok {
				userTalk(uint32(i), j)
			}
		}
	}
	is, isNot := f.of("modifies", subgraph.True), f.of("modifies", subgraph.False)
	for a := range own {
		for i := range uint32(len(users)) {
			if target[[2]uint32{uint32(a), i}] {
				is(uint32(a), i)
			} else {
				isNot(uint32(a), i)
			}
		}
	}
	for predicate, lists := range map[string][][]int32{"similar": w.similar, "verySimilar": w.verySimilar, "hyperLink": w.linkedFrom} {
		fact := f.of(predicate, subgraph.True)
		for a := range own {
			for _, b := range lists[a] {
				fact(uint32(b), uint32(a))
			}
			if predicate == "hyperLink" {
				for _, b := range w.linksTo[a] {
					fact(uint32(a), uint32(b))
				}
			}
		}
	}
	w.labels(f, "category", "category", w.categories, own)
	for predicate, lists := range w.external {
		w.labels(f, predicate, "external", lists, own)
	}
	return len(reached)
}

// labels states which articles have a label that one of some articles has.
func (w *wiki) labels(f *facts, predicate, typ string, labels [][]int32, of map[int32]bool) {
	fact, entity := f.of(predicate, subgraph.True), make([]uint32, max(w.size.categories, w.size.level3)) // counted from 1
	for a := range of {
		for _, label := range labels[a] {
			entity[label] = 1 + f.Entity(f.schema.Type(typ), id("L", label))
		}
	}
	for a, list := range labels {
		for _, label := range list {
			if entity[label] > 0 {
				fact(uint32(a), entity[label]-1)
			}
		}
	}
}
