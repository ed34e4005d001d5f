package paperscale_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/bench/paperscale"
)

// wikiFormula is a formula read by hand.
type wikiFormula struct {
	text     string
	evidence []func(w *wikiTables, user string) set // each holds for the articles t1
	near     func(w *wikiTables, t1, t2 string) bool
}

func edits(w *wikiTables, u string) set { return w.edit[u] }
func talks(w *wikiTables, u string) set { return w.talk[u] }

func meet(a, b set) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

var wikiFormulas = []wikiFormula{
	{
		"articleEdit(t1, u) ^ verySimilar(t1, t2) => modifies(t2, u)",
		[]func(*wikiTables, string) set{edits},
		func(w *wikiTables, t1, t2 string) bool { return w.verySimilar[t1][t2] },
	},
	{
		"articleTalk(t1, u) ^ hyperLink(t1, t2) ^ hyperLink(t2, t1) => modifies(t2, u)",
		[]func(*wikiTables, string) set{talks},
		func(w *wikiTables, t1, t2 string) bool { return w.links[t1][t2] && w.links[t2][t1] },
	},
	{
		"articleEdit(t1, u) ^ articleTalk(t1, u) ^ similar(t1, t2) ^ hyperLink(t1, t2) => modifies(t2, u)",
		[]func(*wikiTables, string) set{edits, talks},
		func(w *wikiTables, t1, t2 string) bool { return w.similar[t1][t2] && w.links[t1][t2] },
	},
	{
		"articleEdit(t1, u) ^ hyperLink(t2, t1) ^ category(t1, c) ^ category(t2, c) => modifies(t2, u)",
		[]func(*wikiTables, string) set{edits},
		func(w *wikiTables, t1, t2 string) bool {
			return w.links[t2][t1] && meet(w.category[t1], w.category[t2])
		},
	},
	{
		"articleTalk(t1, u) ^ level1Exact(t1, c) ^ level1Exact(t2, c) => modifies(t2, u)",
		[]func(*wikiTables, string) set{talks},
		func(w *wikiTables, t1, t2 string) bool {
			return meet(w.external["level1Exact"][t1], w.external["level1Exact"][t2])
		},
	},
	{
		"articleEdit(t1, u) ^ level3Inexact(t1, c) ^ level3Inexact(t2, c) => modifies(t2, u)",
		[]func(*wikiTables, string) set{edits},
		func(w *wikiTables, t1, t2 string) bool {
			return meet(w.external["level3Inexact"][t1], w.external["level3Inexact"][t2])
		},
	},
}

// value is what selection finds for a formula around one center.
func (f *wikiFormula) value(w *wikiTables, center string) (float64, bool) {
	own := union(w.edit[center], w.talk[center])
	yes, all := 0, 0
	for u := range w.candidates(center, own) {
		var others []string
		for t1 := range f.evidence[0](w, u) {
			if !own[t1] && f.evidence[len(f.evidence)-1](w, u)[t1] {
				others = append(others, t1)
			}
		}
		for t2 := range own {
			if slices.ContainsFunc(others, func(t1 string) bool { return f.near(w, t1, t2) }) {
				all++
				if w.editors[t2][u] {
					yes++
				}
			}
		}
	}
	return float64(yes) / float64(max(1, all)), all > 0
}

// userTalkValue is the same for userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2).
func userTalkValue(w *wikiTables, center string) (float64, bool) {
	own := union(w.edit[center], w.talk[center])
	candidates := w.candidates(center, own)
	yes, all := 0, 0
	for t := range own {
		for u1 := range candidates {
			for u2 := range w.userTalk[u1] {
				if candidates[u2] && w.editors[t][u1] {
					all++
					if w.editors[t][u2] {
						yes++
					}
				}
			}
		}
	}
	return float64(yes) / float64(max(1, all)), all > 0
}

func mean(centers []string, value func(center string) (float64, bool)) (float64, int) {
	sum, n := 0.0, 0
	for _, c := range centers {
		if v, ok := value(c); ok {
			sum += v
			n++
		}
	}
	return sum / float64(max(1, n)), n
}

// The strengths equal what a plain reading of the tables gives, and what is planted stands out from the noise.
func TestWikiCollabs_Signals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("statistics of one goroutine")
	}
	dir, stats := generate(t, paperscale.WikiCollabs, 0.01, 1)
	w := readWiki(t, dir)
	centers, _ := w.centers()
	signals := map[string]paperscale.Signal{}
	formulas := make([]string, 0, len(stats.Signals))
	for _, s := range stats.Signals {
		signals[s.Formula] = s
		formulas = append(formulas, s.Formula)
	}
	if diff := cmp.Diff(expansion(t, "wikicollabs"), formulas); diff != "" {
		t.Fatalf("formulas (-task +signals):\n%s", diff)
	}
	check := func(formula string, value func(center string) (float64, bool)) {
		got := signals[formula]
		want, n := mean(centers, value)
		if math.Abs(got.Value-want) > 1e-12 || got.Defined != n {
			t.Errorf("%s: got %v over %d, want %v over %d", formula, got.Value, got.Defined, want, n)
		}
	}
	for _, f := range wikiFormulas {
		check(f.text, func(c string) (float64, bool) { return f.value(w, c) })
	}
	check("userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2)",
		func(c string) (float64, bool) { return userTalkValue(w, c) })
	checkRoles(t, stats, 1.25)
}

// checkRoles checks that each planted formula is stronger than noise is in the mean, by the given factor.
func checkRoles(t *testing.T, stats *paperscale.Stats, factor float64) {
	t.Helper()
	noise, n := 0.0, 0
	for _, s := range stats.Signals {
		if s.Role == paperscale.Noise {
			noise += s.Value * float64(s.Defined)
			n += s.Defined
		}
	}
	noise /= float64(n)
	for _, s := range stats.Signals {
		if s.Role == paperscale.Planted && s.Value < factor*noise {
			t.Errorf("%s: got %.3f, want at least %v times the noise %.3f", s.Formula, s.Value, factor, noise)
		}
	}
}
