package tableinit

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/tableinit/reading"
	"resolwe/internal/elementary"
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
	ways         []reading.Reading
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
	usual        spelling
	lastOdd      *oddity
	odd          map[uint64]*oddity  // by hash, while a way is left
	oddities     []*oddity           // in order
	place        func() mln.Position // of the cell, if known
}

func newProfile() *profile { return &profile{ways: reading.All()} }

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
	p.usual.add(cell, &p.sketch)
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
func (p *profile) way(function string, forms ...string) *reading.Reading {
	for i := range p.ways {
		if w := &p.ways[i]; w.Function == function && !w.Failed && w.Odd == 0 && (forms == nil || slices.Contains(forms, w.Form)) {
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

// says reports whether a cell of a label means yes.
func (c *column) says(text string) bool {
	if c.yes != "" {
		return text == c.yes
	}
	return slices.Contains(affirmative, strings.ToLower(text))
}

// bools is that of the cells, unless the request says which text means yes: all others mean no.
func (c *column) bools() (yes, no string, ok bool) {
	if c.yes != "" {
		return c.yes, "", false
	}
	return c.profile.bools()
}

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
		p.lo, p.hi = whole.Lo, whole.Hi
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
		if w.Clock {
			function, why = "time", "times as "+p.first
		}
		if p.ambiguous(w.Form) {
			why += ambiguousDates
		}
		return kindTime, function, w.Form, why
	}
	if p.zeros && p.way("int") != nil {
		k, why := p.texts()
		return k, "", "", "numbers that begin with 0 are names: " + why
	}
	if w := p.way("float"); w != nil {
		if n := p.way("int"); n != nil && n.Form == w.Form {
			return kindWhole, "int", n.Form, "whole numbers as " + p.first
		}
		return kindNumber, "float", w.Form, "numbers as " + clip(p.first)
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
		return kindTime, "date", compact.Form, "dates as " + p.first
	}
	return kindWhole, "int", "", "whole numbers from " + itoa64(p.lo) + " to " + itoa64(p.hi)
}

// isShortDate reports whether whole numbers are dates of six digits, such as 201231: by the name of the column, or as so many different
// numbers, of several months, are unlikely by chance to be.
func (p *profile) isShortDate(timed bool) bool {
	ymd := p.way("time", string(isotime.FormYMD))
	return ymd != nil && p.late && p.longest == len("201231") && p.length == int64(p.filled*len("201231")) &&
		(timed || !p.few(fewValues) && ymd.Hi-ymd.Lo > 31*isotime.SecondsOfDay)
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
func (p *profile) time() *reading.Reading {
	w, month, day := p.way("time"), p.way("time", string(isotime.FormMDY)), p.way("time", string(isotime.FormDMY))
	first := month
	if first == nil || day != nil && !p.slashes {
		first = day
	}
	if w != nil && first != nil && w.Form != "" && (w == month || w == day || first.Hi-first.Lo < w.Hi-w.Lo) {
		return first
	}
	return w
}

// sketchSize is the number of values that a sketch keeps.
const sketchSize = 1 << 15

// sketch is a sample of a column's distinct values: those with hashes below a bound, with their frequencies (distinct sampling: Gibbons,
// 2001). All columns use the same hash, so samples can be compared. Up to sketchSize distinct values it is exact.
type sketch struct {
	bound  uint64 // hashes are below it; 0 means no bound
	values map[uint64]sampled
}

type sampled struct {
	count uint32
	whole int64 // the value, if the column has whole numbers
}

func hashOf(cell []byte) uint64 { return elementary.Mix(elementary.Hash(cell) - elementary.Golden) }

func (s *sketch) add(hash uint64, whole int64) {
	if s.bound != 0 && hash >= s.bound {
		return
	}
	if s.values == nil {
		s.values = map[uint64]sampled{}
	}
	v := s.values[hash]
	v.count, v.whole = min(v.count, math.MaxUint32-1)+1, whole
	s.values[hash] = v
	if len(s.values) <= sketchSize {
		return
	}
	if s.bound == 0 {
		s.bound = 1 << 63
	} else {
		s.bound >>= 1
	}
	for h := range s.values {
		if h >= s.bound {
			delete(s.values, h)
		}
	}
}

// share returns the fraction of all values that the sketch keeps.
func (s *sketch) share() float64 {
	if s.bound == 0 {
		return 1
	}
	return float64(s.bound) / (1 << 63) / 2
}

// distinct estimates the number of distinct values.
func (s *sketch) distinct() float64 { return float64(len(s.values)) / s.share() }

// effective estimates the number of equally frequent values of which two random rows would be as likely to share one.
func (s *sketch) effective() float64 {
	var sum, squares float64 // whole numbers
	for _, v := range s.values {
		n := float64(v.count)
		sum += n
		squares += float64(n * n)
	}
	return float64(sum*sum) / max(squares, 1) / s.share()
}

// most returns the frequency of the most frequent value in the sketch.
func (s *sketch) most() (n float64) {
	for _, v := range s.values {
		n = max(n, float64(v.count))
	}
	return n
}

// unique reports whether no value repeats, as far as the sketch shows.
func (s *sketch) unique() bool {
	for _, v := range s.values {
		if v.count > 1 {
			return false
		}
	}
	return len(s.values) > 0
}

// within estimates the fraction of the distinct values that another column also has.
func (s *sketch) within(t *sketch) float64 {
	bound := s.bound
	if bound == 0 || t.bound != 0 && t.bound < bound {
		bound = t.bound
	}
	all, both := 0, 0
	for h := range s.values {
		if bound != 0 && h >= bound {
			continue
		}
		all++
		if _, ok := t.values[h]; ok {
			both++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

// density estimates the fraction of the whole numbers from lo to hi that occur. From a sample it is an upper limit, four standard errors
// above, so that sampling error does not look like gaps.
func (s *sketch) density(lo, hi int64) float64 {
	n := 0.0
	for _, v := range s.values {
		if v.whole >= lo && v.whole <= hi {
			n++
		}
	}
	most := n + float64(4*math.Sqrt(n*(1-s.share())))
	return min(1, most/s.share()/(float64(hi)-float64(lo)+1))
}
