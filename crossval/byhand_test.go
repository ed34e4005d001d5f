package crossval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// byHand carries out cross-validation with the other functions, for a number of first folds, on streams that contain only the training or
// the test subgraphs.
func byHand(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, folds [][]int, opt crossval.Options, all bool, finished int) []crossval.Outcome {
	t.Helper()
	further := 0 // models that are learned after selection by gain
	defer func() { check.Is(t, further > 0, opt.Select.Gain.Rows > 0, "learned further") }()
	systems := []crossval.Outcome{
		{Name: "gain"}, {Name: "paper"}, {Name: "skipSelection"}, {Name: "base"}, {Name: "single"}, {Name: "logistic"},
	}
	for fold := range finished {
		var train, test []*subgraph.Subgraph
		for i, s := range subs {
			switch {
			case slices.Contains(folds[fold], i):
				test = append(test, s)
			case !opt.InTime() || i < folds[fold][0]:
				train = append(train, s)
			}
		}
		learnOn := train
		if !all {
			learnOn = train[opt.Select.Subgraphs:]
		}
		selected := func(set func(*resolwe.SelectOptions)) (*resolwe.Selection, *resolwe.Model) {
			sel := opt.Select
			set(&sel)
			found, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, train), sel)
			check.OK(t, err)
			kept, _ := found.Model(m)
			return found, kept
		}
		type trained struct {
			model    *resolwe.Model
			formulas int
			reached  crossval.Reached
		}
		learned := func(m *resolwe.Model, on []*subgraph.Subgraph) trained {
			l, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, on), opt.Learn)
			check.OK(t, err)
			return trained{l.Model, len(m.Formulas), crossval.Reached{
				Learned: true, Converged: l.Converged, Gradient: l.Gradient, Short: l.Short, Drift: l.Drift,
			}}
		}
		selectedAlone := func(found *resolwe.Selection, m *resolwe.Model) trained {
			const added = 1 // r(y) is a unit clause that is not in the task
			out := trained{model: m}
			for _, g := range found.Gain {
				if g.Sampled {
					further++
					out = learned(m, train)
					break
				}
			}
			out.formulas = len(m.Formulas) - added
			return out
		}
		found, kept := selected(func(o *resolwe.SelectOptions) { o.Criterion = resolwe.Paper })
		every := m.With(everyVariant(m, found))
		units := m.With(slices.DeleteFunc(slices.Clone(m.Formulas), func(f *mln.Formula) bool { return !f.HasWeight }))
		for i, trained := range []trained{
			selectedAlone(selected(func(*resolwe.SelectOptions) {})), learned(kept, learnOn), learned(every, learnOn), learned(units, train),
			selectedAlone(selected(func(o *resolwe.SelectOptions) { o.Gain.Formulas = 1 })),
			selectedAlone(selected(func(o *resolwe.SelectOptions) { o.Gain.All = true })),
		} {
			s := &systems[i]
			var eval inferring.Evaluator
			check.OK(t, inferring.Infer(t.Context(), trained.model, resolwe.NewStream(m, test), opt.Infer, func(r *resolwe.Marginals) error {
				s.Figures = append(s.Figures, eval.Add(r))
				return nil
			}))
			_, pooled := eval.EndFold()
			s.Pooled = append(s.Pooled, pooled)
			got := eval.Evaluation()
			s.Formulas = append(s.Formulas, trained.formulas)
			s.Reached = append(s.Reached, trained.reached)
			var text strings.Builder
			check.OK(t, trained.model.Write(&text, nil))
			s.Models = append(s.Models, text.String())
			s.Subgraphs += got.Subgraphs
			s.Ranked += got.Ranked
			s.MAP += got.MAP * float64(got.Ranked)
			s.AUCROC += got.AUCROC * float64(got.Ranked)
			s.PrecisionAllRanks += got.PrecisionAllRanks * float64(got.Ranked)
			s.TrueNegativeAllRanks += got.TrueNegativeAllRanks * float64(got.Ranked)
			s.CLL += got.CLL * float64(got.Subgraphs)
			s.Brier += got.Brier * float64(got.Subgraphs)
			s.AUCPR += got.AUCPR / float64(finished)
			s.AUCROCPooled += got.AUCROCPooled / float64(finished)
			s.Folds = append(s.Folds, *got)
			s.CalibrationError += got.CalibrationError / float64(finished)
			s.LogLoss += got.LogLoss / float64(finished)
			s.Accuracy += got.Accuracy / float64(finished)
			s.Single += got.Single
			for i := range s.Top.Precision {
				s.Top.Precision[i] += got.Top.Precision[i] / float64(finished)
				s.Top.Lift[i] += got.Top.Lift[i] / float64(finished)
			}
		}
	}
	for i := range systems {
		s := &systems[i]
		for _, v := range []*float64{&s.MAP, &s.AUCROC, &s.PrecisionAllRanks, &s.TrueNegativeAllRanks} {
			*v /= float64(s.Ranked)
		}
		s.CLL /= float64(s.Subgraphs)
		s.Brier /= float64(s.Subgraphs)
		s.Seconds = make([]crossval.Seconds, finished)
	}
	return systems
}

// everyVariant returns the formulas with a weight, and every formula that selection could add.
func everyVariant(m *resolwe.Model, sel *resolwe.Selection) (formulas []*mln.Formula) {
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			formulas = append(formulas, f)
		}
	}
	seen := map[string]bool{}
	for _, c := range sel.Candidates {
		variants := []*mln.Formula{c.Candidate.Joint()}
		for k := range c.Conditional {
			variants = append(variants, c.Candidate.Conditional(k))
		}
		for _, f := range variants {
			if key := mln.Canonical(f); !seen[key] {
				seen[key] = true
				formulas = append(formulas, f)
			}
		}
	}
	return formulas
}

// Nothing from a test fold affects training: carrying out each step by hand, on streams without the test subgraphs, gives the same
// result.
func TestRun_ByHand(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	withFolds := streamtest.IndependentDB(1, 12)
	for i := range 12 {
		withFolds = strings.Replace(withFolds, fmt.Sprintf("@subgraph s%d\n", i), fmt.Sprintf("@subgraph s%d fold=%d\n", i, i*i%3), 1)
	}
	for _, test := range []struct {
		name  string
		db    string
		k2    int
		on    crossval.LearnOn
		folds [][]int
		want  crossval.LearnOn
		rows  int
	}{
		{"shuffled", streamtest.IndependentDB(1, 12), 3, crossval.LearnAuto, shuffled(12, 4, 7), crossval.LearnRest, 0},
		{"few are left", streamtest.IndependentDB(1, 12), 5, crossval.LearnAuto, shuffled(12, 4, 7), crossval.LearnAll, 0},
		{"fewer than k2", streamtest.IndependentDB(1, 12), 30, crossval.LearnAuto, shuffled(12, 4, 7), crossval.LearnAll, 0},
		{"rest although few are left", streamtest.IndependentDB(1, 12), 5, crossval.LearnRest, shuffled(12, 4, 7), crossval.LearnRest, 0},
		{"all although enough are left", streamtest.IndependentDB(1, 12), 3, crossval.LearnAll, shuffled(12, 4, 7), crossval.LearnAll, 0},
		{"a sample of rows", streamtest.IndependentDB(1, 12), 3, crossval.LearnAuto, shuffled(12, 4, 7), crossval.LearnRest, 6},
		{"folds of the stream", withFolds, 2, crossval.LearnAuto, [][]int{{0, 3, 6, 9}, {1, 2, 4, 5, 7, 8, 10, 11}}, crossval.LearnRest, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opt := crossval.Options{Systems: crossval.Systems()}
			opt.Seed, opt.LearnOn, opt.Select.Subgraphs, opt.Select.Threshold = 7, test.on, test.k2, new(0.5)
			opt.Select.Gain.Rows = test.rows
			subs := streamtest.Subgraphs(t, m, test.db)
			got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			want := byHand(t, m, subs, test.folds, opt, test.want == crossval.LearnAll, len(test.folds))
			check.Equal(t, "systems", got.Systems, want, nearly)
			check.Equal(t, "tested", got.Tested, tested(subs, test.folds))
			if got.Folds != len(test.folds) || got.LearnedOn != test.want || got.Threshold != 0.5 || got.Subgraphs != test.k2 {
				t.Errorf("got %d folds, learned on %v, theta %v, k2 %d", got.Folds, got.LearnedOn, got.Threshold, got.Subgraphs)
			}
			compareTests(t, got)
			again := opt
			again.Run = streamtest.Yielding([]int{2, 3, 7, 16}[test.k2%4])
			other, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), again)
			if diff := cmp.Diff(other, got, cmpopts.EquateNaNs()); err != nil || diff != "" {
				t.Errorf("other workers: %v (-got +want):\n%s", err, diff)
			}
		})
	}
}

// nearly compares outcomes, ignoring the quality of marginals, intervals and atoms.
var nearly = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreFields(resolwe.Evaluation{}, "Quality", "Intervals"), cmpopts.IgnoreFields(crossval.Outcome{}, "Cases")}
