package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/job"
)

// cli is the command line.
type cli struct {
	Select selectCmd   `cmd:"" help:"Select the candidate formulas that predict held-out atoms, with weights."`
	Learn  learnCmd    `cmd:"" help:"Learn the weights of formulas."`
	Infer  inferCmd    `cmd:"" help:"Compute the marginal probabilities of the query atoms."`
	Map    mapCmd      `cmd:"" help:"Find the most probable state of the query atoms."`
	Eval   evalCmd     `cmd:"" help:"Measure how well marginals predict the truth."`
	Cross  crossvalCmd `cmd:"" name:"crossval" help:"Compare systems by cross-validation."`
	Worker workerCmd   `cmd:"" help:"Run a pool of workers for a runner on this machine."`

	Common
}

func main() {
	if isWorker(os.Args[1:]) {
		os.Args = append(os.Args[:1], unquoted(os.Args[1:])...)
		flag.Parse()
		beam.Init() // this works as a worker and does not return
	}
	ctx, stop := signal.NotifyContext(context.Background(), console.Signals()...)
	context.AfterFunc(ctx, stop) // a second signal kills the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// isWorker reports whether a runner has started the program as a worker.
func isWorker(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		a = "-" + strings.TrimLeft(a, "-")
		return a == "-worker" || a == "-worker=true"
	})
}

// unquoted drops the quotes that some runners put around a worker's id.
func unquoted(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if id, ok := strings.CutPrefix(a, "--id="); ok {
			out[i] = "--id=" + strings.Trim(id, `"'`)
		}
	}
	return out
}

// run is the program without its environment. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	helped := false
	parser := newParser(&c, stdout, stderr, func(int) { helped = true })
	own, beams := split(args)
	if len(own) == 0 {
		own = []string{"--help"}
	}
	command, err := parser.Parse(own)
	if helped || errors.Is(err, syscall.EPIPE) { // the reader of the help closed the pipe
		return console.Done
	}
	if err == nil {
		err = parseBeam(beams)
	}
	if err == nil && c.Runner == job.Local && (c.Endpoint != "" || len(beams) > 0) {
		err = errors.New("--endpoint and flags after -- need --runner universal or dataflow")
	}
	if err != nil {
		fmt.Fprintf(stderr, "resolwe-beam: %s\nTry: resolwe-beam --help\n", console.Message(err))
		return console.Usage
	}
	env := newEnvironment(&c.Common, stdout, stderr)
	ctx, env.over = context.WithCancelCause(ctx)
	command.BindTo(ctx, (*context.Context)(nil))
	err = console.Await(ctx, console.Forever, func() error { return command.Run(env) }, env.abandon)
	status := statusOf(ctx, err)
	switch status {
	case console.Done:
		return status
	case console.Interrupted:
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "resolwe-beam: %s\n", console.Message(err))
	return status
}

// newParser returns the parser of the command line, which calls exit after printing help.
func newParser(c *cli, stdout, stderr io.Writer, exit func(int)) *kong.Kong {
	return kong.Must(
		c, kong.Name("resolwe-beam"), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(stdout, stderr), kong.Exit(exit), flags.Vars(), flags.Texts(),
		kong.ExplicitGroups([]kong.Group{
			{Key: "common", Title: "Flags of all commands:"}, {Key: "beam", Title: "Where it runs; Beam's own flags follow --:"},
		}),
		kong.Description("Runs the stages of resolwe in this process or on an Apache Beam runner, over a stream that is cut into "+
			"shards: the same options and the same results as those of the program resolwe."),
	)
}

// split separates the program's arguments from Beam's, which follow "--".
func split(args []string) (own, beams []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// parseBeam sets Beam's own flags.
func parseBeam(args []string) error {
	set := flag.CommandLine
	set.Init("beam", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return errors.New("the flags of Beam are listed in docs/scale.md")
	}
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %s after --", set.Arg(0))
	}
	return err
}

// statusOf returns the exit status of an error, which may have come from a worker.
func statusOf(ctx context.Context, err error) int {
	if e := (*job.FailedError)(nil); errors.As(err, &e) {
		return e.Status
	}
	return console.Status(ctx, err)
}
