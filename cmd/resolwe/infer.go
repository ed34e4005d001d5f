package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"resolwe"
	"resolwe/kernels/mcsat"
)

// chainArgs are the parameters of sampling.
type chainArgs struct {
	Samples     int     `help:"Samples of each chain, at least 1; with --error the most." default:"${samples}"`
	BurnIn      int     `help:"Samples of each chain before those." default:"${burnin}"`
	Chains      int     `help:"Chains for each subgraph, at least 1; with --error or --budget all are in memory at once." default:"1"`
	Sweeps      int     `help:"Gibbs sweeps after each slice of MC-SAT, at least 1." default:"${sweeps}"`
	TargetError float64 `help:"Stop sampling a subgraph once the Monte Carlo standard error of each marginal is at most this (0.01); 0 for no such end." name:"error" default:"0" placeholder:"E"`
	Given       bool    `help:"Condition on the target atoms that the data states, and predict the others."`
}

func (a *chainArgs) options(method string, seed uint64) (resolwe.InferOptions, error) {
	opt := resolwe.DefaultInferOptions()
	opt.Samples, opt.BurnIn, opt.Chains, opt.Sweeps, opt.Given, opt.Seed = a.Samples, a.BurnIn, a.Chains, a.Sweeps, a.Given, seed
	var err error
	if opt.Method, err = mcsat.ParseMethod(method); err != nil {
		return opt, err
	}
	sampler := mcsat.DefaultOptions()
	sampler.Samples, sampler.BurnIn, sampler.Sweeps, sampler.Error = a.Samples, a.BurnIn, a.Sweeps, a.TargetError
	opt.Error = a.TargetError
	err = sampler.Validate()
	if e := (*mcsat.OptionError)(nil); errors.As(err, &e) {
		return opt, &resolwe.OptionError{Option: e.Option, Reason: fmt.Sprintf("%d to %d", e.Min, e.Max)}
	}
	if errors.As(err, new(*mcsat.PrecisionError)) {
		return opt, &resolwe.OptionError{Option: "error", Reason: "0 for none, or a number above 0 and below 1"}
	}
	return opt, nil
}

// inferArgs are the parameters of inference.
type inferArgs struct {
	Method string `help:"Closed forms, enumeration of components of at most 20 atoms and MC-SAT for the rest (auto), or one route for all: mcsat, gibbs, exact." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	chainArgs
	Budget time.Duration `help:"Stop after this time (30m), with what was sampled until then; 0 for no end. Results then depend on the clock." default:"0s" placeholder:"TIME"`
}

func (a *inferArgs) options(seed uint64) (resolwe.InferOptions, error) {
	opt, err := a.chainArgs.options(a.Method, seed)
	switch {
	case err != nil:
		return opt, err
	case a.Budget < 0:
		return opt, &resolwe.OptionError{Option: "budget", Reason: "at least 0"}
	case a.Budget > 0:
		opt.Enough = over(a.Budget)
	}
	return opt, nil
}

type inferCmd struct {
	modelArg
	streamArg
	inferArgs
	Diagnostics string `help:"Write how far the marginals of each subgraph are to be trusted, as CSV." placeholder:"FILE.csv"`
	JSON        bool   `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*inferCmd) Help() string {
	return `Prints the marginal probability of each query atom: a line with subgraph, atom and probability, separated by tabs.
What the data states of query atoms is not used, unless with --given.

Where atoms have to be sampled it says how well that went: the largest split R-hat, near 1 where chains and their halves
agree; the least effective number of samples; the largest Monte Carlo standard error of a marginal. --error E stops at a
precision, the same in every run, --budget TIME at a time: subgraphs that it does not reach are left out, and it says so.

Examples:

	resolwe infer weighted.mln --stream test.rsg --json > marginals.json
	resolwe infer weighted.mln --stream test.rsg --error 0.01 --samples 9999
	resolwe infer weighted.mln --stream test.rsg --diagnostics quality.csv`
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
	file, err := e.create(c.Diagnostics, append(m.Files(), s.Files()...))
	if err != nil {
		return err
	}
	defer file.abort()
	e.unweighted(m)
	opt.Run = e.run("infer", s.Len())
	var quality resolwe.Quality
	run := func(w io.Writer) error {
		lines := newDiagnosticsCSV(w)
		opt.LeftOut = func(name string) {
			quality.LeftOut++
			lines.leftOut(name)
		}
		err := c.print(e, func(emit func(*resolwe.Marginals) error) error {
			return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
				quality.Add(r)
				lines.add(r)
				return emit(r)
			})
		})
		return errors.Join(err, lines.close())
	}
	if c.Diagnostics == "" {
		err = run(io.Discard)
	} else {
		err = file.write(run)
	}
	if err != nil {
		return err
	}
	e.judge(&quality, s, &opt, !c.JSON)
	return nil
}

// print prints the marginals that infer hands over.
func (c *inferCmd) print(e *environment, infer func(emit func(*resolwe.Marginals) error) error) error {
	if c.JSON {
		return e.list(func(add func(any) error) error {
			return infer(func(r *resolwe.Marginals) error { return add(newMarginalsJSON(r)) })
		})
	}
	return e.results(func(w io.Writer) error {
		return infer(func(r *resolwe.Marginals) error {
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
	Exact    int     `json:"exact"`
	Sampled  int     `json:"sampled"`
	Samples  int     `json:"samples,omitempty"` // of each chain
	Stopped  string  `json:"stopped,omitempty"` // samples, error or budget
	MaxRHat  *number `json:"max_rhat,omitempty"`
	MinESS   *number `json:"min_ess,omitempty"`
	MaxError *number `json:"max_error,omitempty"`
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
	d := diagnosticsJSON{
		Exact: r.Diagnostics.Exact, Sampled: r.Diagnostics.Sampled, Samples: r.Diagnostics.Samples,
		Stopped: r.Diagnostics.Stopped.String(),
	}
	if d.Sampled > 0 {
		d.MaxRHat, d.MinESS = defined(r.Diagnostics.MaxRHat), defined(r.Diagnostics.MinESS)
		d.MaxError = defined(r.Diagnostics.MaxError)
	}
	return marginalsJSON{r.Subgraph, append(b, '}'), d}
}

// defined returns a number for JSON, null where it is undefined.
func defined(v float64) *number {
	n := number(v)
	return &n
}
