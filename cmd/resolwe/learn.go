package main

import (
	"context"
	"fmt"
	"io"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/mcsat"
)

// learnArgs are the parameters of learning.
type learnArgs struct {
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights." default:"2"`
	Method    string  `help:"Contrastive divergence, or persistent: ${enum}." enum:"cd,pcd" default:"cd" name:"learn-method"`
	Passes    int     `help:"Passes over the stream." default:"1"`
	Batch     int     `help:"Subgraphs per update." default:"1"`
	Exact     string  `help:"Exact expectations of small components, or none but for atoms on their own: ${enum}." enum:"auto,never" default:"auto"`
	CDSamples int     `help:"Samples per subgraph and update." default:"5" name:"cd-samples"`
	Sampler   string  `help:"What draws them; auto takes the cheaper one that is sound for the model: ${enum}." enum:"auto,mcsat,gibbs" default:"auto"`
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
	Sigma     float64 `help:"Standard deviation of the Gaussian prior of the weights." default:"2"`
	Method    string  `help:"Contrastive divergence, or persistent: ${enum}." enum:"cd,pcd" default:"cd"`
	Passes    int     `help:"Passes over the stream." default:"1"`
	Batch     int     `help:"Subgraphs per update." default:"1"`
	Exact     string  `help:"Exact expectations of small components, or none but for atoms on their own: ${enum}." enum:"auto,never" default:"auto"`
	CDSamples int     `help:"Samples per subgraph and update." default:"5" name:"cd-samples"`
	Sampler   string  `help:"What draws them; auto takes the cheaper one that is sound for the model: ${enum}." enum:"auto,mcsat,gibbs" default:"auto"`
	Skip      int     `help:"Leave out the first so many subgraphs." default:"0"`
	Subgraphs int     `help:"How many subgraphs a pipe has." default:"0" placeholder:"N"`
	Output    string  `help:"Write the model with its weights; it feeds infer and eval." short:"o" placeholder:"FILE"`
	JSON      bool    `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*learnCmd) Help() string {
	return "Example:\n  resolwe learn selected.mln --stream train.rsg --skip 30 -o weighted.mln"
}

// Run learns.
func (c *learnCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	args := learnArgs{c.Sigma, c.Method, c.Passes, c.Batch, c.Exact, c.CDSamples, c.Sampler}
	opt, err := args.options(e.common.Seed)
	if err != nil {
		return err
	}
	opt.Skip, opt.Subgraphs = c.Skip, c.Subgraphs
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer e.close(s)
	total := -1
	if n := s.Len(); n >= 0 {
		total = max(n-c.Skip, 0) * c.Passes
	}
	opt.Run = e.run("learn", total)
	learned, err := resolwe.Learn(ctx, m, s, opt)
	if err != nil {
		return err
	}
	if c.Output != "" {
		err := e.file(c.Output, append([]string{c.Model}, c.Stream...), func(w io.Writer) error {
			return learned.Model.Write(w, nil)
		})
		if err != nil {
			return err
		}
	}
	if c.JSON {
		return e.json(learnedJSON(c.Sigma, learned))
	}
	return e.results(func(w io.Writer) error {
		for _, f := range learned.Model.Formulas {
			if _, err := fmt.Fprintln(w, mln.FormatRule(f)); err != nil {
				return err
			}
		}
		if learned.Exact {
			_, err = fmt.Fprintf(w, "\npenalised conditional log-likelihood %.4f on %d subgraphs\n", learned.Objective, learned.Subgraphs)
		}
		return err
	})
}

// learnJSON is what learn prints with --json.
type learnJSON struct {
	Sigma     float64      `json:"sigma"`
	Subgraphs int          `json:"subgraphs"`
	Weights   []weightJSON `json:"weights"`
	Objective *number      `json:"objective,omitempty"`
}

type weightJSON struct {
	Formula string `json:"formula"`
	Weight  number `json:"weight"`
}

func learnedJSON(sigma float64, l *resolwe.Learned) learnJSON {
	out := learnJSON{Sigma: sigma, Subgraphs: l.Subgraphs, Weights: []weightJSON{}}
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
