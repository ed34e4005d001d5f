// Command peers counts in databases what resolwe counts in a selection: for each candidate formula of a model, on the
// first subgraphs of a stream, the groundings that its evidence selects and those of them that hold. It checks that all
// counts agree, and prints what each database takes beside resolwe on one worker. Both count only: that the databases
// load the subgraphs first is told apart.
//
// Each candidate is one query for each subgraph, written in several ways of which the fastest counts.
//
//	cd bench/peers && go run . ../../examples/wikicollabs/wikicollabs.mln --stream wikicollabs.rsg --postgres URL
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"resolwe/bench/peers/database"
)

// cli is the command line.
type cli struct {
	taskOptions

	SQLite   bool          `help:"Count in SQLite." default:"true" negatable:"" name:"sqlite"`
	Postgres string        `help:"Count in PostgreSQL, in a schema of its own." env:"DATABASE_URL" placeholder:"URL"`
	DuckDB   string        `help:"Count in DuckDB, where there is this command." default:"duckdb" name:"duckdb"`
	Limit    time.Duration `help:"Time that a query may take. One that takes longer counts as so much." default:"1m"`
	Formulas bool          `help:"Print what each formula takes."`
	JSON     bool          `help:"Print JSON." name:"json"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program without its surroundings. It returns the exit status: 2 for wrong usage, else 1 where it failed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	helped := false
	parser, err := kong.New(
		&c, kong.Name("peers"), kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }),
		kong.Description("Counts in databases what resolwe counts in a selection, and compares counts and times."),
	)
	if err != nil {
		panic(err) // the command line is declared wrongly
	}
	_, err = parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "peers: %v\n", err)
		return 2
	}
	if err := c.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "peers: %v\n", err)
		return 1
	}
	return 0
}

// report is what is printed.
type report struct {
	Subgraphs  int        `json:"subgraphs"`
	Candidates int        `json:"candidates"`
	Resolwe    float64    `json:"resolwe_seconds"`
	Databases  []*outcome `json:"databases"`
}

func (c *cli) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	t, err := newTask(ctx, &c.taskOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	r := report{Subgraphs: len(t.subs), Resolwe: t.seconds()}
	if len(t.subs) == 0 {
		return errors.New("the stream has no subgraph")
	}
	r.Candidates = len(t.counts[0].Candidates)
	for _, open := range c.databases() {
		db, err := open(ctx)
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintf(stderr, "%v: left out\n", err)
			continue
		}
		if err != nil {
			return err
		}
		comparison := &comparison{task: t, db: db, limit: c.Limit, done: func() { fmt.Fprint(stderr, ".") }}
		out, err := comparison.run(ctx)
		fmt.Fprintln(stderr)
		if err := errors.Join(err, db.Close()); err != nil {
			return err
		}
		r.Databases = append(r.Databases, out)
	}
	if c.JSON {
		enc := json.NewEncoder(stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	}
	return r.text(stdout, c.Formulas)
}

// databases returns how to open those that are asked for.
func (c *cli) databases() []func(context.Context) (database.Database, error) {
	var out []func(context.Context) (database.Database, error)
	if c.SQLite {
		out = append(out, database.SQLite)
	}
	if c.Postgres != "" {
		out = append(out, func(ctx context.Context) (database.Database, error) { return database.Postgres(ctx, c.Postgres) })
	}
	if c.DuckDB != "" {
		out = append(out, func(ctx context.Context) (database.Database, error) { return database.DuckDB(ctx, c.DuckDB) })
	}
	return out
}

// text prints tables.
func (r *report) text(w io.Writer, formulas bool) error {
	fmt.Fprintf(w, "%d candidates on %d subgraphs; resolwe counts in %.4f s on one worker\n\n", r.Candidates, r.Subgraphs, r.Resolwe)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "database\tload s\tcount s\tover resolwe\tunfinished")
	for _, o := range r.Databases {
		fmt.Fprintf(t, "%s\t%.1f\t%.2f\t%.1f\t%d\n", o.Database, o.Load, o.Count, o.Ratio, o.Unfinished)
	}
	if err := t.Flush(); err != nil || !formulas {
		return err
	}
	for _, o := range r.Databases {
		fmt.Fprintf(w, "\n%s\n", o.Database)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "ms\tforms\tformula")
		for _, f := range o.Formulas {
			fmt.Fprintf(t, "%.1f\t%s\t%s\n", f.Seconds*1e3, strings.Join(f.Forms, ", "), f.Formula)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
