package paperscale

import (
	"context"
	"fmt"
	"slices"

	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
)

// centerFriends is the minimum number of friends of a center of Delicious.
const centerFriends = 30

// delicious is the state of a Delicious task during generation. User i is named U(i+1).
type delicious struct {
	*run
	rand draw.Source // for drawing friendships

	users, loners, fans int
	groups, pages, tags int
	role                []int32       // by user: the first are the planned centers, then come loners and their friends, then all others
	planned             []int32       // centers
	crowd               []int32       // users who are given friends at random
	popularity          draw.PowerLaw // of these
	group               []int32       // by user
	peers               [][]int32     // by group: its users of the crowd
	friends             [][]int32     // by user, in order once drawn
	idols               [][]int32     // by user: of whom the user is a fan
	centers             []int32       // who satisfy the rule
	taggings            []int32       // by user: number of taggings
	copied              [][]int32     // by user: the planned centers of whom the user is a fan; empty for planned centers
	anyPage, groupPage  draw.PowerLaw
	anyTag, groupTag    draw.PowerLaw
}

// Delicious writes the tables for the task of predicting a user's friends to dir, which it creates if missing. They appear once all
// are complete.
//
//	fan(user, of)    tagging(user, url, tag, day)
//
// Two users are friends if one is a fan of the other. A center is a user with at least 30 friends and, as the paper requires, at
// least as many others who are friends of those friends; the first bound is ours, chosen so that as many users meet both as the
// paper has subgraphs. Some loners have 30 friends without other friends; nobody else has more than 25.
//
// Users belong to interest groups. Most friends of a center are in its group; few other friendships are within a group. Users
// bookmark pages of their group, pages at large, and pages that nobody else has. Fans of a center replace some of the last kind by
// pages that the center bookmarked, often on the same day. Tags are mostly those of the group. Centers copy from nobody, and
// bookmark a page of their group on the day it is new, before the others.
//
// So bkMarkSameDay is tied to friendship through copies; bkMarkAfter, and the same page under the same tag, through copies and
// groups; usedTag, sameTag and sameUrl through groups. bkMarkBefore is noise, since it comes only from pages at large.
//
// Counts have floors: 1,500 users, 4 centers, 3,000 fans, 200,000 taggings.
//
// The random numbers come from PCG keyed by the seed, the step and, for taggings, the user and the bookmark. Memory is about 130 MB
// at scale 1; taggings are not kept.
func Delicious(ctx context.Context, dir string, opt csvtables.Options) (*Stats, error) {
	rule := fmt.Sprintf("at least %d friends, at least as many others who are friends of friends", centerFriends)
	g, err := newRun(ctx, dir, opt, "Delicious", rule, date(2003, 9, 1), date(2009, 12, 31))
	if err != nil {
		return nil, err
	}
	defer g.out.Abort()
	g.Noise = []string{"bkMarkBefore"}
	d := &delicious{
		run: g, rand: draw.New(g.Seed, streamNetwork),
		users: g.scaled(200_000, 1500), loners: g.scaled(24, 1), fans: g.scaled(425_486, 3000),
		groups: g.scaled(400, 6), pages: g.scaled(3_000_000, 30_000), tags: g.scaled(20_000, 500),
	}
	d.drawNetwork(g.scaled(656, 4))
	if d.writeFans(); g.err != nil {
		return nil, g.err
	}
	if err := d.writeTaggings(g.scaled(48_809_570, 200_000)); err != nil {
		return nil, err
	}
	if err := d.assign("delicious", func(formula string) Role { return deliciousRoles[formula] }); err != nil {
		return nil, err
	}
	return &g.Stats, g.out.Commit()
}

const (
	mostCenterFriends = 500
	mostLonerFriends  = 45
	mostFriends       = centerFriends - 5 // for all other users
	centerTail        = 1.6               // Pareto exponents of the number of friends
	friendExponent    = 0.6
	centerHomophily   = 0.85 // that a friend of a center is in its group
	homophily         = 0.1  // that another friendship is within a group
	closureRate       = 0.1  // that it is between two friends of a center
	inwardRate        = 0.9  // that the friend is a fan of the center, not the center of the friend
	mutualFanRate     = 0.08 // that two users are fans of each other
)

// drawNetwork draws groups and friendships until there are enough fans.
func (d *delicious) drawNetwork(centers int) {
	r, n := d.rand, d.users
	d.role = r.Permutation(n)
	ordinal := make([]int32, n) // by role: the user
	d.group, d.friends, d.idols = make([]int32, n), make([][]int32, n), make([][]int32, n)
	d.peers = make([][]int32, d.groups)
	groups := draw.NewPowerLaw(d.groups, 0.5, 0.02)
	next, first := centers+d.loners, centers+d.loners*(1+mostLonerFriends)
	for u, role := range d.role {
		ordinal[role] = int32(u)
		d.group[u] = int32(groups.Rank(r))
		if int(role) >= first {
			d.peers[d.group[u]] = append(d.peers[d.group[u]], int32(u))
		}
	}
	d.planned, d.crowd = ordinal[:centers], ordinal[first:]
	d.popularity = draw.NewPowerLaw(len(d.crowd), friendExponent, 0.003)
	left := d.fans
	for _, loner := range ordinal[centers:next] { // their friends have no others
		for range centerFriends + r.IntN(mostLonerFriends-centerFriends+1) {
			d.befriend(ordinal[next], loner)
			left--
			next++
		}
	}
	for _, center := range d.planned {
		d.befriendCenter(center, &left)
	}
	for left > 0 {
		fan, of := d.popular(), d.popular()
		switch x := r.Float64(); {
		case x < closureRate:
			friends := d.friends[draw.Pick(r, d.planned)]
			fan, of = draw.Pick(r, friends), draw.Pick(r, friends)
		case x < closureRate+homophily:
			of = d.peer(d.group[fan])
		}
		d.fan(fan, of, mostFriends, mostFriends, &left)
	}
	for u := range d.friends {
		slices.Sort(d.friends[u])
		slices.Sort(d.idols[u])
	}
	for u := range int32(n) {
		if friends := len(d.friends[u]); friends >= centerFriends && len(d.strangers(u)) >= friends {
			d.centers = append(d.centers, u)
		}
	}
}

// befriendCenter gives a center its friends.
func (d *delicious) befriendCenter(center int32, left *int) {
	n := min(int(centerFriends*d.rand.Pareto(centerTail, mostCenterFriends)), mostCenterFriends, len(d.crowd)/10)
	for len(d.friends[center]) < n {
		friend := d.popular()
		if d.rand.Chance(centerHomophily) {
			friend = d.peer(d.group[center])
		}
		if d.rand.Chance(inwardRate) {
			d.fan(friend, center, mostFriends, n, left)
		} else {
			d.fan(center, friend, n, mostFriends, left)
		}
	}
}

func (d *delicious) popular() int32 { return d.crowd[d.popularity.Rank(d.rand)] }

// peer draws a user of a group, or any user if there is no group.
func (d *delicious) peer(group int32) int32 {
	if len(d.peers[group]) == 0 {
		return d.popular()
	}
	return draw.Pick(d.rand, d.peers[group])
}

// fan makes a user a fan of another, and sometimes also the reverse, if both have room for another friend.
func (d *delicious) fan(fan, of int32, mostFan, mostOf int, left *int) {
	if *left == 0 || fan == of || len(d.friends[fan]) >= mostFan || len(d.friends[of]) >= mostOf ||
		slices.Contains(d.friends[fan], of) {
		return
	}
	d.befriend(fan, of)
	*left--
	if *left > 0 && d.rand.Chance(mutualFanRate) {
		d.idols[of] = append(d.idols[of], fan)
		*left--
	}
}

func (d *delicious) befriend(fan, of int32) {
	d.idols[fan] = append(d.idols[fan], of)
	d.friends[fan] = append(d.friends[fan], of)
	d.friends[of] = append(d.friends[of], fan)
}

// strangers lists, in order, the friends of a user's friends who are not the user's.
func (d *delicious) strangers(user int32) []int32 {
	var all []int32
	for _, f := range d.friends[user] {
		all = append(all, d.friends[f]...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(u int32) bool {
		_, friend := slices.BinarySearch(d.friends[user], u)
		return friend || u == user
	})
}

func (d *delicious) writeFans() {
	t := d.out.Create("fan", "user", "of")
	connected, most, friends, strangers := 0, 0, 0, 0
	for u := range d.each("fan", d.users) {
		for _, of := range d.idols[u] {
			t.Add(id("U", u), id("U", of))
		}
		most = max(most, len(d.friends[u]))
		if len(d.friends[u]) > 0 {
			connected++
		}
	}
	for _, c := range d.centers {
		friends += len(d.friends[c])
		strangers += len(d.strangers(c))
	}
	d.figure("fans", float64(t.Rows), 425_486)
	d.figure("users", float64(d.users), 0)
	d.figure("users who are or have fans", float64(connected), 0)
	d.figure("friends of the most popular user", float64(most), 0)
	d.figure("centers", float64(len(d.centers)), 656)
	d.figure("friends a center", mean(friends, len(d.centers)), 0)
	d.figure("other friends of friends a center", mean(strangers, len(d.centers)), 0)
}

// deliciousRoles are the roles of the formulas.
var deliciousRoles = map[string]Role{
	"bkMarkAfter(p, u1) => cFriends(u1)":                          Planted,
	"bkMarkBefore(p, u1) => cFriends(u1)":                         Noise,
	"bkMarkSameDay(p, u1) => cFriends(u1)":                        Planted,
	"bkMarkAfter(p, u1) ^ bkMarkBefore(p2, u1) => cFriends(u1)":   Follows,
	"bkMarkAfter(p, u1) ^ bkMarkSameDay(p2, u1) => cFriends(u1)":  Planted,
	"bkMarkBefore(p, u1) ^ bkMarkSameDay(p2, u1) => cFriends(u1)": Follows,
	"usedTag(t, u1) ^ usedTag(t, @center) => cFriends(u1)":        Planted,
	"bkMark(p, u1, t) ^ bkMark(p, @center, t) => cFriends(u1)":    Planted,
	"friends(u1, u2) ^ cFriends(u1) => cFriends(u2)":              Follows,
	"sameTag(u1, u2) ^ cFriends(u1) => cFriends(u2)":              Planted,
	"sameUrl(u1, u2) ^ cFriends(u1) => cFriends(u2)":              Planted,
}
