package tableinit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"resolwe/format/tableinit/reading"
	"resolwe/internal/isotime"
)

// datesOf returns a column for each date that a table splits into a year, a month and a day, as in start_year, start_month and start_day.
func datesOf(t *tabular) (dates []*column) {
	find := func(prefix []string, word string) *column {
		want := append(slices.Clone(prefix), word)
		for _, c := range t.columns {
			if slices.Equal(c.words, want) {
				return c
			}
		}
		return nil
	}
	for _, year := range t.columns {
		n := len(year.words) - 1
		if n < 0 || year.words[n] != "year" {
			continue
		}
		month, day := find(year.words[:n], "month"), find(year.words[:n], "day")
		if month == nil || day == nil {
			continue
		}
		words := append(slices.Clone(year.words[:n]), "date")
		c := &column{profile: newProfile(), table: t, position: year.position, words: words, parts: []*column{year, month, day}}
		c.header = year.title() + ", " + month.title() + ", " + day.title()
		dates = append(dates, c)
	}
	return dates
}

// addDate adds the date of a row.
func (c *column) addDate(cells [][]byte) {
	if slices.ContainsFunc(c.parts, func(p *column) bool { return len(p.cell(cells)) == 0 }) {
		c.add(nil)
		return
	}
	at, ok := c.at(cells)
	if c.invalid = c.invalid || !ok; !c.invalid {
		c.add(time.Unix(at, 0).UTC().AppendFormat(nil, time.DateOnly))
	}
}

// at returns the time of a row as a clock of the zone shows it, in seconds since its 1970.
func (c *column) at(cells [][]byte) (int64, bool) {
	if len(c.parts) == 0 {
		return (&isotime.Reader{Form: isotime.Form(c.form), Zone: c.table.zone}).Clock(c.cell(cells))
	}
	var parts [3]int64
	for i, p := range c.parts {
		n, err := strconv.ParseInt(string(p.cell(cells)), 10, 64)
		if err != nil {
			return 0, false
		}
		parts[i] = n
	}
	day, ok := isotime.DayOf(parts[0], parts[1], parts[2])
	return day * isotime.SecondsOfDay, ok
}

var (
	// planned are words for dates that are known before they come, ending for those on which something ends, beginning for those from which
	// on a row holds.
	planned = []string{
		"expiry", "expire", "expires", "expiration", "due", "deadline", "planned", "scheduled", "expected", "estimated", "required", "promised", "forecast",
		"appointment", "maturity",
	}
	ending    = []string{"end", "ended", "until", "till", "to", "thru", "through", "death", "closed"}
	beginning = []string{"from", "since", "begin", "beginning", "began", "start", "started"}
	birth     = []string{"birth", "born", "dob", "birthday"}
	// writing are words for the time at which a row was written. It counts even if some rows lack it.
	writing = []string{
		"created", "creation", "inserted", "insert", "recorded", "record", "entered", "entry", "loaded", "load", "stored", "store", "posted", "posting", "received",
		"receipt", "result", "resulted", "ingested", "ingest", "ingestion", "imported", "logged", "written", "saved", "captured", "reported", "registered",
		"submitted", "uploaded", "extracted", "available", "arrived", "landed", "added", "synced",
	}
)

// mayStamp reports whether a column may hold a time of its row, by its kind, cells and name. If other tables refer to the rows, one that
// changes does not.
func (c *column) mayStamp() bool {
	key := c.table.key
	if c.kind != kindTime || 2*c.filled < c.rows || key != nil && len(key.typ.columns) > 1 && c.isLater() || hasWord(c.words, planned) {
		return false
	}
	return hasWord(c.words, beginning) || !hasWord(c.words, ending) && !hasWord(c.words, birth) && !slices.Contains(c.words, "valid")
}

// isLater reports whether a date's name says that it changes after the row was written.
func (c *column) isLater() bool {
	return c.isState() && (hasWord(c.words, states) || !hasWord(c.words, writing))
}

// findTimes finds the times of each table's rows, hides those that could know the future, and says which count. overruled has elements
// TABLE=COLUMN.
func (d *draft) findTimes(overruled []string) error {
	given := map[*tabular]*column{}
	for _, text := range overruled {
		name, title, _ := cutAt(text, '=', func(a, b string) bool {
			t := d.table(strings.TrimSpace(a))
			return t != nil && t.find(b) != nil
		})
		t, err := d.findTable(strings.TrimSpace(name), "--time")
		if err != nil {
			return err
		}
		c, err := t.column(title, "--time")
		if err != nil {
			return err
		}
		if given[t] = t.timeAt(c.position); given[t] == nil {
			return usage("--time: column %s of table %s does not hold dates or times", c.title(), t.name)
		}
		given[t].trusted = true
	}
	for again := true; again; {
		for _, t := range d.tables {
			t.time, t.stamps = given[t], nil
			if t.time == nil {
				d.findStamps(t)
			} else {
				t.stamps = []*column{t.time}
			}
		}
		again = d.hideFuture()
	}
	return d.err
}

// nearby is how long before the latest time of a row others may be times of the row, as a fraction of the time of most rows: earlier ones are
// dates of what the row is about.
const nearby = .5

// findStamps finds the times that are set when a row is written, in their usual order. The row came to be at the first, unless the request
// names another one, and is known from the last on. The columns' order makes no difference.
func (d *draft) findStamps(t *tabular) {
	var stamps []*column
	most := 0
	for _, c := range t.columns {
		if c.mayStamp() {
			stamps, most = append(stamps, c), max(most, c.filled+c.forgiven)
		}
	}
	stamps = slices.DeleteFunc(stamps, func(c *column) bool { return c.filled+c.forgiven < most && !hasWord(c.words, writing) })
	if len(stamps) < 2 {
		t.stamps, t.time = stamps, nil
		if len(stamps) == 1 {
			t.time = stamps[0]
		}
		return
	}
	of := d.usual(stamps)
	slices.SortStableFunc(stamps, func(a, b *column) int {
		return cmp.Or(cmp.Compare(of[a].middle, of[b].middle), cmp.Compare(of[a].sum, of[b].sum), cmp.Compare(a.header, b.header))
	})
	first, last := stamps[0], stamps[0]
	for _, c := range stamps {
		if !c.isLater() && of[c].hi < latest { // not an end that is to come some day
			last = c
		}
	}
	isStamp := func(c *column) bool {
		return c == last || of[c].hi < latest && math.Abs(of[c].middle-of[last].middle) <= nearby*(of[last].hi-of[last].lo)
	}
	if t != d.request.table && t.key != nil && (t.key.typ == d.member.typ || t.key.typ == d.group.typ) { // it lasts: later dates are of what becomes of it
		isStamp = func(c *column) bool { return c == first || hasWord(c.words, writing) }
	}
	isAsked := func(c *column) bool {
		return slices.ContainsFunc(t.columns, func(other *column) bool { return other.asked && other.position == c.position })
	}
	t.stamps = slices.DeleteFunc(stamps, func(c *column) bool { return !isStamp(c) && !isAsked(c) })
	t.time = t.stamps[max(0, slices.IndexFunc(t.stamps, isAsked))]
}

// usualTimes describes the times of a column by rows: the middle one, those between which nine of ten are, and their sum.
type usualTimes struct{ lo, middle, hi, sum float64 }

// usualRows is the approximate number of rows by which times are described.
const usualRows = 20_000

// usual describes columns of a table.
func (d *draft) usual(columns []*column) map[*column]usualTimes {
	times := make([][]float64, len(columns))
	row, every := 0, 1+columns[0].rows/usualRows
	d.pass(columns[0].table, func(cells [][]byte) {
		if row++; row%every != 0 {
			return
		}
		for i, c := range columns {
			if at, ok := c.at(cells); ok {
				times[i] = append(times[i], float64(at))
			}
		}
	})
	out := map[*column]usualTimes{}
	for i, list := range times {
		if n := len(list); n > 0 {
			slices.Sort(list)
			of := usualTimes{lo: list[n/20], middle: list[n/2], hi: list[n-1-n/20]}
			for _, at := range list { // whole seconds: exact in any order
				of.sum += at
			}
			out[columns[i]] = of
		}
	}
	return out
}

// timeAt returns the column of dates or times at a position, nil for none.
func (t *tabular) timeAt(position int) *column {
	for _, c := range t.columns {
		if c.position == position && c.kind == kindTime {
			return c
		}
	}
	return nil
}

// noteTimes says of rows with several times which counts, and of times with offsets whose dates may disagree.
func (d *draft) noteTimes() {
	local := d.request.table.dating()
	for _, c := range d.columns() {
		if c.kind == kindTime && c.iso.Shifted > 0 && local.iso.Shifted == 0 && (local.iso.Local > 0 || !local.hasClock()) {
			d.note("in %s, some times in %s would have a different date, and %s has no offsets: if its dates are not in %[1]s, give their time zone, as in --zone Europe/Berlin",
				cmp.Or(d.zone, time.UTC), clip(c.table.name+"."+c.title()), clip(local.table.name+"."+local.title()))
		}
	}
	for _, t := range d.tables {
		if n := len(t.stamps); n > 1 {
			titles := make([]string, n)
			for i, c := range t.stamps {
				titles[i] = clip(c.title())
			}
			d.note("a row of %s is known from the latest of %s and %s on, and dated by %s; --time %s takes one of them alone",
				t.name, strings.Join(titles[:n-1], ", "), titles[n-1], clip(t.time.title()), quoted(t.name+"="+t.stamps[n-1].title()))
		}
	}
}

// time returns how a column of times is read, or the best way to read others as times; nil if there is none.
func (c *column) time() *reading.Reading {
	if c.kind == kindTime && isotime.Form(c.form).Order().HasYears() {
		return c.way("time", string(isotime.Form(c.form).Order()))
	}
	return c.profile.time()
}

// times returns the earliest and the latest time of a column, in seconds since 1970.
func (c *column) times() (lo, hi int64) {
	w := c.time()
	if w == nil {
		return 0, 0
	}
	if c.form == string(isotime.FormMS) {
		return isotime.FloorDiv(w.Lo, 1000), isotime.FloorDiv(w.Hi, 1000)
	}
	return w.Lo, w.Hi
}

// hasClock reports whether a column's times include hours.
func (c *column) hasClock() bool {
	w := c.time()
	return w != nil && (w.Clock || c.form == string(isotime.FormMS))
}

// parents returns the columns that refer to rows with a time, for a table without its own. Those with the latest times come first: they
// date a row best.
func (t *tabular) parents() (out []*column) {
	for _, c := range t.columns {
		if c.refers != nil && c.refers.table != t && c != t.key && c.filled == t.rows && c.refers.table.time != nil {
			out = append(out, c)
		}
	}
	middle := func(c *column) int64 {
		lo, hi := c.refers.table.time.times()
		return lo/2 + hi/2
	}
	slices.SortStableFunc(out, func(a, b *column) int { return cmp.Compare(middle(b), middle(a)) })
	return out
}

// dating returns the times of a table's rows: its own or, if it has none, of the rows to which its first parent refers; nil for none.
func (t *tabular) dating() *column {
	if parents := t.parents(); t.time == nil && len(parents) > 0 {
		return parents[0].refers.table.time
	}
	return t.time
}

// timeless reports whether neither a table nor its parents have a time.
func (t *tabular) timeless() bool { return t.dating() == nil }

// dateless reports whether a table has no time, except through rows that others refer to for long.
func (t *tabular) dateless() bool {
	return t.time == nil && !slices.ContainsFunc(t.parents(), func(c *column) bool { return !c.refers.table.long })
}

// findCenturies says which years columns mean that state two digits: the shortest run of years, of which the last is from 1969 to 2068, or a
// century before if it begins long after the last dates of other columns. These are those with full years or, if there are none, the dates
// of most rows.
func (d *draft) findCenturies() {
	last, rows := 0, 0
	for _, c := range d.columns() {
		if c.kind != kindTime || c.time() == nil || hasWord(c.words, birth) {
			continue
		}
		w := c.time()
		year := time.Unix(w.Hi, 0).UTC().Year()
		if w.Short != nil {
			if _, end, short := w.Short.Run(); short {
				if c.filled > rows {
					last, rows = end, c.filled
				}
				continue
			}
		}
		if rows < math.MaxInt {
			last, rows = year, math.MaxInt
		}
		last = max(last, year)
	}
	for _, c := range d.columns() {
		if w := c.time(); c.kind == kindTime && w != nil && w.Short != nil {
			c.setCentury(w, last)
		}
	}
}

// mostAhead is how many years after the last of other dates those of a column may begin.
const mostAhead = 10

// setCentury is findCenturies for a column, where other dates end in a year, 0 if there are none.
func (c *column) setCentury(w *reading.Reading, others int) {
	first, last, ok := w.Short.Run()
	if !ok {
		return
	}
	begins := first
	if hasWord(c.words, birth) {
		begins = last // nobody is born after what is told of them
	}
	if others > 0 && begins > others+mostAhead {
		first, last = first-100, last-100
	}
	from := first - first%10
	if from+99 < last {
		from = first
	}
	if first >= isotime.FirstYear && last < isotime.FirstYear+100 {
		from = isotime.FirstYear
	}
	if w.Lo, w.Hi = w.Short.Since(from); from != isotime.FirstYear {
		c.form = string(isotime.Form(c.form).From(from))
		c.why += fmt.Sprintf(", years of two digits from %d to %d", first, last)
	}
}
