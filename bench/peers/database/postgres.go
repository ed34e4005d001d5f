package database

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"resolwe/bench/peers/relational"
)

// postgres is a schema of its own in a PostgreSQL database.
type postgres struct {
	conn         *pgx.Conn
	name, schema string
}

// Postgres connects to a server, and makes a schema there that Close drops. The URL is one of libpq:
// postgres://user@host/database.
func Postgres(ctx context.Context, url string) (Database, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	p := &postgres{conn: conn}
	if err := p.open(ctx); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return p, nil
}

func (p *postgres) open(ctx context.Context) error {
	version, pid := "", 0
	err := p.conn.QueryRow(ctx, "SELECT current_setting('server_version'), pg_backend_pid()").Scan(&version, &pid)
	if err != nil {
		return err
	}
	p.name, p.schema = "PostgreSQL "+version, fmt.Sprintf("resolwe_peers_%d", pid)
	// To compile a query takes longer than most of them.
	return p.exec(ctx, "CREATE SCHEMA "+p.schema, "SET search_path = "+p.schema, "SET work_mem = '256MB'", "SET jit = off")
}

// exec carries out statements. One that is cancelled is tried again: a limit that strikes as its query ends cancels what
// comes after.
func (p *postgres) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		_, err := p.conn.Exec(ctx, s)
		if isCanceled(err) {
			_, err = p.conn.Exec(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// queryCanceled is the SQLSTATE of a query that took longer than allowed.
const queryCanceled = "57014"

func isCanceled(err error) bool {
	e := (*pgconn.PgError)(nil)
	return errors.As(err, &e) && e.Code == queryCanceled
}

func (p *postgres) Name() string { return p.name }

func (p *postgres) Load(ctx context.Context, tables []*relational.Table) error {
	for _, t := range tables {
		if err := p.exec(ctx, create("UNLOGGED TABLE", t, "")); err != nil {
			return err
		}
		if err := p.copy(ctx, t); err != nil {
			return err
		}
		primary := "CREATE UNIQUE INDEX " + t.Name + "_key ON " + t.Name + " (" + key(t) + ")"
		if rest := t.Columns[len(t.Key):]; len(rest) > 0 {
			primary += " INCLUDE (" + strings.Join(rest, ", ") + ")"
		}
		after := append([]string{primary}, indexes(t)...)
		if err := p.exec(ctx, append(after, "CLUSTER "+t.Name+" USING "+t.Name+"_key", "VACUUM ANALYZE "+t.Name)...); err != nil {
			return err
		}
	}
	return nil
}

// copy fills a table.
func (p *postgres) copy(ctx context.Context, t *relational.Table) error {
	next, stop := iter.Pull(t.Rows())
	defer stop()
	values := make([]any, len(t.Columns))
	_, err := p.conn.CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, ok := next()
		if !ok {
			return nil, nil
		}
		for i, v := range row {
			values[i] = v
		}
		return values, nil
	}))
	return err
}

func (p *postgres) Count(
	ctx context.Context, query string, limit time.Duration,
) (counts relational.Counts, took time.Duration, err error) {
	if err := p.exec(ctx, "SET statement_timeout = "+strconv.FormatInt(max(1, limit.Milliseconds()), 10)); err != nil {
		return nil, 0, err
	}
	for range 2 { // the second time where the limit of the query before has struck
		start := time.Now()
		counts, err = p.row(ctx, query)
		took = time.Since(start)
		if !isCanceled(err) {
			return counts, took, err
		}
		if took >= limit {
			break
		}
	}
	return nil, took, ErrLimit
}

// row answers a query of one row.
func (p *postgres) row(ctx context.Context, query string) (relational.Counts, error) {
	rows, err := p.conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (relational.Counts, error) {
		counts := make(relational.Counts, len(row.FieldDescriptions()))
		into := make([]any, len(counts))
		for i := range counts {
			into[i] = &counts[i]
		}
		return counts, row.Scan(into...)
	})
}

// closing is how long Close waits for the server.
const closing = 10 * time.Second

func (p *postgres) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	err := p.exec(ctx, "SET statement_timeout = 0", "DROP SCHEMA "+p.schema+" CASCADE")
	return errors.Join(err, p.conn.Close(ctx))
}
