package tableinit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
)

// aimed is what a target comes to.
type aimed struct {
	group  *column // of the target's table: the centers
	member *column // of the target's table: what is predicted
	label  *column // says yes where the target is true; nil where each row says so
	timed  bool    // the rows have a time
	born   bool    // what is predicted comes to be with its row of the target, at its time
	// lasting is that centers live on from row to row: the last rows are predicted from those before. Else the rows of a center
	// belong together, and all of them are predicted from what was before the first.
	lasting bool
	clock   bool // times have hours
	lately  window
	kept    map[*column]bool       // hold the same thing over several rows of what is predicted
	horizon int64                  // days until a label is known
	each    float64                // true pairs of a center, in the mean
	around  float64                // about how many things of a subgraph something is predicted of
	ofOwn   bool                   // a row of the center's own table is older than its target, for some
	repeats map[*tabular][]*column // tables that state the target again, with the columns of the centers and of what is predicted
}

// window is a span of time that people use.
type window struct {
	seconds int64
	text    string // in the recipe
}

var windows = []window{
	{60 * 60, "1 hours"},
	{24 * 60 * 60, "1 days"},
	{7 * 24 * 60 * 60, "7 days"},
	{30 * 24 * 60 * 60, "30 days"},
	{90 * 24 * 60 * 60, "90 days"},
	{365 * 24 * 60 * 60, "365 days"},
}

// windowParts is into how many windows the time of the target is cut, about.
const windowParts = 30

// longLived is the mean time between the first and the last row of a center, as a part of the time of all rows, from which on
// centers live on.
const longLived = .2

// aim finds out what of the target is the center, what is predicted, and when.
func (d *draft) aim(ctx context.Context, horizon string) error {
	if err := d.roles(); err != nil {
		return err
	}
	for _, t := range d.tables {
		t.time = t.findTime()
	}
	if err := d.hideFuture(ctx); err != nil {
		return err
	}
	seen, err := d.pairs(ctx)
	if err != nil {
		return err
	}
	d.lasting = seen.meanSpan() > longLived && (!d.born || d.label == nil)
	if err := d.judgeLabels(seen.labels, horizon); err != nil {
		return err
	}
	if err := d.doubtColumns(ctx, seen.labels); err != nil {
		return err
	}
	d.each = float64(len(seen.pairs)) / float64(max(len(seen.groups), 1))
	d.around = min(d.each*(1+negatives), d.member.distinct())
	if err := d.findOwn(ctx, seen); err != nil {
		return err
	}
	if err := d.findRepeats(ctx, seen); err != nil {
		return err
	}
	return d.findKept(ctx)
}

// roles says which column holds the centers.
func (d *draft) roles() error {
	a, b := d.pair[0], d.pair[1]
	if a.kind == kindBool && b.kind != kindBool {
		a, b = b, a
	}
	if b.kind == kindBool && a.kind != kindBool && d.center != b {
		d.member, d.label = a, b
		d.group = d.groupOf(a)
	} else {
		d.choose()
	}
	if d.group == nil || d.group == d.member && d.label == nil {
		name := d.request.table.name
		what := "whose things the other one is predicted of"
		if d.label != nil {
			what = "or another column of " + name
		}
		return usage("nothing connects the center %s.%s with the target: take %s.%s or %s.%s, %s", d.center.table.name, d.center.title(),
			name, d.pair[0].title(), name, d.pair[1].title(), what)
	}
	return nil
}

// choose takes as the centers that column of the target which is called the center, or has things of its sort.
func (d *draft) choose() {
	a, b := d.pair[0], d.pair[1]
	switch {
	case d.center == a || d.center != b && d.center.typ == a.typ:
		d.group, d.member = a, b
	case d.center == b || d.center.typ == b.typ:
		d.group, d.member = b, a
	}
}

// groupOf finds the centers of what has a label.
func (d *draft) groupOf(member *column) *column {
	if d.center.table == d.request.table {
		return d.center
	}
	if d.center.typ == member.typ {
		return member
	}
	for _, c := range d.request.table.columns {
		if c.typ == d.center.typ {
			return c
		}
	}
	return nil
}

// untimely are words of dates that are not when a row came to be.
var untimely = []string{"birth", "born", "dob", "birthday", "death", "expiry", "expire", "expires", "valid", "due", "end", "until", "closed", "deadline", "planned"}

// ending are words of dates on which something ends.
var ending = []string{"end", "until", "death", "closed"}

// findTime returns the date or time at which rows came to be: the first that all rows have, else that most have. Of things that others
// refer to it is not one that changes.
func (t *tabular) findTime() *column {
	var best *column
	referred := t.key != nil && len(t.key.typ.columns) > 1
	for _, c := range t.columns {
		switch {
		case c.kind != kindTime || 2*c.filled < t.rows || hasWord(c.words, untimely) || referred && c.isState():
		case best == nil || best.filled < t.rows && c.filled > best.filled:
			best = c
		}
	}
	return best
}

// times returns the least and the largest time of a column, in seconds since 1970.
func (c *column) times() (lo, hi int64) {
	w := c.time()
	if w == nil {
		return 0, 0
	}
	if c.form == string(isotime.FormMS) {
		return isotime.FloorDiv(w.lo, 1000), isotime.FloorDiv(w.hi, 1000)
	}
	return w.lo, w.hi
}

// hasClock reports whether a column of times has hours.
func (c *column) hasClock() bool {
	w := c.time()
	return w != nil && (w.clock || c.form == string(isotime.FormMS))
}

// parents returns the columns of a table that refer to rows with a time, where it has none of its own: those with the latest
// times first, which say best when a row came to be.
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

// timeless reports whether nothing says when the rows of a table came to be.
func (t *tabular) timeless() bool { return t.time == nil && len(t.parents()) == 0 }

// dateless reports whether nothing dates the rows of a table, but for rows that others refer to for long.
func (t *tabular) dateless() bool {
	return t.time == nil && !slices.ContainsFunc(t.parents(), func(c *column) bool { return !c.refers.table.long })
}

// history is the rows of the target.
type history struct {
	pairs  map[[2]uint64]bool    // hashes of a center and what is predicted of it
	groups map[uint64]bool       // hashes of the centers
	times  map[uint64][3]float64 // by center: first and last time, rows
	lo, hi float64
	labels *labels
}

// pairs reads the target's table once more.
func (d *draft) pairs(ctx context.Context) (*history, error) {
	t := d.request.table
	d.timed = !t.timeless()
	switch d.born = t.time != nil && t.key == d.member; {
	case d.born:
		d.note("the time of %s is when each %s came to be: its row is included, later rows that refer to it are not",
			t.name, d.member.typ.name)
	case d.timed && (t.time == nil && t.parents()[0] == d.member || t.dateless()):
		d.timed = false
		d.note("nothing says when the rows of %s came to be, only when each %s did: nothing is left out for being too late", t.name, t.parents()[0].typ.name)
	}
	when, byKey := t.time, map[uint64]int64(nil)
	if when == nil && d.timed {
		parent := t.parents()[0]
		when = parent.refers.table.time
		byKey = map[uint64]int64{}
		err := parent.refers.table.each(ctx, func(cells [][]byte) {
			if at, ok := when.at(cells); ok {
				byKey[hashOf(parent.refers.cell(cells))] = at
			}
		})
		if err != nil {
			return nil, err
		}
	}
	h := &history{labels: newLabels(), pairs: map[[2]uint64]bool{}, groups: map[uint64]bool{}, times: map[uint64][3]float64{}, lo: math.Inf(1), hi: math.Inf(-1)}
	if d.timed {
		d.clock = when.hasClock()
		lo, hi := when.times()
		h.lo, h.hi = float64(lo), float64(hi)
		d.lately = windowFor(float64(hi-lo), d.clock)
	}
	err := t.each(ctx, func(cells [][]byte) {
		group, member := d.group.cell(cells), d.member.cell(cells)
		if len(group) == 0 || len(member) == 0 {
			return
		}
		key := hashOf(group)
		pair := [2]uint64{key, hashOf(member)}
		at, ok := int64(0), false
		switch {
		case byKey != nil:
			at, ok = byKey[hashOf(t.parents()[0].cell(cells))]
		case d.timed:
			at, ok = when.at(cells)
		}
		if d.label != nil {
			label := d.label.cell(cells)
			if len(label) > 0 {
				h.labels.add(pair, at, hashOf(label), isYes(string(label)))
			}
			if !isYes(string(label)) {
				return
			}
		}
		if h.pairs[pair], h.groups[key] = true, true; !ok {
			return
		}
		s, known := h.times[key]
		if !known {
			s = [3]float64{float64(at), float64(at), 0}
		}
		h.times[key] = [3]float64{min(s[0], float64(at)), max(s[1], float64(at)), s[2] + 1}
	})
	if err == nil && len(h.pairs) == 0 {
		err = usage("no row of table %s has both %s and %s%s: there is nothing to predict", t.name, d.group.title(), d.member.title(), map[bool]string{true: ", and says yes"}[d.label != nil])
	}
	return h, err
}

// windowFor returns the window that comes nearest to a part of a time. Days have no hours.
func windowFor(seconds float64, clock bool) window {
	want := max(seconds/windowParts, 1)
	of := windows
	if !clock {
		of = windows[1:]
	}
	return slices.MinFunc(of, func(a, b window) int { return cmp.Compare(a.ratio(want), b.ratio(want)) })
}

// ratio returns how many times longer one of a window and a time is than the other.
func (w window) ratio(seconds float64) float64 {
	s := float64(w.seconds)
	return max(s/seconds, seconds/s)
}

// meanSpan returns the mean time from the first to the last row of the centers that have several, as a part of the whole time.
func (h *history) meanSpan() float64 {
	var spans []float64
	for _, s := range h.times {
		if s[2] > 1 {
			spans = append(spans, s[1]-s[0])
		}
	}
	if len(spans) == 0 || h.hi <= h.lo {
		return 0
	}
	slices.Sort(spans) // so that the sum is the same in every run
	sum := 0.0
	for _, s := range spans {
		sum += s
	}
	return sum / float64(len(spans)) / (h.hi - h.lo)
}

// cell returns the cell of a column.
func (c *column) cell(cells [][]byte) []byte { return cells[c.position-1] }

// at returns the time of a row in seconds since 1970.
func (c *column) at(cells [][]byte) (int64, bool) {
	if len(c.parts) > 0 {
		var parts [3]int64
		for i, p := range c.parts {
			n, ok := tablefile.ReadValue("int", "")(p.cell(cells))
			if !ok {
				return 0, false
			}
			parts[i] = n
		}
		day, ok := isotime.DayOf(parts[0], parts[1], parts[2])
		return day * isotime.SecondsOfDay, ok
	}
	return isotime.Form(c.form).ParseTime(c.cell(cells))
}

// findOwn finds out whether the rows that centers have in the table of their key tell of them before their targets.
func (d *draft) findOwn(ctx context.Context, h *history) error {
	key := d.group.typ.key
	if d.ofOwn = true; key == nil || !d.timed || key.table.time == nil {
		return nil
	}
	d.ofOwn = false
	return key.table.each(ctx, func(cells [][]byte) {
		at, ok := key.table.time.at(cells)
		s, known := h.times[hashOf(key.cell(cells))]
		limit := s[0]
		if d.lasting {
			limit = s[1]
		}
		d.ofOwn = d.ofOwn || ok && known && float64(at) < limit
	})
}
