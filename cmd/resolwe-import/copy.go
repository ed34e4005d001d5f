package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
	"resolwe/cmd/internal/console"
	"resolwe/format/lex"
	"resolwe/format/subgraph"
	"resolwe/format/tableschema"
	"resolwe/format/tablewrite"
	"resolwe/internal/atomicfile"
	"resolwe/internal/printable"
	"resolwe/internal/progress"
)

// file is a table that was written.
type file struct {
	name string
	rows int64
}

// engineOf returns the engine of a database, and its data source name for the driver.
func engineOf(name string) (e engine, dsn string, err error) {
	path := strings.TrimPrefix(name, "sqlite:")
	_, missing := os.Stat(path)
	switch {
	case missing == nil:
		dsn, err = sqliteDSN(path)
		return sqliteFile, dsn, err
	case strings.HasPrefix(name, "postgres://"), strings.HasPrefix(name, "postgresql://"):
		return postgres, name, nil
	case strings.HasPrefix(name, "mysql://"), strings.HasPrefix(name, "mariadb://"), strings.Contains(name, "@tcp("), strings.Contains(name, "@unix("), strings.Contains(name, "@/"):
		dsn, err = mysqlDSN(name)
		return mariadb, dsn, err
	case strings.Contains(name, "://"):
		scheme, _, _ := strings.Cut(name, "://")
		return e, "", unknown(scheme, []string{"postgres", "mysql", "mariadb"}, "no database is called %s://: it is postgres://, mysql:// or an SQLite file", scheme)
	}
	return e, "", console.UsageError(path + ": there is no such SQLite file; other databases begin with postgres:// or mysql://")
}

// damage is an error of a database that is damaged, or none.
type damage struct{ error }

// Is reports that the input is damaged.
func (damage) Is(target error) bool { return target == subgraph.ErrCorrupt }

// Unwrap returns the error of the driver.
func (d damage) Unwrap() error { return d.error }

// classed returns an error of a driver so that its exit status is right.
func (c *cli) classed(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && (e.Code()&0xff == codes.SQLITE_CORRUPT || e.Code()&0xff == codes.SQLITE_NOTADB) {
		return damage{fmt.Errorf("%s: %w", c.Database, err)}
	}
	if e, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		return console.UsageError(e.Error())
	}
	return err
}

// unknown is the error of a name that is none of some.
func unknown(name string, among []string, format string, args ...any) error {
	return console.UsageError(fmt.Sprintf(format, args...) + lex.DidYouMean(name, among))
}

// copy copies the tables into the folder of the output, which gets all or nothing.
func (c *cli) copy(ctx context.Context, log *slog.Logger, meter progress.Options) (files []file, err error) {
	dir, err := filepath.Abs(c.Output)
	if err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, console.UsageError(c.Output + " is not empty: name a new folder")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	e, dsn, err := engineOf(c.Database)
	if err != nil {
		return nil, err
	}
	db, end, err := e.open(ctx, dsn, c.Schema)
	if err != nil {
		return nil, c.classed(err)
	}
	defer end()
	tables, err := db.find(ctx, c.Tables)
	if err != nil {
		return nil, c.classed(err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil { //nolint:gosec // as the umask says
		return nil, err
	}
	temporary, release, err := atomicfile.Claim(atomicfile.Temporary(dir), func(name string) error { return os.Mkdir(name, 0o777) }) //nolint:gosec // as the umask says
	if err != nil {
		return nil, err
	}
	defer release()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	out := &output{db: db, dir: temporary, log: log, meter: meter, names: map[string]bool{}}
	for _, t := range tables {
		f, err := out.table(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, c.classed(err))
		}
		files = append(files, f...)
	}
	if err := out.declare(); err != nil {
		return nil, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) { // empty
		return nil, err
	}
	return files, os.Rename(temporary, dir)
}

// output is a folder that is being written.
type output struct {
	db     *database
	dir    string
	log    *slog.Logger
	meter  progress.Options
	names  map[string]bool // of files, in lower case
	tables []*table
	schema tableschema.Schema
}

// table copies a table, unless no column of it is read.
func (o *output) table(ctx context.Context, t *table) ([]file, error) {
	columns := slices.DeleteFunc(slices.Clone(t.columns), func(c *column) bool {
		left := c.kind == binary && !t.isKey(c.name)
		if left {
			o.log.Warn(fmt.Sprintf("%s.%s holds bytes: it is left out", t.name, c.name))
		}
		return left
	})
	if len(columns) == 0 {
		o.log.Warn(t.name + " is left out: it has no columns that are read")
		return nil, nil
	}
	f := file{name: o.fileName(t.name)}
	written := make([]tablewrite.Column, len(columns))
	declared := &tableschema.Table{Name: tableschema.Name{Text: t.name}, File: f.name, Comment: t.comment}
	for i, c := range columns {
		written[i] = tablewrite.Column{Name: c.name, Kind: kinds[c.kind].written}
		declared.Columns = append(declared.Columns, &tableschema.Column{Name: tableschema.Name{Text: c.name}, Type: c.declared, Nullable: c.nullable, Comment: c.comment})
	}
	err := o.create(f.name, func(w io.Writer) error {
		table, err := tablewrite.NewWriter(w, tablewrite.Parquet, written)
		if err != nil {
			return err
		}
		if f.rows, err = o.rows(ctx, t, columns, table); err != nil {
			return err
		}
		return table.Close()
	})
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		for _, what := range []string{noDate, noText} {
			if n := c.odd[what]; n > 0 {
				o.log.Warn(fmt.Sprintf("%s.%s: %s %s", t.name, c.name, printable.Count(n, "value"), what))
			}
		}
	}
	o.tables = append(o.tables, t)
	o.schema.Tables = append(o.schema.Tables, declared)
	return []file{f}, nil
}

// rows copies the rows of a table.
func (o *output) rows(ctx context.Context, t *table, columns []*column, to *tablewrite.Writer) (n int64, err error) {
	meter := progress.New(o.meter, "read "+t.name, "rows", -1)
	defer meter.Close()
	statement, err := o.db.conn.PrepareContext(ctx, o.db.rows(t, columns)) // MySQL then writes numbers as they are
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	rows, err := statement.QueryContext(ctx)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	cells, values, scanned := make([]tablewrite.Cell, len(columns)), make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		scanned[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(scanned...); err != nil {
			return n, err
		}
		n++
		for i, c := range columns {
			if cells[i], err = c.cell(values[i]); err != nil {
				return n, fmt.Errorf("row %d, column %s: %w", n, c.name, err)
			}
		}
		if err := to.Row(cells); err != nil {
			return n, err
		}
		meter.Add(1)
	}
	return n, rows.Err()
}

// create writes a file of the folder.
func (o *output) create(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(o.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) //nolint:gosec // as the umask says
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// fileName returns a name for the file of a table that no other has, on file systems that ignore case either.
func (o *output) fileName(table string) string {
	base := strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(table, "_"))
	if base = strings.TrimSpace(base); strings.HasPrefix(base, ".") {
		base = "_" + base[1:]
	}
	const most = 200 // bytes, of 255
	for base = cmp.Or(base, "_"); len(base) > most; {
		runes := []rune(base)
		base = string(runes[:len(runes)-1])
	}
	name := base + ".parquet"
	for i := 2; o.names[strings.ToLower(name)]; i++ {
		name = base + "~" + strconv.Itoa(i) + ".parquet"
	}
	o.names[strings.ToLower(name)] = true
	return name
}

// declare writes schema.json.
func (o *output) declare() error {
	for i, t := range o.tables {
		declared := o.schema.Tables[i]
		declared.PrimaryKey = tableschema.Names(t.primary...)
		for _, key := range t.unique {
			declared.UniqueKeys = append(declared.UniqueKeys, tableschema.Names(key...))
		}
		for _, f := range t.foreign {
			parent, references := o.parent(f)
			if parent == "" {
				o.log.Warn(fmt.Sprintf("the reference of %s to %s is left out: that table is not imported", t.name, f.table))
				continue
			}
			declared.ForeignKeys = append(declared.ForeignKeys, tableschema.ForeignKey{
				Columns: tableschema.Names(f.columns...), Table: tableschema.Name{Text: parent}, References: tableschema.Names(references...),
			})
		}
	}
	return o.create(tableschema.File, o.schema.Write)
}

// spelled returns the name of a column that may be spelled in another case.
func (t *table) spelled(name string) string {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(t.columns, func(c *column) bool { return same(c.name, name) }); i >= 0 {
			return t.columns[i].name
		}
	}
	return ""
}

// parent finds the table and the columns of a foreign key, which may be spelled in another case; "" if it is not imported.
func (o *output) parent(f foreign) (name string, references []string) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, t := range o.tables {
			if !same(t.name, f.table) || f.schema != o.db.in {
				continue
			}
			references = t.primary
			if f.references[0] != "" {
				references = nil
				for _, r := range f.references {
					references = append(references, t.spelled(r))
				}
			}
			if len(references) != len(f.columns) || slices.Contains(references, "") {
				return "", nil
			}
			return t.name, references
		}
	}
	return "", nil
}
