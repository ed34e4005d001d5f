package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"resolwe"
	"resolwe/kernels/mcsat"
)

// chainArgs are the parameters of sampling.
type chainArgs struct {
	Samples int  `help:"Samples of each chain, at least 1." default:"${samples}"`
	BurnIn  int  `help:"Samples of each chain before those." default:"${burnin}"`
	Chains  int  `help:"Chains for each subgraph, at least 1." default:"1"`
	Sweeps  int  `help:"Gibbs sweeps after each slice of MC-SAT, at least 1." default:"${sweeps}"`
	Given   bool `help:"Condition on the target atoms that the data states, and predict the others."`
}

func (a *chainArgs) options(method string, seed uint64) (resolwe.InferOptions, error) {
	opt := resolwe.DefaultInferOptions()
	opt.Samples, opt.BurnIn, opt.Chains, opt.Sweeps, opt.Given, opt.Seed = a.Samples, a.BurnIn, a.Chains, a.Sweeps, a.Given, seed
	var err error
	if opt.Method, err = mcsat.ParseMethod(method); err != nil {
		return opt, err
	}
	sampler := mcsat.DefaultOptions()
	sampler.Samples, sampler.BurnIn, sampler.Sweeps = a.Samples, a.BurnIn, a.Sweeps
	if e := (*mcsat.OptionError)(nil); errors.As(sampler.Validate(), &e) {
		return opt, &resolwe.OptionError{Option: e.Option, Reason: fmt.Sprintf("%d to %d", e.Min, e.Max)}
	}
	return opt, nil
}

// inferArgs are the parameters of inference.
type inferArgs struct {
	Method string `help:"Closed forms, enumeration of components of at most 20 atoms and MC-SAT for the rest (auto), or one route for all: mcsat, gibbs, exact." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	chainArgs
}

func (a *inferArgs) options(seed uint64) (resolwe.InferOptions, error) {
	return a.chainArgs.options(a.Method, seed)
}

type inferCmd struct {
	modelArg
	streamArg
	inferArgs
	JSON bool `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*inferCmd) Help() string {
	return `Prints the marginal probability of each query atom: a line with subgraph, atom and probability, separated by tabs.
What the data states of query atoms is not used, unless with --given.

Example:

	resolwe infer weighted.mln --stream test.rsg --json > marginals.json`
}

// Run infers.
func (c *inferCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options(e.common.Seed)
	if err != nil {
		return err
	}
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	e.unweighted(m)
	opt.Run = e.run("infer", s.Len())
	if c.JSON {
		return e.list(func(add func(any) error) error {
			return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error { return add(newMarginalsJSON(r)) })
		})
	}
	return e.results(func(w io.Writer) error {
		return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
			for i, p := range r.P {
				if _, err := fmt.Fprintf(w, "%s\t%s\t%.6f\n", r.Subgraph, r.Atom(i), p); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// marginalsJSON is one subgraph's marginals as infer prints them with --json, in the order of the atoms.
type marginalsJSON struct {
	Subgraph    string          `json:"subgraph"`
	Marginals   json.RawMessage `json:"marginals"`
	Diagnostics diagnosticsJSON `json:"diagnostics"`
}

type diagnosticsJSON struct {
	Exact   int     `json:"exact"`
	Sampled int     `json:"sampled"`
	MaxRHat *number `json:"max_rhat,omitempty"`
	MinESS  *number `json:"min_ess,omitempty"`
}

func newMarginalsJSON(r *resolwe.Marginals) marginalsJSON {
	b := []byte{'{'}
	for i, p := range r.P {
		if i > 0 {
			b = append(b, ", "...)
		}
		name, _ := json.Marshal(r.Atom(i)) //nolint:errchkjson // text always has a JSON form
		value, _ := number(p).MarshalJSON()
		b = append(append(append(b, name...), ": "...), value...)
	}
	d := diagnosticsJSON{Exact: r.Diagnostics.Exact, Sampled: r.Diagnostics.Sampled}
	if d.Sampled > 0 {
		rhat, ess := number(r.Diagnostics.MaxRHat), number(r.Diagnostics.MinESS)
		d.MaxRHat, d.MinESS = &rhat, &ess
	}
	return marginalsJSON{r.Subgraph, append(b, '}'), d}
}
