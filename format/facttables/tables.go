package facttables

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/tablefile"
	"resolwe/internal/input"
	"resolwe/internal/printable"
)

// special is a column that is no argument.
type special int

// The columns that are no arguments.
const (
	columnSubgraph special = iota
	columnTruth
	columnCenter
	columnFold
	columnTime
	columnPosition
	columnType
	columnEntity
	specials
)

// String returns the column's name.
func (s special) String() string {
	return [...]string{"subgraph", "truth", "center", "fold", "time", "position", "type", "entity"}[s]
}

// The tables that are no predicate's.
const (
	subgraphs = "subgraphs"
	entities  = "entities"
)

var endings = []string{".parquet", ".csv", ".tsv", ".jsonl", ".ndjson"}

// Error is a table that cannot be read as facts, or a stream that cannot be written as tables.
type Error struct {
	Pos     mln.Position // of a cell: a line and column of a text, a row and column 0 of a Parquet file; Line is 0 for the whole file
	Column  string       // "" for a row, or the whole file
	Message string
}

// Error says where the fault is, what it is, and what to do.
func (e *Error) Error() string {
	where := tablefile.Place(e.Pos)
	if e.Column != "" {
		where += ": column " + strconv.Quote(printable.Clip(e.Column, clipped))
	}
	return where + ": " + e.Message
}

// IsUsage reports true.
func (*Error) IsUsage() bool { return true }

// clipped is how many bytes of a name a message gives.
const clipped = 60

func clip(name string) string { return strconv.Quote(printable.Clip(name, clipped)) }

// title returns the name of a table that is no predicate's.
func title(schema *mln.Schema, name string) string {
	if schema.Predicate(name) >= 0 {
		return "@" + name
	}
	return name
}

// isTable reports whether a file's name has the ending of a table.
func isTable(name string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(strings.TrimSuffix(name, input.Packing(name)))))
}

// file is a part of a table.
type file struct {
	path, name string // to open it, and from the folder on, with slashes
	table      string
}

// files returns the files of a folder that are tables, in byte order of their names.
func files(dir string) (found []file, err error) {
	err = filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		name := e.Name()
		switch hidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"); {
		case err != nil, at == dir:
			return err
		case hidden && e.IsDir():
			return filepath.SkipDir
		case hidden || e.IsDir() || !isTable(name):
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		table, _, _ := strings.Cut(rel, "/")
		table = strings.TrimSuffix(table, input.Packing(table))
		if isTable(table) {
			table = strings.TrimSuffix(table, path.Ext(table))
		}
		found = append(found, file{path: at, name: rel, table: table})
		return nil
	})
	return found, err
}

// Has reports whether a folder has a file that is a table. The error is one of listing it.
func Has(dir string) (bool, error) {
	found, err := files(dir)
	return len(found) > 0, err
}

// tables returns the position of each name of a table: those of predicates, of the entities of all types, and of subgraphs.
func tables(schema *mln.Schema) []string {
	return append(schema.PredicateNames(), title(schema, entities), title(schema, subgraphs))
}

// unknown is a file that is named like no table.
func unknown(f file, names []string) error {
	hint := lex.DidYouMean(f.table, names)
	return &Error{
		Pos:     mln.Position{File: f.path},
		Message: fmt.Sprintf("the model declares no predicate %s%s; --ignore-unknown skips such tables", clip(f.table), hint),
	}
}
