package paperscale

import (
	"math/rand/v2"
	"slices"
)

// The shape of the bookmarks.
const (
	groupPages    = 5000 // of each group
	groupTags     = 200
	mostTags      = 4    // of a bookmark
	groupPageRate = 0.4  // that a bookmark is of a page of the group,
	anyPageRate   = 0.25 // or of one at large; else of a page that no one else has,
	copyRate      = 0.5  // or, by fans of centers, a copy of a center's bookmark
	pageTagRate   = 0.5  // that the first tag is the one most used for the page
	anyTagRate    = 0.05 // that a tag is not one of the group
	sameDayRate   = 0.4  // that a copy is made on the same day
	mostDelay     = 1000
	quietEnd      = 60 // no page of a group is new in the last days
)

// page is a bookmarked page. Two are the same where their fields are.
type page struct {
	prefix byte  // G: of a group, P: of one user, W: at large
	owner  int32 // the group or the user, else 0
	number int32
}

func (p page) hash() uint64 {
	return mix(uint64(p.prefix)<<56 ^ uint64(p.owner)<<32 ^ uint64(p.number))
}

// tag is a tag of a group or, with group -1, of all.
type tag struct{ group, number int32 }

// bookmark is a page that a user bookmarked on a day, under distinct tags.
type bookmark struct {
	page page
	day  int32
	tags []tag
}

// reader draws bookmarks. None is kept: each is a function of the seed, the user and its number. A reader is for one
// goroutine at a time.
type reader struct {
	*delicious
	source                               *rand.PCG
	rand                                 *rand.Rand
	seen                                 pageSet
	tags                                 [mostTags]tag
	anyPage, groupPage, anyTag, groupTag powerLaw
}

func (d *delicious) newReader() *reader {
	r := &reader{
		delicious: d, source: rand.NewPCG(0, 0),
		anyPage:   newPowerLaw(d.size.pages, 0.7, 1e-6),
		groupPage: newPowerLaw(groupPages, 0.6, 0.001),
		anyTag:    newPowerLaw(d.size.tags, 0.5, 1e-4),
		groupTag:  newPowerLaw(groupTags, 0.8, 0.005),
	}
	r.rand = rand.New(r.source)
	return r
}

// each calls visit for each bookmark of a user; the tags are valid during the call. No page comes twice, and tags are as
// many as the user has taggings.
func (r *reader) each(user int32, visit func(bookmark)) {
	r.seen.clear()
	left := r.taggings[user]
	for i := int32(0); left > 0; i++ {
		b := r.draw(user, i)
		if b.page.prefix != 'P' || b.page.owner != user {
			if !r.seen.add(b.page) {
				b.page = page{'P', user, i}
			}
		}
		b.tags = b.tags[:min(len(b.tags), int(left))]
		left -= int32(len(b.tags))
		visit(b)
	}
}

// draw draws a user's i-th bookmark. Copies take the place of pages that no one else has, so that they leave the others
// as many as users have who are no fans.
func (r *reader) draw(user, i int32) bookmark {
	b := r.own(user, i)
	idols := r.copied[user]
	if b.page.prefix != 'P' || len(idols) == 0 || !chance(r.rand, copyRate) {
		return b
	}
	idol := pick(r.rand, idols)
	// A bookmark has at most mostTags taggings, so the idol has these.
	number := r.rand.Int32N(max(1, r.taggings[idol]/mostTags))
	later := int32(0)
	if !chance(r.rand, sameDayRate) {
		later = 1 + int32(geometric(r.rand, 7))
	}
	b = r.own(idol, number)
	b.day = min(b.day+later, r.out.days()-1)
	return b
}

// own draws a bookmark that is no copy.
func (r *reader) own(user, i int32) bookmark {
	r.source.Seed(mix(r.opt.Seed+streamTaggings), mix(uint64(user)<<32|uint64(i)))
	group, days := r.group[user], r.out.days()
	b := bookmark{page: page{'P', user, i}, day: r.rand.Int32N(days)}
	switch x := r.rand.Float64(); {
	case x < groupPageRate:
		b.page = page{'G', group, int32(r.groupPage.rank(r.rand))}
		b.day = int32(b.page.hash() % uint64(days-quietEnd)) // on which the page is new
		if !r.isCenter(user) {
			b.day = min(b.day+1+int32(10*(pareto(r.rand, 1, mostDelay)-1)), days-1)
		}
	case x < groupPageRate+anyPageRate:
		b.page = page{'W', 0, int32(r.anyPage.rank(r.rand))}
	}
	b.tags = r.drawTags(b.page, group)
	return b
}

// drawTags draws distinct tags.
func (r *reader) drawTags(p page, group int32) []tag {
	tags := r.tags[:0]
	for range min(1+geometric(r.rand, 1.3), mostTags) {
		t := tag{group, int32(r.groupTag.rank(r.rand))}
		switch {
		case len(tags) == 0 && chance(r.rand, pageTagRate):
			t.number = int32(p.hash() >> 32 % groupTags)
			if p.prefix == 'W' {
				t = tag{-1, int32(p.hash() >> 32 % uint64(r.size.tags))}
			}
		case chance(r.rand, anyTagRate):
			t = tag{-1, int32(r.anyTag.rank(r.rand))}
		}
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// pageSet is the pages of one user: an open-addressing table that is cleared by turning a number.
type pageSet struct {
	slots []pageSlot
	turn  uint32
}

type pageSlot struct {
	page page
	turn uint32 // of the pages in the set, the set's
}

func (s *pageSet) clear() {
	if s.turn++; s.slots == nil {
		s.slots = make([]pageSlot, 4*mostTaggings)
	}
}

// add reports whether the page is new.
func (s *pageSet) add(p page) bool {
	at := p.hash() % uint64(len(s.slots))
	for ; s.slots[at].turn == s.turn; at = (at + 1) % uint64(len(s.slots)) {
		if s.slots[at].page == p {
			return false
		}
	}
	s.slots[at] = pageSlot{p, s.turn}
	return true
}
