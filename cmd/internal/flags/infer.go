package flags

import (
	"resolwe"
)

// Chain are the parameters of sampling.
type Chain struct {
	Samples     int     `help:"Samples of each chain, at least 1; with --error the most. Fewer than four chains are four that share their samples." default:"${samples}"`
	BurnIn      int     `help:"Samples of each chain before those." default:"${burnin}"`
	Chains      int     `help:"Chains for each subgraph, at least 1; with --error or --budget all are in memory at once." default:"1"`
	Sweeps      int     `help:"Gibbs sweeps after each slice of MC-SAT, at least 1." default:"${sweeps}"`
	TargetError float64 `help:"Stop sampling a subgraph once all marginals are within twice this (0.01), 99 times of 100, and nothing speaks against it; 0 for no such end." name:"error" default:"0" placeholder:"E"`
	Given       bool    `help:"Condition on the target atoms that the data states, and predict the others."`
}

// Options returns the options of inference, complete but for Run.
func (a *Chain) Options(method string, seed uint64) (resolwe.InferOptions, error) {
	opt := resolwe.InferOptions{
		Samples: Stated(a.Samples), BurnIn: &a.BurnIn, Chains: Stated(a.Chains), Sweeps: Stated(a.Sweeps), Given: a.Given,
		Seed: seed, Error: a.TargetError, Method: resolwe.Method(method),
	}
	early := opt
	early.Chains = 0 // whose number is checked once the input is open
	return opt, early.Validate()
}

// Infer are the parameters of inference.
type Infer struct {
	Method string `help:"Closed forms, enumeration of components of at most 20 atoms, junction trees where these are affordable and MC-SAT for the rest (auto), or one route for all: mcsat, gibbs, exact." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	Chain
}

// Options returns the options of inference, complete but for Run.
func (a *Infer) Options(seed uint64) (resolwe.InferOptions, error) {
	return a.Chain.Options(a.Method, seed)
}
