package paperscale

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"resolwe/bench/draw"
	"resolwe/internal/elementary"
	"resolwe/pool"
)

// The distribution of the number of taggings of a user.
const (
	leastTaggings = 5
	mostTaggings  = 20_000
	taggingTail   = 1.2 // Pareto exponent
	centerWeight  = 2   // centers have this many times more
	usersAtOnce   = 256 // users whose rows are made in one piece of work
)

// The shape of the bookmarks.
const (
	groupPages    = 5000 // pages of each group
	groupTags     = 200
	mostTags      = 4    // maximum tags of a bookmark
	groupPageRate = 0.4  // that a bookmark is of a page of the group,
	anyPageRate   = 0.25 // or of one at large; else of a page that nobody else has,
	copyRate      = 0.5  // or, by fans of centers, a copy of a center's bookmark
	pageTagRate   = 0.5  // that the first tag is the one most used for the page
	anyTagRate    = 0.05 // that a tag is not one of the group's
	sameDayRate   = 0.4  // that a copy is made on the same day
	mostDelay     = 1000
	quietEnd      = 60 // no page of a group is new in the last days
)

func (d *delicious) isCenter(user int32) bool { return int(d.role[user]) < len(d.planned) }

// shelf holds the rows of a range of users.
type shelf struct {
	rows            []byte
	last            int // one past the last user
	bookmarks, tags int
}

// writeTaggings distributes the taggings among the users, and writes all bookmarks, with some users at a time on each processor.
func (d *delicious) writeTaggings(total int) error {
	t, r := d.out.Create("tagging", "user", "url", "tag", "day"), draw.New(d.Seed, streamTaggings)
	weights := make([]float64, d.users)
	d.copied = make([][]int32, d.users)
	for u := range int32(d.users) {
		weights[u] = r.Pareto(taggingTail, mostTaggings)
		if d.isCenter(u) {
			weights[u] *= centerWeight
			continue
		}
		for _, idol := range d.idols[u] {
			if d.isCenter(idol) {
				d.copied[u] = append(d.copied[u], idol)
			}
		}
	}
	d.taggings = draw.Apportion(weights, total, leastTaggings, mostTaggings)
	d.anyPage, d.groupPage = draw.NewPowerLaw(d.pages, 0.7, 1e-6), draw.NewPowerLaw(groupPages, 0.6, 0.001)
	d.anyTag, d.groupTag = draw.NewPowerLaw(d.tags, 0.5, 1e-4), draw.NewPowerLaw(groupTags, 0.8, 0.005)
	bookmarks := 0
	fill := func(_ context.Context, r *reader, i int) (shelf, error) { return r.shelf(i * usersAtOnce), nil }
	sink := func(s shelf) error {
		t.Append(s.rows, s.tags)
		bookmarks += s.bookmarks
		d.report("tagging", s.last, d.users)
		return d.err
	}
	shelves := pool.Numbers((d.users + usersAtOnce - 1) / usersAtOnce)
	if err := pool.Map(context.Background(), 0, shelves, d.newReader, fill, sink); err != nil {
		return err
	}
	d.figure("taggings", float64(t.Rows), 48_809_570)
	d.figure("bookmarks", float64(bookmarks), 0)
	d.figure("taggings of the most active user", float64(slices.Max(d.taggings)), 0)
	return nil
}

// page is a bookmarked page. Two pages are the same if their fields are.
type page struct {
	prefix byte  // G: of a group, P: of one user, W: at large
	owner  int32 // the group or the user, else -1
	number int32
}

func (p page) hash() uint64 {
	return elementary.Mix(uint64(p.prefix)<<56 ^ uint64(max(0, p.owner))<<32 ^ uint64(p.number))
}

// tag is a tag of a group or, with group -1, of all.
type tag struct{ group, number int32 }

// bookmark is a page that a user bookmarked on a day, under distinct tags.
type bookmark struct {
	page page
	day  int32
	tags []tag
}

// reader draws bookmarks. They are not kept: each is a function of the seed, the user and its number. A reader is for one goroutine
// at a time.
type reader struct {
	*delicious
	source *rand.PCG
	rand   draw.Source
	buffer [mostTags]tag
	seen   []pageSlot // the pages of a user: an open-addressing table that is cleared by incrementing turn
	turn   uint32
}

type pageSlot struct {
	page page
	turn uint32 // equals that of the reader for current entries
}

func (d *delicious) newReader() *reader {
	source := rand.NewPCG(0, 0)
	return &reader{delicious: d, source: source, rand: draw.Source{Rand: rand.New(source)}, seen: make([]pageSlot, 4*mostTaggings)}
}

// shelf makes the rows of some users.
func (r *reader) shelf(first int) shelf {
	s := shelf{last: min(first+usersAtOnce, r.users)}
	for u := int32(first); int(u) < s.last; u++ {
		r.each(u, func(b bookmark) {
			s.bookmarks++
			s.tags += len(b.tags)
			for _, t := range b.tags {
				s.rows = appendID(s.rows, 'U', -1, u)
				s.rows = appendID(s.rows, b.page.prefix, b.page.owner, b.page.number)
				s.rows = appendID(s.rows, 'T', t.group, t.number)
				s.rows = append(append(s.rows, r.calendar[b.day]...), '\n')
			}
		})
	}
	return s
}

// appendID appends the field PREFIXn or, with an owner, PREFIXowner_n, both counted from 1.
func appendID(row []byte, prefix byte, owner, n int32) []byte {
	row = append(row, prefix)
	if owner >= 0 {
		row = append(strconv.AppendInt(row, int64(owner)+1, 10), '_')
	}
	return append(strconv.AppendInt(row, int64(n)+1, 10), '\t')
}

// each calls visit for each bookmark of a user; the tags are valid during the call. No page occurs twice, and the number of tags is
// that of the user's taggings.
func (r *reader) each(user int32, visit func(bookmark)) {
	r.turn++
	left := r.taggings[user]
	for i := int32(0); left > 0; i++ {
		b := r.draw(user, i)
		if own := (page{'P', user, i}); b.page != own && !r.add(b.page) {
			b.page = own
		}
		b.tags = b.tags[:min(len(b.tags), int(left))]
		left -= int32(len(b.tags))
		visit(b)
	}
}

// add reports whether a page of the user is new.
func (r *reader) add(p page) bool {
	at := p.hash() % uint64(len(r.seen))
	for ; r.seen[at].turn == r.turn; at = (at + 1) % uint64(len(r.seen)) {
		if r.seen[at].page == p {
			return false
		}
	}
	r.seen[at] = pageSlot{p, r.turn}
	return true
}

// draw draws a user's i-th bookmark. Copies replace pages that nobody else has, so that the other bookmarks are as many as for
// users who are not fans.
func (r *reader) draw(user, i int32) bookmark {
	b := r.own(user, i)
	idols := r.copied[user]
	if b.page.prefix != 'P' || len(idols) == 0 || !r.rand.Chance(copyRate) {
		return b
	}
	idol := draw.Pick(r.rand, idols)
	// A bookmark has at most mostTags taggings, so the idol has at least this many.
	number := r.rand.Int32N(max(1, r.taggings[idol]/mostTags))
	later := int32(0)
	if !r.rand.Chance(sameDayRate) {
		later = 1 + int32(r.rand.Geometric(7))
	}
	b = r.own(idol, number)
	b.day = min(b.day+later, int32(len(r.calendar))-1)
	return b
}

// own draws a bookmark that is not a copy.
func (r *reader) own(user, i int32) bookmark {
	r.source.Seed(elementary.Mix(r.Seed+streamTaggings), elementary.Mix(uint64(user)<<32|uint64(i)))
	group, days := r.group[user], int32(len(r.calendar))
	b := bookmark{page: page{'P', user, i}, day: r.rand.Int32N(days)}
	switch x := r.rand.Float64(); {
	case x < groupPageRate:
		b.page = page{'G', group, int32(r.groupPage.Rank(r.rand))}
		b.day = int32(b.page.hash() % uint64(days-quietEnd)) // day on which the page is new
		if !r.isCenter(user) {
			b.day = min(b.day+1+int32(10*(r.rand.Pareto(1, mostDelay)-1)), days-1)
		}
	case x < groupPageRate+anyPageRate:
		b.page = page{'W', -1, int32(r.anyPage.Rank(r.rand))}
	}
	b.tags = r.drawTags(b.page, group)
	return b
}

// drawTags draws distinct tags.
func (r *reader) drawTags(p page, group int32) []tag {
	tags := r.buffer[:0]
	for range min(1+r.rand.Geometric(1.3), mostTags) {
		t := tag{group, int32(r.groupTag.Rank(r.rand))}
		switch {
		case len(tags) == 0 && r.rand.Chance(pageTagRate):
			t.number = int32(p.hash() >> 32 % groupTags)
			if p.prefix == 'W' {
				t = tag{-1, int32(p.hash() >> 32 % uint64(r.tags))}
			}
		case r.rand.Chance(anyTagRate):
			t = tag{-1, int32(r.anyTag.Rank(r.rand))}
		}
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}
