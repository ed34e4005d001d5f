package tableinit

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"resolwe/format/tablefile"
)

// enough is the certainty that containment requires, in nats.
const enough = 12

// Fractions of a column's distinct values that another column must contain: if their names agree, if they do not, and if the columns share
// much.
const (
	someOf  = .5
	allOf   = .99
	overlap = .1
)

// manyMore is how many times as many keys as a few numbers there are if these are values rather than keys.
const manyMore = 10

// findReference returns the key to which a column refers, nil for none, and records the reason.
func (d *draft) findReference(c *column) *column {
	isKey := c == c.table.key
	if !c.mayRefer() || isKey && c.own() {
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
		s, reason := d.refersTo(c, t.key)
		if isKey && s < 2 { // between two keys, only the names show which refers to the other
			continue
		}
		if s > score || s > 0 && s == score && t.key.own() && !best.own() {
			best, score, why = t.key, s, reason
		}
	}
	if best != nil {
		c.why = why
	}
	return best
}

// mayRefer reports whether a column could refer to a key.
func (c *column) mayRefer() bool { return c.nameable() && c.as != asCategory && c.rows > 0 }

// refersTo returns the evidence that a column refers to a key, and the reason.
func (d *draft) refersTo(c, key *column) (float64, string) {
	within, alike := c.within(&key.sketch), c.alike(key)
	part := percent(within) + " of its values are in " + key.table.name + "." + key.title()
	if !c.named && !c.isText() && c.few(fewValues) && key.distinct() > manyMore*c.distinct() { // a grade from 1 to 5, beside a table of grades
		alike = 0
	}
	least := someOf
	switch {
	case key.table == c.table:
		least = allOf
	case c.named || c.isText() && certainty(within*c.distinct()) >= enough: // the key's table may lack many
		least = overlap
	}
	switch {
	case alike > 0 && within >= least:
		return alike + within, "it is called so, and " + part
	case within >= allOf && c.isLike(key) && c.surprise(&key.sketch, c.lo) >= enough:
		return within, part + ", which is unlikely by chance"
	case (within >= allOf || within >= someOf && c.isText()) && d.plays(c) && c.surprise(&key.sketch, 0) >= enough:
		return within, "it is one of several roles, and " + part
	}
	return 0, ""
}

// alike returns how much a column's name is that of a key. In the key's own table, it must say that it names another row: rating, in ratings,
// is a value.
func (c *column) alike(key *column) float64 {
	stem, _ := stemOf(c.words)
	keyStem, _ := stemOf(key.words)
	target := key.table.stem()
	sameTable := key.table == c.table
	switch {
	case sameTable && !c.named && !hasWord(c.words, upward):
		return 0
	case slices.Equal(stem, target) || len(keyStem) > 0 && slices.Equal(c.words, key.words):
		return 3
	case endsWith(stem, target) || len(keyStem) > 0 && endsWith(stem, keyStem):
		return 2
	case sameTable && hasWord(c.words, upward):
		return 2.5
	}
	return 0
}

// plays reports whether a column seems to hold things in one of several roles, as winner_id beside loser_id: it is named as an id or a role but
// as no key, and so is another column of its table, which has much the same values; or it is named as both.
func (d *draft) plays(c *column) bool {
	mayPlay := func(c *column) bool {
		return c.nameable() && (c.named || c.isRole()) && !slices.ContainsFunc(d.tables, func(t *tabular) bool {
			return t.key != nil && c.alike(t.key) > 0
		})
	}
	return mayPlay(c) && (c.named && c.isRole() || slices.ContainsFunc(c.table.columns, func(twin *column) bool {
		return twin.position != c.position && twin.isText() == c.isText() && mayPlay(twin) && c.mutual(twin) >= someOf
	}))
}

// isRole reports whether a column is named after the role that its things play.
func (c *column) isRole() bool {
	stem, _ := stemOf(c.words)
	return len(stem) > 0 && slices.Contains(roleNames, stem[len(stem)-1])
}

// isTwin reports whether a column holds the same things as another, of which neither need have all. Few texts must be the same in both.
func (c *column) isTwin(other *column) bool {
	mutual, sameTable := c.mutual(other), c.table == other.table
	sure := certainty(mutual * min(c.distinct(), other.distinct()))
	if mutual >= allOf {
		sure *= 2
	}
	switch {
	case mutual < someOf || c.isText() != other.isText():
		return false
	case c.isText():
		return sure >= enough && (sameTable || c.named && other.named)
	}
	return sameTable && c.named && other.named && c.isRole() && other.isRole()
}

// mutual returns the lesser of the fractions of two columns' values that the other has too.
func (c *column) mutual(other *column) float64 {
	return min(c.within(&other.sketch), other.within(&c.sketch))
}

// isLike reports whether a column may name the same things as another, by its name or because it is not of whole numbers, which alone may
// mean anything.
func (c *column) isLike(other *column) bool {
	return c.isText() || c.named || hasWord(c.words, other.words) || hasWord(c.words, other.table.stem())
}

// isText reports whether a column does not hold whole numbers.
func (c *column) isText() bool { return c.function != "int" }

// certainty returns how unlikely it is, in nats, that two columns have as many texts in common by chance.
func certainty(common float64) float64 { return float64(4 * math.Sqrt(common)) }

// surprise returns how unlikely it is, in nats, that the values of a column occur in another by chance. For whole numbers it depends on the
// other's density from a number to the column's largest.
func (c *column) surprise(other *sketch, from int64) float64 {
	if c.isText() {
		return certainty(c.distinct() * c.within(other))
	}
	d := other.density(min(from, c.lo), c.hi)
	if d <= 0 {
		return 0
	}
	return float64(c.distinct() * (1 - d)) // at most -log d of each
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
	case c.isTwin(other):
		return "another role of what " + other.title() + " of " + other.table.name + " holds, with " + percent(most) + " of the values in common"
	case within >= allOf && c.surprise(&other.sketch, c.lo) >= enough && (c.asked || c.isLike(other)) && (other.named || other.asked):
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

func percent(x float64) string {
	if p := math.Floor(x * 1000); p < 995 {
		return fmt.Sprintf("%.0f%%", math.Floor(x*100))
	} else if p < 1000 {
		return "over 99%"
	}
	return "all"
}

// spelling has the usual spelling of a column's cells while all are whole numbers, some of which are written with zeros around them, as 8.0 or
// 00012.
type spelling struct {
	values *sketch // nil until one is
	failed bool    // some cell is not a whole number
	lo, hi int64
	name   []byte
}

// add adds a cell, before it is added to the sketch of cells.
func (s *spelling) add(cell []byte, cells *sketch) {
	if s.failed {
		return
	}
	name, ok := tablefile.AppendWhole(s.name[:0], cell)
	n, err := strconv.ParseInt(string(name), 10, 64)
	s.name = name
	if s.failed = !ok || err != nil; s.failed {
		s.values = nil
		return
	}
	if s.lo, s.hi = min(s.lo, n), max(s.hi, n); len(cells.values) == 0 {
		s.lo, s.hi = n, n
	}
	if s.values == nil && !bytes.Equal(name, cell) {
		s.values = &sketch{cells.bound, maps.Clone(cells.values)}
	}
	if s.values != nil {
		s.values.add(hashOf(name), n)
	}
}

// respelling describes how the cells of a column differ from what they name.
func (c *column) respelling() string {
	if name, _ := tablefile.AppendWhole(nil, []byte(c.first)); c.respelled && string(name) != c.first {
		return fmt.Sprintf("; %s is %s", clip(c.first), name)
	}
	return ""
}
