package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver
)

// errLimit is returned by a query that took longer than allowed.
var errLimit = errors.New("the query took longer than allowed")

// database holds tables and answers queries, one at a time. It is in its best form: tables sorted by key, an index on every
// other column that a join can begin with, and fresh statistics.
type database struct {
	*sql.DB
	name     string // and version
	postgres bool
	remove   func() error // closes it and removes the tables
}

// openSQLite makes an empty database in a temporary file. Its cache holds all of it.
func openSQLite(ctx context.Context) (*database, error) {
	dir, err := os.MkdirTemp("", "resolwe-peers-*")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "peers.db")+"?_pragma="+strings.Join([]string{
		"journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)", "temp_store(memory)", "cache_size(-2000000)", "mmap_size(4000000000)",
	}, "&_pragma="))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	d := &database{DB: db, remove: func() error { return errors.Join(db.Close(), os.RemoveAll(dir)) }}
	return d.named(ctx, "SQLite ", "SELECT sqlite_version()")
}

// openPostgres connects to a server, and makes a schema there. The URL is one of libpq: postgres://user@host/database.
func openPostgres(ctx context.Context, url string) (*database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	schema := fmt.Sprintf("resolwe_peers_%d_%d", os.Getpid(), time.Now().UnixNano())
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["search_path"], config.RuntimeParams["work_mem"] = schema, "256MB"
	config.RuntimeParams["jit"] = "off" // to compile a query takes longer than most of them
	db := stdlib.OpenDB(*config)
	d := &database{DB: db, postgres: true, remove: func() error {
		_, err := db.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		return errors.Join(err, db.Close())
	}}
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d.named(ctx, "PostgreSQL ", "SELECT current_setting('server_version')")
}

// named puts the name and the version in.
func (d *database) named(ctx context.Context, name, version string) (*database, error) {
	d.SetMaxOpenConns(1)
	if err := d.QueryRowContext(ctx, version).Scan(&d.name); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	d.name = name + d.name
	return d, nil
}

// load creates a table, sorted by its key, fills and indexes it, and takes statistics.
func (d *database) load(ctx context.Context, t *table) error {
	columns := strings.Join(slices.Concat(t.key, t.rest), " INTEGER NOT NULL, ") + " INTEGER NOT NULL, "
	kind, primary, end := "TABLE ", "PRIMARY KEY ("+strings.Join(t.key, ", ")+")", ") WITHOUT ROWID"
	last := []string{"ANALYZE " + t.name}
	if d.postgres {
		kind, end = "UNLOGGED TABLE ", ")"
		if len(t.rest) > 0 {
			primary += " INCLUDE (" + strings.Join(t.rest, ", ") + ")"
		}
		last = []string{"CLUSTER " + t.name + " USING " + t.name + "_pkey", "VACUUM ANALYZE " + t.name}
	}
	if _, err := d.ExecContext(ctx, "CREATE "+kind+t.name+" ("+columns+primary+end); err != nil {
		return err
	}
	if err := d.insert(ctx, t); err != nil {
		return err
	}
	var indexes []string
	for i, c := range t.key[1:] { // each holds all of a row, so that the table itself need not be read
		columns := slices.Concat([]string{c}, t.key[:i+1], t.key[i+2:], t.rest)
		indexes = append(indexes, "CREATE INDEX "+t.name+"_"+c+" ON "+t.name+" ("+strings.Join(columns, ", ")+")")
	}
	for _, statement := range append(indexes, last...) {
		if _, err := d.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// statementSize is about how long an insertion is.
const statementSize = 1 << 16

// insert fills a table.
func (d *database) insert(ctx context.Context, t *table) (err error) {
	head := "INSERT INTO " + t.name + " VALUES "
	statement := []byte(head)
	flush := func() {
		if err == nil && len(statement) > len(head) {
			_, err = d.ExecContext(ctx, string(statement[:len(statement)-1]))
		}
		statement = append(statement[:0], head...)
	}
	t.rows(func(row ...uint32) {
		separator := byte('(')
		for _, v := range row {
			statement = strconv.AppendUint(append(statement, separator), uint64(v), 10)
			separator = ','
		}
		if statement = append(statement, "),"...); len(statement) > statementSize {
			flush()
		}
	})
	flush()
	return err
}

// count answers a query that returns one row of a number of integers, and returns how long that took. The error is errLimit where
// it would take longer than the limit.
func (d *database) count(ctx context.Context, query string, columns int, limit time.Duration) (counts, time.Duration, error) {
	conn, err := d.Conn(ctx) // a new one where the last query was given up
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	out, into := make(counts, columns), make([]any, columns)
	for i := range out {
		into[i] = &out[i]
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	err = conn.QueryRowContext(limited, query).Scan(into...)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = errLimit
	}
	return out, time.Since(start), err
}
