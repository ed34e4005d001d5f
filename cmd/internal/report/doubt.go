package report

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/run"
	"resolwe/internal/stage/selecting"
)

// Doubt warns of too few samples, and of samples that did not reach the target error, which is 0 if there is none.
func Doubt(log *slog.Logger, q *resolwe.Quality, target float64) {
	if q.Disagree > 0 {
		log.Warn("chains disagree, or are too short to tell: raise --samples or --chains",
			"subgraphs", q.Disagree, "worst", q.RHat.Subgraph, "rhat", q.RHat.Value, "atoms", q.RHat.Atoms)
	}
	if q.Stuck > 0 {
		log.Warn("atoms hardly moved although nothing fixes them: the chains did not reach some states",
			"subgraphs", q.Stuck, "worst", q.Still.Subgraph, "atoms", q.Still.Atoms)
	}
	if q.Short > 0 {
		log.Warn("too few samples to judge their quality, since R-hat is undefined: raise --samples", "subgraphs", q.Short)
	}
	if q.Imprecise > 0 {
		log.Warn("marginals are imprecise: they may be off by 0.01 on average: raise --samples",
			"subgraphs", q.Imprecise, "worst", q.Error.Subgraph, "error", q.Error.Value)
	}
	if target > 0 && q.Error.Value > target {
		log.Warn("not every subgraph reached --error: raise --samples",
			"subgraphs", q.Sampled-q.Precise, "worst", q.Error.Subgraph, "error", q.Error.Value)
	}
}

// DoubtData warns of subgraphs whose data violate a hard formula, and names the first.
func DoubtData(log *slog.Logger, violations func() (first *run.Violation, n int)) {
	first, n := violations()
	if n > 0 {
		log.Warn(first.String())
	}
	if n > 1 {
		log.Warn("subgraphs have data that violate a hard formula", "number", n)
	}
}

// QualityText says in one line how well sampling went.
func QualityText(q *resolwe.Quality) string {
	parts := []string{fmt.Sprintf("%d of %d subgraphs were sampled, %.0f samples of each chain on average",
		q.Sampled, q.Subgraphs, float64(q.Samples)/float64(q.Sampled))}
	add := func(what string, format byte, digits int, w inferring.Worst) {
		if w.Subgraph != "" {
			parts = append(parts, fmt.Sprintf("%s %s in %s", what, render.Number(w.Value).Text(format, digits), w.Subgraph))
		}
	}
	add("worst R-hat", 'f', 3, q.RHat)
	add("least effective samples", 'f', 0, q.ESS)
	add("largest standard error", 'g', 2, q.Error)
	return strings.Join(parts, "; ")
}

// DoubtCrossval warns of a partial cross-validation, of systems with too few samples, and of learning that ended short of the
// optimum. With told, it also says how well sampling went.
func DoubtCrossval(log *slog.Logger, cv *crossval.Result, target float64, told bool) {
	switch {
	case len(cv.Left) > 0:
		log.Warn("the budget expired before all was done: the result lacks " + strings.Join(cv.Left, "; "))
	case cv.Finished < cv.Folds:
		log.Warn("the result is partial", "finished", cv.Finished, "folds", cv.Folds)
	}
	selecting.TellDoubts(cv.Doubts, func(text string) { log.Warn(text) })
	if n := cv.Null; n != nil && n.Tells() {
		by, _, measure := n.Excess()
		log.Warn(fmt.Sprintf("on the null stream %s exceeds the base rate by %.3f of %s: how candidates were drawn tells true from false",
			cv.Systems[0].Name, by, measure))
	}
	for i := range cv.Systems {
		s := &cv.Systems[i]
		if told && s.Quality.Sampled > 0 {
			log.Info(s.Name + ": " + QualityText(&s.Quality))
		}
		Doubt(log, &s.Quality, target)
		DoubtLearned(log, s)
	}
}

// DoubtLearned warns of a system whose learning ended short of the optimum. It describes the first such fold, and gives their
// number.
func DoubtLearned(log *slog.Logger, s *crossval.Outcome) {
	first, folds := "", 0
	for fold, r := range s.Reached {
		text := r.ShortOfOptimum()
		if text == "" {
			continue
		}
		if folds++; folds == 1 {
			first = fmt.Sprintf("%s, fold %d: %s", s.Name, fold+1, text)
		}
	}
	if folds > 0 {
		log.Warn(first, "folds", folds)
	}
}

// A formula that takes long to ground in a subgraph is reported after longLater, and repeatedly from then on. If it has veryMany
// bindings, and so may take very long, it is reported after longAtOnce.
const (
	longAtOnce = 2 * time.Second
	longLater  = 10 * time.Second
	veryMany   = 1e9
)

// mostWarnings is how many warnings about sources are printed.
const mostWarnings = 100

// Warn prints warnings about sources: of equal ones the first, with their number, and at most mostWarnings.
func Warn(log *slog.Logger, list []mln.Diagnostic) {
	times := map[string]int{}
	first := []mln.Diagnostic(nil)
	for _, w := range list {
		if times[w.Msg]++; times[w.Msg] == 1 {
			first = append(first, w)
		}
	}
	shown := first[:min(len(first), mostWarnings)]
	for _, w := range shown {
		if n := times[w.Msg]; n > 1 {
			w.Msg += fmt.Sprintf(" (%d times)", n)
		}
		log.Warn(w.String())
	}
	if n := len(first) - len(shown); n > 0 {
		log.Warn("more warnings are left out", "number", n)
	}
}

// LongGroundings returns a function that warns of formulas that take long to ground and then, with progress, reports how far they
// are.
func LongGroundings(log *slog.Logger, now func() time.Time, progress bool) func(resolwe.Effort) {
	var next time.Time
	var tell func(string, ...any)
	return func(f resolwe.Effort) {
		switch at := now(); {
		case f.First():
			if next, tell = at.Add(longLater), log.Warn; f.Most() >= veryMany {
				next = at.Add(longAtOnce)
			}
		case tell != nil && !at.Before(next):
			tell("a formula takes long to ground: "+printed(f.Formula()), "subgraph", printed(f.Subgraph()), "bindings_tried", f.Tried(), "at_most", f.Most())
			if next, tell = at.Add(longLater), nil; progress {
				tell = log.Info
			}
		}
	}
}

// DoubtWeights warns of formulas that predict nothing because they have no weight. If that is all of them, it returns a
// console.UsageError.
func DoubtWeights(log *slog.Logger, m *resolwe.Model) error {
	n := 0
	for _, f := range m.Formulas {
		if !f.HasWeight && !f.Hard {
			n++
		}
	}
	switch {
	case n > 0 && n == len(m.Formulas):
		return console.UsageError("no formula of the model has a weight, so it predicts nothing: run learn or select first, and use the model that -o writes")
	case n > 0:
		log.Warn("formulas without a weight count as weight 0", "number", n)
	}
	return nil
}
