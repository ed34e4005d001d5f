// Command resolwe selects relational features from a stream of subgraphs, learns their weights and predicts with them.
// See README.md, and resolwe --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/selection"
	"resolwe/pool"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1   // while running
	exitUsage       = 2   // wrong usage, model or text
	exitDamaged     = 3   // damaged input
	exitInterrupted = 130 // by a signal
)

// cli is the command line.
type cli struct {
	Demo     demoCmd     `cmd:"" help:"Run the whole job on a small generated stream: select, learn, predict, compare."`
	Expand   expandCmd   `cmd:"" help:"List the candidate formulas that a model's templates expand to."`
	Pack     packCmd     `cmd:"" help:"Write facts as a binary stream."`
	Select   selectCmd   `cmd:"" help:"Evaluate candidate formulas on the first subgraphs and keep those that predict."`
	Learn    learnCmd    `cmd:"" help:"Learn the weights of formulas."`
	Infer    inferCmd    `cmd:"" help:"Compute the marginal probabilities of the query atoms."`
	Counts   countsCmd   `cmd:"" help:"Count the true groundings of formulas on the data."`
	Eval     evalCmd     `cmd:"" help:"Measure how well marginals predict the truth."`
	Crossval crossvalCmd `cmd:"" help:"Cross-validate RESOLWE against skipSelection."`
	Inspect  inspectCmd  `cmd:"" help:"Show what a binary stream holds."`
	Verify   verifyCmd   `cmd:"" help:"Read a binary stream and check every byte."`

	Common
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone shows as EPIPE
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program without its surroundings. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	var c cli
	helped := false
	parser, err := kong.New(
		&c, kong.Name("resolwe"), kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }), kong.Vars(vars()),
		kong.Description("Selects relational features (Markov logic formulas) from a stream of subgraphs, learns their "+
			"weights, predicts with them, and measures how well."),
	)
	if err != nil {
		panic(err) // the command line is declared wrongly
	}
	command, err := parser.Parse(args)
	if helped {
		return exitDone
	}
	if err != nil {
		fmt.Fprintf(stderr, "resolwe: %v\n", err)
		fmt.Fprintln(stderr, "Try: resolwe --help")
		return exitUsage
	}
	env := &environment{stdin: stdin, stdout: stdout, stderr: stderr, common: &c.Common}
	if err := env.start(); err != nil {
		fmt.Fprintf(stderr, "resolwe: %v\n", err)
		return exitUsage
	}
	defer env.stop()
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(env)
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return exitDone
	}
	env.stop()
	fmt.Fprintf(stderr, "resolwe: %v\n", err)
	if p := (*pool.PanicError)(nil); errors.As(err, &p) {
		env.log.Debug("panic", "stack", string(p.Stack))
	}
	return statusOf(ctx, err)
}

// statusOf returns the exit status of an error.
func statusOf(ctx context.Context, err error) int {
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, subgraph.ErrCorrupt):
		return exitDamaged
	case errors.Is(err, resolwe.ErrReadOnce):
		return exitUsage
	case isUsage(err):
		return exitUsage
	}
	return exitFailed
}

// isUsage reports whether a person has to change the command line, the model or the facts.
func isUsage(err error) bool {
	for _, kind := range []any{
		new(usageError), new(mln.Error), new(mln.ErrorList), new(facts.InputError), new(*resolwe.SchemaError),
		new(*resolwe.CenterError), new(*resolwe.NoTargetError), new(*resolwe.OptionError), new(*resolwe.PathError),
		new(*resolwe.DuplicateError), new(*resolwe.FoldError), new(*resolwe.MarginalsError), new(*subgraph.DuplicateError),
		new(*atomicfile.SameFileError), new(*mcsat.OptionError), new(*selection.TooManyTargetsError),
	} {
		if errors.As(err, kind) {
			return true
		}
	}
	return false
}

// usageError is wrong usage that no package knows of.
type usageError string

func (e usageError) Error() string { return string(e) }
