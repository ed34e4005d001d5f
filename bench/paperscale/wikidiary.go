package paperscale

import (
	"math/rand/v2"
	"slices"
)

// diary is what one user does while it is drawn.
type diary struct {
	rand            *rand.Rand
	calendar, start int32 // number of days there are; the user's first
	did             []contribution
	engaged         int // days with an edit, over all articles; 0 where each article has its own
}

// sometimes draws a number of days: 0, or with probability p one and more.
func (d *diary) sometimes(p, more float64) int32 {
	if !chance(d.rand, p) {
		return 0
	}
	return int32(1 + geometric(d.rand, more))
}

// add adds an article, unless it is there.
func (d *diary) add(article int32, edits int, talks int32) {
	if !slices.ContainsFunc(d.did, func(c contribution) bool { return c.article == article }) {
		d.did = append(d.did, contribution{article, int32(edits), talks})
	}
}

// settle makes sure that the rule for centers does not take in a user of few articles, whichever rows it counts.
func (d *diary) settle() {
	if len(d.did) > centerArticles {
		return
	}
	for _, most := range []int32{4, 2, 1} {
		total := int32(0)
		for _, c := range d.did {
			total += c.edits + c.talks
		}
		if total <= quietRows {
			return
		}
		for i := range d.did {
			d.did[i].edits, d.did[i].talks = min(d.did[i].edits, most), min(d.did[i].talks, most)
		}
	}
	// Fifteen articles edited and discussed once each are one row too many.
	if d.did[0].talks+d.did[0].edits > 1 && len(d.did) == centerArticles {
		d.did[0].talks = 0
	}
}

// write writes the rows, changes the contributions to what there was time for, and counts the days with an edit.
func (d *diary) write(user int32, edits, talks *table, names []int32) int32 {
	if d.engaged > 0 {
		d.writeEngaged(user, edits, names)
	}
	var days []int32
	for i := range d.did {
		c := &d.did[i]
		if d.engaged == 0 {
			c.edits = d.writeDays(edits, c.edits, names[c.article], user, func(day int32) { days = append(days, day) })
		}
		c.talks = d.writeDays(talks, c.talks, names[c.article], user, func(int32) {})
	}
	if d.engaged > 0 {
		return int32(d.engaged)
	}
	slices.Sort(days)
	return int32(len(slices.Compact(days)))
}

// writeEngaged writes one edit on each of a number of days. Each article gets one, the first ones most.
func (d *diary) writeEngaged(user int32, edits *table, names []int32) {
	last := int32(d.engaged * 5)
	day := min(d.start, d.calendar-last-1)
	for i := range d.engaged {
		day += 1 + int32(d.rand.IntN(5))
		at := i
		if i >= len(d.did) {
			at = min(d.rand.IntN(len(d.did)), d.rand.IntN(len(d.did)))
			d.did[at].edits++
		}
		edits.id('A', names[d.did[at].article])
		edits.id('U', user)
		edits.day(day)
		edits.end()
	}
}

// writeDays writes n distinct days, fewer at the end of the calendar. It returns how many.
func (d *diary) writeDays(t *table, n, article, user int32, each func(day int32)) int32 {
	day := min(d.start+int32(d.rand.IntN(200)), d.calendar-1)
	done := int32(0)
	for ; done < n && day < d.calendar; done++ {
		t.id('A', article)
		t.id('U', user)
		t.day(day)
		t.end()
		each(day)
		day += 1 + int32(d.rand.IntN(20))
	}
	return done
}
