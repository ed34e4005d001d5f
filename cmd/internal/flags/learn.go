package flags

import (
	"strconv"

	"resolwe"
)

// Learn are the parameters of learning.
type Learn struct {
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
	Method    string  `help:"How to sample expectations that are not exact: contrastive divergence, with chains that start at the data (cd), or persistent chains (pcd); auto is pcd with --passes auto, else cd. For comparison, online learners that take one pass unless --passes is given: adaptive gradients (adagrad), and max-margin learning by coordinate dual ascent (cda), whose weights are not fitted as log-odds." enum:"auto,cd,pcd,adagrad,cda" default:"auto"`
	Passes    string  `help:"Passes over the stream, at least 1; or auto: as many as the optimum needs, but one for a pipe." default:"auto" placeholder:"N"`
	Batch     *int    `help:"Subgraphs per update, at least 1. Default: one for each 256 in the stream, from 1 to 8." placeholder:"N"`
	Exact     string  `help:"Exact expectations for small components (auto), or only for single atoms (never)." enum:"auto,never" default:"auto" rare:""`
	CDSamples int     `help:"Samples per subgraph and update, at least 1." default:"5" name:"cd-samples" rare:""`
	Sampler   string  `help:"Sampler: ${enum}; auto takes the cheapest one that is sound for the model." enum:"auto,mcsat,gibbs" default:"auto" rare:""`
}

// Options returns the options of learning, without Run.
func (a *Learn) Options(seed uint64) (resolwe.LearnOptions, error) {
	passes, err := ParsePasses(a.Passes)
	if err != nil {
		return resolwe.LearnOptions{}, err
	}
	opt := resolwe.LearnOptions{
		Sigma: Stated(a.Sigma), Passes: passes, Batch: Given(a.Batch), Samples: Stated(a.CDSamples),
		Sample: a.Exact == "never", Objective: true, Seed: seed,
		Sampler: resolwe.Method(a.Sampler),
	}
	opt.Method = map[string]resolwe.LearnMethod{"cd": resolwe.CD, "pcd": resolwe.PCD, "adagrad": resolwe.AdaGrad, "cda": resolwe.CDA}[a.Method]
	return opt, nil
}

// ParsePasses parses the value of --passes: a number of passes, or auto, which is 0.
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
