package flags

import (
	"resolwe"
	"resolwe/kernels/mcsat"
)

// Learn are the parameters of learning.
type Learn struct {
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
	Method    string  `help:"Contrastive divergence, whose chains start at the data (cd), or persistent chains (pcd)." enum:"cd,pcd" default:"cd"`
	Passes    int     `help:"Passes over the stream, at least 1." default:"1"`
	Batch     int     `help:"Subgraphs per update, at least 1." default:"1"`
	Exact     string  `help:"Exact expectations of small components (auto), or of none but atoms on their own (never)." enum:"auto,never" default:"auto"`
	CDSamples int     `help:"Samples per subgraph and update, at least 1." default:"5" name:"cd-samples"`
	Sampler   string  `help:"What draws them: ${enum}; auto takes the cheaper one that is sound for the model." enum:"auto,mcsat,gibbs" default:"auto"`
}

// Options returns the options of learning, complete but for Run.
func (a *Learn) Options(seed uint64) (resolwe.LearnOptions, error) {
	opt := resolwe.LearnOptions{
		Sigma: Stated(a.Sigma), Passes: Stated(a.Passes), Batch: Stated(a.Batch), Samples: Stated(a.CDSamples),
		Sample: a.Exact == "never", Objective: true, Seed: seed,
	}
	if a.Method == "pcd" {
		opt.Method = resolwe.PCD
	}
	var err error
	opt.Sampler, err = mcsat.ParseMethod(a.Sampler)
	return opt, err
}
