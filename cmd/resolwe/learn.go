package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/mcsat"
)

// learnArgs are the parameters of learning.
type learnArgs struct {
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
	Method    string  `help:"Contrastive divergence, whose chains start at the data (cd), or persistent chains (pcd)." enum:"cd,pcd" default:"cd"`
	Passes    int     `help:"Passes over the stream, at least 1." default:"1"`
	Batch     int     `help:"Subgraphs per update, at least 1." default:"1"`
	Exact     string  `help:"Exact expectations of small components (auto), or of none but atoms on their own (never)." enum:"auto,never" default:"auto"`
	CDSamples int     `help:"Samples per subgraph and update, at least 1." default:"5" name:"cd-samples"`
	Sampler   string  `help:"What draws them: ${enum}; auto takes the cheaper one that is sound for the model." enum:"auto,mcsat,gibbs" default:"auto"`
}

func (a *learnArgs) options(seed uint64) (resolwe.LearnOptions, error) {
	opt := resolwe.DefaultLearnOptions()
	opt.Sigma, opt.Passes, opt.Batch, opt.Samples, opt.Seed = a.Sigma, a.Passes, a.Batch, a.CDSamples, seed
	opt.Sample = a.Exact == "never"
	if a.Method == "pcd" {
		opt.Method = resolwe.PCD
	}
	var err error
	opt.Sampler, err = mcsat.ParseMethod(a.Sampler)
	return opt, err
}

type learnCmd struct {
	modelArg
	streamArg
	learnArgs
	Skip       int           `help:"Leave out the first so many subgraphs, those that selection used." default:"0"`
	Subgraphs  int           `help:"How many subgraphs a pipe has, with those left out; a file tells by itself." default:"0" placeholder:"N"`
	Output     string        `help:"Write the model with its weights; it feeds infer and eval." short:"o" placeholder:"FILE"`
	Budget     time.Duration `help:"Stop after this time (30m), with the best weights so far; 0 for no end." default:"0s" placeholder:"TIME"`
	Curve      string        `help:"Write how well each subgraph was predicted before it was learned from, as CSV." placeholder:"FILE.csv"`
	CurveEvery int           `help:"Only for every so many-th subgraph, at least 1." default:"1" placeholder:"N"`
	checkpointArgs
	resultArgs
}

// Help says what the command does.
func (*learnCmd) Help() string {
	return `Learns a weight for each formula that is not hard, by stochastic ascent of the conditional log-likelihood with a
Gaussian prior. A weight in the model is the start and the mean of the prior. Unit clauses of the target predicates are
added where the model has none.

Example:

	resolwe learn selected.mln --stream train.rsg --skip 30 -o weighted.mln

A run with --checkpoint that was ended, by whatever cause, goes on with the same command and --resume, and gives the same
bytes as one that was never ended. The checkpoint stays when learning is done; --resume then returns its result.`
}

// options returns the parameters, but for the checkpoints.
func (c *learnCmd) options(seed uint64) (resolwe.LearnOptions, error) {
	opt, err := c.learnArgs.options(seed)
	if err != nil {
		return opt, err
	}
	opt.Skip, opt.Subgraphs = c.Skip, c.Subgraphs
	switch {
	case c.Budget < 0:
		return opt, &resolwe.OptionError{Option: "budget", Reason: "at least 0"}
	case c.Budget > 0:
		opt.Enough = over(c.Budget)
	}
	switch {
	case c.CurveEvery < 1:
		return opt, &resolwe.OptionError{Option: "curve-every", Reason: "at least 1"}
	case c.Curve != "":
		opt.CurveEvery = c.CurveEvery
	}
	return opt, nil
}

// distinct checks that no two outputs are one file.
func (c *learnCmd) distinct() error {
	flags, paths := []string{"--output", "--checkpoint", "--curve"}, []string{c.Output, c.Checkpoint, c.Curve}
	for i, p := range paths {
		for j := range i {
			if p != "" && paths[j] != "" && filepath.Clean(p) == filepath.Clean(paths[j]) {
				return usageError(flags[j] + " and " + flags[i] + " are one file")
			}
		}
	}
	return nil
}

// Run learns.
func (c *learnCmd) Run(ctx context.Context, e *environment) error {
	watch := startWatch()
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
	inputs := append(m.Files(), s.Files()...)
	if err := c.distinct(); err != nil {
		return err
	}
	out, err := e.create(c.Output, inputs)
	if err != nil {
		return err
	}
	defer out.abort()
	curve, err := e.create(c.Curve, inputs)
	if err != nil {
		return err
	}
	defer curve.abort()
	if opt.Checkpoints, err = c.checkpointArgs.options(e, inputs); err != nil {
		return c.named(err)
	}
	total := -1
	if n := s.Len(); n >= 0 {
		total = max(n-c.Skip, 0) * c.Passes
	}
	opt.Run = e.run("learn", total)
	learned, err := resolwe.Learn(ctx, m, s, opt)
	if err != nil {
		return c.named(err)
	}
	if learned.Stopped {
		e.log.Warn("the time is over before learning was done", "subgraphs", learned.Subgraphs, "visits", learned.Visits)
	}
	err = curve.write(func(w io.Writer) error { return resolwe.WriteCurve(w, learned.Curve) })
	if err != nil {
		return err
	}
	err = out.write(func(w io.Writer) error { return learned.Model.Write(w, nil) })
	if err != nil {
		return err
	}
	if c.JSON {
		return e.json(newLearnJSON(c.Sigma, learned, c.timed(watch)))
	}
	return e.results(func(w io.Writer) error { return learnText(w, learned, watch.seconds()) })
}

// learnJSON is what learn prints with --json.
type learnJSON struct {
	Sigma     float64      `json:"sigma"`
	Subgraphs int          `json:"subgraphs"`
	Stopped   bool         `json:"stopped,omitempty"`
	Visits    int          `json:"visits,omitempty"`
	Weights   []weightJSON `json:"weights"`
	Objective *number      `json:"objective,omitempty"`
	Seconds   *number      `json:"seconds,omitempty"`
}

type weightJSON struct {
	Formula string `json:"formula"`
	Weight  number `json:"weight"`
}

func newLearnJSON(sigma float64, l *resolwe.Learned, seconds *number) learnJSON {
	out := learnJSON{Sigma: sigma, Subgraphs: l.Subgraphs, Weights: []weightJSON{}, Seconds: seconds}
	if l.Stopped {
		out.Stopped, out.Visits = true, l.Visits
	}
	for _, f := range l.Model.Formulas {
		if !f.Hard {
			out.Weights = append(out.Weights, weightJSON{mln.FormatFormula(f), number(f.Weight)})
		}
	}
	if l.Exact {
		objective := number(l.Objective)
		out.Objective = &objective
	}
	return out
}

// learnText prints the formulas with their weights; hard ones have none.
func learnText(w io.Writer, l *resolwe.Learned, seconds float64) error {
	t := newTable("rl", "weight", "formula")
	for _, f := range l.Model.Formulas {
		if f.Hard {
			t.row("hard", mln.FormatFormula(f)+".")
			continue
		}
		t.row(number(f.Weight), mln.FormatFormula(f))
	}
	if err := t.write(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d subgraphs", l.Subgraphs)
	if l.Exact {
		fmt.Fprintf(w, ", penalised conditional log-likelihood %.4f", l.Objective)
	}
	_, err := fmt.Fprintf(w, "; %.3f seconds\n", seconds)
	return err
}
