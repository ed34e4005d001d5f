package paperscale

import "slices"

// strangersPerFriend is how many strangers there are for each friend where the strength of formulas is measured.
const strangersPerFriend = 4

// markFormulas are the formulas of users alone that are measured.
var markFormulas = [...]struct {
	selector string
	role     Role
	holds    func(m *marks) bool
}{
	{"bkMarkAfter(p, u1)", Planted, func(m *marks) bool { return m.after }},
	{"bkMarkBefore(p, u1)", Noise, func(m *marks) bool { return m.before }},
	{"bkMarkSameDay(p, u1)", Planted, func(m *marks) bool { return m.sameDay }},
	{"bkMarkAfter(p, u1) ^ bkMarkBefore(p2, u1)", Follows, func(m *marks) bool { return m.after && m.before }},
	{"bkMarkAfter(p, u1) ^ bkMarkSameDay(p2, u1)", Planted, func(m *marks) bool { return m.after && m.sameDay }},
	{"bkMarkBefore(p, u1) ^ bkMarkSameDay(p2, u1)", Follows, func(m *marks) bool { return m.before && m.sameDay }},
	{"usedTag(t, u1) ^ usedTag(t, @center)", Planted, func(m *marks) bool { return m.usedTag }},
	{"bkMark(p, u1, t) ^ bkMark(p, @center, t)", Planted, func(m *marks) bool { return m.bkMark }},
}

// pairFormulas are those of two users.
var pairFormulas = [...]struct {
	selector string
	role     Role
}{
	{"friends(u1, u2)", Follows},
	{"sameTag(u1, u2)", Planted},
	{"sameUrl(u1, u2)", Planted},
}

// marks is how a candidate is tied to the center.
type marks struct{ after, before, sameDay, usedTag, bkMark bool }

// circle is a center's subgraph, as far as formulas are measured on it: the friends, then sampled strangers.
type circle struct {
	users   []int32
	friends int
	marks   []marks
	byTag   map[tag][]int
	byPage  map[page][]int
}

// measure finds what selection would find for some formulas of the task on a sample of the centers.
func (d *delicious) measure(stats *Stats) {
	r := d.newReader()
	base, mark, pair := average{}, [len(markFormulas)]average{}, [len(pairFormulas)]average{}
	for _, center := range sampled(d.centers) {
		c := r.circle(center)
		base.add(c.friends, len(c.users))
		for i, f := range markFormulas {
			mark[i].add(c.count(f.holds))
		}
		for i, related := range []func(u1, u2 int) bool{d.friendly(c), shares(c.users, c.byTag), shares(c.users, c.byPage)} {
			pair[i].add(c.countPairs(related))
		}
	}
	stats.Base = base.mean()
	for i, f := range markFormulas {
		stats.signal(f.selector+" => cFriends(u1)", f.role, mark[i])
	}
	for i, f := range pairFormulas {
		stats.signal(f.selector+" ^ cFriends(u1) => cFriends(u2)", f.role, pair[i])
	}
	stats.Noise = []string{"bkMarkBefore"}
}

// circle draws the strangers and reads everyone's bookmarks.
func (r *reader) circle(center int32) *circle {
	friends, strangers := r.friends[center], r.strangers(center)
	random := newRand(r.opt.Seed, streamStrangers<<32|uint64(center))
	random.Shuffle(len(strangers), func(i, j int) { strangers[i], strangers[j] = strangers[j], strangers[i] })
	strangers = strangers[:min(len(strangers), strangersPerFriend*len(friends))]
	c := &circle{
		users: slices.Concat(friends, strangers), friends: len(friends),
		byTag: map[tag][]int{}, byPage: map[page][]int{},
	}
	days, tags, taggings := map[page]int32{}, map[tag]bool{}, map[page][]tag{}
	r.each(center, func(b bookmark) {
		days[b.page] = b.day
		taggings[b.page] = slices.Clone(b.tags)
		for _, t := range b.tags {
			tags[t] = true
		}
	})
	c.marks = make([]marks, len(c.users))
	for i, u := range c.users {
		m := &c.marks[i]
		r.each(u, func(b bookmark) {
			c.byPage[b.page] = append(c.byPage[b.page], i)
			for _, t := range b.tags {
				c.byTag[t] = append(c.byTag[t], i)
				m.usedTag = m.usedTag || tags[t]
				m.bkMark = m.bkMark || slices.Contains(taggings[b.page], t)
			}
			if day, ok := days[b.page]; ok {
				m.after = m.after || b.day > day
				m.before = m.before || b.day < day
				m.sameDay = m.sameDay || b.day == day
			}
		})
	}
	return c
}

// count counts the candidates for which the selector holds, and the friends among them.
func (c *circle) count(holds func(m *marks) bool) (yes, all int) {
	for i := range c.marks {
		if holds(&c.marks[i]) {
			all++
			yes += number01(i < c.friends)
		}
	}
	return yes, all
}

// countPairs counts the related pairs of which the first is a friend, and those of which both are.
func (c *circle) countPairs(related func(u1, u2 int) bool) (yes, all int) {
	for u1 := range c.friends {
		for u2 := range c.users {
			if u1 != u2 && related(u1, u2) {
				all++
				yes += number01(u2 < c.friends)
			}
		}
	}
	return yes, all
}

func (d *delicious) friendly(c *circle) func(u1, u2 int) bool {
	return func(u1, u2 int) bool {
		_, found := slices.BinarySearch(d.friends[c.users[u1]], c.users[u2])
		return found
	}
}

// shares relates users who have a tag, or page, in common. The lists are by number in users, and may repeat.
func shares[K comparable](users []int32, lists map[K][]int) func(u1, u2 int) bool {
	n := len(users)
	related := make([]bool, n*n)
	for _, list := range lists {
		list = slices.Compact(list)
		for _, u1 := range list {
			for _, u2 := range list {
				related[u1*n+u2] = true
			}
		}
	}
	return func(u1, u2 int) bool { return related[u1*n+u2] }
}
