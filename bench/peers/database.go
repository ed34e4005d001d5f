package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver
	"resolwe"
	"resolwe/format/export"
	"resolwe/format/subgraph"
)

// errLimit is returned by a query that took longer than allowed.
var errLimit = errors.New("the query took longer than allowed")

// database holds the tables of a subgraph and answers queries, one at a time.
type database struct {
	*sql.DB

	name      string           // name and version
	parameter func(int) string // the i-th parameter of a statement
	remove    func() error     // closes it and removes the tables
}

// openSQLite makes an empty database in a temporary file, with a cache that holds all of it.
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
	d.parameter = func(int) string { return "?" }
	return d.named(ctx, "SQLite ", "SELECT sqlite_version()")
}

// openPostgres connects to a server and makes a schema there. The URL is as for libpq: postgres://user@host/database.
func openPostgres(ctx context.Context, url string) (*database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	schema := fmt.Sprintf("resolwe_peers_%d_%d", os.Getpid(), time.Now().UnixNano())
	config.RuntimeParams["search_path"], config.RuntimeParams["work_mem"] = schema, "256MB"
	config.RuntimeParams["jit"] = "off" // compiling a query takes longer than running most of them
	db := stdlib.OpenDB(*config)
	d := &database{DB: db, remove: func() error {
		_, err := db.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		return errors.Join(err, db.Close())
	}}
	d.parameter = func(i int) string { return fmt.Sprint("$", i+1) }
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d.named(ctx, "PostgreSQL ", "SELECT current_setting('server_version')")
}

// named sets the name and the version.
func (d *database) named(ctx context.Context, name, version string) (*database, error) {
	d.SetMaxOpenConns(1)
	if err := d.QueryRowContext(ctx, version).Scan(&d.name); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	d.name = name + d.name
	return d, nil
}

// load makes the tables of a model, fills them with a subgraph, indexes every column with which a join can begin, and collects
// statistics. It returns the queries of the formulas.
func (d *database) load(ctx context.Context, m *resolwe.Model, sub *subgraph.Subgraph) ([]string, error) {
	var text bytes.Buffer
	if err := export.Write(&text, "sql", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas}); err != nil {
		return nil, err
	}
	parts := strings.Split(text.String(), "\n\n--")
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // without effect after the commit
	exec := func(statement string) {
		if err == nil {
			_, err = tx.ExecContext(ctx, statement)
		}
	}
	exec(parts[0])
	if sub.Center != "" && err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO center VALUES ("+d.parameter(0)+")", sub.Center) // #nosec G202 -- ? or $1
	}
	for typ, of := range sub.Domains {
		err = errors.Join(err, d.insert(ctx, tx, "domain_"+m.Schema.Types[typ], 1, of.Size, func(row int, args []any) {
			args[0] = of.Names.Name(uint32(row))
		}))
	}
	for pred, p := range m.Schema.Predicates {
		columns := len(p.Args)
		if p.Role.IsTarget() {
			columns++
		}
		for i, table := range sub.Relations[pred].Tables() {
			err = errors.Join(err, d.insert(ctx, tx, p.Name, columns, table.Len(), func(row int, args []any) {
				args[columns-1] = []any{1, 0, nil}[i]
				for c, col := range table.Cols {
					args[c] = sub.Domains[p.Args[c]].Names.Name(col[row])
				}
			}))
		}
		for i := 2; i <= len(p.Args); i++ {
			exec(fmt.Sprintf("CREATE INDEX %q ON %q (a%d)", fmt.Sprint(p.Name, i), p.Name, i))
		}
	}
	exec("ANALYZE")
	if err == nil {
		err = tx.Commit()
	}
	for i, part := range parts {
		_, parts[i], _ = strings.Cut(part, "\n") // after the comment
	}
	return parts[1:], err
}

// insert adds rows to a table, unless they are already present.
func (d *database) insert(ctx context.Context, tx *sql.Tx, table string, columns, rows int, row func(i int, args []any)) error {
	list := make([]string, columns)
	for i := range list {
		list[i] = d.parameter(i)
	}
	s, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %q VALUES (%s) ON CONFLICT DO NOTHING", table, strings.Join(list, ", ")))
	if err != nil {
		return err
	}
	defer s.Close()
	args := make([]any, columns)
	for i := range rows {
		row(i, args)
		if _, err := s.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// count answers a query, and returns how long that took. If it takes longer than the limit, the error is errLimit.
func (d *database) count(ctx context.Context, query string, limit time.Duration) (n float64, took time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	err = d.QueryRowContext(limited, query).Scan(&n)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = errLimit
	}
	return n, time.Since(start), err
}
