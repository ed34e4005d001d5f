package tableinit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
)

// reading is a way to read cells as values.
type reading struct {
	function, form string
	read           func([]byte) (int64, bool)
	odd            int  // how many different cells it does not read
	failed         bool // more than maxOdd
	seen           int  // how many different cells it reads, except those that may stand for no value
	first          string
	clock          bool // some value, if a time, is not midnight
	lo, hi         int64
}

// maxOdd is how many different cells a column of numbers or dates may hold that are none, oddShare is one over the share of all cells that
// they may be, boundShare the same of numbers that are bounds.
const (
	maxOdd     = 20
	oddShare   = 100
	boundShare = 5
)

// take reads a cell, unless it failed before. special says that the cell may stand for no value.
func (r *reading) take(cell []byte, mayStand bool) (n int64, ok, special bool) {
	if n, ok = r.read(cell); !ok && r.dress(cell) {
		n, ok = r.read(cell)
	}
	if !ok {
		r.odd++
		r.failed = r.odd > maxOdd
		return 0, false, false
	}
	special = mayStand
	if r.function == "time" {
		special = mayStand && len(cell) == len("99991231") || isFarDay(n) && (len(cell) == len("99991231") || len(bytes.Trim(cell, "-0123456789")) > 0 || bytes.Count(cell, []byte("-")) == 2)
	}
	if !special {
		if r.first == "" {
			r.first = string(cell)
		}
		r.widen(n)
		r.clock = r.clock || isotime.FloorDiv(n, isotime.SecondsOfDay)*isotime.SecondsOfDay != n
	}
	return n, true, special
}

func (r *reading) widen(n int64) {
	if r.seen++; r.seen == 1 {
		r.lo, r.hi = n, n
	}
	r.lo, r.hi = min(r.lo, n), max(r.hi, n)
}

// readings are all ways to read cells, those of one function in order of preference.
func readings() []reading {
	out := make([]reading, 0, 20)
	out = append(out, reading{function: "int"}, reading{function: "float"})
	for _, form := range []isotime.Form{isotime.FormISO, isotime.FormYMD, isotime.FormMDY, isotime.FormDMY, isotime.FormPeriod} {
		out = append(out, reading{function: "time", form: string(form)})
	}
	for _, function := range []string{"int", "float"} {
		for _, base := range []string{table.FormPlain, table.FormComma, table.FormPoint, table.FormSpace, table.FormApostrophe} {
			out = append(out, reading{function: function, form: base})
		}
	}
	for i := range out {
		out[i].read = tablefile.ReadValue(out[i].function, out[i].form)
	}
	return out
}

// currency matches signs and codes of currencies, percent signs too.
var currency = regexp.MustCompile(`^(?:[A-Z]{0,2}\p{Sc}|%|kr|zł|Kč|Rs|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|TRY|USD|ZAR)$`)

// dress makes a way to read numbers also read a cell with other signs around its number, if these go with those of earlier cells, and reports
// whether it does.
func (r *reading) dress(cell []byte) bool {
	form, ok := table.ParseNumberForm(r.form)
	start, end := bytes.IndexAny(cell, "0123456789"), bytes.LastIndexAny(cell, "0123456789")+1
	if !ok || end == 0 || end-start == len(cell) {
		return false
	}
	const around = "()<>=≤≥+-\u2212., \u00a0\u202f"
	prefix, suffix := strings.Trim(string(cell[:start]), around), strings.Trim(string(cell[end:]), around)
	for _, sign := range []struct {
		found string
		known *string
	}{{prefix, &form.Prefix}, {suffix, &form.Suffix}} {
		if sign.found == "" || sign.found == *sign.known {
			continue
		}
		if form.Prefix+form.Suffix != "" || !currency.MatchString(sign.found) || sign.found == "%" && r.seen > 0 {
			return false
		}
		*sign.known = sign.found
	}
	form.Account = form.Account || cell[0] == '(' || cell[len(cell)-1] == '-'
	form.Bound = form.Bound || tablefile.IsBound(cell)
	read := tablefile.ReadValue(r.function, form.String())
	if read == nil {
		return false
	}
	if _, ok = read(cell); ok {
		r.form, r.read = form.String(), read
	}
	return ok
}

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
	mayStand, left := isFar(cell), uint32(0)
	for i := range p.ways {
		w, bit := &p.ways[i], uint32(1)<<i
		if w.failed {
			continue
		}
		left |= bit
		n, ok, special := w.take(cell, mayStand)
		switch {
		case special:
			o.special |= bit
		case !ok:
			o.unread |= bit
		}
		switch {
		case !ok || w.form != "":
		case w.function == "int":
			whole = n
		case w.function == "time":
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
	if !slices.ContainsFunc(p.ways, func(w reading) bool { return !w.failed }) {
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
	return !p.ways[way].failed && oddShare*cells <= p.filled
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
				c.ways[i].odd--
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
		if form, _ := table.ParseNumberForm(w.form); form.Bound && c.bounds()*boundShare > c.filled {
			w.failed = true
		}
		if c.readable(i) && (w.function == "time" || cells == 0 || !c.named && !c.asked) && w.seen > 0 && (best < 0 || cells < fewest) {
			best, fewest = i, cells
		}
	}
	if best >= 0 && fewest > 0 {
		odd, _ := c.oddOf(best)
		c.forgive(odd)
	}
	if best >= 0 {
		c.first = c.ways[best].first
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
	way := slices.IndexFunc(c.ways, func(w reading) bool { return w.function == function && w.form == c.form && !w.failed && w.odd == 0 })
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
			if n, ok := c.ways[i].read([]byte(o.text)); ok && o.special>>i&1 != 0 {
				c.ways[i].widen(n)
			}
		}
	}
}

// lost tells which cells make a column one of texts that would be one of numbers or dates without them, and whether of dates; "" if none do.
func (c *column) lost() (why string, dates bool) {
	best := -1
	for i := range c.ways {
		w := &c.ways[i]
		_, cells := c.oddOf(i)
		mostly := w.failed && w.seen >= 4*w.odd || !w.failed && w.odd > 0 && 5*cells <= c.filled
		if mostly && (best < 0 || w.seen > c.ways[best].seen) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	odd, _ := c.oddOf(best)
	dates = c.ways[best].function == "time"
	return "but for these it would hold " + map[bool]string{true: "dates", false: "numbers"}[dates] + ": " + c.oddText(odd), dates
}

// isSentinel reports whether a value stands for none: a date ten years from all others; -1 or -9 among numbers from 1 or 0 on; or a number of
// nines, more frequent than others, that is farther from all others than these are from each other.
func (c *column) isSentinel(w *reading, o *oddity) bool {
	n, _ := w.read([]byte(o.text))
	span := w.hi - w.lo
	if w.function == "time" {
		const far = 3653 * isotime.SecondsOfDay
		return w.seen > 1 && (n > w.hi+far || n < w.lo-far)
	}
	const few = 5
	switch {
	case w.seen < few || o.count < 2:
		return false
	case n < 0 && w.lo >= 0:
		return w.lo > 0 || n < -1 || w.function == "float"
	case n > -99 && n < 0:
		return false
	}
	often := float64(o.count) > 2*float64(c.filled)/c.distinct()
	return often && (n > w.hi+span || n < w.lo-span)
}

// isFar reports whether a text is a number, or digits of a date, that often stands for no value.
func isFar(cell []byte) bool {
	at, ok := int64(0), false
	if len(cell) == len("99991231") {
		at, ok = isotime.FormYMD.ParseTime(cell)
	}
	return ok && isFarDay(at) || isFarNumber(string(cell))
}

// isFarNumber reports whether a text is a number that often stands for no value: -1, -9, 99, -99, 999 and so on.
func isFarNumber(text string) bool {
	if len(text) > 12 || len(text) < 2 {
		return false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	return strings.Trim(fraction, "0") == "" && strings.Trim(digits, "9") == "" && digits != "" || whole == "-1" && strings.Trim(fraction, "0") == ""
}

// farDays are dates that often stand for no date, besides all from farFrom on.
var (
	farDays = farDaysOf("0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31", "2100-01-01")
	farFrom = farDaysOf("2200-01-01")[0]
)

func farDaysOf(texts ...string) []int64 {
	days := make([]int64, len(texts))
	for i, text := range texts {
		days[i], _ = isotime.FormISO.ParseDay([]byte(text))
	}
	return days
}

// isFarDay reports whether a time is one of a day that often stands for no date.
func isFarDay(at int64) bool {
	day := isotime.FloorDiv(at, isotime.SecondsOfDay)
	return day >= farFrom || day*isotime.SecondsOfDay == at && slices.Contains(farDays, day)
}

// marks are texts that represent an empty cell anywhere, in any case; words are those that do so only in columns that otherwise hold numbers
// or dates: elsewhere they may be names.
var marks, words = setOf(`\n null n/a #n/a #na <na> <n/a> nan -nan +nan nat - -- --- . .. ... ? ?? (null) <null> [null] <none> n.a. n.a` +
	` #null! #value! #ref! #div/0! #name? #num! -1.#ind 1.#ind 1.#qnan -1.#qnan – —`),
	setOf("na none nil missing unknown undefined unavailable unspecified tbd tba empty blank nodata no_data not_available")

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for text := range strings.FieldsSeq(list) {
		set[strings.ReplaceAll(text, "_", " ")] = true
	}
	return set
}

// isNull reports whether a text may represent an empty cell.
func isNull(cell []byte) bool {
	var lower [16]byte
	if len(cell) == 0 || len(cell) > len(lower) || cell[0] >= '0' && cell[0] <= '9' && len(cell) < len("1.#ind") {
		return false
	}
	for i, b := range cell {
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		lower[i] = b
	}
	return marks[string(lower[:len(cell)])] || words[string(lower[:len(cell)])]
}

func isMark(text string) bool { return marks[strings.ToLower(text)] }

// withoutNulls returns the cells with possible nulls emptied, and counts these.
func (t *tabular) withoutNulls(cells, dst [][]byte) [][]byte {
	dst = append(dst[:0], cells...)
	for i, c := range t.columns {
		if i < len(dst) && (isNull(dst[i]) || t.isGivenNull(string(dst[i]))) {
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
			if isMark(text) || t.isGivenNull(text) || (text == "NA" || text == "None") && c.isReadable() {
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
