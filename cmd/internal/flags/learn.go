package flags

import (
	"strconv"

	"resolwe"
)

// Learn are the parameters of learning.
type Learn struct {
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
	Method    string  `help:"Where expectations are sampled: contrastive divergence, whose chains start at the data (cd), or persistent chains (pcd); auto is pcd with --passes auto, else cd." enum:"auto,cd,pcd" default:"auto"`
	Passes    string  `help:"Passes over the stream, at least 1, or auto: as many as the optimum takes; of a pipe, one." default:"auto" placeholder:"N"`
	Batch     *int    `help:"Subgraphs per update, at least 1; by default one for each 256 of the stream, from 1 to 8." placeholder:"N"`
	Exact     string  `help:"Exact expectations of small components (auto), or of none but atoms on their own (never)." enum:"auto,never" default:"auto"`
	CDSamples int     `help:"Samples per subgraph and update, at least 1." default:"5" name:"cd-samples"`
	Sampler   string  `help:"What draws them: ${enum}; auto takes the cheaper one that is sound for the model." enum:"auto,mcsat,gibbs" default:"auto"`
}

// Options returns the options of learning, complete but for Run.
func (a *Learn) Options(seed uint64) (resolwe.LearnOptions, error) {
	passes, err := ParsePasses(a.Passes)
	if err != nil {
		return resolwe.LearnOptions{}, err
	}
	opt := resolwe.LearnOptions{
		Sigma: Stated(a.Sigma), Passes: passes, Samples: Stated(a.CDSamples),
		Sample: a.Exact == "never", Objective: true, Seed: seed,
		Sampler: resolwe.Method(a.Sampler),
	}
	if a.Batch != nil {
		opt.Batch = Stated(*a.Batch)
	}
	switch a.Method {
	case "cd":
		opt.Method = resolwe.CD
	case "pcd":
		opt.Method = resolwe.PCD
	}
	return opt, nil
}

// ParsePasses returns a number of passes as an option: 0 for auto.
func ParsePasses(text string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, &resolwe.OptionError{Option: "LearnOptions.Passes", Reason: "a number of at least 1, or auto"}
	}
	return n, nil
}
