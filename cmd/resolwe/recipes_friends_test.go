package main_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// friendOracle is the oracle of the recipes of the Delicious kind.
type friendOracle struct {
	users                             // as the tables first mention them
	friends relation                  // the other one of a friendship
	least   int                       // friends of a center
	popular bool                      // strangers are drawn from the friendships of all, not of the center's friends
	tags    relation                  // by user
	pages   relation                  // by user
	marks   map[string][][2]string    // by user: page and tag
	first   map[string]map[string]int // by user and page: the first day

	candidates map[string]map[string]bool // where they are given, by center: whether they are friends
	folds      map[string]int             // where they are given
}

func newFriendOracle(least int) *friendOracle {
	return &friendOracle{
		friends: relation{}, least: least, tags: relation{}, pages: relation{},
		marks: map[string][][2]string{}, first: map[string]map[string]int{},
	}
}

// befriend adds a row of the table of friends, in whose direction alone it counts unless both are given.
func (o *friendOracle) befriend(u, v string, both bool) {
	o.see(u)
	o.see(v)
	if both && u == v {
		return
	}
	o.friends.add(u, v)
	if both {
		o.friends.add(v, u)
	}
}

// tag adds a row of the table of bookmarks.
func (o *friendOracle) tag(user, page, tag string, day int) {
	o.see(user)
	o.marks[user] = append(o.marks[user], [2]string{page, tag})
	o.tags.add(user, tag)
	o.pages.add(user, page)
	if o.first[user] == nil {
		o.first[user] = map[string]int{}
	}
	if before, ok := o.first[user][page]; !ok || day < before {
		o.first[user][page] = day
	}
}

// strangers returns the friends of a center's friends, or of all, that are not its own, and of how many they are drawn: friendships
// where of all.
func (o *friendOracle) strangers(center string) (out set, of int) {
	out = set{}
	for f, friends := range o.friends {
		if !o.popular && !o.friends[center][f] {
			continue
		}
		for u := range friends {
			if u != center && !o.friends[center][u] {
				out[u] = true
				of++
			}
		}
	}
	if !o.popular {
		of = len(out)
	}
	return out, of
}

func (o *friendOracle) centers() (out []string) {
	for _, u := range o.order {
		n := len(o.friends[u])
		_, of := o.strangers(u)
		if o.candidates != nil && o.candidates[u] != nil || o.candidates == nil && n >= o.least && of >= n {
			out = append(out, u)
		}
	}
	return out
}

func (o *friendOracle) fold(center string) int {
	if o.folds == nil {
		return -1
	}
	return o.folds[center]
}

// members returns the candidates of a center and adds to the facts which of them are friends.
func (o *friendOracle) members(t *testing.T, center string, cut, want factSet) set {
	t.Helper()
	members := set{}
	if o.candidates != nil {
		for u, friend := range o.candidates[center] {
			members[u] = true
			want.add(map[bool]string{true: "cFriends", false: "!cFriends"}[friend], u)
		}
		return members
	}
	for u := range o.friends[center] {
		members[u] = true
		want.add("cFriends", u)
	}
	strangers, of := o.strangers(center)
	drawn := 0
	for u := range strangers {
		if cut["!cFriends("+u+")"] {
			members[u] = true
			want.add("!cFriends", u)
			drawn++
		}
	}
	if n := min(4*len(o.friends[center]), of); drawn > n || drawn == 0 || (!o.popular || n == of) && drawn != min(n, len(strangers)) {
		t.Errorf("%s: got %d strangers, want %d of %d", center, drawn, n, of)
	}
	return members
}

func (o *friendOracle) facts(t *testing.T, center string, cut factSet) factSet {
	t.Helper()
	want := factSet{}
	members := o.members(t, center, cut, want)
	if members[center] {
		t.Errorf("%s is a candidate of its own", center)
	}
	for u := range union(members, set{center: true}) {
		for _, mark := range o.marks[u] {
			want.add("bkMark", mark[0], u, mark[1])
			want.add("usedTag", mark[1], u)
		}
	}
	for u := range members {
		for page, day := range o.first[u] {
			if own, ok := o.first[center][page]; ok {
				want.add(map[int]string{-1: "bkMarkBefore", 0: "bkMarkSameDay", 1: "bkMarkAfter"}[sign(day-own)], page, u)
			}
		}
		for v := range members {
			if o.friends[u][v] {
				want.add("friends", u, v)
			}
			if u != v && o.tags[u].meets(o.tags[v]) {
				want.add("sameTag", u, v)
			}
			if u != v && o.pages[u].meets(o.pages[v]) {
				want.add("sameUrl", u, v)
			}
		}
	}
	return want
}

func sign(n int) int { return min(max(n, -1), 1) }

// star returns the friendships of a user of its own with as many friends and friends of theirs as are asked for.
func star(prefix string, friends, strangers int) (rows [][]any) {
	for i := 1; i <= friends; i++ {
		rows = append(rows, []any{prefix + "0", name(prefix, i)})
	}
	for i := 1; i <= strangers; i++ {
		rows = append(rows, []any{name(prefix, i), name(prefix, -i)})
	}
	return rows
}

// friendRows makes friendships, in both directions where that is asked for: hubs have up to most friends, others few.
// There are users on both sides of the bounds too.
func (o *friendOracle) friendRows(rng *rand.Rand, users, hubs, most int, mutual, both bool) [][]any {
	rows := slices.Concat(star("X", o.least, o.least), star("Y", o.least, o.least-1), star("Z", o.least-1, o.least))
	for u := range users {
		n := rng.IntN(3)
		if u < hubs {
			n = most - rng.IntN(most/2)
		}
		for _, v := range pick(rng, n, users) {
			if u == v && !both {
				continue // no data has such a row; where friendships are completed it is left out
			}
			rows = append(rows, []any{name("", u), name("", v)})
		}
	}
	if mutual {
		for _, row := range slices.Clone(rows) {
			rows = append(rows, []any{row[1], row[0]})
		}
	}
	rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	for _, row := range rows {
		o.befriend(row[0].(string), row[1].(string), both)
	}
	return rows
}

// tagRows makes bookmarks: user, page, tag, and the day by its number.
func (o *friendOracle) tagRows(rng *rand.Rand, users int) (rows [][]any) {
	for range 6 * users {
		u, p, tag, day := name("", rng.IntN(users)), name("", rng.IntN(2*users)), name("", rng.IntN(users)), rng.IntN(4)
		rows = append(rows, []any{u, p, tag, day})
		o.tag(u, p, tag, day)
	}
	return rows
}

// split replaces the day at the end of rows by its parts, and what is given behind them.
func split(rows [][]any, more func() []any) {
	for i, row := range rows {
		year, month, day := dates(row[3].(int))
		rows[i] = append(append(row[:3:3], day, month, year), more()...)
	}
}

func none() []any { return nil }

func lastfmTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newFriendOracle(3)
	o.popular = true
	writeTable(t, dir, "user_friends.dat", "userID\tfriendID", o.friendRows(rng, 40, 6, 8, true, false))
	tags := o.tagRows(rng, 40)
	split(tags, none)
	writeTable(t, dir, "user_taggedartists.dat", "userID\tartistID\ttagID\tday\tmonth\tyear", tags)
	return o
}

func candidateTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := lastfmTables(t, rng, dir).(*friendOracle)
	o.candidates, o.folds = map[string]map[string]bool{}, map[string]int{}
	var rows [][]any
	for _, c := range pick(rng, 6, 40) {
		center := name("", c)
		o.candidates[center], o.folds[center] = map[string]bool{}, rng.IntN(4)
		o.see(center)
		for _, u := range pick(rng, 8, 40) {
			if u == c {
				continue
			}
			friend := rng.IntN(2)
			o.candidates[center][name("", u)] = friend == 1
			o.see(name("", u))
			rows = append(rows, []any{center, name("", u), friend, o.folds[center]})
		}
	}
	writeTable(t, dir, "candidates.tsv", "center\tuser\tfriend\tfold", rows)
	return o
}

// hetrecTables has the columns of hetrec2011-delicious-2k, with times of the day, which the recipe leaves out.
func hetrecTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newFriendOracle(3)
	o.popular = true
	clock := func() []any { return []any{rng.IntN(24), rng.IntN(60), rng.IntN(60)} }
	contacts := o.friendRows(rng, 40, 6, 8, false, true)
	for i := range contacts {
		contacts[i] = append(append(contacts[i], 1+rng.IntN(28), 1+rng.IntN(12), 2010), clock()...)
	}
	writeTable(t, dir, "user_contacts.dat",
		"userID\tcontactID\tdate_day\tdate_month\tdate_year\tdate_hour\tdate_minute\tdate_second", contacts)
	tags := o.tagRows(rng, 40)
	split(tags, clock)
	writeTable(t, dir, "user_taggedbookmarks.dat", "userID\tbookmarkID\ttagID\tday\tmonth\tyear\thour\tminute\tsecond", tags)
	return o
}

func fanTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newFriendOracle(30)
	writeTable(t, dir, "fan.tsv", "user\tof", o.friendRows(rng, 250, 12, 40, false, true))
	tags := o.tagRows(rng, 250)
	for _, row := range tags {
		row[3] = isoDate(row[3].(int))
	}
	writeTable(t, dir, "tagging.tsv", "user\turl\ttag\tday", tags)
	return o
}
