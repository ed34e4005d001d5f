package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"resolwe"
	"resolwe/kernels/mcsat"
)

// inferArgs are the parameters of inference but for the method.
type inferArgs struct {
	Samples int `help:"Samples of each chain." default:"${samples}"`
	BurnIn  int `help:"Samples of each chain before those." default:"${burnin}"`
	Chains  int `help:"Chains for each subgraph." default:"1"`
	Sweeps  int `help:"Gibbs sweeps after each slice of MC-SAT." default:"${sweeps}"`
}

// methodArg is the method of inference.
type methodArg struct {
	Method string `help:"auto: closed forms, enumeration of small components, MC-SAT for the rest. The others force one route: ${enum}." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	Given  bool   `help:"Condition on the target atoms that the data states, and predict the others."`
}

func (a *inferArgs) options(method string, seed uint64) (resolwe.InferOptions, error) {
	opt := resolwe.DefaultInferOptions()
	opt.Samples, opt.BurnIn, opt.Chains, opt.Sweeps, opt.Seed = a.Samples, a.BurnIn, a.Chains, a.Sweeps, seed
	var err error
	opt.Method, err = mcsat.ParseMethod(method)
	return opt, err
}

type inferCmd struct {
	modelArg
	streamArg
	methodArg
	inferArgs
	JSON bool `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*inferCmd) Help() string {
	return "Example:\n  resolwe infer weighted.mln --stream test.rsg --samples 1000 --json"
}

// Run infers.
func (c *inferCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options(c.Method, e.common.Seed)
	if err != nil {
		return err
	}
	opt.Given = c.Given
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer e.close(s)
	e.unweighted(m)
	opt.Run = e.run("infer", s.Len())
	return e.results(func(w io.Writer) error {
		if !c.JSON {
			return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
				for i, p := range r.P {
					if _, err := fmt.Fprintf(w, "%s\t%s\t%.6f\n", r.Subgraph, r.Atom(i), p); err != nil {
						return err
					}
				}
				return nil
			})
		}
		list := newList(w)
		if err := resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error { return list.add(newMarginalsJSON(r)) }); err != nil {
			return err
		}
		return list.end()
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

// jsonList writes a JSON array element by element, so that it need not be held.
type jsonList struct {
	w io.Writer
	n int
}

func newList(w io.Writer) *jsonList { return &jsonList{w: w} }

func (l *jsonList) add(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	lead := ",\n "
	if l.n == 0 {
		lead = "[\n "
	}
	l.n++
	_, err = l.w.Write(append([]byte(lead), b...))
	return err
}

func (l *jsonList) end() error {
	text := "\n]\n"
	if l.n == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(l.w, text)
	return err
}

type countsCmd struct {
	modelArg
	streamArg
	JSON bool `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*countsCmd) Help() string {
	return "Example:\n  resolwe counts weighted.mln --stream test.db --json"
}

// Run counts.
func (c *countsCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	s, err := c.open(e, m, false)
	if err != nil {
		return err
	}
	defer e.close(s)
	run := e.run("count", s.Len())
	return e.results(func(w io.Writer) error {
		if !c.JSON {
			formulas := texts(m.Formulas)
			return resolwe.Counts(ctx, m, s, run, func(name string, counts []int64) error {
				for i, n := range counts {
					if _, err := fmt.Fprintf(w, "%s\t%d\t%s\n", name, n, formulas[i]); err != nil {
						return err
					}
				}
				return nil
			})
		}
		list := newList(w)
		err := resolwe.Counts(ctx, m, s, run, func(name string, counts []int64) error {
			return list.add(struct {
				Subgraph string  `json:"subgraph"`
				Counts   []int64 `json:"counts"`
			}{name, append([]int64{}, counts...)})
		})
		if err != nil {
			return err
		}
		return list.end()
	})
}

type evalCmd struct {
	modelArg
	streamArg
	methodArg
	inferArgs
	Marginals string `help:"Score marginals that infer --json has saved, instead of inferring." placeholder:"FILE"`
	JSON      bool   `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*evalCmd) Help() string {
	return "Example:\n  resolwe eval weighted.mln --stream test.rsg\n  resolwe infer weighted.mln --stream test.rsg --json > m.json; resolwe eval weighted.mln --stream test.rsg --marginals m.json"
}

// Run evaluates.
func (c *evalCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options(c.Method, e.common.Seed)
	if err != nil {
		return err
	}
	opt.Given = c.Given
	var saved resolwe.SavedMarginals
	if c.Marginals != "" {
		if saved, err = readMarginals(c.Marginals); err != nil {
			return err
		}
	}
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer e.close(s)
	opt.Run = e.run("eval", s.Len())
	var ev *resolwe.Evaluation
	if saved != nil {
		ev, err = resolwe.EvaluateSaved(ctx, m, s, saved, c.Marginals, c.Given, opt.Run)
	} else {
		e.unweighted(m)
		ev, err = resolwe.Evaluate(ctx, m, s, opt)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return e.json(newEvalJSON(ev))
	}
	return e.results(func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		fmt.Fprintf(t, "MAP\t%v\nAUC-ROC\t%v\nAUC-PR\t%v\nCLL\t%v\n", number(ev.MAP), number(ev.AUCROC), number(ev.AUCPR), number(ev.CLL))
		fmt.Fprintf(t, "precision, all ranks\t%v\ntrue negatives, all ranks\t%v\n", number(ev.PrecisionAllRanks), number(ev.TrueNegativeAllRanks))
		fmt.Fprintf(t, "subgraphs\t%d (%d with true and false atoms)\n", ev.Subgraphs, ev.Ranked)
		return t.Flush()
	})
}

func readMarginals(path string) (resolwe.SavedMarginals, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usageError(err.Error())
	}
	defer f.Close() //nolint:errcheck // only read
	return resolwe.ReadMarginals(f, path)
}

// evalJSON is what eval prints with --json.
type evalJSON struct {
	MAP        number `json:"map"`
	AUCROC     number `json:"auc_roc"`
	AUCPR      number `json:"auc_pr"`
	CLL        number `json:"cll"`
	MAPRanks   number `json:"map_all_ranks"`
	TNRanks    number `json:"tn_all_ranks"`
	Subgraphs  int    `json:"subgraphs"`
	WithTruths int    `json:"subgraphs_with_truth"`
}

func newEvalJSON(e *resolwe.Evaluation) evalJSON {
	return evalJSON{
		number(e.MAP), number(e.AUCROC), number(e.AUCPR), number(e.CLL), number(e.PrecisionAllRanks),
		number(e.TrueNegativeAllRanks), e.Ranked, e.Subgraphs,
	}
}
