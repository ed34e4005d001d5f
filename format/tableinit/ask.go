package tableinit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/internal/printable"
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

func (d *draft) tableNames() []string {
	names := make([]string, len(d.tables))
	for i, t := range d.tables {
		names[i] = t.name
	}
	return names
}

func (d *draft) findTable(name, what string) (*tabular, error) {
	t := d.table(name)
	if t == nil {
		return nil, usage("%s: there is no table %q%s; the folder has: %s", what, name, hint(name, d.tableNames()), list(d.tableNames()))
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

// Proposal is a task that a folder of tables may pose.
type Proposal struct {
	Center, Target, Yes string // as in [Options]
	What                string // what is predicted, in words
	Rows                int    // of the target's table that say something
	True                int    // of these that are true; all of pairs
	rank                int
}

// Propose reads a folder of tables, and lists what may be predicted: first what tables of dated labels say, then other columns of two values, then
// pairs. Of the options, Zone, As and Read count. It returns errors as [Infer] does.
func Propose(ctx context.Context, dir string, opt *Options) ([]Proposal, error) {
	d := &draft{names: registry{}, typeNames: registry{}}
	out, err := d.propose(ctx, dir, opt)
	if err := d.reader.Check(err); err != nil {
		return nil, err
	}
	return out, nil
}

func (d *draft) propose(ctx context.Context, dir string, opt *Options) (out []Proposal, err error) {
	if err := d.open(ctx, dir, opt); err != nil {
		return nil, err
	}
	if err := d.overrule(opt.As); err != nil {
		return nil, err
	}
	d.judge()
	for _, t := range d.tables {
		out = append(out, d.labelsIn(t)...)
		out = append(out, t.pairs()...)
	}
	slices.SortStableFunc(out, func(a, b Proposal) int { return cmp.Compare(a.rank, b.rank) })
	return out, d.err
}

// Ranks of proposals.
const (
	rankDated = iota // labels of a day
	rankLabel
	rankTexts // of two values
	rankPairs
)

// labelsIn proposes the columns of a table that have two values.
func (d *draft) labelsIn(t *tabular) (out []Proposal) {
	who, day := t.described()
	if who == nil {
		return nil
	}
	for _, c := range t.columns {
		if !c.mayLabel() || c == who {
			continue
		}
		rows := d.texts(c)
		p := Proposal{Center: t.name + "." + who.title(), Target: fmt.Sprintf("%s(%s, %s)", t.name, who.title(), c.title()), rank: rankLabel}
		p.What = clip(c.title()) + " of " + article(who.typ.name)
		if yes, _, ok := c.bools(); ok {
			p.True = rows[yes]
		} else {
			p.Yes = slices.MinFunc(slices.Sorted(maps.Keys(rows)), func(a, b string) int { return cmp.Compare(rows[a], rows[b]) })
			p.True, p.rank = rows[p.Yes], rankTexts
			p.What += ", whether " + clip(p.Yes)
		}
		for _, n := range rows {
			p.Rows += n
		}
		if day != nil && (who != t.key || !who.isReferred()) {
			p.Center, p.rank = t.name+"."+day.title(), p.rank-rankLabel
			p.What += ", as of " + clip(day.title())
		}
		out = append(out, p)
	}
	return out
}

// described returns what the rows of a table say something about: things to which they refer, or the rows if others refer to these; and of
// which day, nil for none.
func (t *tabular) described() (who, day *column) {
	who = t.key
	for _, c := range t.columns {
		switch {
		case c.kind == kindTime && day == nil && !hasWord(c.words, birth):
			day = c
		case c.refers != nil && (who == nil || who == t.key && !who.isReferred()):
			who = c
		}
	}
	return who, day
}

// mayLabel reports whether a column has two values, and names nothing else.
func (c *column) mayLabel() bool {
	isTexts := c.few(2) && len(c.values) == 2 && c.filled > fewValues
	return len(c.parts) == 0 && (c.kind == kindBool || isTexts && c.refers == nil && (c.kind == kindCategory || c.kind == kindEntity))
}

// isReferred reports whether other columns refer to a key.
func (c *column) isReferred() bool { return c.typ != nil && len(c.typ.columns) > 1 }

// pairs proposes the pairs of things that the rows of a table are about, of rows that others refer to only those that they refer to themselves.
func (t *tabular) pairs() []Proposal {
	var things []*column
	areEvents := t.key == nil || !t.key.isReferred()
	for _, c := range t.columns {
		if c != t.key && c.kind == kindEntity && (c.refers != nil || areEvents && (c.isReferred() || c.named)) {
			things = append(things, c)
		}
	}
	if len(things) < 2 {
		return nil
	}
	a, b := things[0], things[1]
	return []Proposal{{
		Center: t.name + "." + a.title(), Target: fmt.Sprintf("%s(%s, %s)", t.name, a.title(), b.title()),
		What: fmt.Sprintf("which %s has a row with %s", b.typ.name, article(a.typ.name)), Rows: t.rows, True: t.rows, rank: rankPairs,
	}}
}

// texts counts the rows of each of the first texts of a column.
func (d *draft) texts(c *column) map[string]int {
	rows := map[string]int{}
	d.pass(c.table, func(cells [][]byte) {
		if cell := c.cell(cells); len(cell) > 0 && (rows[string(cell)] > 0 || len(rows) <= mostListed) {
			rows[string(cell)]++
		}
	})
	return rows
}

// askYes makes a label of the column of the target that says what the request takes for yes. It asks which text that is of a column that has two,
// unless the column holds the centers or several things of one row each.
func (d *draft) askYes() error {
	i := 1
	if c := d.pair[1]; c == d.center || c.typ != nil && c.typ == d.center.typ && c.typ != d.pair[0].typ {
		i = 0
	}
	label, other := d.pair[i], d.pair[1-i]
	isDated := slices.ContainsFunc(label.table.columns, func(c *column) bool { return c.kind == kindTime })
	asks := label != d.center && label.kind != kindBool && label.as == "" && label.refers == nil && label.few(2) && label.filled > fewValues && (other.unique() || isDated)
	if d.yes == "" && !asks {
		return nil
	}
	var says []string
	rows := d.texts(label)
	for _, text := range slices.Sorted(maps.Keys(rows)) {
		says = append(says, fmt.Sprintf("%s in %s", clip(text), printable.Count(rows[text], "row")))
	}
	texts := slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return cmp.Or(cmp.Compare(rows[a], rows[b]), cmp.Compare(a, b)) })
	switch name := label.table.name + "." + label.title(); {
	case d.err != nil || len(texts) == 0:
		return d.err
	case d.yes == "":
		return usage("%s says %s: which of the two means yes? Add --yes %s or --yes %s; --as %s=id has them be things that each %s is paired with",
			clip(name), strings.Join(says, " and "), quoted(texts[0]), quoted(texts[1]), quoted(name), clip(other.title()))
	case rows[d.yes] == 0:
		return usage("--yes: %s never says %q; it says %s", clip(name), d.yes, list(says))
	}
	label.yes, label.kind = d.yes, kindBool
	if label.typ == nil {
		d.join(label, d.newType(nil), "")
		label.typ.name = d.typeNames.take(plainName(label.qualified(), "label"))
	}
	return nil
}
