package paperscale

import (
	"slices"

	"resolwe/kernels/bitset"
)

// neighborhood is the subgraph around a center, as far as formulas are measured on it. Contributions to the center's
// articles are the target alone; the evidence is contributions to other articles. Sets are of places in E_C.
type neighborhood struct {
	*wiki
	articles          []int32          // A_C
	users             []int32          // E_C
	place             map[int32]uint32 // of a user in E_C
	truth             [][]uint64       // by place in A_C: who contributes
	own               []bool           // by article: in A_C
	edited, discussed [][]uint64       // by article outside A_C: who edits, who discusses it
}

func (w *wiki) neighborhood(center int32) *neighborhood {
	h := &neighborhood{
		wiki: w, users: w.collaborators(center), place: map[int32]uint32{}, own: make([]bool, w.size.articles),
		edited: make([][]uint64, w.size.articles), discussed: make([][]uint64, w.size.articles),
	}
	for i, u := range h.users {
		h.place[u] = uint32(i)
	}
	for _, c := range w.contributions(center) {
		h.articles = append(h.articles, c.article)
		h.own[c.article] = true
		truth := h.newSet()
		for _, u := range w.editors[c.article] {
			if u != center {
				bitset.Set(truth, h.place[u])
			}
		}
		h.truth = append(h.truth, truth)
	}
	for a := range h.edited {
		h.edited[a], h.discussed[a] = h.newSet(), h.newSet()
	}
	for i, u := range h.users {
		for _, c := range h.evidence(u) {
			if c.edits > 0 {
				bitset.Set(h.edited[c.article], uint32(i))
			}
			if c.talks > 0 {
				bitset.Set(h.discussed[c.article], uint32(i))
			}
		}
	}
	return h
}

func (h *neighborhood) newSet() []uint64 { return make([]uint64, bitset.Words(len(h.users))) }

// evidence lists what a user contributes to articles outside A_C.
func (h *neighborhood) evidence(user int32) []contribution {
	return slices.DeleteFunc(slices.Clone(h.contributions(user)), func(c contribution) bool { return h.own[c.article] })
}

// truths counts the query atoms, and those that are true.
func (h *neighborhood) truths() (yes, all int) {
	for _, truth := range h.truth {
		yes += bitset.Count(truth)
		all += len(h.users)
	}
	return yes, all
}

// others counts the articles outside A_C to which E_C contributes.
func (h *neighborhood) others() int {
	n := 0
	for a := range h.edited {
		n += number01(bitset.Any(h.edited[a]) || bitset.Any(h.discussed[a]))
	}
	return n
}

func number01(b bool) int {
	if b {
		return 1
	}
	return 0
}

// articleCounts counts, for each choice of EDIT, the pairs (t2, u) such that u has contributed so to an article that is
// near t2, and those for which modifies(t2, u) is true.
func (h *neighborhood) articleCounts(near near) (yes, all [len(editRelations)]int) {
	marks, set := make([]bool, h.size.articles), h.newSet()
	for i, t2 := range h.articles {
		clear(marks)
		near(t2, marks)
		for edit := range editRelations {
			clear(set)
			for t1, marked := range marks {
				if marked {
					h.addEditors(set, edit, t1)
				}
			}
			all[edit] += bitset.Count(set)
			bitset.AndInto(set, h.truth[i])
			yes[edit] += bitset.Count(set)
		}
	}
	return yes, all
}

// addEditors adds to a set who is in a choice of EDIT with an article outside A_C.
func (h *neighborhood) addEditors(set []uint64, edit, article int) {
	edited, discussed := h.edited[article], h.discussed[article]
	for i := range set {
		set[i] |= [...]uint64{edited[i], discussed[i], edited[i] & discussed[i]}[edit]
	}
}

// userCounts counts the groundings (t, u1, u2) of a choice of USER_REL for which modifies(t, u1) is true, and those for
// which modifies(t, u2) is too.
func (h *neighborhood) userCounts(relation int) (yes, all int) {
	set, both := h.newSet(), h.newSet()
	for i, u1 := range h.users {
		clear(set)
		h.addRelated(set, relation, u1)
		bitset.Clear(set, uint32(i))
		for _, truth := range h.truth {
			if bitset.Has(truth, uint32(i)) {
				copy(both, set)
				bitset.AndInto(both, truth)
				all += bitset.Count(set)
				yes += bitset.Count(both)
			}
		}
	}
	return yes, all
}

// addRelated adds to a set the users u2 that are in a choice of USER_REL with a user u1.
func (h *neighborhood) addRelated(set []uint64, relation int, u1 int32) {
	if relation == 0 {
		for _, owner := range h.talk[u1] {
			if i, ok := h.place[owner]; ok {
				bitset.Set(set, i)
			}
		}
		return
	}
	second := [...][][]uint64{nil, h.edited, h.discussed, h.discussed, h.edited}[relation]
	for _, c := range h.evidence(u1) {
		if [...]int32{0, c.edits, c.talks, c.edits, c.talks}[relation] > 0 {
			bitset.OrInto(set, second[c.article])
		}
	}
}
