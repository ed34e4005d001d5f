package flags

import (
	"resolwe"
)

// Infer are the parameters of inference.
type Infer struct {
	Method      string  `help:"auto uses closed forms, enumeration of components of at most 20 atoms, junction trees if affordable, and MC-SAT for the rest; mcsat, gibbs and exact force one method." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	Samples     int     `help:"Samples per chain, at least 1; with --error, the maximum. With fewer than four --chains, four chains share these samples." default:"${samples}"`
	BurnIn      int     `help:"Samples that each chain discards first." default:"${burnin}"`
	Chains      int     `help:"Chains per subgraph, at least 1; with --error or --budget, all are in memory at once." default:"1"`
	Sweeps      int     `help:"Gibbs sweeps after each slice of MC-SAT, at least 1." default:"${sweeps}"`
	TargetError float64 `help:"Stop sampling a subgraph once all marginals are within twice this (0.01), with 99% confidence and no warnings; 0 to take all samples." name:"error" default:"0" placeholder:"E"`
	Given       bool    `help:"Condition on the target atoms that the data state, and predict the others."`
}

// Options returns the options of inference, without Run.
func (a *Infer) Options(seed uint64) (resolwe.InferOptions, error) {
	opt := resolwe.InferOptions{
		Samples: Stated(a.Samples), BurnIn: &a.BurnIn, Chains: Stated(a.Chains), Sweeps: Stated(a.Sweeps), Given: a.Given,
		Seed: seed, Error: a.TargetError, Method: resolwe.Method(a.Method),
	}
	early := opt
	early.Chains = 0 // whose number is checked once the input is open
	return opt, early.Validate()
}
