package resolwe_test

import (
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// Data that violate a hard formula are counted, and the first are named, exactly if some grounding is false by enumeration.
func TestStream_Violations(t *testing.T) {
	t.Parallel()
	var violated, satisfied int
	for seed := range uint64(150) {
		text, db := random(seed, oracle.TaskOptions{General: true, Hard: true, Counts: seed%3 == 0})
		m := parse(t, text)
		var hard, denied []*mln.Formula
		for _, f := range m.Formulas {
			if f.Shape == mln.ShapeNone {
				g, not := *f, *f
				g.Hard, not.Hard, not.Body = true, false, &mln.Not{X: f.Body}
				hard, denied = append(hard, &g), append(denied, &not)
			}
		}
		hard = hard[:min(len(hard), 1+int(seed%2))]
		subs := subgraphs(t, m, db)
		first, n := -1, 0
		for i, w := range worlds(m.With(hard), subs) {
			if slices.ContainsFunc(w.Values(denied[:len(hard)]), func(v float64) bool { return v > 0 }) {
				if n++; first < 0 {
					first = i
				}
				violated++
			} else {
				satisfied++
			}
		}
		s := inMemory(t, m.With(hard), db)
		s.CheckHard(m.With(hard))
		for range 2 { // a second pass counts nothing again
			check.OK(t, resolwe.Each(t.Context(), s, resolwe.Run{Workers: 3}, func(*subgraph.Subgraph) error { return nil }))
		}
		got, of := s.Violations()
		if of != n || (got == nil) != (n == 0) || got != nil && (got.Index != first || got.Subgraph != subs[first].Name) {
			t.Errorf("seed %d: got %v, %d of %d, want %d, the first %d\n%s%s", seed, got, of, len(subs), n, first, text, db)
		}
	}
	check.AtLeast(t, min(violated, satisfied), 50, "subgraphs that violate, and that do not")
}

// Select, by each criterion, Learn and Evaluate name the subgraph, the formula and the entities.
func TestStream_Violations_Stages(t *testing.T) {
	t.Parallel()
	const head, db = "busy(st)\nlike(st, st)\ntarget free(st)\n", "@subgraph ok\nbusy(S1)\nfree(S2)\n@subgraph a\nbusy(S1)\nfree(S1)\nlike(S1, S2)\n@subgraph b\nbusy(S2)\nfree(S2)\n"
	for _, test := range []struct{ hard, want string }{
		{"busy(s) => !free(s).", "busy(s) => !free(s). with s = S1"},
		{"like(s, t) ^ free(s) => free(t).", "like(s, t) ^ free(s) => free(t). with s = S1, t = S2"},
		{"!(free(s) ^ busy(s) ^ (EXIST t like(s, t))).", "with s = S1"},
	} {
		for name, stage := range map[string]func(*resolwe.Model, *resolwe.Stream) error{
			"gain": func(m *resolwe.Model, s *resolwe.Stream) error {
				return check.Err(resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{}))
			},
			"paper": func(m *resolwe.Model, s *resolwe.Stream) error {
				return check.Err(resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Criterion: resolwe.Paper}))
			},
			"learn": func(m *resolwe.Model, s *resolwe.Stream) error {
				return check.Err(resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{}))
			},
			"evaluate": func(m *resolwe.Model, s *resolwe.Stream) error {
				return check.Err(resolwe.Evaluate(t.Context(), m, s, resolwe.InferOptions{}))
			},
		} {
			weight := map[bool]string{true: "1 "}[name == "learn" || name == "evaluate"]
			m := parse(t, head+test.hard+"\n"+weight+"busy(s) ^ free(s)\n")
			s := inMemory(t, m, db)
			check.OKf(t, stage(m, s), "%s", name)
			first, _ := s.Violations()
			if first == nil || first.Subgraph != "a" || !strings.Contains(first.String(), test.want) {
				t.Errorf("%s of %s: got %v", name, test.hard, first)
			}
		}
	}
}
