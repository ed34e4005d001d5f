package database

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"resolwe/bench/peers/relational"
)

// sqlite is an SQLite database in a temporary file. Its cache holds all of it.
type sqlite struct {
	db   *sql.DB
	dir  string
	name string
}

// SQLite makes an empty database in a temporary file.
func SQLite(ctx context.Context) (Database, error) {
	dir, err := os.MkdirTemp("", "resolwe-peers-*")
	if err != nil {
		return nil, err
	}
	s := &sqlite{dir: dir}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *sqlite) open(ctx context.Context) (err error) {
	pragmas := []string{
		"journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)", "temp_store(memory)", "cache_size(-2000000)",
		"mmap_size(4000000000)",
	}
	s.db, err = sql.Open("sqlite", "file:"+filepath.Join(s.dir, "peers.db")+"?_pragma="+strings.Join(pragmas, "&_pragma="))
	if err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1)
	version := ""
	if err := s.db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	s.name = "SQLite " + version
	return nil
}

func (s *sqlite) Name() string { return s.name }

func (s *sqlite) Load(ctx context.Context, tables []*relational.Table) error {
	for _, t := range tables {
		if err := s.fill(ctx, t); err != nil {
			return err
		}
		for _, index := range indexes(t) {
			if _, err := s.db.ExecContext(ctx, index); err != nil {
				return err
			}
		}
	}
	_, err := s.db.ExecContext(ctx, "ANALYZE")
	return err
}

// fill creates a table, sorted by its key, with its rows.
func (s *sqlite) fill(ctx context.Context, t *relational.Table) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // without effect after the commit
	if _, err := tx.ExecContext(ctx, create("TABLE", t, ", PRIMARY KEY ("+key(t)+")")+" WITHOUT ROWID"); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, insertion(t))
	if err != nil {
		return err
	}
	defer insert.Close()
	args := make([]any, len(t.Columns))
	for row := range t.Rows() {
		for i, v := range row {
			args[i] = v
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// insertion writes the statement that adds a row.
func insertion(t *relational.Table) string {
	return "INSERT INTO " + t.Name + " VALUES (" + strings.Repeat(", ?", len(t.Columns))[2:] + ")"
}

func (s *sqlite) Count(
	ctx context.Context, query string, limit time.Duration,
) (counts relational.Counts, took time.Duration, err error) {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	counts, err = s.row(limited, query)
	took = time.Since(start)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = ErrLimit
	}
	return counts, took, err
}

// row answers a query of one row.
func (s *sqlite) row(ctx context.Context, query string) (relational.Counts, error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	counts, into := make(relational.Counts, len(columns)), make([]any, len(columns))
	for i := range counts {
		into[i] = &counts[i]
	}
	if !rows.Next() {
		return nil, errors.Join(sql.ErrNoRows, rows.Err())
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	return counts, rows.Close()
}

func (s *sqlite) Close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
