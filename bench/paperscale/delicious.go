package paperscale

import (
	"fmt"
	"time"
)

// centerFriends is how many friends make a center of Delicious.
const centerFriends = 30

// deliciousSize is how many of each there are.
type deliciousSize struct {
	users, centers, loners, fans, taggings int
	groups, pages, tags                    int
}

// deliciousSizeAt scales the paper's counts, which are fans, taggings and centers, and ours. Each has a floor.
func deliciousSizeAt(opt *Options) deliciousSize {
	return deliciousSize{
		users:    opt.scaled(200_000, 1500),
		centers:  opt.scaled(656, 4),
		loners:   opt.scaled(24, 1),
		fans:     opt.scaled(425_486, 3000),
		taggings: opt.scaled(48_809_570, 200_000),
		groups:   opt.scaled(400, 6),
		pages:    opt.scaled(3_000_000, 30_000),
		tags:     opt.scaled(20_000, 500),
	}
}

// delicious is a Delicious task while it is generated.
type delicious struct {
	opt  Options
	size deliciousSize
	out  *tables

	network
	shelves
}

// Delicious writes the tables of the task to predict the friends of a user. They appear in dir, which is made where it is
// missing, once all are complete.
//
//	fan(user, of)    tagging(user, url, tag, day)
//
// Two users are friends where one is a fan of the other. A center is a user with at least 30 friends and, as the paper
// asks, at least as many others who are friends of those friends; the first bound is ours, chosen so that as many users
// meet both as the paper has subgraphs. Some loners have 30 friends who have no other friends; no one else has more than 25.
//
// Users belong to interest groups. Most friends of a center are in its group, few other friendships are within one. Users
// bookmark pages of their group, pages at large, and pages that no one else has, or instead of these last what a center
// bookmarked of whom they are fans, often on the same day. Tags are mostly those of the group. Centers copy from no one and
// bookmark a page of their group on the day that it is new, before the others.
//
// So bkMarkSameDay is tied to friendship through copies; bkMarkAfter and the same page under the same tag through copies
// and groups; usedTag, sameTag and sameUrl through groups. bkMarkBefore is noise: it comes of pages at large alone.
//
// Counts have floors: 1,500 users, 4 centers, 3,000 fans, 200,000 taggings.
//
// The random numbers come from PCG keyed by the seed, the step, and for taggings the user and the bookmark. Memory is
// about 130 MB at scale 1; no tagging is kept.
func Delicious(dir string, opt Options) (*Stats, error) {
	if err := opt.setDefaults(); err != nil {
		return nil, err
	}
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	out, err := newTables(dir, day(2003, 9, 1), day(2009, 12, 31))
	if err != nil {
		return nil, err
	}
	defer out.abort()
	d := &delicious{opt: opt, size: deliciousSizeAt(&opt), out: out}
	stats := &Stats{
		Task: "Delicious", Scale: opt.Scale, Seed: opt.Seed,
		Rule: fmt.Sprintf("at least %d friends, at least as many others who are friends of friends", centerFriends),
	}
	d.drawNetwork()
	if err := d.writeFans(stats); err != nil {
		return nil, err
	}
	if err := d.writeTaggings(stats); err != nil {
		return nil, err
	}
	d.measure(stats)
	if err := out.commit(); err != nil {
		return nil, err
	}
	return stats, nil
}
