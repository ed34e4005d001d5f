package tableinit

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/table"
	"resolwe/format/tableinit/reading"
	"resolwe/format/tableschema"
)

// readSchema reads the declarations of a folder, if it has any.
func (d *draft) readSchema(dir string) error {
	path := filepath.Join(dir, tableschema.File)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil
	}
	text, err := d.reader.Head(path, &table.Spec{Name: tableschema.File}, tableschema.MaxSize+1)
	if err == nil {
		d.schema, err = tableschema.Parse(path, text)
	}
	return err
}

// declares reports whether a table of the schema is a file's own.
func (d *draft) declares(t *tabular) bool {
	return d.schema != nil && slices.ContainsFunc(d.schema.Tables, func(s *tableschema.Table) bool { return s.Is(t.file, t.base) })
}

// matchSchema finds the tables that are declared.
func (d *draft) matchSchema() error {
	if d.schema == nil {
		return nil
	}
	for _, s := range d.schema.Tables {
		i := slices.IndexFunc(d.tables, func(t *tabular) bool { return s.Is(t.file, t.name) })
		switch {
		case i < 0:
			return d.schema.Unknown(s.Name, d.tableNames(), "there is no table %q; the folder has: %s", s.FileOrName(), list(d.tableNames()))
		case d.tables[i].declared != nil:
			return d.schema.Wrong(s.Name, "%s is declared already, as %q", d.tables[i].file, d.tables[i].declared.Name.Text)
		}
		d.tables[i].declared = s
	}
	return nil
}

// declare has declared keys and references stand.
func (d *draft) declare() error {
	if d.schema == nil {
		return nil
	}
	for _, t := range d.tables {
		if err := d.declareKey(t); err != nil {
			return err
		}
	}
	var parts [][2]*column // of composite references
	for _, t := range d.tables {
		if !t.isDescribed() {
			continue
		}
		for i := range t.declared.ForeignKeys {
			columns, keys, err := d.reference(t, &t.declared.ForeignKeys[i])
			if err != nil {
				return err
			}
			if len(keys) == 1 {
				d.refer(columns[0], keys[0])
				continue
			}
			for i, key := range keys {
				parts = append(parts, [2]*column{columns[i], key})
			}
		}
	}
	for _, p := range parts {
		if key := p[1].refers; key != nil {
			d.refer(p[0], key)
		} else {
			d.refer(p[0], p[1])
		}
	}
	return nil
}

// declareKey finds the declared key of a table, which is one column: of the primary key, else unique and referred to, else unique.
func (d *draft) declareKey(t *tabular) error {
	if !t.isDescribed() {
		return nil
	}
	keys := append([][]tableschema.Name{t.declared.PrimaryKey}, d.schema.References(t.declared)...)
	for i, key := range append(keys, t.declared.UniqueKeys...) {
		columns, err := d.declaredColumns(t, key)
		switch {
		case err != nil:
			return err
		case len(columns) != 1 || t.rows == 0 || t.declaredKey != nil || columns[0].isDated():
		case columns[0].isUnique():
			t.declaredKey = columns[0]
			columns[0].identify()
		case i == 0:
			return d.schema.Wrong(key[0], "column %s of table %s is not a primary key: some cells are empty or repeat", columns[0].title(), t.name)
		}
	}
	for _, c := range t.declared.Columns {
		if _, err := d.declaredColumns(t, []tableschema.Name{c.Name}); err != nil {
			return err
		}
	}
	return nil
}

// declaredColumns finds columns by their names.
func (d *draft) declaredColumns(t *tabular, names []tableschema.Name) (columns []*column, err error) {
	for _, name := range names {
		i := slices.IndexFunc(t.columns, func(c *column) bool { return c.title() == name.Text && len(c.parts) == 0 })
		if i < 0 {
			titles := make([]string, len(t.columns))
			for i, c := range t.columns {
				titles[i] = c.title()
			}
			return nil, d.schema.Unknown(name, titles, "table %s has no column %q; it has: %s", t.name, name.Text, list(titles))
		}
		columns = append(columns, t.columns[i])
	}
	return columns, nil
}

// reference finds the columns of a foreign key, and those to which it refers: none if they cannot be read.
func (d *draft) reference(t *tabular, f *tableschema.ForeignKey) (columns, keys []*column, err error) {
	if columns, err = d.declaredColumns(t, f.Columns); err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(d.tables, func(t *tabular) bool { return t.declared != nil && t.declared.Name.Text == f.Table.Text })
	if i < 0 {
		i = slices.IndexFunc(d.tables, func(t *tabular) bool { return t.name == f.Table.Text || t.file == f.Table.Text })
	}
	if i < 0 {
		return nil, nil, d.schema.Unknown(f.Table, d.tableNames(), "there is no table %q; the folder has: %s", f.Table.Text, list(d.tableNames()))
	}
	parent, references := d.tables[i], f.References
	if references == nil && parent.declared != nil {
		references = parent.declared.PrimaryKey
	}
	switch {
	case len(parent.columns) == 0: // it cannot be read
		return nil, nil, nil
	case len(references) != len(columns):
		return nil, nil, d.schema.Wrong(f.Table, "the primary key of %s is not declared as %d of its columns: add references", parent.name, len(columns))
	}
	keys, err = d.declaredColumns(parent, references)
	return columns, keys, err
}

// refer has a column hold the things of another: as its reference, if that is the key of its table. It notes if that cannot be.
func (d *draft) refer(c, key *column) {
	if c.filled == 0 || key.filled == 0 || c == key || cmp.Or(c.refers, c.shares) == key {
		return
	}
	why := ""
	for k := key; k != nil; k = cmp.Or(k.refers, k.shares) {
		if k == c {
			why = "they refer to each other"
		}
	}
	switch {
	case c.isDated() || key.isDated():
		why = "dates stay dates"
	case c.refers != nil || c.shares != nil:
		why = "it refers to " + clip(cmp.Or(c.refers, c.shares).table.name)
	}
	if why != "" {
		d.note("%s.%s does not refer to %s.%s, as declared: %s", clip(c.table.name), clip(c.title()), clip(key.table.name), clip(key.title()), why)
		return
	}
	c.identify()
	key.identify()
	if t := key.table; t.declared == nil && t.declaredKey == nil && key.isUnique() {
		t.declaredKey = key
	}
	if key == key.table.declaredKey {
		c.refers = key
	} else {
		c.shares = key
	}
}

// identify has a column name things, as declared.
func (c *column) identify() { c.as, c.named, c.declared = asID, true, true }

// isDescribed reports whether a table is declared and can be read.
func (t *tabular) isDescribed() bool { return t.declared != nil && t.problem == nil }

// isUnique reports whether each row has a value of its own.
func (c *column) isUnique() bool {
	return c.table.rows > 0 && c.filled == c.table.rows && c.unique()
}

// isDated reports whether a column holds dates or times, which it then does even if it is a key.
func (c *column) isDated() bool { return c.time() != nil && c.way("int") == nil }

// textWays are the ways to read cells of a column of texts: as dates, unless they are only digits.
func textWays() []reading.Reading {
	ways := slices.DeleteFunc(reading.All(), func(r reading.Reading) bool { return r.Function != "time" })
	for i := range ways {
		read := ways[i].Read
		ways[i].Read = func(cell []byte) (int64, bool) {
			if len(bytes.Trim(cell, "0123456789")) == 0 {
				return 0, false
			}
			return read(cell)
		}
	}
	return ways
}

// Kinds of columns that a request may name.
const (
	asID       = "id"
	asCategory = "category"
	asNumber   = "number"
	asDate     = "date"
	asText     = "text"
)

// overrule records what columns hold according to a request, TABLE.COLUMN=KIND or the key to which one refers, TABLE.COLUMN=TABLE.COLUMN.
func (d *draft) overrule(requests []string) error {
	for _, text := range requests {
		name, as, ok := cutAt(text, '=', func(a, b string) bool {
			_, known := asKinds[b]
			_, err := d.findColumn(a, "--as")
			return err == nil && (known || strings.Contains(b, "."))
		})
		c, err := d.findColumn(name, "--as")
		if err != nil {
			return err
		}
		if !ok {
			return usage("--as %s: there is no kind %q: it may be id, category, number, date or text, or TABLE.COLUMN, a key to which it refers", text, as)
		}
		if holds, known := asKinds[as]; known {
			if c.as, c.declared, c.refers, c.shares = as, false, nil, nil; as == asID && c.table.declared != nil && c.table.declaredKey == nil && c.isUnique() {
				c.table.declaredKey = c
			}
			if !holds(c) {
				return usage("--as: column %s of table %s cannot be read as %s: its first cell is %q", c.title(), c.table.name, article(as), clip(c.first))
			}
			continue
		}
		key, err := d.findColumn(as, "--as")
		if err != nil {
			return err
		}
		if key.table.rows == 0 || key.filled < key.table.rows || !key.unique() || key.table == c.table && key == c {
			return usage("--as: column %s of table %s is not a key: some cells are empty or repeat", key.title(), key.table.name)
		}
		c.as, key.as, c.refers, c.shares = asID, asID, key, nil
		if key.table.declared != nil {
			key.table.declaredKey = key
		}
	}
	return nil
}

// asKinds are the kinds, with what may hold them.
var asKinds = map[string]func(c *column) bool{
	asID:       func(c *column) bool { return !c.lines },
	asCategory: func(c *column) bool { return !c.lines },
	asNumber:   func(c *column) bool { return c.way("int") != nil || c.way("float") != nil },
	asDate:     func(c *column) bool { return c.time() != nil },
	asText:     func(*column) bool { return true },
}

// settleAs is settle for a column of which the request says what it holds.
func (c *column) settleAs() {
	c.kind, c.function, c.form = kindCategory, "", ""
	read := func(kind kind, function string, w *reading.Reading) {
		c.kind, c.function, c.form, c.lo, c.hi = kind, function, w.Form, w.Lo, w.Hi
	}
	whole := c.way("int")
	switch {
	case c.as == asText:
		c.kind = kindText
	case c.as == asDate && c.time().Clock:
		read(kindTime, "time", c.time())
	case c.as == asDate:
		read(kindTime, "date", c.time())
	case whole != nil && (c.as == asNumber || c.as == asID && whole.Form == "" && !c.zeros):
		read(kindWhole, "int", whole)
	case c.as == asNumber:
		read(kindNumber, "float", c.way("float"))
	}
	c.named = c.as == asID
	if c.why = "as asked"; c.declared {
		c.why = "as " + tableschema.File + " declares"
	}
}

// commented appends a comment of the schema.
func commented(text string) string {
	if text = clipLong(text); text == "" {
		return ""
	}
	return ": " + text
}
