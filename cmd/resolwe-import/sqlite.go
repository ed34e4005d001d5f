package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

var sqliteFile = engine{
	driver:  "sqlite",
	begin:   []string{"BEGIN"}, // the first query determines the snapshot
	schema:  "SELECT 'main'",
	tables:  `SELECT name, type <> 'table', '' FROM pragma_table_list WHERE schema = ?1 AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`,
	columns: `SELECT name, type, NOT "notnull" AND pk = 0, '' FROM pragma_table_xinfo(?2, ?1) WHERE hidden <> 1 ORDER BY cid`,
	keys: `SELECT kind, key, name, ?1, parent, reference FROM (
			SELECT 'p' AS kind, '' AS key, pk AS place, name, '' AS parent, '' AS reference FROM pragma_table_info(?2, ?1) WHERE pk > 0
			UNION ALL SELECT 'u', l.name, i.seqno, i.name, '', '' FROM pragma_index_list(?2, ?1) l JOIN pragma_index_info(l.name, ?1) i WHERE l.origin = 'u'
			UNION ALL SELECT 'f', printf('%08d', id), seq, "from", "table", coalesce("to", '') FROM pragma_foreign_key_list(?2, ?1)
		) ORDER BY kind, key, place`,
	quote:    doubled(`"`),
	bytewise: "%s COLLATE BINARY",
	classify: func(c *column, typ string) {
		c.value = "+" + c.value // without the type, by which the driver would change values
		has := func(parts ...string) bool {
			return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(typ, p) })
		}
		switch { // until its values are known; so does SQLite itself
		case has("bool"):
			c.as(truth)
		case has("int"):
			c.as(whole)
		case has("char", "clob", "text"):
			c.as(text)
		case has("real", "floa", "doub"): //nolint:misspell // of double, as SQLite reads it
			c.as(float)
		case typ == "date":
			c.as(day)
		case has("date", "timestamp"):
			c.as(local)
		case has("dec", "num"):
			_, digits, _ := strings.Cut(typ, "(")
			_, scale, _ := strings.Cut(strings.TrimSuffix(digits, ")"), ",")
			c.scale, _ = strconv.Atoi(strings.TrimSpace(scale))
			c.scale = min(max(c.scale, 0), 30)
			c.as(numeric(digits))
		case has("blob"):
			c.as(binary)
		default:
			c.as(text)
		}
	},
	settle: settleSQLite,
}

// settleSQLite finds out what columns hold, since their types bind no value.
func settleSQLite(ctx context.Context, db *database, t *table) error {
	asked := make([]string, 0, len(t.columns))
	for _, c := range t.columns {
		asked = append(asked, fmt.Sprintf("ifnull(group_concat(DISTINCT typeof(%[1]s)), '') || ',' || ifnull(min(%[1]s IN (0, 1)), 1)", c.order))
	}
	return db.each(ctx, "SELECT "+strings.Join(asked, ", ")+" FROM "+db.from(t), nil, len(asked), func(cells []string) {
		for i, c := range t.columns {
			last := strings.LastIndexByte(cells[i], ',')
			types := strings.Split(cells[i][:last], ",")
			types = slices.DeleteFunc(types, func(t string) bool { return t == "null" || t == "" })
			c.settle(types, isTrue(cells[i][last+1:]))
		}
	})
}

// settle sets how a column is read whose values have some types; bits tells whether all are 0 or 1.
func (c *column) settle(types []string, bits bool) {
	typed := c.declared
	switch {
	case len(types) == 0:
	case slices.Contains(types, "blob"):
		c.as(binary)
	case slices.Contains(types, "text"):
		isTime := c.kind == day || c.kind == local
		if c.as(text); isTime {
			c.declared = typed
		}
	case c.kind == truth && bits, c.kind == decimal:
	case !slices.Contains(types, "real"):
		c.as(whole)
	default:
		c.as(float)
	}
}

// sqliteDSN names a file for the driver.
func sqliteDSN(path string) (string, error) {
	path, err := filepath.Abs(path)
	u := url.URL{Path: filepath.ToSlash(path)}
	return "file:" + u.EscapedPath() + "?mode=ro", err
}
