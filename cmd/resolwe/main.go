package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/flags"
	"resolwe/format/lex"
	"resolwe/internal/machine"
	"resolwe/internal/render"
	"resolwe/pool"
)

// cli is the command line.
type cli struct {
	Demo     demoCmd     `cmd:"" help:"Run the whole job on a small generated stream: select, learn, predict, compare."`
	Paper    paperCmd    `cmd:"" help:"Run the paper's two experiments on generated data, with tables in the paper's form."`
	Expand   expandCmd   `cmd:"" help:"List the formulas that a model's templates expand to."`
	Pack     packCmd     `cmd:"" help:"Write facts as a binary stream."`
	Init     initCmd     `cmd:"" help:"Draft a recipe and a task file for a folder of raw tables."`
	Build    buildCmd    `cmd:"" help:"Cut subgraphs out of tables."`
	Gen      genCmd      `cmd:"" help:"Generate tables or streams, such as the paper's tasks with planted formulas."`
	Import   importCmd   `cmd:"" help:"Turn data in other formats into tables."`
	Plan     planCmd     `cmd:"" help:"Forecast groundings, factors, memory and time before anything runs."`
	Discover discoverCmd `cmd:"" help:"Find candidate formulas in declarations and data, without templates."`
	Select   selectCmd   `cmd:"" help:"Select the candidate formulas that predict held-out atoms, with weights."`
	Learn    learnCmd    `cmd:"" help:"Learn the weights of formulas."`
	Watch    watchCmd    `cmd:"" help:"Keep a model current on a stream whose causes may change."`
	Grow     growCmd     `cmd:"" help:"Learn what to fetch for a subgraph and when to stop, and fetch it."`
	Infer    inferCmd    `cmd:"" help:"Compute the marginal probabilities of the query atoms."`
	Map      mapCmd      `cmd:"" help:"Find the most probable state of the query atoms."`
	Counts   countsCmd   `cmd:"" help:"Count the true groundings of formulas on the data."`
	Features featuresCmd `cmd:"" help:"Write the features of the query atoms as a table for other learners."`
	Explain  explainCmd  `cmd:"" help:"Explain why an atom has its probability, or where a formula is right."`
	Export   exportCmd   `cmd:"" help:"Write a model for Alchemy, PSL, SQL or ProbLog."`
	Eval     evalCmd     `cmd:"" help:"Measure how well marginals predict the truth."`
	Crossval crossvalCmd `cmd:"" help:"Cross-validate selection and learning against baselines, with paired tests."`
	Report   reportCmd   `cmd:"" help:"Write an HTML page about a task or a model: data, formulas, accuracy, curves, failures."`
	Inspect  inspectCmd  `cmd:"" help:"Show what a binary stream contains."`
	Verify   verifyCmd   `cmd:"" help:"Read a binary stream and check every byte."`
	Bench    benchCmd    `cmd:"" help:"Time selection and reading, or simulate a cluster."`
	Shell    shellCmd    `cmd:"" name:"completion" help:"Print a script that completes commands and flags in a shell."`
	Man      manCmd      `cmd:"" help:"Print the manual page."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Help     helpCmd     `cmd:"" help:"Show the help of the program or of a command."`

	HelpAll     helpAllFlag `help:"Show all options of a command."`
	ShowVersion versionFlag `help:"Print the version." name:"version"`
	Common
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), console.Signals()...)
	context.AfterFunc(ctx, stop)   // a second signal ends the program at once
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone shows as EPIPE
	ctx, end := context.WithCancel(ctx)
	if os.Getenv("RESOLWE_UNTIL_STDIN_ENDS") != "" { // the Python package's pipe, which ends with its process however that ends
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			end()
		}()
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdin, render.Open(os.Stdout), os.Stderr, machine.Watch))
}

// run runs the program and returns its exit status. watch bounds the memory of the process, as machine.Watch does.
func run(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer,
	watch func(bound machine.Size, flag string, over func(error)) (stop func()),
) int {
	var c cli
	messages := &console.Tracked{Writer: stderr}
	env := &environment{stdin: stdin, stdout: stdout, stderr: messages, common: &c.Common}
	helped := false
	parser := newParser(&c, stdout, stderr, func(int) { helped = true })
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	if helped || errors.Is(err, syscall.EPIPE) { // the reader of the help has gone
		return console.Done
	}
	if err != nil {
		fmt.Fprintf(stderr, "resolwe: %s%s\nTry: %s --help\n", console.Message(err), didYouMean(err), path(err))
		return console.Usage
	}
	if err := env.start(); err != nil {
		fmt.Fprintf(stderr, "resolwe: %s\n", console.Message(err))
		return console.Usage
	}
	ctx, over := context.WithCancelCause(ctx)
	defer watch(c.Memory, "--memory", over)()
	command.BindTo(ctx, (*context.Context)(nil))
	err = console.Await(ctx, grace, func() error { return errors.Join(command.Run(env), env.stop()) }, env.abandon)
	status := console.Status(ctx, err)
	switch status {
	case console.Done:
		if messages.Failed() { // there is nowhere to say so
			return console.Failed
		}
		return status
	case console.Interrupted:
		err = errors.New("interrupted")
	case console.Memory:
		err = cmp.Or(context.Cause(ctx), err)
	}
	env.tellSaved()
	fmt.Fprintf(stderr, "resolwe: %s\n", console.Message(err))
	if p := (*pool.PanicError)(nil); errors.As(err, &p) {
		env.log.Debug("panic", "stack", string(p.Stack))
	}
	return status
}

// newParser returns the parser of the command line, which calls exit after printing help.
func newParser(c *cli, stdout, stderr io.Writer, exit func(int)) *kong.Kong {
	return kong.Must(
		c, kong.Name("resolwe"), kong.ConfigureHelp(helpOptions(stdout)), kong.Help(printHelp(false)),
		kong.Writers(stdout, stderr), kong.Exit(exit), flags.Vars(), flags.Texts(),
		kong.ExplicitGroups(groups),
		kong.Description("Selects relational features (Markov logic formulas) from a stream of subgraphs, learns their "+
			"weights, predicts with them, and measures how well."),
	)
}

// grace is how long an interrupted command may take to end.
const grace = 2 * time.Second

// path returns the command whose arguments were not understood.
func path(err error) string {
	if p := (*kong.ParseError)(nil); errors.As(err, &p) && p.Context.Command() != "" {
		return p.Context.Selected().FullPath()
	}
	return "resolwe"
}

// didYouMean suggests the nearest value after the error of a value that is not in an enumeration, and says where an option of a stage
// goes. The parser itself suggests other misspelt names.
func didYouMean(err error) string {
	p := (*kong.ParseError)(nil)
	if !errors.As(err, &p) {
		return ""
	}
	if _, rest, ok := strings.Cut(err.Error(), "unknown flag --"); ok {
		name, _, _ := strings.Cut(rest, ",")
		for _, f := range p.Context.Flags() {
			if stage, ok := reflect.TypeAssert[interface{ Has(name string) bool }](f.Target.Addr()); ok && stage.Has(name) {
				return fmt.Sprintf("; give it as --%s '--%s ..'", f.Name, name)
			}
		}
		return ""
	}
	what, rest, _ := strings.Cut(err.Error(), " must be one of ")
	_, quoted, _ := strings.Cut(rest, " but got ")
	got, _ := strconv.Unquote(quoted)
	for node := p.Context.Selected(); node != nil; node = node.Parent {
		for _, v := range node.Values() {
			if v.Enum != "" && v.ShortSummary() == what {
				return lex.DidYouMean(got, v.EnumSlice())
			}
		}
	}
	return ""
}
