package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"
)

// cli is the command line.
type cli struct {
	Model     string        `arg:"" help:"Task file (.mln)."`
	Stream    []string      `help:"Subgraphs: .rsg or .db files, quoted globs or folders." required:"" placeholder:"S"`
	Subgraphs int           `help:"How many subgraphs to count on, from the first." default:"3"`
	SQLite    bool          `help:"Count in SQLite." default:"true" negatable:"" name:"sqlite"`
	Postgres  string        `help:"Count in PostgreSQL, in a schema of its own." env:"DATABASE_URL" placeholder:"URL"`
	Limit     time.Duration `help:"Time that a query may take. One that takes longer counts as so much." default:"1m"`
	Formulas  bool          `help:"Print what each formula takes."`
}

func main() {
	var c cli
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	parsed := kong.Parse(&c, kong.Description("Counts in databases what resolwe counts in a selection, and compares counts and times."))
	parsed.FatalIfErrorf(c.run(ctx, os.Stdout))
}

// run counts with resolwe, then in each database, and prints what they took.
func (c *cli) run(ctx context.Context, w io.Writer) (err error) {
	t, err := c.task(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.stream.Close()) }()
	var open []func(context.Context) (*database, error)
	if c.SQLite {
		open = append(open, openSQLite)
	}
	if c.Postgres != "" {
		open = append(open, func(ctx context.Context) (*database, error) { return openPostgres(ctx, c.Postgres) })
	}
	var table, formulas strings.Builder
	for _, open := range open {
		db, err := open(ctx)
		if err != nil {
			return err
		}
		r, err := t.compare(ctx, db, c.Limit)
		if err := errors.Join(err, db.remove()); err != nil {
			return err
		}
		fmt.Fprintf(&table, "%s\t%.1f\t%.2f\t%.1f\t%d\n", db.name, r.load, r.count, r.count/t.seconds, r.unfinished)
		fmt.Fprintf(&formulas, "\n%s\nms\tforms\tformula\n%s", db.name, strings.Join(r.formulas, ""))
	}
	fmt.Fprintf(w, "%d candidates on %d subgraphs; resolwe counts in %.4f s on one worker\n\n", len(t.counts[0].Candidates), len(t.subs), t.seconds)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "database\tload s\tcount s\tover resolwe\tunfinished\n", table.String())
	if c.Formulas {
		fmt.Fprint(out, formulas.String())
	}
	return out.Flush()
}
