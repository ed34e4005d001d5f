package export

import (
	"fmt"
	"regexp"
	"strings"
)

// Limits of the databases: the tables that SQLite joins, the columns of an index of PostgreSQL, the bytes of its names, of which it cuts
// the rest, and somewhat less than the bytes of its index entries.
const (
	maxJoin       = 64
	maxKey        = 32
	maxIdentifier = 63
	maxEntry      = 2000
)

// identifier quotes the name of a table.
func identifier(name string) string { return `"` + name + `"` }

// sqlName is what is wrong with the name of a table. Names of some beginnings are the databases' own, and PostgreSQL names the index of a
// primary key after its table.
func sqlName(name string) string {
	switch {
	case len(name) > maxIdentifier:
		return fmt.Sprintf("has more than %d bytes in its table's name, of which PostgreSQL cuts the rest", maxIdentifier)
	case reserved.MatchString(name):
		return "has a name that databases reserve: those that begin with sqlite_, pg_, duckdb_ or pragma_, or end in _pkey"
	}
	return matching(dashed, name)
}

var reserved = regexp.MustCompile(`(?i)^(sqlite|pg|duckdb|pragma)_|_pkey[0-9]*$`)

// sqlConstant is what is wrong with a constant in SQL.
func sqlConstant(name string) string {
	switch {
	case strings.ContainsAny(name, "\x00\r"):
		return "has a zero byte or a carriage return in it"
	case len(name) > maxEntry:
		return fmt.Sprintf("has more than %d bytes", maxEntry)
	}
	return ""
}

// sqlText writes a text, so that it is the same whether or not the database reads escapes: two backslashes become one in either case.
func sqlText(s string) string {
	text := "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
	if !strings.Contains(s, `\`) {
		return text
	}
	return "replace(" + text + `, '\\', substr('\\', 1, 1))`
}
