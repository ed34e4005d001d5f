package tableinit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/internal/isotime"
)

// kind is what a column is taken to hold.
type kind uint8

const (
	kindEmpty    kind = iota + 1 // all cells are empty
	kindWhole                    // whole numbers
	kindNumber                   // numbers
	kindTime                     // dates, or times
	kindBool                     // two values that mean yes and no
	kindCategory                 // texts that repeat
	kindText                     // texts that do not repeat, or are long
	kindEntity                   // names of things, known once keys are
	kindPart                     // year, month or day of a date that another column represents
)

// Sizes of texts.
const (
	maxShort    = 64 // bytes of a text that may be a name
	maxCategory = 48 // mean bytes of names
	fewValues   = 12 // that make a category, however few rows there are
)

// profile summarises the cells of a column.
type profile struct {
	sketch
	rows, filled int
	ways         []reading
	zeros        bool // some whole numbers begin with 0
	late         bool // some cell of six characters ends with a number above 12: a day, not the month of 202012
	slashes      bool
	lines        bool  // texts of several lines
	lo, hi       int64 // of whole numbers
	longest      int
	length       int64
	iso          isotime.Reader // counts different ISO 8601 times without an offset, and those whose date differs in the zone
	first        string         // cell
	last         []byte         // a cell, cached for speed if cells repeat
	lastHash     uint64
	lastWhole    int64
	lastOdd      *oddity
	odd          map[uint64]*oddity  // by hash, while a way is left
	oddities     []*oddity           // in order
	place        func() mln.Position // of the cell, if known
}

func newProfile() *profile { return &profile{ways: readings()} }

func (p *profile) add(cell []byte) {
	p.rows++
	if len(cell) == 0 {
		return
	}
	if p.filled++; p.first == "" {
		p.first = string(cell)
	}
	if !bytes.Equal(cell, p.last) {
		p.last = append(p.last[:0], cell...)
		p.lastHash = hashOf(cell)
		p.lastOdd = p.odd[p.lastHash]
		if known, ok := p.values[p.lastHash]; ok {
			p.lastWhole = known.whole
		} else if p.lastOdd == nil {
			p.lastWhole = p.meet(cell, p.lastHash)
		}
	}
	if o := p.lastOdd; o != nil {
		if o.count++; o.deferred {
			return
		}
	}
	p.include(len(cell), p.lastHash, p.lastWhole)
}

// include counts a cell.
func (p *profile) include(length int, hash uint64, whole int64) {
	p.length += int64(length)
	p.sketch.add(hash, whole)
}

// look notes what a cell looks like.
func (p *profile) look(cell []byte) {
	p.longest = max(p.longest, utf8.RuneCount(cell))
	p.slashes = p.slashes || bytes.IndexByte(cell, '/') >= 0
	p.lines = p.lines || bytes.IndexByte(cell, '\n') >= 0
	p.late = p.late || len(cell) == len("201231") && string(cell[4:]) > "12"
	digits := bytes.TrimPrefix(cell, []byte("-"))
	p.zeros = p.zeros || len(digits) > 1 && digits[0] == '0' && len(bytes.Trim(digits, "0123456789")) == 0
}

// way returns the first way to read all cells with a function, in one of the given forms, if any; nil for none.
func (p *profile) way(function string, forms ...string) *reading {
	for i := range p.ways {
		if w := &p.ways[i]; w.function == function && !w.failed && w.odd == 0 && (forms == nil || slices.Contains(forms, w.form)) {
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

// bools returns the cells that mean yes and no, if a column holds both, one text for each and nothing else.
func (p *profile) bools() (yes, no string, ok bool) {
	if !p.few(2) || len(p.values) < 2 {
		return "", "", false
	}
	find := func(words []string) (cell string) {
		for _, w := range words {
			for _, text := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:]} {
				if _, has := p.values[hashOf([]byte(text))]; has {
					cell = text
				}
			}
		}
		return cell
	}
	yes, no = find(affirmative), find(negative)
	return yes, no, yes != "" && no != ""
}

// The range of numbers, in seconds since 1970, accepted as times in a column with the name of a time.
const (
	earliest = 100_000_000   // 1973
	latest   = 4_102_444_800 // 2100
)

// judge determines from its cells and name what a column holds, how to read it, and why.
func (p *profile) judge(words []string) (k kind, function, form, why string) {
	whole := p.way("int", "")
	isWhole := whole != nil && !p.zeros
	if isWhole {
		p.lo, p.hi = whole.lo, whole.hi
	}
	if p.filled == 0 {
		return kindEmpty, "", "", "no cell holds anything"
	}
	if _, _, ok := p.bools(); ok {
		return kindBool, "", "", "yes or no"
	}
	if whole != nil && p.isShortDate(hasWord(words, temporal)) {
		return kindTime, "date", string(isotime.FormYMD), "dates as " + p.first
	}
	if isWhole {
		return p.judgeWhole(hasWord(words, temporal))
	}
	if w := p.time(); w != nil && whole == nil {
		function, why := "date", "dates as "+p.first
		if w.clock {
			function, why = "time", "times as "+p.first
		}
		if p.ambiguous(w.form) {
			why += ambiguousDates
		}
		return kindTime, function, w.form, why
	}
	if p.zeros && p.way("int") != nil {
		k, why := p.texts()
		return k, "", "", "numbers that begin with 0 are names: " + why
	}
	if w := p.way("float"); w != nil {
		if n := p.way("int"); n != nil && n.form == w.form {
			return kindWhole, "int", n.form, "whole numbers as " + p.first
		}
		return kindNumber, "float", w.form, "numbers as " + clip(p.first)
	}
	k, why = p.texts()
	return k, "", "", why
}

// judgeWhole is judge for whole numbers, which may be times, above all in a column that is called so.
func (p *profile) judgeWhole(timed bool) (k kind, function, form, why string) {
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

// isShortDate reports whether whole numbers are dates of six digits, such as 201231: by the name of the column, or as so many different
// numbers, of several months, are unlikely by chance to be.
func (p *profile) isShortDate(timed bool) bool {
	ymd := p.way("time", string(isotime.FormYMD))
	return ymd != nil && p.late && p.longest == len("201231") && p.length == int64(p.filled*len("201231")) &&
		(timed || !p.few(fewValues) && ymd.hi-ymd.lo > 31*isotime.SecondsOfDay)
}

// ambiguousDates says of a column that its dates can be read in two ways.
const ambiguousDates = ", of which nothing tells whether the month or the day is first"

// ambiguous reports whether dates that are read in a form may begin with the month as well as the day. Those with dots begin with the day.
func (p *profile) ambiguous(form string) bool {
	other := map[string]string{string(isotime.FormMDY): string(isotime.FormDMY), string(isotime.FormDMY): string(isotime.FormMDY)}[form]
	return other != "" && !strings.Contains(p.first, ".") && p.way("time", other) != nil
}

// texts classifies a column of texts.
func (p *profile) texts() (k kind, why string) {
	distinct := p.distinct()
	repeats := distinct <= .5*float64(p.filled) || p.few(fewValues)
	short := p.longest <= maxShort && !p.lines && p.length <= maxCategory*int64(p.filled)
	count := itoa(int(distinct + .5))
	switch {
	case short && repeats:
		return kindCategory, count + " texts that repeat"
	case short:
		return kindText, count + " texts, most of which stand once"
	}
	return kindText, "texts of up to " + itoa(p.longest) + " characters"
}

// time returns the best way to read dates or times. If several forms read all cells, those with slashes are taken to begin with the month,
// others with the day, unless the year makes less of a span when it is first.
func (p *profile) time() *reading {
	w, month, day := p.way("time"), p.way("time", string(isotime.FormMDY)), p.way("time", string(isotime.FormDMY))
	first := month
	if first == nil || day != nil && !p.slashes {
		first = day
	}
	if w != nil && first != nil && w.form != "" && (w == month || w == day || first.hi-first.lo < w.hi-w.lo) {
		return first
	}
	return w
}

func itoa(n int) string     { return strconv.Itoa(n) }
func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

// clip shortens a text to fit on the line of a comment.
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
