package tableinit

import (
	"cmp"
	"slices"
	"strings"
)

// entityType is a type of things: the columns that name them.
type entityType struct {
	name    string
	key     *column // of the table with a row for each thing, nil if there is none
	columns []*column
	reached []string // atoms with k that mention some of the things
	team    string   // relation of the things whose own rows are included, "" if none are
}

// judge determines what each column holds, and finds keys, the columns that refer to them, and the types of things.
func (d *draft) judge() {
	for _, t := range d.tables {
		for _, c := range t.columns {
			c.settle()
			if strings.HasSuffix(c.why, ambiguousDates) {
				d.note("%s.%s: %s; the recipe reads them as %s: change that if it is wrong", t.name, c.title(), c.why, c.form)
			}
			if c.lostTime {
				d.note("%s.%s is not read as a time: %s; correct these cells, or empty them", t.name, c.title(), c.why)
			}
		}
		for _, c := range t.columns {
			if c.asked && c.kind == kindTime { // names things but is also a time
				twin := *c
				twin.asked = false
				t.columns = append(t.columns, &twin)
			}
		}
	}
	d.findCenturies()
	for _, c := range d.columns() {
		d.respell(c)
	}
	for _, t := range d.tables {
		t.key = t.findKey()
	}
	for _, c := range d.columns() {
		if c.refers == nil && c.table.declared == nil { // else as asked or declared
			c.refers = d.findReference(c)
		}
	}
	d.classify()
}

// settle determines what a column holds from its cells. A constant column is omitted unless it is requested.
func (c *column) settle() {
	if c.kind != 0 || c.why != "" { // part of a date, or unreadable
		c.kind = max(c.kind, kindEmpty)
		return
	}
	c.settleOdd()
	if c.as != "" {
		c.settleAs()
		return
	}
	c.kind, c.function, c.form, c.why = c.judge(c.words)
	c.settleSentinels()
	c.kind, c.function, c.form, c.why = c.judge(c.words)
	c.tellOdd()
	if !c.asked && c.rows > 1 && c.filled == c.rows && c.few(1) {
		c.kind, c.why = kindEmpty, "always "+clip(c.first)
	}
	if len(c.parts) == 0 {
		return
	}
	if c.invalid || c.kind != kindTime {
		c.kind, c.why = kindEmpty, "are not all dates"
		return
	}
	c.function, c.form, c.why = "date", "", "year, month and day of a date"
	for _, p := range c.parts {
		p.kind, p.why = kindPart, "part of a date"
	}
}

// respell has a column of numbers name things, whatever zeros are written around them, if it is called an id or if others, called alike, hold more
// of its values so.
func (d *draft) respell(c *column) {
	values := c.usual.values
	if values == nil || c.isTexts || c.as != "" && c.as != asID || len(c.parts) > 0 || c.kind == kindEmpty || values.distinct() < c.distinct() {
		return
	}
	isMore := c.kind == kindNumber && c.named
	for _, o := range d.columns() {
		if o.table == c.table || c.refers != o && !c.mayNameAs(o) {
			continue
		}
		other := &o.sketch
		if o.usual.values != nil {
			other = o.usual.values
		}
		isMore = isMore || !o.usual.failed && values.within(other) >= max(overlap, c.within(&o.sketch)+overlap)
	}
	if isMore {
		c.respelled, c.sketch, c.lo, c.hi = true, *values, c.usual.lo, c.usual.hi
		c.kind, c.function, c.form, c.why = kindWhole, "int", "", "whole numbers as "+clip(c.first)
	}
}

// mayNameAs reports whether two columns are called as if they named the same things.
func (c *column) mayNameAs(o *column) bool {
	return c.isCalledLike(o) || o.named && c.alike(o) > 0 || c.named && o.alike(c) > 0
}

// nameable reports whether the cells may name things.
func (c *column) nameable() bool {
	if c.as != "" {
		return c.as == asID || c.as == asCategory
	}
	if c.kind == kindWhole {
		return c.form == ""
	}
	return (c.kind == kindCategory || c.kind == kindText) && c.longest <= maxShort && !c.lines
}

// own reports whether a column is named like a row of its table: id, or customer_id in customers.
func (c *column) own() bool {
	stem, named := stemOf(c.words)
	return named && (len(stem) == 0 || slices.Equal(stem, c.table.stem()))
}

// stem returns the words of the table's name.
func (t *tabular) stem() []string { return wordsOf(t.name) }

// findKey returns the column that identifies the rows of a table.
func (t *tabular) findKey() *column {
	if t.declared != nil || t.declaredKey != nil {
		if t.declaredKey == nil || t.declaredKey.as != asID {
			return nil
		}
		return t.declaredKey
	}
	var best *column
	rank := 0
	for i, c := range t.columns {
		if len(c.parts) > 0 || c.as == asCategory || c.filled != t.rows || t.rows == 0 || !c.unique() || !c.nameable() {
			continue
		}
		r := 0
		switch {
		case c.as == asID:
			r = 4
		case c.own():
			r = 3
		case slices.Equal(c.words, t.stem()):
			r = 2
		case i == 0 && (c.named || t.rows > fewValues):
			r = 1
		}
		if r > rank {
			best, rank = c, r
		}
	}
	return best
}

// classify groups columns into types of things: columns that refer to one key, columns of one name with common values, and columns whose
// values another contains.
func (d *draft) classify() {
	var loose, numbers []*column // numbers may be names if others are
	for _, c := range d.columns() {
		switch {
		case c.refers != nil, c.shares != nil:
		case c.table.key == c:
			d.typeOf(c)
		case c.nameable() && (c.named && !c.isNumber() || c.kind == kindCategory || c.asked):
			loose = append(loose, c)
		case c.kind == kindWhole && c.nameable():
			numbers = append(numbers, c)
		case c.kind == kindBool || c.asked && c.kind != kindEmpty:
			loose = append(loose, c)
		}
	}
	for _, c := range d.columns() {
		if c.refers != nil {
			d.join(c, d.typeOf(c.refers), "")
		}
	}
	for _, c := range loose {
		if c.typ == nil && !d.place(c) {
			d.join(c, d.newType(nil), "")
		}
	}
	for _, c := range numbers {
		d.place(c)
	}
	d.joinShared()
	d.leaveOutKeys()
	d.findTexts()
	d.nameTypes()
}

// joinShared groups columns that hold the same things by declaration.
func (d *draft) joinShared() {
	for _, c := range d.columns() {
		if c.shares != nil {
			d.join(c, d.typeOf(c.shares), "")
		}
	}
}

// leaveOutKeys omits columns that only repeat the key of their table.
func (d *draft) leaveOutKeys() {
	for _, c := range d.columns() {
		key := c.table.key
		if key == nil || c == key || c.refers != nil || c.typ == nil || len(c.typ.columns) > 1 || c.asked || c.filled <= fewValues || !c.unique() {
			continue
		}
		d.types = slices.DeleteFunc(d.types, func(typ *entityType) bool { return typ == c.typ })
		c.typ, c.kind, c.why = nil, kindText, "names the rows as "+key.title()+" does"
	}
}

// mostTexts is the largest number of texts that may stand for the keys of their table.
const mostTexts = 500

// findTexts finds tables that only describe each key, as status.csv describes status 4.
func (d *draft) findTexts() {
	for _, t := range d.tables {
		if t.text = t.findText(); t.text != nil && t.text.typ == nil {
			d.join(t.text, d.newType(nil), "")
		}
	}
}

// findText returns the only column of a table beside its key, nil unless it describes that.
func (t *tabular) findText() *column {
	told := slices.DeleteFunc(slices.Clone(t.columns), func(c *column) bool { return c == t.key || c.kind == kindEmpty })
	if t.key == nil || t.rows > mostTexts || len(told) != 1 || slices.ContainsFunc(t.key.typ.columns, func(c *column) bool { return c.asked }) {
		return nil
	}
	c, references := told[0], len(t.key.typ.columns)-1
	describes := slices.Equal(c.words, t.stem()) || hasWord(c.words, describing) || references == 1 && hasWord(c.words, naming)
	isText := c.kind == kindText || c.kind == kindEntity && c.refers == nil && len(c.typ.columns) == 1
	if !describes || !isText || c.filled < t.rows || c.longest > maxShort || c.lines {
		return nil
	}
	return c
}

// isNumber reports whether a column of whole numbers is named a number without saying of what.
func (c *column) isNumber() bool {
	stem, _ := stemOf(c.words)
	return len(stem) == 0 && c.kind == kindWhole && hasWord(c.words, []string{"number", "no", "nr"})
}

// typeOf returns the type of the things that a key names, or the key to which it refers itself; or of those that a column shares with others.
func (d *draft) typeOf(key *column) *entityType {
	for key.refers != nil || key.shares != nil {
		key = cmp.Or(key.refers, key.shares)
	}
	switch {
	case key.typ != nil:
	case key == key.table.key:
		d.join(key, d.newType(key), "")
	default:
		d.join(key, d.newType(nil), "")
	}
	return key.typ
}

// newType adds a type, of the things that a key names unless it is nil.
func (d *draft) newType(key *column) *entityType {
	t := &entityType{key: key}
	d.types = append(d.types, t)
	return t
}

func (d *draft) join(c *column, t *entityType, why string) {
	if why != "" {
		c.why = why
	}
	if c.kind != kindBool {
		c.kind = kindEntity
	}
	c.typ = t
	t.columns = append(t.columns, c)
}

// place finds the type of a column that refers to no key, and reports whether it has one.
func (d *draft) place(c *column) bool {
	for _, t := range d.types {
		if t.key != nil {
			continue
		}
		for _, other := range t.columns {
			if why := c.whySame(other); why != "" {
				d.join(c, t, why)
				return true
			}
		}
	}
	return false
}

// nameTypes names the types of things after the key or its table, or by the shortest name of a column.
func (d *draft) nameTypes() {
	for _, t := range d.types {
		best, longer := t.shortest()
		if len(t.columns) > 1 && t.key == nil { // a city, of from_city and to_city
			best = plainName(strings.Join(t.commonEnd(), "_"), best)
		}
		if t.key != nil {
			best = plainName(strings.Join(t.key.thing(), "_"), best)
			if t.key.table.text != nil {
				best += "_id"
			}
		}
		if best == "" || !d.typeNames.free(best) {
			best = longer
		}
		t.name = d.typeNames.take(plainName(best, "thing"))
	}
}

// shortest returns the shortest name of a column of the type, and the shortest with the table's.
func (t *entityType) shortest() (best, longer string) {
	for _, c := range t.columns {
		stem, _ := stemOf(c.words)
		if t.key == nil && len(stem) > 0 && hasWord(c.words, numbering) && !c.asked { // birth_number is no birth
			stem = c.words
		}
		name := strings.Join(stem, "_")
		full := c.qualified()
		if plain := plainName(full, ""); longer == "" || plain != "" && len(plain) < len(longer) {
			longer = plain
		}
		if c.kind == kindBool || c.refers == nil && !c.named && t.key == nil && !c.asked {
			name = full
		}
		if plain := plainName(name, ""); plain != "" && (best == "" || len(plain) < len(best)) {
			best = plain
		}
	}
	return best, longer
}

// commonEnd returns the words with which the names of all columns end, apart from those for ids.
func (t *entityType) commonEnd() (end []string) {
	end, _ = stemOf(t.columns[0].words)
	for _, c := range t.columns[1:] {
		stem, _ := stemOf(c.words)
		for len(end) > 0 && !endsWith(stem, end) {
			end = end[1:]
		}
	}
	return end
}

// thing returns the words for what a key names: its own, as in customer_id, or those of its table, which may be longer, as customers for cust_id.
func (c *column) thing() []string {
	stem, named := stemOf(c.words)
	if own := c.table.stem(); !named || len(stem) == 0 || len(own) == 1 && len(stem) == 1 && strings.HasPrefix(own[0], stem[0]) {
		return own
	}
	return stem
}

// qualified returns the words of a column's name after those of its table, unless they are the same.
func (c *column) qualified() string {
	if slices.Equal(c.words, c.table.stem()) {
		return strings.Join(c.words, "_")
	}
	return strings.Join(append(c.table.stem(), c.words...), "_")
}
