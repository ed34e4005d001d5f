package paperscale

import (
	"math/rand/v2"
	"slices"
)

// network is who is a fan of whom. User i is named U(i+1).
type network struct {
	role    []int32   // by user: the first are centers, then come loners and their friends, then all others
	ordinal []int32   // by role: the user
	group   []int32   // by user
	peers   [][]int32 // by group: its users who are neither centers nor loners nor friends of loners
	friends [][]int32 // by user, in order once drawn
	idols   [][]int32 // by user: of whom the user is a fan
	centers []int32   // who satisfy the rule
}

const (
	mostCenterFriends = 500
	mostLonerFriends  = 45
	mostFriends       = centerFriends - 5 // of all others
	centerTail        = 1.6               // Pareto exponents of the number of friends
	friendExponent    = 0.6
	centerHomophily   = 0.85 // that a friend of a center is of its group
	homophily         = 0.1  // that another friendship is within a group
	closureRate       = 0.1  // that it is between two friends of a center
	inwardRate        = 0.9  // that the friend is a fan of the center, not the center of the friend
	mutualFanRate     = 0.08 // that two users are fans of each other
)

// drawNetwork draws groups and friendships.
func (d *delicious) drawNetwork() {
	r := newRand(d.opt.Seed, streamNetwork)
	n := d.size.users
	d.role, d.ordinal = permutation(r, n), make([]int32, n)
	d.group, d.friends, d.idols = make([]int32, n), make([][]int32, n), make([][]int32, n)
	d.peers = make([][]int32, d.size.groups)
	groups := newPowerLaw(d.size.groups, 0.5, 0.02)
	first := int32(d.size.centers + d.size.loners*(1+mostLonerFriends))
	for u, role := range d.role {
		d.ordinal[role] = int32(u)
		d.group[u] = int32(groups.rank(r))
		if role >= first {
			d.peers[d.group[u]] = append(d.peers[d.group[u]], int32(u))
		}
	}
	left := d.size.fans - d.befriendLoners(r)
	b := &befriender{delicious: d, rand: r, crowd: d.ordinal[first:], left: left}
	b.popularity = newPowerLaw(len(b.crowd), friendExponent, 0.003)
	for c := range d.size.centers {
		b.befriendCenter(d.ordinal[c])
	}
	b.befriendOthers()
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

// befriendLoners gives each loner friends who have no others. It returns how many fans that makes.
func (d *delicious) befriendLoners(r *rand.Rand) int {
	count, next := 0, d.size.centers+d.size.loners
	for i := range d.size.loners {
		loner := d.ordinal[d.size.centers+i]
		for range centerFriends + r.IntN(mostLonerFriends-centerFriends+1) {
			d.fan(d.ordinal[next], loner)
			count++
			next++
		}
	}
	return count
}

// fan makes a a fan of b.
func (d *delicious) fan(a, b int32) {
	d.idols[a] = append(d.idols[a], b)
	d.friends[a] = append(d.friends[a], b)
	d.friends[b] = append(d.friends[b], a)
}

// befriender draws friendships until the fans are as many as wanted.
type befriender struct {
	*delicious
	rand       *rand.Rand
	crowd      []int32 // users who get friends at random
	popularity powerLaw
	left       int
}

func (b *befriender) popular() int32 { return b.crowd[b.popularity.rank(b.rand)] }

// peer draws a user of a group, or any where there is none.
func (b *befriender) peer(group int32) int32 {
	if len(b.peers[group]) == 0 {
		return b.popular()
	}
	return pick(b.rand, b.peers[group])
}

// befriend makes a user a fan of another, and at times the other a fan of the user, where both have room for a friend.
func (b *befriender) befriend(fan, of int32, mostFan, mostOf int) {
	if b.left == 0 || fan == of || len(b.friends[fan]) >= mostFan || len(b.friends[of]) >= mostOf ||
		slices.Contains(b.friends[fan], of) {
		return
	}
	b.fan(fan, of)
	b.left--
	if b.left > 0 && chance(b.rand, mutualFanRate) {
		b.idols[of] = append(b.idols[of], fan)
		b.left--
	}
}

// befriendCenter gives a center its friends.
func (b *befriender) befriendCenter(center int32) {
	n := min(int(centerFriends*pareto(b.rand, centerTail, mostCenterFriends)), mostCenterFriends, len(b.crowd)/10)
	for len(b.friends[center]) < n {
		friend := b.popular()
		if chance(b.rand, centerHomophily) {
			friend = b.peer(b.group[center])
		}
		if chance(b.rand, inwardRate) {
			b.befriend(friend, center, mostFriends, n)
		} else {
			b.befriend(center, friend, n, mostFriends)
		}
	}
}

// befriendOthers draws the friendships that are left.
func (b *befriender) befriendOthers() {
	for b.left > 0 {
		fan, of := b.popular(), b.popular()
		switch x := b.rand.Float64(); {
		case x < closureRate:
			friends := b.friends[b.ordinal[b.rand.IntN(b.size.centers)]]
			fan, of = pick(b.rand, friends), pick(b.rand, friends)
		case x < closureRate+homophily:
			of = b.peer(b.group[fan])
		}
		b.befriend(fan, of, mostFriends, mostFriends)
	}
}

// strangers lists, in order, the friends of a user's friends who are not the user's.
func (d *delicious) strangers(user int32) []int32 {
	var all []int32
	for _, f := range d.friends[user] {
		all = append(all, d.friends[f]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(u int32) bool {
		_, friend := slices.BinarySearch(d.friends[user], u)
		return friend || u == user
	})
}

func (d *delicious) writeFans(stats *Stats) error {
	t, err := d.out.create("fan", "user", "of")
	if err != nil {
		return err
	}
	connected, most, friends, strangers := 0, 0, 0, 0
	for u := range int32(d.size.users) {
		for _, of := range d.idols[u] {
			t.id('U', u)
			t.id('U', of)
			t.end()
		}
		connected += number01(len(d.friends[u]) > 0)
		most = max(most, len(d.friends[u]))
	}
	for _, c := range d.centers {
		friends += len(d.friends[c])
		strangers += len(d.strangers(c))
	}
	n := max(1, float64(len(d.centers)))
	stats.figure("fans", float64(t.count), 425_486)
	stats.figure("users", float64(d.size.users), 0)
	stats.figure("users who are or have fans", float64(connected), 0)
	stats.figure("friends of the most popular user", float64(most), 0)
	stats.figure("centers", float64(len(d.centers)), 656)
	stats.figure("friends a center", float64(friends)/n, 0)
	stats.figure("other friends of friends a center", float64(strangers)/n, 0)
	return d.opt.report("fan", d.size.users, d.size.users)
}
