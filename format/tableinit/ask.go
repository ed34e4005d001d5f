package tableinit

import (
	"strings"

	"resolwe/format/lex"
)

// request is what is asked for: TABLE.COLUMN, and TABLE(COLUMN, COLUMN).
type request struct {
	center *column
	table  *tabular // of the target
	pair   [2]*column
}

// parse finds the columns that are asked for.
func (d *draft) parse(center, target string) (r request, err error) {
	if r.center, err = d.findCenter(center); err != nil {
		return r, err
	}
	_, example := d.example()
	text := strings.TrimSpace(target)
	open := strings.LastIndexByte(text, '(')
	if open < 1 || !strings.HasSuffix(text, ")") {
		return r, usage("the target is a table with two of its columns, as in %q, not %q", example, target)
	}
	if r.table, err = d.findTable(strings.TrimSpace(text[:open]), "the target"); err != nil {
		return r, err
	}
	inside := text[open+1 : len(text)-1]
	names := strings.Split(inside, ",")
	if len(names) > 2 { // a comma in a name
		for i := range inside {
			if inside[i] != ',' {
				continue
			}
			if a, b := r.table.find(inside[:i]), r.table.find(inside[i+1:]); a != nil && b != nil {
				names = []string{inside[:i], inside[i+1:]}
			}
		}
	}
	if len(names) != 2 {
		return r, usage("the target is a table with two of its columns, as in %q, not %q", example, target)
	}
	for i, name := range names {
		if r.pair[i], err = r.table.column(name, "the target"); err != nil {
			return r, err
		}
	}
	if r.pair[0] == r.pair[1] {
		return r, usage("the target names column %q twice: say who, and what of", r.pair[0].title())
	}
	return r, nil
}

func (d *draft) findCenter(text string) (*column, error) {
	if !strings.Contains(text, ".") {
		example, _ := d.example()
		return nil, usage("the center is a column of a table, as in %q, not %q", example, text)
	}
	return d.findColumn(text, "the center")
}

// findColumn finds TABLE.COLUMN, in which names may have dots.
func (d *draft) findColumn(text, what string) (*column, error) {
	name, title, _ := strings.Cut(text, ".")
	for i := range text {
		if text[i] != '.' {
			continue
		}
		if t := d.table(strings.TrimSpace(text[:i])); t != nil && t.find(text[i+1:]) != nil {
			name, title = text[:i], text[i+1:]
			break
		}
	}
	t, err := d.findTable(strings.TrimSpace(name), what)
	if err != nil {
		return nil, err
	}
	return t.column(title, what)
}

// table returns a table by its name, or its file's; in other upper and lower case only where that is one table; else nil.
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

// find returns a column by its name, in any upper and lower case, or by its position as #3; nil for none.
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

// mostListed is how many names a message gives.
const mostListed = 20

func list(names []string) string {
	short := make([]string, 0, mostListed+1)
	for i, n := range names {
		if i == mostListed {
			short = append(short, "..")
			break
		}
		short = append(short, clip(n))
	}
	return strings.Join(short, ", ")
}

// example returns what a center and a target of this folder could be.
func (d *draft) example() (center, target string) {
	for _, t := range d.tables {
		if len(t.columns) >= 2 {
			first := t.columns[0].title()
			return t.name + "." + first, t.name + "(" + first + ", " + t.columns[1].title() + ")"
		}
	}
	return "orders.customer", "orders(customer, product)"
}
