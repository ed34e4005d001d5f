package tableinit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
)

// kind is what a column is taken for.
type kind uint8

const (
	kindEmpty    kind = iota + 1 // no cell holds anything
	kindWhole                    // whole numbers
	kindNumber                   // numbers
	kindTime                     // dates, or times
	kindBool                     // two values that mean yes and no
	kindCategory                 // texts that repeat
	kindText                     // texts that do not, or long ones
	kindEntity                   // names of things, once keys are known
	kindPart                     // year, month or day of a date that another column stands for
)

// reading is a way to read cells as values.
type reading struct {
	function, form string
	read           func([]byte) (int64, bool)
	failed         bool
	clock          bool // some value is no midnight
	lo, hi         int64
}

// readings are all ways, those of one function in the order of preference.
func readings() []reading {
	out := []reading{
		{function: "int"},
		{function: "float"},
		{function: "time"},
		{function: "time", form: string(isotime.FormYMD)},
		{function: "time", form: string(isotime.FormMDY)},
		{function: "time", form: string(isotime.FormDMY)},
		{function: "int", form: table.FormComma},
		{function: "int", form: table.FormPoint},
		{function: "float", form: table.FormComma},
		{function: "float", form: table.FormPoint},
		{function: "float", form: table.FormSpace},
	}
	for i := range out {
		out[i].read = tablefile.ReadValue(out[i].function, out[i].form)
	}
	return out
}

// Sizes of texts.
const (
	maxShort    = 64 // bytes of a text that may name something
	maxCategory = 48 // mean bytes of a text that does
	fewValues   = 12 // that are a category, however few rows there are
)

// profile is what the cells of a column are like.
type profile struct {
	sketch
	rows, filled int
	ways         []reading
	zeros        bool // whole numbers that begin with 0
	slashes      bool
	lines        bool  // texts of several lines
	lo, hi       int64 // of whole numbers
	longest      int
	length       int64
	first        string // cell
	last         []byte // cell, to be quick where cells repeat
	lastHash     uint64
	lastWhole    int64
}

func newProfile() *profile { return &profile{ways: readings()} }

func (p *profile) add(cell []byte) {
	p.rows++
	if len(cell) == 0 {
		return
	}
	p.filled++
	p.length += int64(len(cell))
	if p.filled > 1 && bytes.Equal(cell, p.last) {
		p.sketch.add(p.lastHash, p.lastWhole)
		return
	}
	if p.filled == 1 {
		p.first = string(cell)
	}
	p.last = append(p.last[:0], cell...)
	p.longest = max(p.longest, utf8.RuneCount(cell))
	p.slashes = p.slashes || bytes.IndexByte(cell, '/') >= 0
	p.lines = p.lines || bytes.IndexByte(cell, '\n') >= 0
	digits := bytes.TrimPrefix(cell, []byte("-"))
	p.zeros = p.zeros || len(digits) > 1 && digits[0] == '0' && isDigits(digits)
	whole := int64(0)
	for i := range p.ways {
		w := &p.ways[i]
		if w.failed {
			continue
		}
		n, ok := w.read(cell)
		w.failed = !ok
		if w.lo > n || p.filled == 1 {
			w.lo = n
		}
		if w.hi < n || p.filled == 1 {
			w.hi = n
		}
		switch {
		case w.function == "int" && w.form == "" && ok:
			whole = n
		case w.function == "time" && ok:
			w.clock = w.clock || isotime.FloorDiv(n, isotime.SecondsOfDay)*isotime.SecondsOfDay != n
		}
	}
	p.lastHash, p.lastWhole = hashOf(cell), whole
	p.sketch.add(p.lastHash, whole)
}

func isDigits(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < '0' || c > '9' })
}

// way returns the first way to read all cells by a function, of one of the forms where some are given; nil where there is none.
func (p *profile) way(function string, forms ...string) *reading {
	for i := range p.ways {
		if w := &p.ways[i]; w.function == function && !w.failed && (forms == nil || slices.Contains(forms, w.form)) {
			return w
		}
	}
	return nil
}

// few reports whether there are at most n distinct cells.
func (p *profile) few(n int) bool { return p.bound == 0 && len(p.values) <= n }

// affirmative and negative are texts for yes and no.
var (
	affirmative = []string{"y", "yes", "t", "true", "1", "ja", "oui", "si", "on"}
	negative    = []string{"n", "no", "f", "false", "0", "nein", "non", "off"}
)

// isYes reports whether a text means yes.
func isYes(text string) bool { return slices.Contains(affirmative, strings.ToLower(text)) }

// bools returns the cells that mean yes and no, where a column holds nothing else but one of each at most, and both.
func (p *profile) bools() (yes, no string, ok bool) {
	if !p.few(2) || len(p.values) < 2 {
		return "", "", false
	}
	for _, list := range [][]string{affirmative, negative} {
		for _, w := range list {
			for _, text := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:]} {
				if _, has := p.values[hashOf([]byte(text))]; !has {
					continue
				}
				if isYes(text) {
					yes = text
				} else {
					no = text
				}
			}
		}
	}
	return yes, no, yes != "" && no != "" && yes != no
}

// Seconds since 1970 that a number of a column with the name of a time may be.
const (
	earliest = 100_000_000   // 1973
	latest   = 4_102_444_800 // 2100
)

// judge says what a column of a name holds by its cells alone, how to read it, and why.
func (p *profile) judge(words []string) (k kind, function, form, why string) {
	whole := p.way("int")
	if whole != nil && (whole.form != "" || p.zeros) {
		whole = nil
	}
	timed := hasWord(words, temporal)
	if whole != nil {
		p.lo, p.hi = whole.lo, whole.hi
	}
	if p.filled == 0 {
		return kindEmpty, "", "", "no cell holds anything"
	}
	if _, _, ok := p.bools(); ok {
		return kindBool, "", "", "yes or no"
	}
	if whole != nil {
		switch compact := p.way("time", string(isotime.FormYMD)); {
		case timed && p.lo >= earliest && p.hi <= latest:
			return kindTime, "time", string(isotime.FormS), "seconds since 1970"
		case timed && p.lo >= earliest*1000 && p.hi <= latest*1000:
			return kindTime, "time", string(isotime.FormMS), "milliseconds since 1970"
		case compact != nil && p.lo >= 1900_01_01 && p.hi < 2100_01_01:
			return kindTime, "date", compact.form, "dates as " + p.first
		}
		return kindWhole, "int", "", "whole numbers from " + itoa64(p.lo) + " to " + itoa64(p.hi)
	}
	if w := p.time(); w != nil && p.way("int", "") == nil {
		function, why := "date", "dates as "+p.first
		if w.clock {
			function, why = "time", "times as "+p.first
		}
		if w.form == string(isotime.FormMDY) && p.way("time", string(isotime.FormDMY)) != nil {
			why += ", of which nothing tells whether the month or the day is first"
		}
		return kindTime, function, w.form, why
	}
	if p.zeros && p.way("int") != nil {
		return p.texts("numbers that begin with 0 are names")
	}
	if w := p.way("float"); w != nil {
		if n := p.way("int"); n != nil && n.form == w.form {
			return kindWhole, "int", n.form, "whole numbers as " + p.first
		}
		return kindNumber, "float", w.form, "numbers as " + clip(p.first)
	}
	return p.texts("")
}

// texts judges a column of texts.
func (p *profile) texts(why string) (k kind, function, form, reason string) {
	distinct := p.distinct()
	repeats := distinct <= .5*float64(p.filled) || p.few(fewValues)
	short := p.longest <= maxShort && !p.lines && p.length <= maxCategory*int64(p.filled)
	count := itoa(int(distinct + .5))
	switch {
	case short && repeats:
		return kindCategory, "", "", join(why, count+" texts that repeat")
	case short:
		return kindText, "", "", join(why, count+" texts, most of which stand once")
	}
	return kindText, "", "", join(why, "texts of up to "+itoa(p.longest)+" characters")
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ": " + b
}

// time returns the best way to read dates or times. Of forms that both read all cells, between slashes the month is taken to
// be first, else the day.
func (p *profile) time() *reading {
	w := p.way("time")
	if w != nil && w.form == string(isotime.FormMDY) && !p.slashes {
		if day := p.way("time", string(isotime.FormDMY)); day != nil {
			return day
		}
	}
	return w
}

func itoa(n int) string     { return strconv.Itoa(n) }
func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

// clip shortens a text for a comment, in which it stays on its line.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, shortened(s, 40))
}

func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + ".."
	}
	return s
}

// isNull reports whether a text may stand for an empty cell. Words do only where a column of the table holds numbers or dates beside
// them: else they may be names.
func isNull(cell []byte) bool {
	switch string(cell) {
	case `\N`, "NULL", "null", "N/A", "nan", "NaN", "-", "?":
		return true
	}
	return isNullWord(string(cell))
}

func isNullWord(text string) bool { return text == "NA" || text == "None" }

// withoutNulls returns the cells, empty where they may be, and counts these.
func (t *tabular) withoutNulls(cells, dst [][]byte) [][]byte {
	dst = append(dst[:0], cells...)
	for i, c := range t.columns {
		if i < len(dst) && isNull(dst[i]) {
			if c.nulls == nil {
				c.nulls = map[string]int{}
			}
			c.nulls[string(dst[i])]++
			dst[i] = nil
		}
	}
	return dst
}

// settleNulls says which texts of a table that was read are empty cells. The others go back to their columns.
func (t *tabular) settleNulls() {
	found := map[string]bool{}
	for _, c := range t.columns {
		for text := range c.nulls {
			if !isNullWord(text) || slices.ContainsFunc(c.ways, func(w reading) bool { return !w.failed }) {
				found[text] = true
			}
		}
	}
	t.spec.Nulls = slices.Sorted(maps.Keys(found))
	for _, c := range t.columns {
		for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
			if found[text] {
				continue
			}
			c.rows -= c.nulls[text]
			for range c.nulls[text] {
				c.add([]byte(text))
			}
			delete(c.nulls, text)
		}
	}
}

// emptiness says how many cells of a column are empty, and how they are written.
func (c *column) emptiness() string {
	n := c.rows - c.filled
	if n == 0 || c.filled == 0 {
		return ""
	}
	var texts []string
	for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
		texts = append(texts, fmt.Sprintf("%s: %d", text, c.nulls[text]))
	}
	if len(texts) == 0 {
		return fmt.Sprintf("; %d cells are empty", n)
	}
	return fmt.Sprintf("; %d cells are empty (%s)", n, strings.Join(texts, ", "))
}
