package paperscale

import (
	"context"
	"io"

	"resolwe/pool"
)

// How many taggings a user has.
const (
	leastTaggings = 5
	mostTaggings  = 20_000
	taggingTail   = 1.2 // Pareto exponent
	centerWeight  = 2   // centers have as many times more
	usersAtOnce   = 256 // whose rows are made in one piece of work
)

// shelves is how many taggings users have, and whom they copy.
type shelves struct {
	taggings []int32   // by user
	copied   [][]int32 // by user: the centers of whom the user is a fan; none for centers
}

func (d *delicious) isCenter(user int32) bool { return int(d.role[user]) < d.size.centers }

// drawShelves shares the taggings out.
func (d *delicious) drawShelves() {
	r := newRand(d.opt.Seed, streamTaggings)
	weights := make([]float64, d.size.users)
	for u := range weights {
		weights[u] = pareto(r, taggingTail, mostTaggings)
		if d.isCenter(int32(u)) {
			weights[u] *= centerWeight
		}
	}
	d.taggings = apportion(weights, d.size.taggings, leastTaggings, mostTaggings)
	d.copied = make([][]int32, d.size.users)
	for u, idols := range d.idols {
		if d.isCenter(int32(u)) {
			continue
		}
		for _, idol := range idols {
			if d.isCenter(idol) {
				d.copied[u] = append(d.copied[u], idol)
			}
		}
	}
}

// shelf is the rows of a run of users.
type shelf struct {
	rows      rows
	last      int // user, and one more
	bookmarks int
}

// writeTaggings writes all bookmarks, some users at a time on each processor.
func (d *delicious) writeTaggings(stats *Stats) error {
	t, err := d.out.create("tagging", "user", "url", "tag", "day")
	if err != nil {
		return err
	}
	d.drawShelves()
	next, bookmarks := 0, 0
	source := func(context.Context) (int, error) {
		if next >= d.size.users {
			return 0, io.EOF
		}
		next += usersAtOnce
		return next - usersAtOnce, nil
	}
	fill := func(_ context.Context, r *reader, first int) (shelf, error) { return r.shelf(first), nil }
	sink := func(s shelf) error {
		t.append(s.rows)
		bookmarks += s.bookmarks
		if t.err != nil {
			return t.err
		}
		return d.opt.report("tagging", s.last, d.size.users)
	}
	if err := pool.Map(context.Background(), 0, source, d.newReader, fill, sink); err != nil {
		return err
	}
	most := int32(0)
	for _, n := range d.taggings {
		most = max(most, n)
	}
	stats.figure("taggings", float64(t.count), 48_809_570)
	stats.figure("bookmarks", float64(bookmarks), 0)
	stats.figure("taggings of the most active user", float64(most), 0)
	return nil
}

// shelf makes the rows of some users.
func (r *reader) shelf(first int) shelf {
	s := shelf{last: min(first+usersAtOnce, r.size.users)}
	s.rows.calendar = r.out.calendar
	for u := first; u < s.last; u++ {
		r.each(int32(u), func(b bookmark) {
			s.bookmarks++
			for _, t := range b.tags {
				s.rows.tagging(int32(u), b, t)
			}
		})
	}
	return s
}

func (r *rows) tagging(user int32, b bookmark, t tag) {
	r.id('U', user)
	if b.page.prefix == 'W' {
		r.id('W', b.page.number)
	} else {
		r.id2(b.page.prefix, b.page.owner, b.page.number)
	}
	if t.group < 0 {
		r.id('T', t.number)
	} else {
		r.id2('T', t.group, t.number)
	}
	r.day(b.day)
	r.end()
}
