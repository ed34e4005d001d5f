package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/kernels/watch"
)

// mostRetired is how many former models may be challengers.
const mostRetired = 8

// firstLook is how many subgraphs after an alarm the first challenger is made; the next one after twice as many, and so on.
const firstLook = 100

// state is what the blocks change.
type state struct {
	Next      int // position after the last block
	Model     int // number of the published one; 0 before there is one
	Published []float64
	Frozen    []float64
	Retired   [][]float64 // the latest first
	Experts   []*watch.Expert
	Shares    []float64 // of the experts
	Base      [][2]float64
	Detector  *watch.Detector
	Since     int // changes of the published model, and of the challengers: what was compared before is out of date

	Alarmed   int // position after the alarm that is not dealt with, -1 where there is none
	Look      int // position at which the next challenger is made
	Candidate []float64
	Evidence  *watch.Process // for it

	Waiting []*pending
	Blocks  int
	Alarms  int
	Totals  totals
}

// pending is a block whose truth is not known.
type pending struct {
	Block  *watch.Block
	Line   *Line
	Places []int       // of the subgraphs in the stream
	Losses [][]float64 // by expert and subgraph
	Excess [][]float64 // by slot and subgraph, nil for spare slots
	Since  int
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

// block predicts the subgraphs that are held. A whole one may be followed by a checkpoint.
func (w *watcher) block(whole bool) error {
	if len(w.held) == 0 {
		return nil
	}
	b, err := w.join(w.held)
	if err != nil {
		return err
	}
	s := &w.state
	p := &pending{Block: b, Since: s.Since}
	for _, it := range w.held {
		p.Places = append(p.Places, it.index)
	}
	w.held = nil
	s.Next = p.Places[len(p.Places)-1] + 1
	s.Blocks++
	w.predict(p)
	s.Waiting = append(s.Waiting, p)
	if err := w.release(s.Next - w.opt.Delay); err != nil {
		return err
	}
	if whole {
		return w.checkpoint()
	}
	return nil
}

// predict predicts a block, and compares that with its truth.
func (w *watcher) predict(p *pending) {
	s, b := &w.state, p.Block
	models := append(s.challengers(), s.Published, s.Frozen)
	predictions := make([][]float64, len(models))
	w.together(len(models), func(k int) {
		if models[k] != nil {
			predictions[k] = b.Predict(models[k])
		}
	})
	slots, experts := len(models)-2, len(s.Experts)
	by := [len(Systems)][]float64{
		mixture: watch.Mix(s.Shares, predictions[:experts]), published: predictions[slots], frozen: predictions[slots+1],
		all: predictions[experts-1], base: w.baseRates(b),
	}
	p.Losses, p.Excess = make([][]float64, experts), make([][]float64, slots)
	p.Line = &Line{
		Block: s.Blocks, First: p.Places[0], Subgraphs: len(p.Places), Atoms: b.Atoms, Shares: slices.Clone(s.Shares),
	}
	var ranked [len(Systems)]int
	w.together(slots+len(by), func(k int) {
		switch {
		case k >= slots:
			p.Line.Figures[k-slots], ranked[k-slots] = figures(b, by[k-slots])
		case predictions[k] != nil:
			p.Excess[k] = b.Excess(by[published], predictions[k], w.opt.Margin)
			if k < experts {
				p.Losses[k] = b.Losses(predictions[k])
			}
		}
	})
	p.Line.Ranked = ranked[0]
}

// baseRates returns by row the share of true atoms of its target so far.
func (w *watcher) baseRates(b *watch.Block) []float64 {
	out := make([]float64, b.Len())
	for i, target := range b.Target {
		n := w.state.Base[target]
		out[i] = (n[1] + .5) / (n[0] + n[1] + 1)
	}
	return out
}

// release takes in the truth of the blocks that end before a position.
func (w *watcher) release(end int) error {
	s := &w.state
	for len(s.Waiting) > 0 {
		p := s.Waiting[0]
		last := p.Places[len(p.Places)-1]
		if last >= end {
			return nil
		}
		s.Waiting = s.Waiting[1:]
		known := 0
		for i, place := range p.Places {
			if p.Block.Members[i].Atoms == 0 {
				continue
			}
			known++
			if err := w.judge(p, i, place); err != nil {
				return err
			}
			watch.Share(s.Shares, at(p.Losses, i))
		}
		w.learn(p.Block)
		p.Line.Model, p.Line.LogM = s.Model, logarithm(s.Detector.Value())
		s.Totals.add(p.Line, known)
		if w.opt.Line != nil {
			if err := w.opt.Line(p.Line); err != nil {
				return err
			}
		}
		if err := w.challenge(last + 1); err != nil {
			return err
		}
	}
	return nil
}

// at returns the i-th of each list, 0 of none.
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

// judge takes the truth of a subgraph into the tests, unless it was predicted by a model that is no longer published or not tested
// against the challengers of today.
func (w *watcher) judge(p *pending, i, place int) error {
	s := &w.state
	if p.Since != s.Since {
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
	}
	s.Detector.Reset(place + 1)
	return err
}

// named returns what a slot's challenger is called.
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

// mostMoved is how many formulas an event names.
const mostMoved = 10

// moved returns the formulas whose weights differ most.
func (w *watcher) moved(from, to []float64) (out []Move) {
	for i, f := range w.columns {
		if from[i] != to[i] {
			out = append(out, Move{mln.FormatFormula(f), from[i], to[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b Move) int {
		return cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From))
	})
	return out[:min(len(out), mostMoved)]
}

// challenge makes a challenger at a position, where one is due.
func (w *watcher) challenge(place int) error {
	s := &w.state
	if w.opt.Adapt == AdaptNone || s.Alarmed < 0 || place < s.Look {
		return nil
	}
	for s.Look <= place {
		s.Look = s.Alarmed + 2*(s.Look-s.Alarmed)
	}
	s.Candidate, s.Evidence = watch.Averaged(s.Shares, s.Experts), watch.NewProcess()
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
