package watch

import (
	"cmp"
	"fmt"
	"math"

	"resolwe"
	"resolwe/kernels/watch"
)

// Adapt says what replaces the published model after an alarm.
type Adapt uint8

// The ways to adapt.
const (
	AdaptWeights Adapt = iota // weights of the same formulas
	AdaptNone                 // nothing: there are alarms alone
)

// Options are the parameters. The zero value of a field stands for its default.
type Options struct {
	Start    int       // subgraphs from which the first model is selected, of a task with candidates, at least 1; 500
	Block    int       // subgraphs that are predicted before their truth is looked at, at least 1; 50
	Horizons []float64 // subgraphs after which experts forget, above 0, beside one that forgets nothing; 100, 400 and 1,600
	Alarm    float64   // mean number of subgraphs to a false alarm, at least, above 1; 100,000
	Margin   float64   // nats an atom by which a challenger must be better, 0 to .1; .002, negative for 0
	Delay    int       // subgraphs after which truth is known, at least 0; 0
	Adapt    Adapt
	Sigma    float64               // standard deviation of the prior of weights, as in learning, 1e-6 to 1e6; 2
	Select   resolwe.SelectOptions // of the first model
	Run      resolwe.Run

	Line    func(*Line) error                        // takes the figures of each block, in order; may be nil
	Event   func(*Event) error                       // takes what happens, in order; may be nil
	Publish func(number int, m *resolwe.Model) error // takes each model that comes into use, from 1; may be nil
	// Checkpoints are asked after each block. Mark, where there is one, returns how long the outputs are at a checkpoint; Rewind takes
	// that back when a run goes on.
	Checkpoints resolwe.Checkpoints
	Mark        func() ([]int64, error)
	Rewind      func([]int64) error
}

// fill puts the defaults in, and checks the parameters. The error is an *resolwe.OptionError.
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
