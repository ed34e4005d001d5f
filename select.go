package resolwe

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
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
	Gain  = selection.Gain
)

// Totals are the statistics of a candidate.
type Totals = selection.Totals

// Work is what the kernels did.
type Work = join.Work

// SelectOptions are the parameters of selection. The zero value is selection by gain on all subgraphs.
type SelectOptions struct {
	Subgraphs int         // k2: how many subgraphs are used, from the first, at least 1; 0 for all by Gain, else 30
	Threshold *float64    // theta: finite, not negative; nil for the criterion's default, Criterion.Theta; Gain has none
	Criterion Criterion   // how formulas are chosen; 0 for Gain
	Gain      GainOptions // of that criterion
	Run       Run
}

// Selection is what Select found.
type Selection struct {
	Subgraphs  int // that were used
	Threshold  float64
	Criterion  Criterion
	Candidates []Scored        // merged up to renaming of variables, in the model's order
	Gain       []GainSelection // by target predicate, by that criterion
	Selected   []*mln.Formula  // each once up to renaming of variables; with weights by Gain, else without
	Notes      []string        // the statistics of each selected formula, for people
	Warnings   []mln.Diagnostic
	NotForward string  // the one of them that says why inner folds are random though subgraphs have times, "" for none
	Doubts     []Doubt // formulas that may be the answer in disguise, by the criterion Gain
	Work       Work    // of the kernels, on all workers; it may depend on their number
}

// Scored is a candidate with its statistics.
type Scored struct {
	Candidate *mln.Candidate
	Totals
	Selected []*mln.Formula // which of its variants, the joint and the conditionals, are selected: each once up to renaming
}

// variant is a formula that selection may add, with its statistics.
type variant struct {
	formula *mln.Formula
	stat    *selection.Stat
	given   string // the literal that is conditioned on the others, "" for the joint
}

// variants lists the formulas that a candidate may become.
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

// Select chooses among the model's candidates, its formulas without weight or period: by what they add to the likelihood of
// held-out atoms (Gain, the default), or by Algorithm 1 of the paper and its relatives, which read no more of the stream than
// the first opt.Subgraphs. Formulas that are not candidates give an mln.ErrorList, options out of range an *OptionError.
func Select(ctx context.Context, m *Model, s *Stream, opt SelectOptions) (*Selection, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	sel, err := NewSelector(m, opt)
	if err != nil {
		return nil, err
	}
	if sel.opt.Subgraphs > 0 {
		first, _ := s.only.Split(sel.opt.Subgraphs)
		s = &Stream{s.origin, first}
	}
	var again Again
	if !s.ReadOnce() {
		again = func(positions []int) ([]*Stream, error) { return []*Stream{s.Pick(positions)}, nil }
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
	return sel.Select(ctx, counts, again)
}

// fill puts the defaults in, and checks the parameters.
func (o *SelectOptions) fill() error {
	o.Criterion = cmp.Or(o.Criterion, Gain)
	if o.Criterion < Paper || o.Criterion > Gain {
		return &OptionError{"SelectOptions.Criterion", "gain, paper, lift, kl or llr"}
	}
	o.Subgraphs = o.First()
	if err := o.Gain.fill(); err != nil {
		return err
	}
	if o.Threshold == nil {
		o.Threshold = new(o.Criterion.Theta())
	}
	switch {
	case o.Subgraphs < 0:
		return &OptionError{"SelectOptions.Subgraphs", "at least 1"}
	case math.IsInf(*o.Threshold, 0) || !(*o.Threshold >= 0):
		return &OptionError{"SelectOptions.Threshold", "a number of at least 0"}
	}
	return nil
}

// First returns how many subgraphs of a stream are used at most, the first ones; 0 for all.
func (o *SelectOptions) First() int {
	if o.Subgraphs == 0 && o.Criterion != 0 && o.Criterion != Gain {
		return 30
	}
	return o.Subgraphs
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *SelectOptions) Validate() error {
	filled := *o
	return filled.fill()
}

// choose fills in what is selected.
func (s *Selection) choose() {
	threshold := selection.NewThreshold(s.Threshold)
	last := map[string]int{} // by formula up to renaming: the number of the last candidate that has it, from 1
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
	text := fmt.Sprintf("%s = %.6g over %d subgraphs; %d of %d selected groundings true",
		what, st.Mean.Value(), st.Mean.Defined(), st.True, st.Selected)
	if s.Criterion != Paper {
		text += fmt.Sprintf("; %v = %.6g, %.6g expected", s.Criterion, st.Value(s.Criterion), st.Expected.Value())
	}
	return text
}

// Model returns m, which was selected from, with the selected formulas after those that were no candidates: weighted and
// hard ones. The function returned gives the note of a formula of it, for Model.Write.
func (s *Selection) Model(m *Model) (*Model, func(int) string) {
	formulas := s.withBiases(m, m.given())
	kept := len(formulas)
	note := func(i int) string {
		if i < kept {
			return ""
		}
		return s.Notes[i-kept]
	}
	return m.With(append(formulas, s.Selected...)), note
}

// Every returns m, which was selected from, with every formula that could have been selected, after those that are no candidates.
func (s *Selection) Every(m *Model) *Model {
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

// Selector evaluates the candidates of a model on streams and decides on the counts. Its methods may be called by several
// goroutines, whose workers keep their memory from one call to the next.
type Selector struct {
	model      *Model
	opt        SelectOptions
	task       *selection.Task // nil by Gain
	gain       *gainTask       // by Gain
	candidates []*mln.Candidate
	warnings   []mln.Diagnostic
	idle       sync.Pool  // of *counter, with totals of 0
	mu         sync.Mutex // of counts that counters are added to
}

// NewSelector compiles the candidates of a model. The errors are those of the function Select.
func NewSelector(m *Model, opt SelectOptions) (*Selector, error) {
	if err := m.Predicts(); err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	task := m.task
	if !m.asRead() {
		task = &mln.Model{Schema: *m.Schema, Formulas: m.Formulas}
	}
	candidates, warnings, err := mln.Candidates(task)
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

// Identity stands for all that counts depend on beside the stream.
func (s *Selector) Identity() string {
	h := sha256.New()
	s.model.writePredicates(h)
	for _, constants := range s.model.Constants {
		fmt.Fprintf(h, "%q\n", constants)
	}
	for _, c := range s.candidates {
		fmt.Fprintln(h, mln.FormatFormula(c.Formula))
	}
	fmt.Fprintln(h, s.opt.Criterion)
	if s.gain != nil {
		fmt.Fprintln(h, s.opt.Gain.Seed, s.opt.Gain.Rows)
		for _, f := range s.model.given() {
			fmt.Fprintln(h, mln.FormatRule(f))
		}
		for _, to := range s.gain.Targets {
			for _, c := range to.Candidates {
				fmt.Fprintln(h, to.Pred, mln.FormatFormula(c.Joint()))
			}
		}
	}
	return digest(h)
}

// Candidates returns the candidates that are counted, merged up to renaming of variables, in the model's order.
func (s *Selector) Candidates() []*mln.Candidate { return s.candidates }

// SelectionCounts are the exact counts of a model's candidates on a stream. Those on streams that share no subgraph add
// up, in any order, to those on all of them.
type SelectionCounts struct {
	Subgraphs uint64         // that were used
	Skipped   uint64         // damaged ones that were left out
	Work      Work           // of the kernels; it may depend on the number of workers
	Sums      selection.Sums // by candidate; none by Gain
	Rows      *GainRows      // by Gain, else nil
}

// NewCounts returns counts of 0.
func (s *Selector) NewCounts() *SelectionCounts {
	if s.gain != nil {
		return &SelectionCounts{Rows: s.gain.newRows()}
	}
	return &SelectionCounts{Sums: s.task.NewSums()}
}

// Count counts on all subgraphs of a stream, opened for the selector's model; the options' number of subgraphs has no
// effect.
func (s *Selector) Count(ctx context.Context, stream *Stream) (*SelectionCounts, error) {
	if err := s.model.check(stream); err != nil {
		return nil, err
	}
	if s.gain != nil {
		return s.gain.gather(ctx, stream)
	}
	it, err := stream.iterate()
	if err != nil {
		return nil, err
	}
	defer it.Close()
	run := s.opt.Run
	formulas := make([]*mln.Formula, len(s.candidates))
	for i, c := range s.candidates {
		formulas[i] = c.Formula
	}
	trace := run.newTracer("select", formulas)
	workers := workerCount(run.Workers)
	large := divider{selector: s, helpers: pool.NewHelpers(workers), workers: workers}
	next := func(ctx context.Context) (job, error) {
		h, err := it.Next(ctx)
		if err != nil {
			return job{}, err
		}
		run.progress(1)
		return job{h, large.isLarge(&h)}, nil
	}
	newCounter := func() *counter { return s.counter(ctx, trace) }
	out := s.NewCounts()
	add := func(_ context.Context, c *counter, j job) error {
		return stream.within(&c.memory, j.Handle, func(sub *subgraph.Subgraph) error {
			c.used++
			if j.large {
				return large.add(c, sub, newCounter, out)
			}
			return c.Add(sub)
		})
	}
	counters, err := pool.Reduce(ctx, run.Workers, next, newCounter, add)
	if err == nil {
		err = stream.sources.Unchanged()
	}
	if err != nil {
		return nil, err
	}
	it.Close() // which counts the damaged records at the end
	out.Skipped = uint64(stream.Skipped())
	for _, c := range counters {
		s.release(c, out)
	}
	return out, nil
}

// job is a subgraph to count.
type job struct {
	source.Handle

	large bool
}

// Again opens the subgraphs at some positions of a stream once more, as streams that follow one another.
type Again func(positions []int) ([]*Stream, error)

// Select decides on counts, which have to be of the selector's model, criterion and options; by Gain they are not to be used any
// more. The choice of formulas of several target literals by Gain reads some of the subgraphs again; without a way to, nil,
// they are left out. The error is that of reading, or a *gain.DuplicateError.
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
	out.warn(candidatesWithout(out.Candidates))
	return out, nil
}
