package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/format/lex"
	"resolwe/grow"
)

// growCmd learns if no subcommand is named.
type growCmd struct {
	Learn growLearnCmd `cmd:"" default:"withargs" help:"Learn a policy; the word learn may be left out."`
	Eval  growEvalCmd  `cmd:"" help:"Replay a policy on a stream, whose facts are hidden until the policy asks for them."`
	Run   growRunCmd   `cmd:"" help:"Carry out a policy: ask a command for facts and predict."`
}

func (*growCmd) Help() string {
	return (*growLearnCmd)(nil).Help() + "\n\nresolwe grow learn --help lists the flags of learning."
}

type growLearnCmd struct {
	modelArg
	trainArg
	Costs  string   `help:"File of costs: a line per relation, with the cost of a call and of a fact; the default is 1 and 0." placeholder:"FILE"`
	Keep   *float64 `help:"Share of the full MAP to keep, above 0, at most 1; 0.95 without --budget." placeholder:"X" xor:"goal"`
	Budget *float64 `help:"Instead of --keep: share of the full cost to spend, above 0, at most 1." placeholder:"X" xor:"goal"`
	Output string   `help:"Policy to write." short:"o" required:"" placeholder:"POLICY.json"`
	JSON   bool     `help:"Print JSON." name:"json"`
}

func (*growLearnCmd) Help() string {
	return `Learns a policy for look-ups that cost something, in an API, a database or a crawl: which relations to query, in which order, and when a
center needs no more. The stream must contain complete subgraphs. The policy starts from the center and its query atoms, so targets
must be listed. The task has candidates, formulas without a weight.

A look-up binds one argument of a relation: friends(+, -) asks for the friends of every user found before its hop, with one call for
each. Each step of the order takes the candidate with the greatest held-out gain per cost of all the look-ups that it still lacks; each
prefix of the order has its own model, selected by gain. After each step, regression trees on the shape of a center's predictions
decide whether to continue, at a price that keeps --keep of the MAP with everything fetched, or is the best that --budget of its cost affords.

A line of the --costs file names a relation, or one of its patterns, with the cost of a call and of each fact that it returns, or never.
Without the file, a call costs 1.

Examples:

	resolwe grow task.mln --stream train.rsg -o policy.json
	resolwe grow task.mln --stream train.rsg --costs c.txt --budget .2 -o p.json`
}

func (c *growLearnCmd) Run(ctx context.Context, e *environment) error {
	m, _, s, err := task(ctx, e, &c.modelArg, &c.trainArg, true, noOptions)
	if err != nil {
		return err
	}
	opt := grow.Options{
		Keep: flags.Given(c.Keep), Budget: flags.Given(c.Budget),
		Seed: e.common.Seed, Warn: func(text string) { e.log.Warn(text) },
		Run: e.run("grow", s.Len()), Stage: func(name string) resolwe.Run {
			e.log.Debug("grow", "stage", name)
			return e.run("grow: "+name, s.Len())
		},
	}
	if c.Costs != "" {
		text, err := e.small(c.Costs)
		if err != nil {
			return err
		}
		if opt.Costs, err = grow.ParseCosts(m.Schema, c.Costs, text); err != nil {
			return err
		}
	}
	out, err := e.create(c.Output, ".json")
	if err != nil {
		return err
	}
	p, err := grow.Learn(ctx, m, s, opt)
	if err != nil {
		return err
	}
	e.endProgress()
	if err := out.write(p.Write); err != nil {
		return err
	}
	return e.print(c.JSON, report.GrowPolicy(p, c.Output))
}

// small reads a small file.
func (e *environment) small(path string) (string, error) {
	data, err := lex.ReadFile(path)
	if err != nil {
		return "", pathError(path, err)
	}
	return string(data), e.Reads(path)
}

// policyArg is a policy file on the command line.
type policyArg struct {
	Policy string `arg:"" help:"Policy written by resolwe grow (.json)."`
}

// open reads the policy, and opens the stream until the command ends.
func (a *policyArg) open(ctx context.Context, e *environment, stream input) (*grow.Policy, *resolwe.Stream, error) {
	text, err := e.small(a.Policy)
	if err != nil {
		return nil, nil, err
	}
	p, err := grow.ReadPolicy(a.Policy, []byte(text))
	if err != nil {
		return nil, nil, err
	}
	s, err := stream.open(ctx, e, p.Model(), true)
	if err == nil {
		e.closeAtEnd(s)
	}
	return p, s, err
}

type growEvalCmd struct {
	policyArg
	testArg
	All  bool   `help:"Never stop early: predict with the last model, as infer does."`
	CSV  string `help:"Write the curves as CSV, for report --grow." name:"csv" placeholder:"FILE.csv"`
	JSON bool   `help:"Print JSON." name:"json"`
}

func (*growEvalCmd) Help() string {
	return `Replays a policy, hiding the facts of each subgraph until the policy asks for them. Use subgraphs that the policy was not learned
from. It prints cost, MAP and CLL of the policy and of fetching everything, and the curve over all prices. It also prints what the
policy gains over others of equal cost, with 95% intervals over subgraphs: the same order with all centers stopping after the same
step (prefix), a random order (random), and stopping by entropy alone (entropy). --all never stops early: it predicts as infer does
with the last model.

Examples:

	resolwe grow eval policy.json --stream test.rsg
	resolwe grow eval policy.json --stream test.rsg --csv curve.csv --json`
}

func (c *growEvalCmd) Run(ctx context.Context, e *environment) error {
	p, s, err := c.policyArg.open(ctx, e, &c.testArg)
	if err != nil {
		return err
	}
	csv, err := e.create(c.CSV, ".csv")
	if err != nil {
		return err
	}
	ev, err := grow.Evaluate(ctx, p, s, grow.EvalOptions{All: c.All, Run: e.run("grow eval", s.Len())})
	if err != nil {
		return err
	}
	d := report.GrowEval(ev)
	if err := csv.write(func(w io.Writer) error { return d.CSV(w) }); err != nil {
		return err
	}
	return e.print(c.JSON, d)
}

type growRunCmd struct {
	policyArg
	streamArg
	Fetch   string        `help:"Command that looks up facts, by lines of JSON on its standard input and output." required:"" placeholder:"CMD"`
	Timeout time.Duration `help:"Time limit for the answers to a batch." default:"30s" placeholder:"TIME"`
	All     bool          `help:"Never stop early: predict with the last model, as infer does."`
	JSON    bool          `help:"Print JSON, with the cost of each center." name:"json"`
}

func (*growRunCmd) Help() string {
	return `Carries out a policy. The stream lists the centers and their query atoms, as text: @subgraph s1 center=U7, then ?cFriends(U3). Facts come
from a command, which reads one line of JSON for the look-ups of a hop,

	{"batch": 1, "lookups": [{"id": 1, "center": "U7", "relation": "friends", "args": ["U3", null]}]}

and writes one line for each look-up, in the same order:

	{"id": 1, "facts": [["friends", "U3", "U9"]]}

It must exit at the end of its input, and may retry as it likes. An answer that is late, or does not match the question, is an error
that gives the line, and nothing is printed. Predictions are printed as infer prints marginals. docs/grow.md has an example with SQLite.

Examples:

	resolwe grow run policy.json --stream centers.db --fetch "python3 store.py facts.sqlite"
	resolwe grow run policy.json --stream centers.db --fetch ./ask.sh --timeout 5m --json`
}

func (c *growRunCmd) Run(ctx context.Context, e *environment) error {
	if c.Timeout <= 0 {
		return &resolwe.OptionError{Option: "--timeout", Reason: "above 0"}
	}
	p, s, err := c.policyArg.open(ctx, e, &c.streamArg)
	if err != nil {
		return err
	}
	opt := grow.RunOptions{All: c.All, Run: e.run("grow run", s.Len())}
	fetcher, err := grow.NewCommand(ctx, c.Fetch, c.Timeout, e.stderr)
	if err != nil {
		return err
	}
	centers, spent := 0, grow.Spent{}
	err = e.results(func(w io.Writer) error {
		err := report.GrowMarginals(w, c.JSON, func(emit func(*grow.Grown) error) error {
			return grow.Run(ctx, p, s, fetcher, opt, func(g *grow.Grown) error {
				centers, spent = centers+1, spent.Plus(g.Spent)
				return emit(g)
			})
		})
		return errors.Join(err, fetcher.Close(err != nil))
	})
	if err != nil {
		return err
	}
	e.log.Info(fmt.Sprintf("%d calls and %d facts for %d centers, at a cost of %.6g", spent.Calls, spent.Facts, centers, spent.Cost))
	return nil
}
