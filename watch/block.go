package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/watch"
)

// mostRetired is the most former models that remain as challengers.
const mostRetired = 8

// firstLook is the number of subgraphs between an alarm and the first challenger; the next one is made after twice as many, and so on.
const firstLook = 100

// state is what processing a block changes.
type state struct {
	Next      int // position after the last block
	Model     int // number of the published one; 0 if none yet
	Published []float64
	Frozen    []float64
	Retired   [][]float64 // most recent first
	Experts   []*watch.Expert
	Shares    []float64          // of the experts
	Base      [][2]float64       // false and true atoms, by target
	Last      [][2]float64       // by target and last known label: a target's labelStates are adjacent
	Known     []uint64           // the labels, at a checkpoint
	Clock     subgraph.Time      // at which the last block was predicted
	Read      checkpoint.Records // the subgraphs read, without their contents
	Latest    subgraph.Time      // of the last one
	Detector  *watch.Detector
	Since     int // counts changes of the published model and the challengers; earlier comparisons are obsolete

	Alarmed   int // position after the unresolved alarm, -1 for none
	Look      int // position at which the next challenger is made
	Candidate []float64
	Chosen    []int          // columns of a selected one, else nil
	Evidence  *watch.Process // for it

	Layout int       // counts changes of the columns
	Sample []sampled // with AdaptStructure

	Waiting []*pending
	Awaited []*awaited
	Later   Later
	Blocks  int
	Shown   int // position after the last block with a line
	Alarms  int
	Totals  totals
}

// pending is a block whose truth is not known yet.
type pending struct {
	Block  *watch.Block
	Last   *watch.Block // of the same atoms, with rows by last known label
	Atoms  []labeled
	Latest subgraph.Time // with Options.Wait
	Line   *Line         // nil for subgraphs of the start, which are not predicted
	Places []int         // positions of the subgraphs in the stream
	Losses [][]float64   // by expert and subgraph
	Excess [][]float64   // by slot and subgraph, nil for spare slots
	Since  int
	Stale  int      // subgraphs at the front that were predicted before that
	Layout int      // of the block's columns
	items  []*item  // with AdaptStructure
	hidden *awaited // nil if the truth of all atoms is stated
	parts  []part   // if this is truth that came later: by subgraph
}

// challengers returns the weights of the slots, nil for spare ones.
func (s *state) challengers() [][]float64 {
	out := make([][]float64, len(s.Detector.Slots))
	for k, e := range s.Experts {
		out[k] = e.Weights
	}
	copy(out[len(s.Experts):], s.Retired)
	out[len(out)-1] = s.Candidate
	return out
}

// block predicts the subgraphs held. After a whole block a checkpoint may follow.
func (w *watcher) block(whole bool) error {
	if len(w.held) == 0 {
		return nil
	}
	s := &w.state
	if w.opt.Wait > 0 {
		s.Clock = w.timeOf(w.held[0])
		if err := w.release(); err != nil {
			return err
		}
	}
	p, err := w.pend(w.held)
	if err != nil {
		return err
	}
	w.held = nil
	s.Next = p.Places[len(p.Places)-1] + 1
	s.Blocks++
	w.predict(p)
	s.Waiting = append(s.Waiting, p)
	w.await(p.hidden)
	if err := w.release(); err != nil {
		return err
	}
	if whole {
		return w.checkpoint()
	}
	return nil
}

// predict predicts a block and compares the predictions with its truth.
func (w *watcher) predict(p *pending) {
	c := newComparison(w, p)
	c.add(0, p.Block, p.Last, w.issue(p.Block, p.Last))
	p.Line = c.line(Line{Block: w.state.Blocks, First: p.Places[0], Subgraphs: len(p.Places), Shares: slices.Clone(w.state.Shares)})
	if a := p.hidden; a != nil {
		a.Issued = w.issue(a.Block, a.Last)
	}
}

// rates returns, by row, the share of true atoms of its target in counts.
func rates(b *watch.Block, counts [][2]float64) []float64 {
	out := make([]float64, b.Len())
	for i, target := range b.Target {
		n := counts[target]
		out[i] = (n[1] + .5) / (n[0] + n[1] + 1)
	}
	return out
}

// release processes the truth that has become known.
func (w *watcher) release() error {
	s := &w.state
	for len(s.Waiting) > 0 && w.settled(s.Waiting[0]) {
		p := s.Waiting[0]
		s.Waiting = s.Waiting[1:]
		if err := w.settle(p); err != nil {
			return err
		}
	}
	return nil
}

// settle processes the truth of a block.
func (w *watcher) settle(p *pending) error {
	s := &w.state
	known, err := w.compare(p)
	if err != nil {
		return err
	}
	if err := w.refresh(p); err != nil {
		return err
	}
	w.learn(p)
	if p.Line == nil {
		return nil
	}
	p.Line.Model, p.Line.LogM, p.Line.Alarms = s.Model, logarithm(s.Detector.Value()), s.Alarms
	if w.opt.Weights {
		p.Line.Weights = w.weights()
	}
	if p.Line.Later == 0 {
		s.Shown = p.Line.First + p.Line.Subgraphs
	}
	s.Totals.add(p.Line, known)
	if w.opt.Line != nil {
		if err := w.opt.Line(p.Line); err != nil {
			return err
		}
	}
	if known == 0 {
		return nil
	}
	return w.challenge(p.Places[len(p.Places)-1] + 1)
}

// compare compares a block's predictions, if any, with its truth. It returns the number of subgraphs with atoms of known truth.
func (w *watcher) compare(p *pending) (known int, err error) {
	if p.Line == nil {
		return 0, nil
	}
	for i, place := range p.Places {
		if p.Block.Members[i].Atoms == 0 {
			continue
		}
		known++
		if err := w.judge(p, i, place); err != nil {
			return 0, err
		}
		watch.Share(w.state.Shares, at(p.Losses, i))
		if p.items != nil {
			var labels []uint64
			if p.parts != nil {
				labels = p.parts[i].labels()
			}
			w.remember(p.items[i], labels)
		}
	}
	return known, nil
}

// weights returns the weights of the experts' mixture. The variance is that of a mixture of normal distributions.
func (w *watcher) weights() []Weighted {
	s := &w.state
	mean := watch.Averaged(s.Shares, s.Experts)
	out := make([]Weighted, len(mean))
	for k, e := range s.Experts {
		for i, v := range e.Variances() {
			far := e.Weights[i] - mean[i]
			out[i].Error += float64(s.Shares[k] * (v + float64(far*far)))
		}
	}
	for i, v := range mean {
		out[i] = Weighted{mln.FormatFormula(w.columns[i]), v, math.Sqrt(out[i].Error)}
	}
	return out
}

// at returns the i-th element of each list, 0 for an empty list.
func at(lists [][]float64, i int) []float64 {
	out := make([]float64, len(lists))
	for k, list := range lists {
		if list != nil {
			out[k] = list[i]
		}
	}
	return out
}

// logarithm returns the natural logarithm, 0 for less than 1.
func logarithm(v float64) float64 { return elementary.Log(max(v, 1)) }

// judge feeds the truth of a subgraph to the tests, unless it was predicted by a model no longer published or not tested against the
// present challengers.
func (w *watcher) judge(p *pending, i, place int) error {
	s := &w.state
	if p.Since != s.Since || i < p.Stale {
		return nil
	}
	excess := at(p.Excess, i)
	if s.Candidate != nil {
		s.Evidence.Step(excess[len(excess)-1])
		if s.Evidence.Value() >= w.opt.takeover() {
			return w.replace(place)
		}
	}
	s.Detector.Step(place, excess)
	m := s.Detector.Value()
	if m < w.opt.Alarm {
		return nil
	}
	slot, began := s.Detector.Began()
	s.Alarms++
	err := w.happened(&Event{
		Event: "alarm", Subgraph: place, LogM: logarithm(m), Began: began, Challenger: w.named(slot), Model: s.Model,
		Moved: w.moved(s.Published, watch.Averaged(s.Shares, s.Experts)),
	})
	if s.Alarmed < 0 {
		s.Alarmed, s.Look = place+1, place+1+firstLook
		s.Sample = slices.DeleteFunc(s.Sample, func(x sampled) bool { return x.Place < began })
	}
	s.Detector.Reset(place + 1)
	return err
}

// named returns the name of a slot's challenger.
func (w *watcher) named(slot int) string {
	n := len(w.opt.Horizons)
	switch {
	case slot < n:
		return fmt.Sprintf("horizon %g", w.opt.Horizons[slot])
	case slot == n:
		return "all history"
	case slot == len(w.state.Detector.Slots)-1:
		return "challenger"
	}
	return fmt.Sprintf("retired model %d", slot-n)
}

// mostMoved is the most formulas that an event names.
const mostMoved = 10

// moved returns the formulas whose weights differ most.
func (w *watcher) moved(from, to []float64) (out []Move) {
	for i, f := range w.columns {
		if a, b := weight(from, i), weight(to, i); a != b {
			out = append(out, Move{mln.FormatFormula(f), a, b})
		}
	}
	slices.SortStableFunc(out, func(a, b Move) int {
		return cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From))
	})
	return out[:min(len(out), mostMoved)]
}

// challenge makes a challenger at a position, if one is due.
func (w *watcher) challenge(place int) error {
	s := &w.state
	if w.opt.Adapt == AdaptNone || s.Alarmed < 0 || place < s.Look {
		return nil
	}
	for s.Look <= place {
		s.Look = s.Alarmed + 2*(s.Look-s.Alarmed)
	}
	if w.opt.Adapt == AdaptWeights {
		s.Candidate = watch.Averaged(s.Shares, s.Experts)
	} else if err := w.reselect(); err != nil {
		return err
	}
	s.Evidence = watch.NewProcess()
	s.Detector.Put(len(s.Detector.Slots)-1, false, place)
	s.Since++
	return w.happened(&Event{Event: "challenger", Subgraph: place, Model: s.Model})
}

// replace publishes the challenger, after the subgraph at a position.
func (w *watcher) replace(place int) error {
	s := &w.state
	former := s.Published
	s.Retired = slices.Insert(s.Retired, 0, former)
	s.Retired = s.Retired[:min(len(s.Retired), mostRetired)]
	e := &Event{Event: "takeover", Subgraph: place, LogM: logarithm(s.Evidence.Value()), Model: s.Model + 1, Moved: w.moved(former, s.Candidate)}
	s.Published, s.Candidate, s.Evidence = s.Candidate, nil, nil
	if s.Chosen != nil {
		w.adopt(s.Chosen)
		s.Chosen = nil
	}
	s.Model++
	s.Since++
	s.Alarmed = -1
	others := s.Detector.Slots[len(s.Experts):]
	for k := range others {
		others[k].Spare = k >= len(s.Retired)
	}
	s.Detector.Reset(place + 1)
	if err := w.publish(); err != nil {
		return err
	}
	return w.happened(e)
}
