// Package database runs queries in relational databases: SQLite in the process, a PostgreSQL server, and DuckDB by its
// command. Each gets its best form: tables sorted by key, an index on every other column that a join can begin with, and
// fresh statistics.
package database

import (
	"context"
	"errors"
	"strings"
	"time"

	"resolwe/bench/peers/relational"
)

// ErrLimit is returned by a query that took longer than allowed.
var ErrLimit = errors.New("the query took longer than allowed")

// Database holds tables and answers queries, one at a time.
type Database interface {
	// Name returns the name and version of the database.
	Name() string
	// Load creates the tables, fills them, indexes them and takes statistics. It is called once.
	Load(ctx context.Context, tables []*relational.Table) error
	// Count answers a query that returns one row of integers, and tells how long that took. The error is ErrLimit where
	// it would take longer than the limit.
	Count(ctx context.Context, query string, limit time.Duration) (relational.Counts, time.Duration, error)
	// Close removes the tables.
	Close() error
}

// create writes the statement that makes a table of a kind, with more after its columns.
func create(kind string, t *relational.Table, more string) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c + " INTEGER NOT NULL"
	}
	return "CREATE " + kind + " " + t.Name + " (" + strings.Join(columns, ", ") + more + ")"
}

// indexes writes the statements that index a table by each of its arguments but the first, by which its key begins: the
// argument, the other arguments, and what else is in the row, so that the table itself need not be read.
func indexes(t *relational.Table) []string {
	var out []string
	args, rest := t.Key[1:], t.Columns[len(t.Key):]
	for i := 1; i < len(args); i++ {
		columns := append([]string{"s", args[i]}, args[:i]...)
		columns = append(append(columns, args[i+1:]...), rest...)
		out = append(out, "CREATE INDEX "+t.Name+"_"+args[i]+" ON "+t.Name+" ("+strings.Join(columns, ", ")+")")
	}
	return out
}

// key writes the columns of a table's key.
func key(t *relational.Table) string { return strings.Join(t.Key, ", ") }
