package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"resolwe/cmd/internal/console"
	"resolwe/format/tableschema"
)

// engine is what differs between databases.
type engine struct {
	driver string
	begin  []string // statements that begin to read one snapshot
	schema string   // queries the schema of the connection
	// tables queries the names, whether to read only if named, and the comments of a schema's tables.
	tables string
	// columns queries the names, types, whether nullable, and the comments of the columns of a schema's table, in order.
	columns string
	// keys queries the columns of the keys of a schema's table: the kind p, u or f, the name of the key, the column, and the schema, the table and the
	// column to which it refers; in order.
	keys     string
	quote    func(name string) string
	bytewise string // an expression that orders texts by their bytes
	// classify finds out how a column of a type is read.
	classify func(c *column, typ string)
	// settle looks at the values of a table if their types do not tell enough.
	settle func(ctx context.Context, db *database, t *table) error
}

// database is a connection that reads one snapshot.
type database struct {
	engine
	conn *sql.Conn
	in   string // the schema
}

// table is a table of the database.
type table struct {
	name    string
	comment string
	columns []*column
	primary []string
	unique  [][]string
	foreign []foreign
}

// foreign is a foreign key.
type foreign struct {
	columns       []string
	schema, table string
	references    []string // names are "" for the primary key
}

// column is a column of a table.
type column struct {
	name     string
	comment  string
	nullable bool
	kind     kind
	declared tableschema.Type
	scale    int  // decimals of numbers whose database does not write them
	wide     bool // whole numbers may have more than 63 bits
	value    string
	order    string
	odd      map[string]int // how many values are not as they should be, by what happens to them
}

// open connects and begins to read.
func (e engine) open(ctx context.Context, dsn, schema string) (*database, func(), error) {
	pool, err := sql.Open(e.driver, dsn)
	if err != nil {
		return nil, nil, console.UsageError(err.Error())
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		_ = pool.Close()
		return nil, nil, err
	}
	db := &database{engine: e, conn: conn, in: schema}
	end := func() { _, _ = conn.Close(), pool.Close() } // which ends the transaction
	if err := db.start(ctx); err != nil {
		end()
		return nil, nil, err
	}
	return db, end, nil
}

// start finds the schema and begins the transaction.
func (db *database) start(ctx context.Context) error {
	if db.in == "" {
		var in sql.NullString
		if err := db.conn.QueryRowContext(ctx, db.schema).Scan(&in); err != nil {
			return err
		}
		if db.in = in.String; db.in == "" {
			return console.UsageError("the connection is in no schema: name one with --schema, or the database as in mysql://USER@HOST/DATABASE")
		}
	}
	for _, statement := range db.begin {
		if _, err := db.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// each calls row for the rows of a query, with its values as texts.
func (db *database) each(ctx context.Context, query string, args []any, width int, row func(cells []string)) error {
	rows, err := db.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	cells, to := make([]sql.NullString, width), make([]any, width)
	for i := range cells {
		to[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		texts := make([]string, width)
		for i, c := range cells {
			texts[i] = c.String
		}
		row(texts)
	}
	return rows.Err()
}

// find describes the tables to read: those that are named, or else all base tables.
func (db *database) find(ctx context.Context, named []string) (tables []*table, err error) {
	var all []string
	err = db.each(ctx, db.tables, []any{db.in}, 3, func(cells []string) {
		all = append(all, cells[0])
		if slices.Contains(named, cells[0]) || len(named) == 0 && !isTrue(cells[1]) {
			tables = append(tables, &table{name: cells[0], comment: cells[2]})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, name := range named {
		if !slices.Contains(all, name) {
			return nil, unknown(name, all, "there is no table %q in %s", name, db.in)
		}
	}
	if len(tables) == 0 {
		return nil, console.UsageError(db.in + " has no tables: --schema names another schema")
	}
	for _, t := range tables {
		if err := db.describe(ctx, t); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return tables, nil
}

// describe finds the columns and keys of a table.
func (db *database) describe(ctx context.Context, t *table) error {
	args := []any{db.in, t.name}
	err := db.each(ctx, db.columns, args, 4, func(cells []string) {
		c := &column{name: cells[0], nullable: isTrue(cells[2]), comment: cells[3], odd: map[string]int{}}
		c.value = "t." + db.quote(c.name)
		c.order = c.value
		db.classify(c, strings.ToLower(cells[1]))
		t.columns = append(t.columns, c)
	})
	if err != nil {
		return err
	}
	last := ""
	err = db.each(ctx, db.keys, args, 6, func(cells []string) {
		key, isNew := cells[0]+cells[1], cells[0]+cells[1] != last
		last = key
		switch {
		case cells[0] == "p":
			t.primary = append(t.primary, cells[2])
		case cells[0] == "u" && isNew:
			t.unique = append(t.unique, []string{cells[2]})
		case cells[0] == "u":
			n := len(t.unique) - 1
			t.unique[n] = append(t.unique[n], cells[2])
		default:
			if isNew {
				t.foreign = append(t.foreign, foreign{schema: cells[3], table: cells[4]})
			}
			f := &t.foreign[len(t.foreign)-1]
			f.columns, f.references = append(f.columns, cells[2]), append(f.references, cells[5])
		}
	})
	slices.SortFunc(t.unique, slices.Compare)
	slices.SortFunc(t.foreign, func(a, b foreign) int { return slices.Compare(a.columns, b.columns) })
	if err != nil || db.settle == nil {
		return err
	}
	return db.settle(ctx, db, t)
}

// from names a table in a query.
func (db *database) from(t *table) string { return db.quote(db.in) + "." + db.quote(t.name) + " AS t" }

// rows queries the rows of a table in the order of its key, or else of all columns.
func (db *database) rows(t *table, columns []*column) string {
	values := make([]string, len(columns))
	orders := map[string]string{}
	names := slices.Clone(t.primary)
	for i, c := range columns {
		values[i], orders[c.name] = c.value, c.order
		if db.bytewise != "" && (c.kind == text || c.kind == local) {
			orders[c.name] = fmt.Sprintf(db.bytewise, c.order)
		}
		if len(t.primary) == 0 {
			names = append(names, c.name)
		}
	}
	for i, name := range names {
		names[i] = orders[name]
	}
	return "SELECT " + strings.Join(values, ", ") + " FROM " + db.from(t) + " ORDER BY " + strings.Join(names, ", ")
}

// isKey reports whether a column is part of a key, or of a reference.
func (t *table) isKey(name string) bool {
	return slices.Contains(t.primary, name) || slices.ContainsFunc(t.unique, func(k []string) bool { return slices.Contains(k, name) }) ||
		slices.ContainsFunc(t.foreign, func(f foreign) bool { return slices.Contains(f.columns, name) })
}

// isTrue reads a truth value in the ways in which databases write it.
func isTrue(cell string) bool { return cell == "1" || cell == "t" || cell == "true" }

// doubled quotes names by a sign, which is doubled in them.
func doubled(sign string) func(string) string {
	return func(name string) string { return sign + strings.ReplaceAll(name, sign, sign+sign) + sign }
}
