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
	Subgraphs int
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

// figures returns the measures of a block whose rows have given probabilities, and how many of its subgraphs are ranked. scored takes
// those of each member with atoms.
func figures(b *watch.Block, p []float64, scored func(member int, f inferring.Figures, atoms []inferring.Prediction)) (f Figures, ranked int) {
	var sum inferring.Evaluator
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
		r := rank.Evaluate(atoms)
		scored(i, r, atoms)
		sum.AddFigures(r, atoms)
	}
	sum.EndFold()
	e := sum.Evaluation()
	return Figures{e.CLL, e.MAP, e.AUCROC, e.CalibrationError}, e.Ranked
}
