// Package selecting chooses formulas among candidates on a stream: by gain, or by Algorithm 1 of Mihalkova and Moustafa (2011) and its relatives.
package selecting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
	"resolwe/internal/stage/run"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
)

// Criterion decides which formulas Select keeps.
type Criterion = selection.Criterion

// The criteria of selection.
const (
	Paper = selection.Paper
	Lift  = selection.Lift
	KL    = selection.KL
	LLR   = selection.LLR
	Gain  = selection.Gain
)

// Totals are the statistics of a candidate.
type Totals = selection.Totals

// Work counts the operations of the kernels.
type Work = join.Work

// Options are the parameters of selection. The zero value is selection by gain on all subgraphs.
type Options struct {
	Subgraphs int         // k2: use the first N subgraphs, at least 1; math.MaxInt for all; 0 for all with Gain, 30 with other criteria
	Threshold *float64    // theta: finite, not negative; nil for the criterion's default (Criterion.Theta); not used by Gain
	Criterion Criterion   // how to choose formulas; 0 for Gain
	Gain      GainOptions // for the criterion Gain
	LogOdds   bool        // with Gain, keep GainSelection.LogOdds

	// Budget limits the time. When it expires, candidates are judged on the subgraphs read so far, and Gain takes the formulas chosen
	// so far; it stops reading when two thirds of the time are used, so that some is left to choose. The error is ErrBudget if not one
	// subgraph was counted in time. With GainOptions.All, only reading ends.
	Budget *run.Budget

	// Choosing, unless nil, is called with the progress after counting, one call at a time, with Gain: with what is done, how much
	// of it so far, and the total, which may turn out to be less.
	Choosing func(what string, done, total int64)

	Run run.Run
}

// Selection is the result of Select.
type Selection struct {
	Subgraphs  int // that were used
	Threshold  float64
	Criterion  Criterion
	Candidates []Scored        // merged up to renaming of variables, in the model's order
	Gain       []GainSelection // by target predicate, with the criterion Gain
	Selected   []*mln.Formula  // each once up to renaming of variables; if by Gain, with weights and standings
	Notes      []string        // the statistics of each selected formula, as text
	Warnings   []mln.Diagnostic
	Stopped    bool    // Options.Budget expired; Warnings say what was not done
	NotForward string  // the warning that says why inner folds are random although subgraphs have times, or ""
	Doubts     []Doubt // formulas that may be the answer in disguise, with the criterion Gain
	Work       Work    // of all workers; it may depend on their number

	alone bool // GainOptions.Alone
}

// Scored is a candidate with its statistics.
type Scored struct {
	Candidate *mln.Candidate
	Totals
	Selected []*mln.Formula // selected variants (the joint and the conditionals), each once up to renaming
}

// variant is a formula that selection may add, with its statistics.
type variant struct {
	formula *mln.Formula
	stat    *selection.Stat
	given   string // the literal conditioned on the others; "" for the joint
}

// variants lists the formulas that a candidate may add.
func (s *Scored) variants() []variant {
	out := make([]variant, 1, 1+len(s.Conditional))
	out[0] = variant{formula: s.Candidate.Joint(), stat: &s.Joint}
	for k := range s.Conditional {
		out = append(out, variant{
			formula: s.Candidate.Conditional(k), stat: &s.Conditional[k], given: mln.FormatAtom(s.Candidate.Enforcer[k]),
		})
	}
	return out
}

// Select is described with resolwe.Select.
func Select(ctx context.Context, m *run.Model, s *run.Stream, opt Options) (*Selection, error) {
	s, err := m.Offers(s)
	if err != nil {
		return nil, err
	}
	sel, err := NewSelector(m, opt)
	if err != nil {
		return nil, err
	}
	s.CheckHard(m)
	if sel.opt.Subgraphs > 0 {
		s, _ = s.Cut(sel.opt.Subgraphs)
	}
	if sel.rereads() {
		s.Keep()
	}
	var again Again
	if !s.ReadOnce() {
		again = func(positions []int) ([]*run.Stream, error) { return []*run.Stream{s.Pick(positions)}, nil }
		numbers, err := sel.CountNumbers(ctx, s)
		if err != nil {
			return nil, err
		}
		sel = sel.WithNumbers(numbers.Boundaries())
	}
	counts, err := sel.Count(ctx, s)
	if err != nil {
		return nil, err
	}
	out, err := sel.Select(ctx, counts, again)
	if err == nil && counts.Stopped {
		of := ""
		if n := s.Len(); n >= 0 {
			of = fmt.Sprintf(" of %d", n)
		}
		out.stop("candidates were judged on %d%s subgraphs", counts.Subgraphs, of)
	}
	return out, err
}

// fill sets the defaults and checks the parameters.
func (o *Options) fill() error {
	o.Criterion = cmp.Or(o.Criterion, Gain)
	if o.Criterion < Paper || o.Criterion > Gain {
		return &run.OptionError{Option: "SelectOptions.Criterion", Reason: "gain, paper, lift, kl or llr"}
	}
	o.Subgraphs = cmp.Or(o.Subgraphs, o.First())
	if err := o.Gain.fill(); err != nil {
		return err
	}
	if o.Threshold == nil {
		o.Threshold = new(o.Criterion.Theta())
	}
	switch {
	case o.Subgraphs < 0:
		return &run.OptionError{Option: "SelectOptions.Subgraphs", Reason: "at least 1"}
	case math.IsInf(*o.Threshold, 0) || !(*o.Threshold >= 0):
		return &run.OptionError{Option: "SelectOptions.Threshold", Reason: "a number of at least 0"}
	}
	return nil
}

// First returns the maximum number of subgraphs to use, counted from the first; 0 for all.
func (o *Options) First() int {
	switch {
	case o.Subgraphs == math.MaxInt:
		return 0
	case o.Subgraphs == 0 && o.Criterion != 0 && o.Criterion != Gain:
		return 30
	}
	return o.Subgraphs
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *Options) Validate() error {
	filled := *o
	return filled.fill()
}

// choose fills in what is selected.
func (s *Selection) choose() {
	threshold := selection.NewThreshold(s.Threshold)
	last := map[string]int{} // by formula up to renaming: the number of the last candidate with it, from 1
	for i := range s.Candidates {
		c := &s.Candidates[i]
		for _, v := range c.variants() {
			if !v.stat.Keep(s.Criterion, threshold) {
				continue
			}
			key := mln.Canonical(v.formula)
			if last[key] <= i { // the conditionals of a symmetric candidate are equal
				c.Selected = append(c.Selected, v.formula)
			}
			if last[key] == 0 {
				s.Selected = append(s.Selected, v.formula)
				s.Notes = append(s.Notes, s.note(v))
			}
			last[key] = i + 1
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
	text := fmt.Sprintf("%s = %.6g over %s; %d of %s true",
		what, st.Mean.Value(), printable.Count(st.Mean.Defined(), "subgraph"), st.True, printable.Count(st.Selected, "selected grounding"))
	if s.Criterion != Paper {
		text += fmt.Sprintf("; %v = %.6g, %.6g expected", s.Criterion, st.Value(s.Criterion), st.Expected.Value())
	}
	return text
}

// Model returns the task m with the selected formulas instead of its candidates; weighted and hard formulas of m come first. note
// returns the statistics of the i-th formula of that model as text, or "" for formulas of m; Model.Write prints it as a comment.
func (s *Selection) Model(m *run.Model) (selected *run.Model, note func(i int) string) {
	formulas := s.withBiases(m, mln.Given(m.Formulas))
	kept := len(formulas)
	note = func(i int) string {
		if i < kept {
			return ""
		}
		return s.Notes[i-kept]
	}
	return m.With(append(formulas, s.Selected...)), note
}

// Every returns m, the model that was selected from, with every formula that could have been selected, after those that are not
// candidates.
func (s *Selection) Every(m *run.Model) *run.Model {
	all := &Selection{}
	seen := map[string]bool{}
	for i := range s.Candidates {
		for _, v := range s.Candidates[i].variants() {
			if key := mln.Canonical(v.formula); !seen[key] {
				seen[key] = true
				all.Selected = append(all.Selected, v.formula)
			}
		}
	}
	out, _ := all.Model(m)
	return out
}

// Selector counts the candidates of a model on streams, and selects from the counts. Its methods may be called by several
// goroutines.
type Selector struct {
	model      *run.Model
	opt        Options
	task       *selection.Task // nil with Gain
	gain       *gainTask       // by Gain
	candidates []*mln.Candidate
	warnings   []mln.Diagnostic
}

// NewSelector compiles the candidates of a model. Errors are those of the function Select.
func NewSelector(m *run.Model, opt Options) (*Selector, error) {
	if err := m.Predicts(); err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	candidates, warnings, err := mln.Candidates(m.Task())
	if err != nil {
		return nil, err
	}
	s := &Selector{model: m, opt: opt, candidates: candidates, warnings: warnings}
	if opt.Criterion == Gain {
		s.gain = newGainTask(m, candidates, &opt)
		return s, nil
	}
	s.task, err = selection.Compile(m.Schema, candidates, opt.Criterion)
	return s, err
}

// Candidates returns the candidates that are counted, merged up to renaming of variables, in the model's order.
func (s *Selector) Candidates() []*mln.Candidate { return s.candidates }

// SelectionCounts are the exact counts of a model's candidates on a stream. Counts on streams that share no subgraph add up, in any
// order, to the counts on all of them.
type SelectionCounts struct {
	Subgraphs uint64         // used
	Skipped   uint64         // damaged ones, skipped
	Stopped   bool           // Options.Budget ended counting
	Work      Work           // may depend on the number of workers
	Sums      selection.Sums // by candidate; none with Gain
	Rows      *GainRows      // with Gain, else nil
}

// NewCounts returns counts of 0.
func (s *Selector) NewCounts() *SelectionCounts {
	if s.gain != nil {
		return &SelectionCounts{Rows: s.gain.newRows()}
	}
	return &SelectionCounts{Sums: s.task.NewSums()}
}

// Count counts on all subgraphs of a stream, opened for the selector's model; Options.Subgraphs has no effect.
func (s *Selector) Count(ctx context.Context, stream *run.Stream) (*SelectionCounts, error) {
	stream, err := s.model.Offers(stream)
	if err != nil {
		return nil, err
	}
	if s.gain != nil {
		return s.gain.gather(ctx, stream)
	}
	formulas := make([]*mln.Formula, len(s.candidates))
	for i, c := range s.candidates {
		formulas[i] = c.Formula
	}
	trace := s.opt.Run.NewTracer("select", formulas)
	out := s.NewCounts()
	var over atomic.Bool // the budget ended counting
	newCounter := func() *counter {
		c := &counter{Counter: selection.NewCounter(s.task)}
		c.Trace = trace
		c.Stop(func() error { return cmp.Or(context.Cause(ctx), s.opt.Budget.Err()) })
		return c
	}
	spent := func() bool {
		if s.opt.Budget.Over() {
			over.Store(true)
		}
		return over.Load()
	}
	counters, err := run.Reduce(ctx, stream, &s.opt.Run, spent, newCounter, func(c *counter, sub *subgraph.Subgraph) error {
		err := c.Add(sub)
		if errors.Is(err, run.ErrSpent) { // it added nothing
			over.Store(true)
			return nil
		}
		c.used++
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Skipped = uint64(stream.Skipped()) // #nosec G115 -- not negative
	for _, c := range counters {
		out.Work.Add(c.Work())
		out.Subgraphs += c.used
		_ = out.Sums.Add(c.Totals) // of one task
	}
	if over.Load() {
		err = out.counted(run.ErrSpent)
	}
	return out, err
}

// counter is a worker's counts.
type counter struct {
	*selection.Counter

	used uint64 // subgraphs
}

// Select selects formulas from counts, which must come from the selector's model, criterion and options; with Gain, they must not
// be used again. To choose formulas with several target literals, Gain reads some of the subgraphs again; if again is nil, such
// formulas are left out. The error is that of reading, or a *features.DuplicateError.
func (s *Selector) Select(ctx context.Context, c *SelectionCounts, again Again) (*Selection, error) {
	if s.gain != nil {
		return s.byGain(ctx, c, again)
	}
	out := &Selection{
		Subgraphs: int(c.Subgraphs), Threshold: *s.opt.Threshold, Criterion: s.opt.Criterion, Warnings: slices.Clip(s.warnings), Work: c.Work,
	}
	for i, candidate := range s.candidates {
		out.Candidates = append(out.Candidates, Scored{Candidate: candidate, Totals: c.Sums[i]})
	}
	out.choose()
	out.warn(candidatesWithout(out.Candidates), false)
	return out, nil
}
