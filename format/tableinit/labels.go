package tableinit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe/internal/isotime"
)

// labels summarises the rows of a target that say yes or no.
type labels struct {
	last  map[uint64]int64       // time of a center's last row
	first map[[2]uint64][2]int64 // time and label, as a hash, of the first row of a center and a predicted thing
	rows  [][2]int64             // a center, as a hash, and the time of its row
	again int                    // rows after the first of their pair that differ from it
	says  tally[uint64]          // by predicted thing
	on    tally[[2]uint64]       // by predicted thing and day
}

// tally holds numbers of labels no and yes.
type tally[K comparable] map[K][2]int

func (t tally[K]) add(key K, n [2]int) { t[key] = [2]int{t[key][0] + n[0], t[key][1] + n[1]} }

// add adds a row.
func (l *labels) add(pair [2]uint64, at int64, label uint64, yes bool) {
	says := [2]int{1, 0}
	if yes {
		says = [2]int{0, 1}
	}
	l.says.add(pair[1], says)
	l.on.add(onDay(pair[1], at), says)
	l.sees(pair[0], at)
	row := [2]int64{at, int64(label)}
	if first, known := l.first[pair]; !known {
		l.first[pair] = row
	} else if first != row {
		l.again++
	}
	l.rows = append(l.rows, [2]int64{int64(pair[0]), at})
}

// sees adds the time of a center's row, which may have no label.
func (l *labels) sees(center uint64, at int64) {
	if last, known := l.last[center]; !known || at > last {
		l.last[center] = at
	}
}

// lost returns how many rows are not predicted: if centers are lasting, those before a center's last.
func (l *labels) lost(lasting bool) int {
	if !lasting {
		return l.again
	}
	n := 0
	for _, r := range l.rows {
		if r[1] < l.last[uint64(r[0])] {
			n++
		}
	}
	return n
}

// onDay identifies a thing on the day of a time.
func onDay(thing uint64, at int64) [2]uint64 {
	return [2]uint64{thing, uint64(isotime.FloorDiv(at, isotime.SecondsOfDay))}
}

// judgeLabels determines when labels are known, and rejects a center that loses rows.
func (d *draft) judgeLabels(l *labels, horizon string) error {
	t := d.request.table
	if d.label == nil {
		if horizon != "" {
			return usage("--horizon is for a target whose rows say yes or no; those of %s are true as they are", t.name)
		}
		return nil
	}
	if n := l.lost(d.timed && d.lasting); n > 0 {
		why := itoa(n) + " of the " + itoa(len(l.rows)) + " rows of " + t.name + " are not predicted, as a center has several rows of one " + d.member.title()
		if t.time != nil && t.time.position != d.group.position {
			return usage("the center %s.%s: %s: take %s.%s, so that each row is predicted", d.center.table.name, d.center.title(), why, t.name, t.time.title())
		}
		d.note("%s", why)
	}
	if !d.timed {
		return nil
	}
	d.horizon, d.label.outcome = endless, true
	switch {
	case horizon != "":
		n, err := strconv.ParseInt(strings.TrimSuffix(horizon, "d"), 10, 32)
		if err != nil || n < 0 {
			return usage("--horizon is a number of days, as in 30d, not %q", horizon)
		}
		d.horizon = n
	case !slices.ContainsFunc(l.rows, func(r [2]int64) bool { return r[1] != l.rows[0][1] }):
		return nil // all have one date: there are no earlier ones
	case d.label.trusted:
		d.horizon = 0
	default:
		d.note("an earlier %s is not stated, as nothing says when it became known: how many days ahead does it look? --horizon 60d states it 60 days after its date",
			clip(d.label.title()))
	}
	d.findOutcomes(l)
	return nil
}

// endless is the horizon of labels of which nothing says when they are known.
const endless = -1

// ahead are words for what comes after the date of a row.
var ahead = []string{"next", "future", "ahead", "later", "upcoming", "following", "forward", "outcome", "label", "target", "result", "within"}

// How well a column must predict the label of its day to share its horizon: AUC-ROC, beside the label and in another table.
const (
	leastOutcome  = .8
	leastRepeated = .95
)

// findOutcomes finds the other columns that may depend on the same later days as the label: those beside it, unless they describe what is
// created with its row of the target, and those of tables that repeat it.
func (d *draft) findOutcomes(l *labels) {
	for _, t := range d.tables {
		who := slices.IndexFunc(t.columns, func(c *column) bool { return c.typ != nil && c.typ == d.member.typ })
		if who < 0 {
			continue
		}
		beside, least := t == d.request.table, leastRepeated
		if beside {
			least = leastOutcome
		}
		isDated := beside || t.time != nil && (t.key == nil || t.key.typ != d.member.typ) // with its row
		var columns []*column
		for _, c := range t.columns {
			switch {
			case !d.mayDepend(c):
			case !isDated && c.kind == kindBool && c.resembles(d.label):
				d.hide(c, "is called like the label "+clip(d.label.title())+", and nothing says when it was written")
			case !isDated:
			case d.looksAhead(c):
				d.share(c, "may look ahead")
			case (!d.born || !beside) && t.time != nil:
				columns = append(columns, c)
			}
		}
		for i, auc := range d.agreement(t, t.columns[who], columns, l) {
			if auc > least {
				d.share(columns[i], "agrees with the label of its day")
			}
		}
	}
}

// mayDepend reports whether a column could depend on later days: it is told, is neither a key nor a time of its row, and nobody vouches for it.
func (d *draft) mayDepend(c *column) bool {
	t := c.table
	isKey := c == t.key || c == t.time || c == d.group || c == d.label || c.typ != nil && !d.isOther(c)
	return c.told() && !isKey && !c.trusted && !t.trusted && !c.asked
}

// looksAhead reports whether a column seems to depend on later days by its name, or because it says yes or no beside the label.
func (d *draft) looksAhead(c *column) bool {
	if c.table != d.request.table {
		return c.kind == kindBool && c.resembles(d.label)
	}
	return c.resembles(d.label) || hasWord(c.words, ahead) || !d.born && c.kind == kindBool
}

// resembles reports whether a column's name has a word of the label's that says something.
func (c *column) resembles(label *column) bool {
	return slices.ContainsFunc(label.words, func(w string) bool {
		return !slices.Contains([]string{"is", "has", "have", "was", "will", "id", "day", "d", "in", "of"}, w) && slices.Contains(c.words, w)
	})
}

// share gives a column the label's horizon.
func (d *draft) share(c *column, why string) {
	c.outcome = true
	name, then := c.table.name+"."+c.title(), "is not stated either"
	if d.horizon >= 0 {
		then = fmt.Sprintf("is stated %d days after its date too", d.horizon)
	}
	d.note("%s %s, like %s, and %s; --trust %s states it at once", clip(name), why, clip(d.label.title()), then, quoted(name))
}

// agreement returns how well each column of a table predicts the label of the same thing and day.
func (d *draft) agreement(t *tabular, who *column, columns []*column, l *labels) []float64 {
	return d.predicts(t, columns, func(cells [][]byte) [2]int {
		at, ok := t.time.at(cells)
		if !ok {
			return [2]int{}
		}
		return l.on[onDay(hashOf(who.cell(cells)), at)]
	})
}

// predicts returns how well each column of a table predicts labels, given as the numbers of no and yes of a row: the AUC-ROC of its values, by
// their share of yes, or of a number's order in either direction; 0 where that may be chance.
func (d *draft) predicts(t *tabular, columns []*column, labelsOf func(cells [][]byte) [2]int) []float64 {
	if len(columns) == 0 {
		return nil // without reading the table
	}
	says := make([]tally[uint64], len(columns))     // by value
	ordered := make([]tally[float64], len(columns)) // by number
	numbers := make([]func([][]byte) (float64, bool), len(columns))
	for i, c := range columns {
		says[i], ordered[i], numbers[i] = tally[uint64]{}, tally[float64]{}, c.number()
	}
	d.pass(t, func(cells [][]byte) {
		n := labelsOf(cells)
		if n == [2]int{} {
			return
		}
		for i, c := range columns {
			says[i].add(c.value(cells), n)
			if c.few(fewValues) || !c.isValue() || c.kind == kindTime && d.timed { // of dates, other rules say what is late
				continue
			}
			if v, ok := numbers[i](cells); ok {
				ordered[i].add(v, n)
			}
		}
	})
	out := make([]float64, len(columns))
	for i := range columns {
		var values [][2]int
		for _, v := range slices.Sorted(maps.Keys(ordered[i])) {
			values = append(values, ordered[i][v])
		}
		if up, sure := areaUnder(values); sure {
			out[i] = max(up, 1-up)
		}
		if auc, sure := separation(says[i]); sure {
			out[i] = max(out[i], auc)
		}
	}
	return out
}

// value identifies the value of a column with few values, or else whether it is empty.
func (c *column) value(cells [][]byte) uint64 {
	if cell := c.cell(cells); len(cell) == 0 || !c.few(fewValues) {
		return uint64(min(len(cell), 1))
	}
	return hashOf(c.cell(cells))
}

// leastDoubted is how well, by AUC-ROC, an undated column must predict the label to be doubted.
const leastDoubted = .8

// doubtColumns warns of columns that predict the label well and may have been written after it: of what is predicted, or of tables with at most one
// row for each of these.
func (d *draft) doubtColumns(l *labels) {
	for _, t := range d.tables {
		who := slices.IndexFunc(t.columns, func(c *column) bool { return c.typ == d.member.typ && c.unique() })
		if d.label == nil || who < 0 {
			continue
		}
		var columns []*column
		for _, c := range t.columns {
			if c.told() && c != t.columns[who] && (c != t.time || !d.timed) && !c.trusts() {
				columns = append(columns, c)
			}
		}
		for i, auc := range d.predicts(t, columns, func(cells [][]byte) [2]int { return l.says[hashOf(t.columns[who].cell(cells))] }) {
			if auc > leastDoubted {
				d.note("%s.%s may be the answer in disguise: alone it has an AUC-ROC of %s, and nothing says when it was written; remove it from the recipe unless it was known before",
					t.name, clip(columns[i].title()), fmt.Sprintf("%.2f", auc))
			}
		}
	}
}

// separation returns the AUC-ROC of a column's values, ordered by their share of yes, and whether it exceeds chance.
func separation(says tally[uint64]) (auc float64, sure bool) {
	values := make([][2]int, 0, len(says))
	for _, n := range says {
		if n != [2]int{} {
			values = append(values, n)
		}
	}
	slices.SortFunc(values, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[1]*b[0], b[1]*a[0]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	return areaUnder(values)
}

// surely is the number of standard errors by which an AUC-ROC differs from .5 that is unlikely by chance.
const surely = 6

// areaUnder returns the AUC-ROC of values in ascending order, given by their numbers of no and yes, and whether it differs from chance.
func areaUnder(values [][2]int) (auc float64, sure bool) {
	no, yes, pairs := 0, 0, 0 // twice the number of pairs in order
	for _, n := range values {
		pairs += n[1] * (2*no + n[0])
		no, yes = no+n[0], yes+n[1]
	}
	if no == 0 || yes == 0 {
		return .5, false
	}
	all := float64(no) * float64(yes)
	auc = float64(float64(pairs) / all * .5)
	return auc, math.Abs(auc-.5) > surely*math.Sqrt(float64(no+yes+1)/12/all)
}
