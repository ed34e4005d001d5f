package watch

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"resolwe"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/watch"
)

// Adapt says what replaces the published model after an alarm.
type Adapt uint8

// The ways to adapt.
const (
	AdaptWeights   Adapt = iota // weights of the same formulas
	AdaptNone                   // nothing: only raise alarms
	AdaptStructure              // formulas selected among the task's candidates
)

// Options are the parameters. The zero value of a field means its default.
type Options struct {
	Start    int           // subgraphs for selecting the first model of a task with candidates, at least 1; 500
	Block    int           // subgraphs predicted before their truth is used, at least 1; 50
	Horizons []float64     // subgraphs after which experts forget, above 0; one more never forgets; 100, 400 and 1,600
	Alarm    float64       // least mean number of subgraphs between false alarms, above 1; 100,000
	Margin   float64       // nats an atom by which a challenger must be better, 0 to .1; .002, negative for 0
	Delay    int           // subgraphs after which truth is known, at least 0; 0
	Wait     time.Duration // after which truth is known, by the times of subgraphs; 0 for Delay alone
	Adapt    Adapt
	Sigma    float64               // standard deviation of the prior of weights, as in learning, 1e-6 to 1e6; 2
	Select   resolwe.SelectOptions // for the first model
	Run      resolwe.Run

	Weights bool                                     // report the weights of the formulas in lines
	Line    func(*Line) error                        // receives the figures of each block, in order; may be nil
	Event   func(*Event) error                       // receives events, in order; may be nil
	Publish func(number int, m *resolwe.Model) error // receives each new published model, numbered from 1; may be nil
	// Scored, unless nil, receives the result of a system, by its index in Systems, on a subgraph with atoms of known truth. It must not
	// keep the atoms. Calls for one system come in stream order, those for different systems possibly concurrently.
	Scored func(place, system int, f inferring.Figures, atoms []inferring.Prediction)
	// Checkpoints are consulted after each block. Mark, if set, returns the length of the outputs at a checkpoint; Rewind receives it when
	// a run resumes.
	Checkpoints resolwe.Checkpoints
	Mark        func() ([]int64, error)
	Rewind      func([]int64) error
}

// fill sets the defaults and checks the parameters. The error is a *resolwe.OptionError.
func (o *Options) fill() error {
	o.Start, o.Block, o.Alarm, o.Sigma = cmp.Or(o.Start, 500), cmp.Or(o.Block, 50), cmp.Or(o.Alarm, 1e5), cmp.Or(o.Sigma, 2)
	o.Margin = max(0, cmp.Or(o.Margin, .002))
	if o.Horizons == nil {
		o.Horizons = []float64{100, 400, 1600}
	}
	for _, h := range o.Horizons {
		if !(h > 0 && h <= math.MaxInt32) {
			return &resolwe.OptionError{Option: "watch.Options.Horizons", Reason: "above 0"}
		}
	}
	for _, check := range []struct {
		option, reason string
		ok             bool
	}{
		{"Start", "at least 1", o.Start >= 1},
		{"Block", "1 to 100000", o.Block >= 1 && o.Block <= 100_000},
		{"Horizons", "at most 31", len(o.Horizons) <= 31},
		{"Alarm", "above 1", o.Alarm > 1 && o.Alarm <= 1e300},
		{"Margin", fmt.Sprintf("0 to %g", watch.MostMargin), o.Margin <= watch.MostMargin},
		{"Delay", "at least 0", o.Delay >= 0},
		{"Delay", "a number of subgraphs or a time, not both", o.Wait >= 0 && (o.Wait == 0 || o.Delay == 0)},
		{"Sigma", "1e-6 to 1e6", o.Sigma >= 1e-6 && o.Sigma <= 1e6},
	} {
		if !check.ok {
			return &resolwe.OptionError{Option: "watch.Options." + check.option, Reason: check.reason}
		}
	}
	return nil
}

// takeover is the evidence at which a challenger replaces the published model.
func (o *Options) takeover() float64 { return max(20, o.Alarm/50) }
