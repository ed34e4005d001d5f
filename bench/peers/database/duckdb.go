package database

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"resolwe/bench/peers/relational"
)

// duckdb is a DuckDB database in a temporary file, which its command line opens for each query.
type duckdb struct {
	command, dir, name string
	idle               time.Duration // what the command takes for a query of no work
}

// DuckDB makes an empty database that the command of that name or path opens. The error matches exec.ErrNotFound where
// there is no such command.
func DuckDB(ctx context.Context, command string) (Database, error) {
	path, err := exec.LookPath(command)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "resolwe-peers-*")
	if err != nil {
		return nil, err
	}
	d := &duckdb{command: path, dir: dir}
	version, err := d.run(ctx, "SELECT version()")
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.name = "DuckDB " + strings.TrimPrefix(strings.TrimSpace(version), "v")
	return d, nil
}

func (d *duckdb) Name() string { return d.name }

// run carries out statements, and returns what they print.
func (d *duckdb) run(ctx context.Context, statements string) (string, error) {
	args := []string{"-csv", "-noheader", "-bail", filepath.Join(d.dir, "peers.db")}
	cmd := exec.CommandContext(ctx, d.command, args...) //nolint:gosec // the user names the command
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(statements+";\n"), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", d.command, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

func (d *duckdb) Load(ctx context.Context, tables []*relational.Table) error {
	for _, t := range tables {
		path := filepath.Join(d.dir, t.Name+".csv")
		if err := writeCSV(path, t); err != nil {
			return err
		}
		fill := "COPY " + t.Name + " FROM '" + path + "' (HEADER false)"
		if _, err := d.run(ctx, create("TABLE", t, "")+";\n"+fill); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if _, err := d.run(ctx, "ANALYZE"); err != nil {
		return err
	}
	var err error
	_, d.idle, err = d.timed(ctx, "SELECT COUNT(*) FROM "+tables[0].Name+" WHERE s < 0")
	return err
}

// writeCSV writes a table's rows.
func writeCSV(path string, t *relational.Table) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	var line []byte
	for row := range t.Rows() {
		line = line[:0]
		for i, v := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, v, 10)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// tries is how often a query is timed; the least counts, since each process reads the file anew.
const tries = 3

// timed carries out a query several times.
func (d *duckdb) timed(ctx context.Context, query string) (text string, least time.Duration, err error) {
	for i := range tries {
		start := time.Now()
		if text, err = d.run(ctx, query); err != nil {
			return "", 0, err
		}
		if took := time.Since(start); i == 0 || took < least {
			least = took
		}
	}
	return text, least, nil
}

// Count does not count the time that the command takes to start.
func (d *duckdb) Count(
	ctx context.Context, query string, limit time.Duration,
) (counts relational.Counts, took time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, tries*(limit+d.idle))
	defer cancel()
	text, took, err := d.timed(limited, query)
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return nil, limit, ErrLimit
	case err != nil:
		return nil, 0, err
	}
	for cell := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		n, err := strconv.ParseInt(cell, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", d.command, err)
		}
		counts = append(counts, n)
	}
	return counts, max(took-d.idle, 0), nil
}

func (d *duckdb) Close() error { return os.RemoveAll(d.dir) }
