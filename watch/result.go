package watch

import (
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
	"resolwe/kernels/watch"
)

// Systems are the predictors of a block: the mixture of the experts; the published model; the first model; the expert that never forgets;
// the share of true atoms of each target so far; and that share among atoms with the same last known label.
var Systems = [...]string{"watch", "published", "frozen", "all", "base", "last"}

const (
	mixture = iota
	published
	frozen
	all
	base
	last
)

// Figures are the measures of a block: means over subgraphs, as in evaluation. NaN is undefined: all are without an atom of known truth.
type Figures struct {
	CLL         float64
	MAP, AUC    float64 // undefined if no subgraph has both a true and a false atom
	Calibration float64 // error over the block's atoms, pooled
}

// Line reports a block.
type Line struct {
	Block     int // from 1
	First     int // position of its first subgraph in the stream
	Subgraphs int // 0 if it reports truth that came later, of subgraphs before
	Later     int // such subgraphs
	Atoms     int // of known truth
	Ranked    int // subgraphs with a true and a false atom
	Figures   [len(Systems)]Figures
	Shares    []float64  // of the experts in the block's mixture
	LogM      float64    // natural logarithm of the alarm's statistic after the block
	Model     int        // number of the published model after the block
	Alarms    int        // so far
	Weights   []Weighted // with Options.Weights, of the experts after the block
}

// Weighted is a formula's weight, averaged over the experts by their shares, and its standard error.
type Weighted struct {
	Formula string
	Weight  float64
	Error   float64
}

// Event reports a start, an alarm, a challenger or a takeover.
type Event struct {
	Event    string `json:"event"`    // start, alarm, challenger or takeover
	Subgraph int    `json:"subgraph"` // position in the stream
	// LogM is the natural logarithm of the alarm's statistic, or of the evidence for the challenger that takes over.
	LogM       float64 `json:"ln_m"`
	Began      int     `json:"began"`                // estimated position of the first subgraph after the change
	Challenger string  `json:"challenger,omitempty"` // for an alarm, the challenger that was better
	Model      int     `json:"model"`                // number of the published model
	Moved      []Move  `json:"moved,omitempty"`      // of an alarm, how the averaged weights differ from the published ones; of a takeover, from the former ones
}

// Move is a formula's weight in two models, 0 if a model lacks it.
type Move struct {
	Formula string  `json:"formula"`
	From    float64 `json:"from"`
	To      float64 `json:"to"`
}

// Summary reports the whole run.
type Summary struct {
	Subgraphs, Atoms, Ranked int                   // that were predicted
	Figures                  [len(Systems)]Figures // means; the calibration error is that of the blocks
	Alarms, Takeovers        int
	Model                    int // number of the published model
	Later                    Later
}

// totals are sums over the blocks so far.
type totals struct {
	Subgraphs, Atoms, Ranked, Known int // Known are the subgraphs with atoms of known truth
	Sums                            [len(Systems)]Figures
}

// add adds a block in which that many subgraphs have atoms of known truth.
func (t *totals) add(l *Line, known int) {
	t.Subgraphs, t.Atoms, t.Ranked, t.Known = t.Subgraphs+l.Subgraphs, t.Atoms+l.Atoms, t.Ranked+l.Ranked, t.Known+known
	add := func(sum *float64, v float64, n int) {
		if n > 0 {
			*sum += float64(v * float64(n))
		}
	}
	for k := range t.Sums {
		s, f := &t.Sums[k], l.Figures[k]
		add(&s.CLL, f.CLL, known)
		add(&s.MAP, f.MAP, l.Ranked)
		add(&s.AUC, f.AUC, l.Ranked)
		add(&s.Calibration, f.Calibration, l.Atoms)
	}
}

// means returns the measures over all blocks.
func (t *totals) means() (out [len(Systems)]Figures) {
	known, ranked, atoms := float64(t.Known), float64(t.Ranked), float64(t.Atoms)
	for k, s := range t.Sums {
		out[k] = Figures{s.CLL / known, s.MAP / ranked, s.AUC / ranked, s.Calibration / atoms} // 0/0 is NaN
	}
	return out
}

// issued are predictions for a block: by system and by slot, each by row.
type issued struct {
	Systems [len(Systems)][]float64 // those of the last one by row of pending.Last
	Slots   [][]float64             // empty for spare slots
}

// issue predicts a block.
func (w *watcher) issue(b, lasts *watch.Block) *issued {
	s := &w.state
	models := append(s.challengers(), s.Published, s.Frozen)
	predictions := make([][]float64, len(models))
	w.parallel(len(models), func(k int) {
		if models[k] != nil {
			predictions[k] = b.Predict(models[k])
		}
	})
	slots, experts := len(models)-2, len(s.Experts)
	return &issued{Slots: predictions[:slots], Systems: [len(Systems)][]float64{
		mixture: watch.Mix(s.Shares, predictions[:experts]), published: predictions[slots], frozen: predictions[slots+1],
		all: predictions[experts-1], base: rates(b, s.Base), last: rates(lasts, s.Last),
	}}
}

// at returns the predictions for some rows of the block, and some of its last known labels.
func (p *issued) at(rows, lasts []int32) *issued {
	pick := func(from []float64, rows []int32) (out []float64) {
		if len(from) == 0 {
			return nil
		}
		for _, i := range rows {
			out = append(out, from[i])
		}
		return out
	}
	out := &issued{Slots: make([][]float64, len(p.Slots))}
	for k, list := range p.Slots {
		out.Slots[k] = pick(list, rows)
	}
	for k, list := range p.Systems[:last] {
		out.Systems[k] = pick(list, rows)
	}
	out.Systems[last] = pick(p.Systems[last], lasts)
	return out
}

// comparison compares what was predicted for a block with its truth.
type comparison struct {
	w    *watcher
	p    *pending
	sums [len(Systems)]inferring.Evaluator
}

func newComparison(w *watcher, p *pending) *comparison {
	p.Losses, p.Excess = make([][]float64, len(w.state.Experts)), make([][]float64, len(w.state.Detector.Slots))
	return &comparison{w: w, p: p}
}

// add compares the predictions for subgraphs of the block from the first one on.
func (c *comparison) add(first int, b, lasts *watch.Block, by *issued) {
	p, slots := c.p, len(by.Slots)
	c.w.parallel(slots+len(Systems), func(k int) {
		if k >= slots {
			of, scored := b, c.w.opt.Scored
			if k -= slots; k == last {
				of = lasts
			}
			evaluate(&c.sums[k], of, by.Systems[k], func(i int, f inferring.Figures, atoms []inferring.Prediction) {
				if scored != nil {
					scored(p.Places[first+i], k, f, atoms)
				}
			})
			return
		}
		excess := make([]float64, len(b.Members))
		if len(by.Slots[k]) > 0 {
			excess = b.Excess(by.Systems[published], by.Slots[k], c.w.opt.Margin)
		}
		p.Excess[k] = append(p.Excess[k], excess...)
		if k < len(p.Losses) {
			p.Losses[k] = append(p.Losses[k], b.Losses(by.Slots[k])...)
		}
	})
}

// line completes the line of the block.
func (c *comparison) line(l Line) *Line {
	l.Atoms = c.p.Block.Atoms
	for k := range c.sums {
		c.sums[k].EndFold()
		e := c.sums[k].Evaluation()
		l.Figures[k] = Figures{e.CLL, e.MAP, e.AUCROC, e.CalibrationError}
		l.Ranked = e.Ranked
	}
	return &l
}

// evaluate adds the measures of a block whose rows have given probabilities. scored takes those of each member with atoms.
func evaluate(sum *inferring.Evaluator, b *watch.Block, p []float64, scored func(member int, f inferring.Figures, atoms []inferring.Prediction)) {
	var atoms []inferring.Prediction
	for i, m := range b.Members {
		if m.Atoms == 0 {
			continue
		}
		atoms = atoms[:0]
		for j, row := range m.Rows {
			for truth, count := range m.Counts[j] {
				for range count {
					atoms = append(atoms, inferring.Prediction{P: p[row], True: truth == 1})
				}
			}
		}
		f := rank.Evaluate(atoms)
		scored(i, f, atoms)
		sum.AddFigures(f, atoms, nil)
	}
}
