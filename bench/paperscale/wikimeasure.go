package paperscale

import (
	"fmt"
	"slices"
)

// sampledCenters is over how many centers the strength of formulas is measured: k2 of the paper.
const sampledCenters = 30

// sampled returns centers at equal distances.
func sampled(centers []int32) []int32 {
	n := min(sampledCenters, len(centers))
	out := make([]int32, n)
	for i := range out {
		out[i] = centers[i*len(centers)/n]
	}
	return out
}

// average is of the subgraphs where a value is defined.
type average struct {
	sum float64
	n   int
}

func (a *average) add(yes, all int) {
	if all > 0 {
		a.sum += float64(yes) / float64(all)
		a.n++
	}
}

func (a *average) mean() float64 { return a.sum / float64(max(1, a.n)) }

// measure finds what selection would find for all formulas of the task on a sample of the centers.
func (w *wiki) measure(stats *Stats) {
	relations := w.articleRelations()
	base, others := average{}, 0
	article := make([][len(editRelations)]average, len(relations))
	user := make([]average, len(userRelations))
	for _, center := range sampled(w.centers) {
		h := w.neighborhood(center)
		base.add(h.truths())
		others += h.others()
		for i := range relations {
			yes, all := h.articleCounts(relations[i].near)
			for edit := range article[i] {
				article[i][edit].add(yes[edit], all[edit])
			}
		}
		for i := range user {
			user[i].add(h.userCounts(i))
		}
	}
	stats.Base = base.mean()
	stats.figure("other articles of a center's candidates", float64(others)/float64(max(1, base.n)), 0)
	simple := slices.IndexFunc(relations, func(r articleRelation) bool { return r.long })
	for _, part := range [][2]int{{0, simple}, {simple, len(relations)}} {
		for edit, text := range editRelations {
			for i := part[0]; i < part[1]; i++ {
				stats.signal(text+" ^ "+relations[i].text+" => modifies(t2, u)", relations[i].role, article[i][edit])
			}
		}
	}
	for i, a := range user {
		stats.signal(userRelations[i].text+" ^ modifies(t, u1) => modifies(t, u2)", userRelations[i].role, a)
	}
}

// EDIT of the task file.
var editRelations = [...]string{"articleEdit(t1, u)", "articleTalk(t1, u)", "articleEdit(t1, u) ^ articleTalk(t1, u)"}

// USER_REL of the task file.
var userRelations = [...]struct {
	text string
	role Role
}{
	{"userTalk(u1, u2)", Planted},
	{"articleEdit(t2, u1) ^ articleEdit(t2, u2)", Follows},
	{"articleTalk(t2, u1) ^ articleTalk(t2, u2)", Follows},
	{"articleEdit(t2, u1) ^ articleTalk(t2, u2)", Follows},
	{"articleTalk(t2, u1) ^ articleEdit(t2, u2)", Follows},
}

// articleRelation is a choice of SIMPLE_REL or LONG_REL.
type articleRelation struct {
	text string
	role Role
	long bool
	near near
}

// near marks the articles t1 that are related to an article t2.
type near func(t2 int32, marks []bool)

func listed(lists [][]int32) near {
	return func(t2 int32, marks []bool) {
		for _, t1 := range lists[t2] {
			marks[t1] = true
		}
	}
}

// shared relates articles that have a label in common.
func shared(labels [][]int32) near {
	var articles [][]int32 // by label
	for a, list := range labels {
		for _, label := range list {
			articles = append(articles, make([][]int32, max(0, int(label)+1-len(articles)))...)
			articles[label] = append(articles[label], int32(a))
		}
	}
	return func(t2 int32, marks []bool) {
		for _, label := range labels[t2] {
			for _, t1 := range articles[label] {
				marks[t1] = true
			}
		}
	}
}

func both(a, b near) near {
	return func(t2 int32, marks []bool) {
		other := make([]bool, len(marks))
		a(t2, marks)
		b(t2, other)
		for i := range marks {
			marks[i] = marks[i] && other[i]
		}
	}
}

// articleRelations lists SIMPLE_REL, alone and in pairs, and LONG_REL, in the order of the expansion.
func (w *wiki) articleRelations() []articleRelation {
	simple := []articleRelation{
		{text: "similar(t1, t2)", near: listed(w.similar)},
		{text: "verySimilar(t1, t2)", near: listed(w.verySimilar)},
		{text: "hyperLink(t1, t2)", near: listed(w.linkedFrom)},
		{text: "hyperLink(t2, t1)", near: listed(w.linksTo)},
		{text: "category(t1, c) ^ category(t2, c)", near: shared(w.categories)},
	}
	all := slices.Clone(simple)
	for i, a := range simple {
		for _, b := range simple[i+1:] {
			all = append(all, articleRelation{text: a.text + " ^ " + b.text, near: both(a.near, b.near)})
		}
	}
	for i := range all {
		all[i].role = simpleRole(all[i].text)
	}
	for match, name := range []string{"Exact", "Inexact"} {
		for level := range levels {
			all = append(all, articleRelation{
				text: fmt.Sprintf("%[1]s(t1, c) ^ %[1]s(t2, c)", "level"+levels[level]+name),
				role: [...]Role{Noise, Follows}[match], long: true, near: shared(w.external[match][level]),
			})
		}
	}
	return all
}

// simpleRole is the role of a choice of SIMPLE_REL. Planted is what holds within projects above all.
func simpleRole(text string) Role {
	switch text {
	case "verySimilar(t1, t2)", "hyperLink(t1, t2) ^ hyperLink(t2, t1)",
		"similar(t1, t2) ^ hyperLink(t1, t2)", "similar(t1, t2) ^ hyperLink(t2, t1)":
		return Planted
	}
	return Follows
}
