package tableinit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/tablefile"
	"resolwe/internal/printable"
)

// aimed is the meaning found for the target.
type aimed struct {
	group  *column // of the target's table: holds the centers
	member *column // of the target's table: holds what is predicted
	label  *column // says yes if the target is true; nil if every row means true
	timed  bool    // the rows have a time
	born   bool    // each predicted thing is created by its row of the target, at that time
	// lasting means that a center has rows at many times: its last rows are predicted from the earlier ones. Otherwise the rows of a center
	// belong together, and all are predicted from what came before the first.
	lasting bool
	clock   bool // times have hours
	lately  window
	horizon int64   // days until a label is known, or endless
	each    float64 // mean number of true pairs of a center
	around  float64 // approximate number of things in a subgraph from which candidates are drawn
	fresh   *column // key of the centers, if some are later than all rows of the target: what happens to these is to be predicted; else nil
	ofOwn   bool    // for some center, a row of its own table is older than its target
}

// window is a span of time in common use.
type window struct {
	seconds int64
	text    string // as the recipe writes it
}

var windows = []window{
	{60 * 60, "1 hours"},
	{24 * 60 * 60, "1 days"},
	{7 * 24 * 60 * 60, "7 days"},
	{30 * 24 * 60 * 60, "30 days"},
	{90 * 24 * 60 * 60, "90 days"},
	{365 * 24 * 60 * 60, "365 days"},
}

// windowParts is the approximate number of windows into which the time of the target is divided.
const windowParts = 30

// longLived is the mean time between the first and the last row of a center, as a fraction of the time of all rows, above which centers are
// lasting.
const longLived = .2

// aim finds the target's center, what is predicted, and when.
func (d *draft) aim(horizon string, times []string) error {
	if err := d.roles(); err != nil {
		return err
	}
	if err := d.findTimes(times); err != nil {
		return err
	}
	seen := d.pairs()
	switch {
	case d.err != nil:
		return d.err
	case len(seen.pairs) == 0:
		return usage("no row of table %s has both %s and %s%s: there is nothing to predict", d.request.table.name, d.group.title(), d.member.title(),
			map[bool]string{true: ", and says yes"}[d.label != nil])
	}
	d.lasting = seen.meanSpan() > longLived && (!d.born || d.label == nil)
	if err := d.judgeLabels(seen.labels, horizon); err != nil {
		return err
	}
	d.doubtColumns(seen.labels)
	d.each = float64(len(seen.pairs)) / float64(max(len(seen.groups), 1))
	d.around = min(d.each*(1+negatives), d.member.distinct())
	if n, matched := d.perTrue(); n < negatives && !matched && !d.born && d.label == nil {
		d.note("few things besides the true ones can be drawn as candidates, so the number of rows in %s partly reveals which are true; compare with a stream of build --null",
			d.request.table.name)
	}
	d.findFresh(seen)
	d.findOwn(seen)
	d.findRepeats(seen)
	d.findKept()
	if d.timed {
		d.noteTimes()
	}
	return d.err
}

// roles determines which column holds the centers.
func (d *draft) roles() error {
	if err := d.askYes(); err != nil {
		return err
	}
	a, b := d.pair[0], d.pair[1]
	if a.kind == kindBool && b.kind != kindBool {
		a, b = b, a
	}
	switch {
	case b.kind == kindBool && a.kind != kindBool && d.center != b:
		d.member, d.label, d.group = a, b, d.groupOf(a)
	case d.center == a || d.center != b && d.center.typ == a.typ: // the one that is called the center, or has things of its sort
		d.group, d.member = a, b
	case d.center == b || d.center.typ == b.typ:
		d.group, d.member = b, a
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

// noteBorn says of things that are created with their rows of the target that nothing else is known of them then.
func (d *draft) noteBorn() {
	t, what := d.request.table, ""
	if later := d.referring(d.member); d.label != nil && len(later) > 0 {
		what = fmt.Sprintf(", so that nothing of %s can be known; if %s is of a later day, name the column that has it, as in --time %s=COLUMN, or predict a table of dated labels",
			list(later), clip(d.label.title()), t.name)
	}
	d.note("the time of %s, %s, is when each %s came to be: its row is included, later rows that refer to it are not%s",
		t.name, clip(t.time.title()), d.member.typ.name, what)
}

// referring returns the names of the other tables whose rows refer to what a column holds.
func (d *draft) referring(to *column) (names []string) {
	for _, c := range to.typ.columns {
		if c.table != to.table && c != c.table.key && !slices.Contains(names, c.table.name) {
			names = append(names, c.table.name)
		}
	}
	return names
}

// groupOf finds the centers of the things that a label describes.
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

// history summarises the rows of the target.
type history struct {
	pairs  map[[2]uint64]bool    // hashes of a center and a predicted thing
	groups map[uint64]bool       // hashes of the centers
	times  map[uint64][3]float64 // by center: first and last time, rows
	lo, hi float64
	labels *labels
}

// pairs reads the target's table again.
func (d *draft) pairs() *history {
	t := d.request.table
	d.timed = !t.timeless()
	switch d.born = t.time != nil && t.key == d.member; {
	case d.born:
		d.noteBorn()
	case d.timed && (t.time == nil && t.parents()[0] == d.member || t.dateless()):
		d.timed = false
		d.note("nothing says when the rows of %s came to be, only when each %s did: nothing is left out for being too late", t.name, t.parents()[0].typ.name)
	}
	when, byKey := t.dating(), map[uint64]int64(nil)
	if t.time == nil && d.timed {
		parent := t.parents()[0]
		byKey = map[uint64]int64{}
		d.pass(parent.refers.table, func(cells [][]byte) {
			if at, ok := when.at(cells); ok {
				byKey[hashOf(parent.refers.cell(cells))] = at
			}
		})
	}
	h := &history{
		labels: &labels{last: map[uint64]int64{}, first: map[[2]uint64][2]int64{}, says: tally[uint64]{}, on: tally[[2]uint64]{}},
		pairs:  map[[2]uint64]bool{}, groups: map[uint64]bool{}, times: map[uint64][3]float64{}, lo: math.Inf(1), hi: math.Inf(-1),
	}
	if d.timed {
		d.clock = when.hasClock()
		lo, hi := when.times()
		h.lo, h.hi = float64(lo), float64(hi)
		d.lately = windowFor(float64(hi-lo), d.clock)
	}
	d.pass(t, func(cells [][]byte) {
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
				h.labels.add(pair, at, hashOf(label), d.label.says(string(label)))
			} else {
				h.labels.sees(key, at)
			}
			if !d.label.says(string(label)) {
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
	return h
}

// findFresh determines whether some centers are later than all rows of the target. Earlier ones without a row have none for good.
func (d *draft) findFresh(h *history) {
	key, n := d.group.typ.key, 0
	if d.label != nil || !d.timed || d.lasting || d.born || key == nil || key.table == d.request.table || key.table.time == nil {
		return
	}
	d.pass(key.table, func(cells [][]byte) {
		if at, ok := key.table.time.at(cells); ok && isLater(float64(at), h.hi, d.clock) && !h.groups[hashOf(key.cell(cells))] {
			n++
		}
	})
	if n > 0 {
		d.fresh = key
		d.note("%s of %s later than all of %s: what becomes of these is unknown, and infer --unknown predicts it", printable.Count(n, "row"), key.table.name, d.request.table.name)
	}
}

// windowFor returns the window nearest to a fraction of a time. Without a clock, windows of hours are excluded.
func windowFor(seconds float64, clock bool) window {
	want := max(seconds/windowParts, 1)
	of := windows
	if !clock {
		of = windows[1:]
	}
	ratio := func(w window) float64 { return max(float64(w.seconds)/want, want/float64(w.seconds)) }
	return slices.MinFunc(of, func(a, b window) int { return cmp.Compare(ratio(a), ratio(b)) })
}

// meanSpan returns the mean time from the first to the last row of centers with several, as a fraction of the whole time.
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

// cell returns the cell of a column, in the usual spelling of what it names, until the next call.
func (c *column) cell(cells [][]byte) []byte {
	cell := cells[c.position-1]
	if c.respelled && len(cell) > 0 {
		c.usual.name, _ = tablefile.AppendWhole(c.usual.name[:0], cell)
		return c.usual.name
	}
	return cell
}

// findOwn determines whether the centers' rows in the table of their key are older than their targets.
func (d *draft) findOwn(h *history) {
	key := d.group.typ.key
	if d.ofOwn = true; key == nil || !d.timed || key.table.time == nil {
		return
	}
	d.ofOwn = false
	d.pass(key.table, func(cells [][]byte) {
		at, ok := key.table.time.at(cells)
		s, known := h.times[hashOf(key.cell(cells))]
		limit := s[0]
		if d.lasting {
			limit = s[1]
		}
		d.ofOwn = d.ofOwn || ok && known && float64(at) < limit
	})
}
