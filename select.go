package resolwe

import (
	"context"
	"fmt"
	"math"

	"resolwe/format/mln"
	"resolwe/kernels/selection"
	"resolwe/pool"
)

// Criterion decides which formulas Select keeps.
type Criterion = selection.Criterion

// The criteria of selection.
const (
	Paper = selection.Paper
	Lift  = selection.Lift
	KL    = selection.KL
	LLR   = selection.LLR
)

// SelectOptions are the parameters of Algorithm 1. DefaultSelectOptions gives a complete value to start from.
type SelectOptions struct {
	Subgraphs int       // k2: the first so many of the stream are used, at least 1
	Threshold float64   // theta: finite, not negative; NaN for the criterion's default
	Criterion Criterion // what is compared with it
	Run       Run
}

// DefaultSelectOptions returns the paper's parameters: k2 = 30, theta = 0.4.
func DefaultSelectOptions() SelectOptions {
	return SelectOptions{Subgraphs: 30, Threshold: math.NaN(), Criterion: Paper}
}

// Selection is what Select found.
type Selection struct {
	Subgraphs  int // that were used
	Threshold  float64
	Criterion  Criterion
	Candidates []Scored
	Selected   []*mln.Formula // without weights, each once up to renaming of variables
	Notes      []string       // the statistics of each selected formula, for people
	Warnings   []mln.Diagnostic
}

// Scored is a candidate with its statistics.
type Scored struct {
	Candidate *mln.Candidate
	selection.Totals
	Selected []*mln.Formula
}

// variant is a formula that selection may add, with its statistics.
type variant struct {
	formula *mln.Formula
	stat    *selection.Stat
	given   string // the literal that is conditioned on the others, "" for the joint
}

// variants lists the formulas that a candidate may become.
func (s *Scored) variants() []variant {
	out := []variant{{formula: s.Candidate.Joint(), stat: &s.Joint}}
	for k := range s.Conditional {
		out = append(out, variant{
			formula: s.Candidate.Conditional(k), stat: &s.Conditional[k], given: mln.FormatAtom(s.Candidate.Enforcer[k]),
		})
	}
	return out
}

// Select evaluates the model's candidates on the first subgraphs of a stream (Algorithm 1 of the paper). It reads no
// more of the stream than these.
func Select(ctx context.Context, m *Model, s *Stream, opt SelectOptions) (*Selection, error) {
	return selectOn(ctx, m, s, opt, nil)
}

// selectOn selects on the subgraphs whose positions keep accepts.
func selectOn(ctx context.Context, m *Model, s *Stream, opt SelectOptions, keep func(int) bool) (*Selection, error) {
	if err := m.requireTarget(); err != nil {
		return nil, err
	}
	if opt.Subgraphs < 1 {
		return nil, &OptionError{"k2", "at least 1"}
	}
	if math.IsNaN(opt.Threshold) {
		opt.Threshold = opt.Criterion.Theta()
	}
	if math.IsInf(opt.Threshold, 0) || opt.Threshold < 0 {
		return nil, &OptionError{"theta", "a number of at least 0"}
	}
	task := m.task
	if !m.asRead() {
		task = &mln.Model{Schema: *m.Schema, Formulas: m.Formulas}
	}
	candidates, warnings, err := mln.Candidates(task)
	if err != nil {
		return nil, err
	}
	compiled, err := selection.Compile(m.Schema, candidates, opt.Criterion)
	if err != nil {
		return nil, err
	}
	total, used, err := count(ctx, compiled, s, opt, keep)
	if err != nil {
		return nil, err
	}
	out := &Selection{
		Subgraphs: used, Threshold: opt.Threshold, Criterion: opt.Criterion, Warnings: warnings,
	}
	for i, c := range candidates {
		out.Candidates = append(out.Candidates, Scored{Candidate: c, Totals: total.Totals[i]})
	}
	out.keep()
	return out, nil
}

// count sums the candidates' counts over the first subgraphs, on every worker by itself.
func count(ctx context.Context, task *selection.Task, s *Stream, opt SelectOptions, keep func(int) bool) (*selection.Counter, int, error) {
	used := 0
	next, done, err := s.pieces(func(i int) bool {
		if keep != nil && !keep(i) {
			return false
		}
		used++
		opt.Run.progress(1)
		return true
	}, func() bool { return used == opt.Subgraphs })
	if err != nil {
		return nil, 0, err
	}
	defer done()
	labels := newLabels(opt.Run.Labels, "select", len(task.Candidates), func(i int) string {
		return mln.FormatFormula(task.Candidates[i].Formula)
	})
	newCounter := func() *selection.Counter {
		c := selection.NewCounter(task)
		c.Trace = labels
		return c
	}
	counters, err := pool.Reduce(ctx, opt.Run.Workers, next, newCounter,
		func(_ context.Context, c *selection.Counter, p piece) error { return s.with(p, c.Add) })
	if err != nil {
		return nil, 0, err
	}
	total := newCounter()
	for _, c := range counters {
		total.Merge(c)
	}
	return total, used, nil
}

// keep fills in what is selected.
func (s *Selection) keep() {
	threshold := selection.NewThreshold(s.Threshold)
	seen := map[string]bool{}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		for _, v := range c.variants() {
			if !v.stat.Keep(s.Criterion, threshold) {
				continue
			}
			c.Selected = append(c.Selected, v.formula)
			if key := mln.Canonical(v.formula); !seen[key] {
				seen[key] = true
				s.Selected = append(s.Selected, v.formula)
				s.Notes = append(s.Notes, s.note(v))
			}
		}
	}
}

// note describes a statistic in one line.
func (s *Selection) note(v variant) string {
	what := "P(Q | E)"
	if v.given != "" {
		what = fmt.Sprintf("P(%s | E, the others)", v.given)
	}
	st := v.stat
	text := fmt.Sprintf("%s = %.6g over %d subgraphs; %d of %d selected groundings true",
		what, st.Mean.Value(), st.Mean.Defined(), st.True, st.Selected)
	if s.Criterion != Paper {
		text += fmt.Sprintf("; %v = %.6g, %.6g expected", s.Criterion, st.Value(s.Criterion), st.Expected.Value())
	}
	return text
}

// Model returns the model with the selected formulas after those that were no candidates: weighted and hard ones.
func (s *Selection) Model(m *Model) (*Model, func(int) string) {
	var formulas []*mln.Formula
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			formulas = append(formulas, f)
		}
	}
	kept := len(formulas)
	note := func(i int) string {
		if i < kept {
			return ""
		}
		return s.Notes[i-kept]
	}
	return m.With(append(formulas, s.Selected...)), note
}
