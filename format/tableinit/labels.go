package tableinit

import (
	"cmp"
	"fmt"
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
	times map[uint64][]int64     // by predicted thing
	says  map[uint64][2]int      // by predicted thing: numbers of labels no and yes
}

// add adds a row.
func (l *labels) add(pair [2]uint64, at int64, label uint64, yes bool) {
	n := l.says[pair[1]]
	if yes {
		n[1]++
	} else {
		n[0]++
	}
	l.says[pair[1]] = n
	if last, known := l.last[pair[0]]; !known || at > last {
		l.last[pair[0]] = at
	}
	says := [2]int64{at, int64(label)}
	if first, known := l.first[pair]; !known {
		l.first[pair] = says
	} else if first != says {
		l.again++
	}
	l.rows = append(l.rows, [2]int64{int64(pair[0]), at})
	l.times[pair[1]] = append(l.times[pair[1]], at)
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

// gap returns the least number of days between two dates of one thing, 0 if none has two.
func (l *labels) gap() int64 {
	least := int64(0)
	for _, times := range l.times {
		slices.Sort(times)
		for i := 1; i < len(times); i++ {
			d := isotime.FloorDiv(times[i], isotime.SecondsOfDay) - isotime.FloorDiv(times[i-1], isotime.SecondsOfDay)
			if d > 0 && (least == 0 || d < least) {
				least = d
			}
		}
	}
	return least
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
	if horizon == "" {
		if d.horizon = l.gap(); d.horizon > 0 {
			d.note("an earlier %s is stated after %d days, the least time between two rows of one %s: --horizon 30d sets another time until it is known",
				d.label.title(), d.horizon, d.member.title())
		}
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(horizon, "d"), 10, 32)
	if err != nil || n < 0 {
		return usage("--horizon is a number of days, as in 30d, not %q", horizon)
	}
	d.horizon = n
	return nil
}

// How well an undated column must predict the label to be doubted: AUC-ROC, and the number of standard errors above .5.
const (
	leastDoubted = .8
	sureDoubted  = 6
)

// doubtColumns warns of columns of predicted things that predict the label well and may have been written after it.
func (d *draft) doubtColumns(l *labels) {
	for _, t := range d.tables {
		if d.label == nil || t.key == nil || t.key.typ != d.member.typ {
			continue
		}
		var columns []*column
		for _, c := range t.columns {
			if c.told() && c != t.key && c != t.time && !c.trusts() && (c.few(fewValues) || c.filled < c.rows) {
				columns = append(columns, c)
			}
		}
		says := make([]map[uint64][2]int, len(columns)) // by value
		for i := range says {
			says[i] = map[uint64][2]int{}
		}
		d.pass(t, func(cells [][]byte) {
			n := l.says[hashOf(t.key.cell(cells))]
			for i, c := range columns {
				value := uint64(min(len(c.cell(cells)), 1)) // empty or not
				if c.few(fewValues) && value > 0 {
					value = hashOf(c.cell(cells))
				}
				all := says[i][value]
				says[i][value] = [2]int{all[0] + n[0], all[1] + n[1]}
			}
		})
		for i, c := range columns {
			if auc, sure := separation(says[i]); auc > leastDoubted && sure {
				d.note("%s.%s may be the answer in disguise: alone it has an AUC-ROC of %s, and nothing says when it was written; remove it from the recipe unless it was known before",
					t.name, clip(c.title()), fmt.Sprintf("%.2f", auc))
			}
		}
	}
}

// separation returns the AUC-ROC of a column's values, ordered by their share of yes, and whether it exceeds chance.
func separation(says map[uint64][2]int) (auc float64, sure bool) {
	values := make([][2]int, 0, len(says))
	for _, n := range says {
		if n != [2]int{} {
			values = append(values, n)
		}
	}
	slices.SortFunc(values, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[1]*b[0], b[1]*a[0]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
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
	return auc, auc-.5 > sureDoubted*math.Sqrt(float64(no+yes+1)/12/all)
}
