package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"resolwe/cmd/internal/console"
	"resolwe/internal/progress"
)

// cli is the command line.
type cli struct {
	Database string   `arg:"" help:"postgres://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE, or the path of an SQLite file, also as sqlite:PATH." name:"database"`
	Output   string   `help:"Folder for the tables and schema.json; new or empty." short:"o" required:"" placeholder:"DIR"`
	Tables   []string `help:"Only these tables, or views." placeholder:"A,B"`
	Schema   string   `help:"The schema of PostgreSQL, or the database of MySQL, with the tables; by default the one that the connection is in." placeholder:"S"`
}

const help = `Each table becomes a Parquet file, all as of one moment. schema.json beside them declares columns, keys and references, which resolwe init
then takes instead of guessing. Views are read if --tables names them. Passwords may be in PGPASSWORD or ~/.pgpass, or in MYSQL_PWD.

Example:

	resolwe-import postgres://reader@db/shop -o tables
	resolwe init tables`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), console.Signals()...)
	context.AfterFunc(ctx, stop) // a second signal kills the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program without its environment. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	helped := false
	parser := kong.Must(&c, kong.Name("resolwe-import"), kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }),
		kong.Description("Copies the tables of a database into Parquet files.\n\n"+help))
	if len(args) == 0 {
		args = []string{"--help"}
	}
	_, err := parser.Parse(args)
	if helped || errors.Is(err, syscall.EPIPE) { // the reader of the help closed the pipe
		return console.Done
	}
	if err != nil {
		fmt.Fprintf(stderr, "resolwe-import: %s\nTry: resolwe-import --help\n", console.Message(err))
		return console.Usage
	}
	log := slog.New(console.NewMessages("resolwe-import", stderr, slog.LevelInfo))
	meter := progress.Options{Mode: progress.Auto, Writer: stderr, Log: log, Now: time.Now}
	files, err := c.copy(ctx, log, meter)
	for _, f := range files {
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%10d rows  %s\n", f.rows, f.name)
		}
	}
	switch status := console.Status(ctx, err); {
	case status == console.Done:
		return status
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "resolwe-import: interrupted")
		return console.Interrupted
	default:
		fmt.Fprintf(stderr, "resolwe-import: %s\n", console.Message(err))
		return status
	}
}
