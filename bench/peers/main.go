// Command peers counts in databases what resolwe counts: the true groundings of each formula of a model on the first subgraphs of a
// stream, by the queries that `resolwe export --to sql` writes. It checks that all counts agree, and prints the time of each
// database beside that of resolwe on one worker. The time of loading the subgraphs into the databases is shown separately.
//
//	cd bench/peers && go run . ../../examples/wikicollabs/wikicollabs.mln --stream wikicollabs.rsg --postgres URL
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"

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
	parsed := kong.Parse(&c, kong.Description("Counts in databases what resolwe counts, and compares counts and times."))
	parsed.FatalIfErrorf(c.run(ctx, os.Stdout))
}

// runs is how often resolwe counts. The fastest run is reported.
const runs = 5

// run counts with resolwe, then in each database, and prints the times.
func (c *cli) run(ctx context.Context, w io.Writer) (err error) {
	m, err := resolwe.ReadModel(c.Model, resolwe.ModelOptions{})
	if err != nil {
		return err
	}
	s, err := resolwe.OpenStream(m, c.Stream, resolwe.StreamOptions{Names: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	first, one := s.Range(0, c.Subgraphs), resolwe.Run{Workers: 1}
	var counts [][]resolwe.Count
	best := math.Inf(1)
	for range runs {
		began := time.Now()
		counts = nil
		err := inferring.Counts(ctx, m, first, one, func(_ string, of []resolwe.Count) error {
			counts = append(counts, of)
			return nil
		})
		if err != nil {
			return err
		}
		best = min(best, time.Since(began).Seconds())
	}
	var subs []*subgraph.Subgraph // views of the stream
	err = resolwe.Each(ctx, first, one, func(sub *subgraph.Subgraph) error {
		subs = append(subs, sub.Clone())
		return nil
	})
	if err == nil && len(subs) == 0 {
		err = errors.New("no subgraph to count on")
	}
	if err != nil {
		return err
	}
	var open []func(context.Context) (*database, error)
	if c.SQLite {
		open = append(open, openSQLite)
	}
	if c.Postgres != "" {
		open = append(open, func(ctx context.Context) (*database, error) { return openPostgres(ctx, c.Postgres) })
	}
	var table, formulas strings.Builder
	for _, open := range open {
		var all outcome
		for i, sub := range subs {
			if err := all.add(ctx, open, m, sub, counts[i], c.Limit); err != nil {
				return err
			}
		}
		fmt.Fprintf(&table, "%s\t%.1f\t%.2f\t%.1f\t%d\n", all.name, all.load, all.count, all.count/best, all.unfinished)
		fmt.Fprintf(&formulas, "\n%s\nms\tformula\n", all.name)
		for i, f := range m.Formulas {
			fmt.Fprintf(&formulas, "%.1f\t%s\n", all.seconds[i]*1e3, mln.FormatFormula(f))
		}
	}
	fmt.Fprintf(w, "%d formulas on %d subgraphs; resolwe counts in %.4f s on one worker\n\n", len(m.Formulas), len(subs), best)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "database\tload s\tcount s\tover resolwe\tunfinished\n", table.String())
	if c.Formulas {
		fmt.Fprint(out, formulas.String())
	}
	return out.Flush()
}

// outcome is the time of a database over all subgraphs.
type outcome struct {
	name        string
	load, count float64 // seconds; an unfinished query counts with the limit
	unfinished  int     // unfinished queries
	seconds     []float64
}

// add loads a subgraph and counts. Counts that differ from resolwe's are an error.
func (o *outcome) add(
	ctx context.Context, open func(context.Context) (*database, error), m *resolwe.Model, sub *subgraph.Subgraph, counts []resolwe.Count, limit time.Duration,
) (err error) {
	db, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.remove()) }()
	began := time.Now()
	queries, err := db.load(ctx, m, sub)
	if err != nil {
		return err
	}
	o.name, o.load = db.name, o.load+time.Since(began).Seconds()
	if o.seconds == nil {
		o.seconds = make([]float64, len(queries))
	}
	for i, query := range queries {
		got, took, err := db.count(ctx, query, limit)
		switch want := value(counts[i]); { // #nosec G602 -- a count for each query
		case errors.Is(err, errLimit):
			o.unfinished++
			took = limit
		case err != nil:
			return fmt.Errorf("%w\n%s", err, query)
		case math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)):
			return fmt.Errorf("%s in %s: %s counts %v, resolwe %v\n%s", mln.FormatFormula(m.Formulas[i]), sub.Name, db.name, got, want, query)
		}
		o.count += took.Seconds()
		o.seconds[i] += took.Seconds()
	}
	return nil
}

// value returns a count as a number.
func value(c resolwe.Count) float64 {
	if c.Shaped {
		return c.Value
	}
	return float64(c.N)
}
