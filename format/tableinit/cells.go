package tableinit

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/format/tableinit/reading"
	"resolwe/internal/isotime"
)

// oddShare is one over the share of all cells that odd ones may be in numbers or dates, boundShare the same of numbers that are bounds.
const (
	oddShare   = 100
	boundShare = 5
)

// oddity is a text in a column that some way does not read, or that may stand for no value.
type oddity struct {
	text     string
	at       mln.Position
	count    int
	unread   uint32 // bits by way
	special  uint32 // bits by way: may stand for no value
	bound    bool
	deferred bool // no way that is left reads it: the profile does not include it yet
}

// meet reads a cell that is new to the profile in all ways that are left, and returns its value as a whole number.
func (p *profile) meet(cell []byte, hash uint64) (whole int64) {
	o := oddity{bound: tablefile.IsBound(cell)}
	mayStand, left := reading.IsFar(cell), uint32(0)
	for i := range p.ways {
		w, bit := &p.ways[i], uint32(1)<<i
		if w.Failed {
			continue
		}
		left |= bit
		n, ok, special := w.Take(cell, mayStand)
		switch {
		case special:
			o.special |= bit
		case !ok:
			o.unread |= bit
		}
		switch {
		case !ok || w.Form != "":
		case w.Function == "int":
			whole = n
		case w.Function == "time":
			_, _ = p.iso.Clock(cell)
		}
	}
	if o.deferred = left != 0 && o.unread == left; !o.deferred {
		p.look(cell)
	}
	if o.unread|o.special == 0 && !o.bound || left == 0 {
		return whole
	}
	if o.text = string(cell); p.place != nil {
		o.at = p.place()
	}
	if p.odd == nil {
		p.odd = map[uint64]*oddity{}
	}
	p.odd[hash], p.lastOdd = &o, &o
	p.oddities = append(p.oddities, &o)
	if !slices.ContainsFunc(p.ways, func(w reading.Reading) bool { return !w.Failed }) {
		p.includeOdd()
	}
	return whole
}

// includeOdd includes cells that no way reads.
func (p *profile) includeOdd() {
	for _, o := range p.oddities {
		if o.deferred {
			o.deferred = false
			p.look([]byte(o.text))
			p.usual.add([]byte(o.text), &p.sketch)
			for range o.count {
				p.include(len(o.text), hashOf([]byte(o.text)), 0)
			}
		}
	}
	p.odd, p.lastOdd = nil, nil
}

// oddOf returns the cells that a way does not read, and how many there are.
func (p *profile) oddOf(way int) (odd []*oddity, cells int) {
	for _, o := range p.oddities {
		if o.unread>>way&1 != 0 {
			odd, cells = append(odd, o), cells+o.count
		}
	}
	return odd, cells
}

// readable reports whether a way reads all cells but for a few odd ones.
func (p *profile) readable(way int) bool {
	_, cells := p.oddOf(way)
	return !p.ways[way].Failed && oddShare*cells <= p.filled
}

// forgive makes cells that some ways do not read, or that stand for no value, empty.
func (c *column) forgive(odd []*oddity) {
	for _, o := range odd {
		if c.filled -= o.count; !o.deferred {
			c.length -= int64(o.count * len(o.text))
			delete(c.values, hashOf([]byte(o.text)))
		}
		for i := range c.ways {
			if o.unread>>i&1 != 0 {
				c.ways[i].Odd--
			}
		}
		c.empty(o)
		c.blanks = append(c.blanks, o)
		c.forgiven += o.count
	}
	c.oddities = slices.DeleteFunc(c.oddities, func(o *oddity) bool { return slices.Contains(odd, o) })
}

// empty notes a text that is read as an empty cell.
func (c *column) empty(o *oddity) {
	if c.nulls == nil {
		c.nulls = map[string]*oddity{}
	}
	c.nulls[o.text] = o
}

// settleOdd makes a column one of numbers or dates whose cells are that but for a few odd ones, which are empty. Columns that name things
// may name a few in another way.
func (c *column) settleOdd() {
	best, fewest := -1, 0
	for i := range c.ways {
		w := &c.ways[i]
		_, cells := c.oddOf(i)
		if form, _ := table.ParseNumberForm(w.Form); form.Bound && c.bounds()*boundShare > c.filled {
			w.Failed = true
		}
		if c.readable(i) && (w.Function == "time" || cells == 0 || !c.named && !c.asked) && w.Seen > 0 && (best < 0 || cells < fewest) {
			best, fewest = i, cells
		}
	}
	if best >= 0 && fewest > 0 {
		odd, _ := c.oddOf(best)
		c.forgive(odd)
	}
	if best >= 0 {
		c.first = c.ways[best].First
	}
	c.includeOdd()
}

// bounds returns how many cells are bounds.
func (p *profile) bounds() (cells int) {
	for _, o := range p.oddities {
		if o.bound {
			cells += o.count
		}
	}
	return cells
}

// settleSentinels makes cells of the values empty that stand for none in the numbers or dates of a column.
func (c *column) settleSentinels() {
	function := c.function
	if function == "date" {
		function = "time"
	}
	way := slices.IndexFunc(c.ways, func(w reading.Reading) bool {
		return w.Function == function && w.Form == c.form && !w.Failed && w.Odd == 0
	})
	var stand []*oddity
	if way >= 0 && !c.named && !c.asked && !c.keeps && len(c.parts) == 0 {
		for _, o := range c.oddities {
			if o.special>>way&1 != 0 && c.isSentinel(&c.ways[way], o) {
				stand = append(stand, o)
				c.sentinels = append(c.sentinels, o.text)
			}
		}
	}
	c.forgive(stand)
	for i := range c.ways {
		for _, o := range c.oddities {
			if n, ok := c.ways[i].Read([]byte(o.text)); ok && o.special>>i&1 != 0 {
				c.ways[i].Widen(n)
			}
		}
	}
}

// tellOdd tells of cells that make a column one of texts, and of bounds.
func (c *column) tellOdd() {
	if c.kind == kindCategory || c.kind == kindText {
		if why, dates := c.lost(); why != "" {
			c.why += "; " + why
			c.lostTime = dates
		}
	}
	if form, _ := table.ParseNumberForm(c.form); form.Bound {
		c.why += fmt.Sprintf("; %d bounds are read as their numbers", c.bounds())
	}
}

// lost tells which cells make a column one of texts that would be one of numbers or dates without them, and whether of dates; "" if none do.
func (c *column) lost() (why string, dates bool) {
	best := -1
	for i := range c.ways {
		w := &c.ways[i]
		_, cells := c.oddOf(i)
		mostly := w.Failed && w.Seen >= 4*w.Odd || !w.Failed && w.Odd > 0 && 5*cells <= c.filled
		if mostly && (best < 0 || w.Seen > c.ways[best].Seen) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	odd, _ := c.oddOf(best)
	dates = c.ways[best].Function == "time"
	return "but for these it would hold " + map[bool]string{true: "dates", false: "numbers"}[dates] + ": " + c.oddText(odd), dates
}

// isSentinel reports whether a value stands for none: a date ten years from all others; -1 or -9 among numbers from 1 or 0 on; or a number of
// nines, more frequent than others, that is farther from all others than these are from each other.
func (c *column) isSentinel(w *reading.Reading, o *oddity) bool {
	n, _ := w.Read([]byte(o.text))
	span := w.Hi - w.Lo
	if w.Function == "time" {
		const far = 3653 * isotime.SecondsOfDay
		return w.Seen > 1 && (n > w.Hi+far || n < w.Lo-far)
	}
	const few = 5
	switch {
	case w.Seen < few || o.count < 2:
		return false
	case n < 0 && w.Lo >= 0:
		return w.Lo > 0 || n < -1 || w.Function == "float"
	case n > -99 && n < 0:
		return false
	}
	often := float64(o.count) > 2*float64(c.filled)/c.distinct()
	return often && (n > w.Hi+span || n < w.Lo-span)
}

// withoutNulls returns the cells with possible nulls emptied, and counts these.
func (t *tabular) withoutNulls(cells, dst [][]byte) [][]byte {
	dst = append(dst[:0], cells...)
	for i, c := range t.columns {
		if i < len(dst) && (reading.IsNull(dst[i]) || t.isGivenNull(string(dst[i]))) {
			o := c.nulls[string(dst[i])]
			if o == nil {
				o = &oddity{text: string(dst[i]), at: t.place(i)}
				c.empty(o)
			}
			o.count++
			dst[i] = nil
		}
	}
	return dst
}

func (t *tabular) isGivenNull(text string) bool {
	return t.given != nil && slices.Contains(t.given.Nulls, text)
}

// settleNulls determines which texts of a table are empty cells, or of a column. The others return to their columns.
func (t *tabular) settleNulls() {
	found := map[string]bool{}
	for _, c := range t.columns {
		for text := range c.nulls {
			if reading.IsMark(text) || t.isGivenNull(text) || (text == "NA" || text == "None") && c.isReadable() {
				found[text] = true
			}
		}
	}
	t.spec.Nulls = slices.Sorted(maps.Keys(found))
	for _, c := range t.columns {
		readable := c.isReadable()
		for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
			switch {
			case found[text]:
				continue
			case readable:
				c.blanks = append(c.blanks, c.nulls[text])
				continue
			}
			n := c.nulls[text].count
			c.rows -= n
			for range n {
				c.add([]byte(text))
			}
			delete(c.nulls, text)
		}
	}
}

// isReadable reports whether a column holds numbers or dates, but for a few cells.
func (c *column) isReadable() bool {
	for i := range c.ways {
		if c.readable(i) {
			return true
		}
	}
	return false
}

// nullsOf returns the texts that are empty cells in a column alone.
func (c *column) nullsOf() (texts []string) {
	for _, o := range c.blanks {
		texts = append(texts, o.text)
	}
	slices.Sort(texts)
	return texts
}

// shownOdd is how many odd cells are told of.
const shownOdd = 5

// oddText tells of odd cells, and where they first are.
func (c *column) oddText(odd []*oddity) string {
	var out []string
	for _, o := range odd[:min(len(odd), shownOdd)] {
		text := fmt.Sprintf("%s: %d", strconv.Quote(clip(o.text)), o.count)
		if o.at.Line > 0 {
			text += ", first in "
			if len(c.table.paths) > 1 {
				text += filepath.Base(o.at.File) + " "
			}
			text += cmp.Or(map[bool]string{true: "row "}[o.at.Column == 0], "line ") + itoa(o.at.Line)
		}
		out = append(out, text)
	}
	if len(odd) > shownOdd {
		out = append(out, "and more")
	}
	return strings.Join(out, ", ")
}

// emptiness describes how many cells of a column are empty, and how they are written.
func (c *column) emptiness() string {
	n := c.rows - c.filled
	if n == 0 || c.filled == 0 {
		return ""
	}
	var texts []string
	for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
		o := c.nulls[text]
		if slices.Contains(c.blanks, o) {
			texts = append(texts, c.oddText([]*oddity{o}))
			continue
		}
		texts = append(texts, fmt.Sprintf("%s: %d", text, o.count))
	}
	out := fmt.Sprintf("; %d cells are empty", n)
	if len(texts) > 0 {
		out += " (" + strings.Join(texts, ", ") + ")"
	}
	if len(c.sentinels) > 0 {
		out += "; " + strings.Join(c.sentinels, " and ") + " stand for no value: --keep-sentinel " + quoted(c.table.name+"."+c.title()) + " keeps them"
	}
	return out
}
