package tableinit

import (
	"fmt"
	"math"
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

// enough is the certainty that containment requires, in nats.
const enough = 12

// Fractions of a column's distinct values that another column must contain: if their names agree, if they do not, and if the columns share
// much.
const (
	someOf  = .5
	allOf   = .99
	overlap = .1
)

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
		t.key = t.findKey()
	}
	for _, c := range d.columns() {
		c.refers = d.findReference(c)
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

// nameable reports whether the cells may name things.
func (c *column) nameable() bool {
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
	var best *column
	rank := 0
	for i, c := range t.columns {
		if len(c.parts) > 0 || c.filled != t.rows || t.rows == 0 || !c.unique() || !c.nameable() {
			continue
		}
		r := 0
		switch {
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

// findReference returns the key to which a column refers, nil for none, and records the reason.
func (d *draft) findReference(c *column) *column {
	isKey := c == c.table.key
	if !c.nameable() || c.rows == 0 || isKey && c.own() {
		return nil
	}
	var best *column
	score, why := 0.0, ""
	earlier := true
	for _, t := range d.tables {
		earlier = earlier && t != c.table
		if t.key == nil || t.key == c || isKey && !t.key.own() && !earlier { // so that keys do not refer to each other in a circle
			continue
		}
		s, reason := c.refersTo(t.key)
		if isKey && s < 2 { // between two keys, only the names show which refers to the other
			continue
		}
		if s > score {
			best, score, why = t.key, s, reason
		}
	}
	if best != nil {
		c.why = why
	}
	return best
}

// refersTo returns the evidence that a column refers to a key, and the reason.
func (c *column) refersTo(key *column) (float64, string) {
	within := c.within(&key.sketch)
	part := percent(within) + " of its values are in " + key.table.name + "." + key.title()
	stem, _ := stemOf(c.words)
	keyStem, _ := stemOf(key.words)
	target := key.table.stem()
	sameTable := key.table == c.table
	alike := 0.0
	switch {
	case slices.Equal(stem, target) || len(keyStem) > 0 && slices.Equal(c.words, key.words):
		alike = 3
	case endsWith(stem, target) || len(keyStem) > 0 && endsWith(stem, keyStem):
		alike = 2
	case sameTable && hasWord(c.words, upward):
		alike = 2.5
	}
	switch {
	case alike > 0 && within >= someOf && !(sameTable && within < allOf):
		return alike + within, "it is called so, and " + part
	case within < allOf || c.surprise(&key.sketch) < enough || !c.isLike(key):
		return 0, ""
	}
	return within, part + ", which is unlikely by chance"
}

// isLike reports whether a column may name the same things as another, by its name or because it is not of whole numbers, which alone may
// mean anything.
func (c *column) isLike(other *column) bool {
	return c.kind != kindWhole || c.named || hasWord(c.words, other.words) || hasWord(c.words, other.table.stem())
}

// surprise returns how unlikely it is, in nats, that all values of a column occur in another by chance. For whole numbers it depends on the
// other's density in the range of the column.
func (c *column) surprise(other *sketch) float64 {
	if c.kind != kindWhole {
		return 4 * math.Sqrt(c.distinct()) // texts rarely agree by chance
	}
	d := other.density(c.lo, c.hi)
	if d <= 0 {
		return 0
	}
	return float64(c.distinct() * (1 - d)) // at most -log d of each
}

// classify groups columns into types of things: columns that refer to one key, columns of one name with common values, and columns whose
// values another contains.
func (d *draft) classify() {
	var loose, numbers []*column // numbers may be names if others are
	for _, c := range d.columns() {
		switch {
		case c.refers != nil:
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
	d.leaveOutKeys()
	d.findTexts()
	d.nameTypes()
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

// typeOf returns the type of the things that a key names, or the key to which it refers itself.
func (d *draft) typeOf(key *column) *entityType {
	for key.refers != nil {
		key = key.refers
	}
	if key.typ == nil {
		d.join(key, d.newType(key), "")
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

// whySame returns what says that a column names things of another's type, "" for nothing.
func (c *column) whySame(other *column) string {
	if other.kind == kindBool || c.kind == kindBool {
		return ""
	}
	within := c.within(&other.sketch)
	most := max(within, other.within(&c.sketch))
	switch {
	case slices.Equal(c.words, other.words) && c.table != other.table && len(c.words) > 0 && most >= overlap:
		return "called as in " + other.table.name + ", with " + percent(most) + " of the values in common"
	case c.isCalledLike(other) && most >= someOf:
		return "called like " + other.title() + " of " + other.table.name + ", with " + percent(most) + " of the values in common"
	case within >= allOf && c.surprise(&other.sketch) >= enough && (c.asked || c.isLike(other)) && (other.named || other.asked):
		return percent(1) + " of its values are in " + other.table.name + "." + other.title() + ", which is unlikely by chance"
	}
	return ""
}

// isCalledLike reports whether the names of two columns agree but for words such as id.
func (c *column) isCalledLike(other *column) bool {
	stem, named := stemOf(c.words)
	otherStem, _ := stemOf(other.words)
	named = named || c.asked
	return len(stem) > 0 && slices.Equal(stem, otherStem) && (named || other.named) || named && other.named && endsWith(stem, otherStem)
}

// nameTypes names the types of things after the key's table, or by the shortest name of a column.
func (d *draft) nameTypes() {
	for _, t := range d.types {
		best, longer := "", ""
		for _, c := range t.columns {
			stem, _ := stemOf(c.words)
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
		if t.key != nil {
			best = plainName(strings.Join(t.key.table.stem(), "_"), best)
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

// qualified returns the words of a column's name after those of its table, unless they are the same.
func (c *column) qualified() string {
	if slices.Equal(c.words, c.table.stem()) {
		return strings.Join(c.words, "_")
	}
	return strings.Join(append(c.table.stem(), c.words...), "_")
}

func percent(x float64) string {
	if p := math.Floor(x * 1000); p < 995 {
		return fmt.Sprintf("%.0f%%", math.Floor(x*100))
	} else if p < 1000 {
		return "over 99%"
	}
	return "all"
}
