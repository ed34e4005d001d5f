package flags

import (
	"resolwe"
	"resolwe/watch"
)

// Watch are the parameters of keeping a model current.
type Watch struct {
	Start    int       `help:"For a task with candidates: subgraphs from which the first model is selected, at least 1." default:"500" placeholder:"N"`
	Block    int       `help:"Subgraphs to predict before looking at their truth, at least 1." default:"50" placeholder:"N"`
	Horizons []float64 `help:"Subgraphs after which the experts forget; one more expert never does." default:"100,400,1600" placeholder:"N,N,.."`
	Alarm    float64   `help:"Minimum mean number of subgraphs until a false alarm, above 1." default:"1e5" placeholder:"N"`
	Margin   float64   `help:"Nats per atom by which another model must be better, 0 to .1." default:"0.002" placeholder:"X"`
	Adapt    string    `help:"What replaces the published model after an alarm: ${enum}." enum:"none,weights,structure" default:"weights"`
	Sigma    float64   `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
}

// Options returns the options of watching, without its inputs and outputs.
func (a *Watch) Options(seed uint64) (watch.Options, error) {
	opt := watch.Options{
		Start: Stated(a.Start), Block: Stated(a.Block), Horizons: a.Horizons, Alarm: Stated(a.Alarm), Margin: Stated(a.Margin), Sigma: Stated(a.Sigma),
		Adapt: map[string]watch.Adapt{"none": watch.AdaptNone, "weights": watch.AdaptWeights, "structure": watch.AdaptStructure}[a.Adapt],
	}
	if a.Margin < 0 {
		return opt, &resolwe.OptionError{Option: "--margin", Reason: "0 to .1"}
	}
	opt.Select.Gain.Seed = seed
	return opt, nil
}
