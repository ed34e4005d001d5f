package tableinit

import (
	"strings"

	"resolwe/format/lex"
	"resolwe/format/tableinit/reading"
)

// request is the user's request: TABLE.COLUMN and TABLE(COLUMN, COLUMN).
type request struct {
	center *column
	table  *tabular // of the target
	pair   [2]*column
	yes    string // the text that means yes, "" if nothing says so
}

// parse finds the requested columns.
func (d *draft) parse(center, target string) (r request, err error) {
	ofCenter, ofTarget := d.example()
	if !strings.Contains(center, ".") {
		return r, usage("the center is a column of a table, as in %q, not %q", ofCenter, center)
	}
	if r.center, err = d.findColumn(center, "the center"); err != nil {
		return r, err
	}
	text := strings.TrimSpace(target)
	open := strings.LastIndexByte(text, '(')
	if open < 1 || !strings.HasSuffix(text, ")") {
		return r, usage("the target is a table with two of its columns, as in %q, not %q", ofTarget, target)
	}
	if r.table, err = d.findTable(strings.TrimSpace(text[:open]), "the target"); err != nil {
		return r, err
	}
	inside := text[open+1 : len(text)-1]
	first, second, known := cutAt(inside, ',', func(a, b string) bool { return r.table.find(a) != nil && r.table.find(b) != nil })
	if !known && strings.Count(inside, ",") != 1 {
		return r, usage("the target is a table with two of its columns, as in %q, not %q", ofTarget, target)
	}
	for i, name := range []string{first, second} {
		if r.pair[i], err = r.table.column(name, "the target"); err != nil {
			return r, err
		}
	}
	if r.pair[0] == r.pair[1] {
		return r, usage("the target names column %q twice: say who, and what of", r.pair[0].title())
	}
	return r, nil
}

// cutAt splits two names at a sign that names may contain: where both names are known, else at the first sign.
func cutAt(text string, sign byte, both func(a, b string) bool) (a, b string, known bool) {
	for i := range text {
		if text[i] == sign && both(text[:i], text[i+1:]) {
			return text[:i], text[i+1:], true
		}
	}
	a, b, _ = strings.Cut(text, string(sign))
	return a, b, false
}

// findColumn finds TABLE.COLUMN; names may contain dots.
func (d *draft) findColumn(text, what string) (*column, error) {
	name, title, _ := cutAt(text, '.', func(a, b string) bool {
		t := d.table(strings.TrimSpace(a))
		return t != nil && t.find(b) != nil
	})
	t, err := d.findTable(strings.TrimSpace(name), what)
	if err != nil {
		return nil, err
	}
	return t.column(title, what)
}

// table returns a table by its name or its file's, or nil. It ignores case if that leaves one table.
func (d *draft) table(name string) *tabular {
	var near []*tabular
	for _, t := range d.tables {
		if t.name == name || t.file == name {
			return t
		}
		if strings.EqualFold(t.name, name) || strings.EqualFold(t.file, name) {
			near = append(near, t)
		}
	}
	if len(near) == 1 {
		return near[0]
	}
	return nil
}

func (d *draft) findTable(name, what string) (*tabular, error) {
	t := d.table(name)
	if t == nil {
		names := make([]string, len(d.tables))
		for i, t := range d.tables {
			names[i] = t.name
		}
		return nil, usage("%s: there is no table %q%s; the folder has: %s", what, name, hint(name, names), list(names))
	}
	switch {
	case t.problem != nil:
		return nil, t.problem
	case t.rows == 0:
		return nil, usage("%s: table %s has no rows", what, t.name)
	}
	return t, nil
}

// find returns a column by its name, ignoring case, or by its position, as in #3; nil for none.
func (t *tabular) find(name string) *column {
	name = strings.TrimSpace(name)
	if n := len(name) - 1; n > 0 && name[0] == '"' && name[n] == '"' {
		name = name[1:n]
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, c := range t.columns {
			if len(c.parts) == 0 && (same(c.header, name) || name == "#"+itoa(c.position)) && name != "" {
				return c
			}
		}
	}
	return nil
}

func (t *tabular) column(name, what string) (*column, error) {
	c := t.find(name)
	if c == nil {
		var names []string
		for _, c := range t.columns {
			if len(c.parts) == 0 {
				names = append(names, c.title())
			}
		}
		name = strings.TrimSpace(name)
		return nil, usage("%s: table %s has no column %q%s; it has: %s", what, t.name, name, hint(name, names), list(names))
	}
	if c.filled == 0 {
		return nil, usage("%s: column %s of table %s is empty", what, c.title(), t.name)
	}
	return c, nil
}

func hint(name string, names []string) string {
	if near := lex.Suggest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// mostListed is the number of names that a message lists.
const mostListed = 20

func list(names []string) string {
	short := make([]string, 0, mostListed+1)
	for _, name := range names[:min(len(names), mostListed)] {
		short = append(short, clip(name))
	}
	if len(names) > mostListed {
		short = append(short, "..")
	}
	return strings.Join(short, ", ")
}

// example returns a possible center and target of this folder.
func (d *draft) example() (center, target string) {
	for _, t := range d.tables {
		if len(t.columns) >= 2 {
			first := t.columns[0].title()
			return t.name + "." + first, t.name + "(" + first + ", " + t.columns[1].title() + ")"
		}
	}
	return "orders.customer", "orders(customer, product)"
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
			if c.as = as; !holds(c) {
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
		c.as, key.as, c.refers = asID, asID, key
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
	c.why = "as asked"
}
