package paperscale

import (
	"slices"

	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
)

// The rule of the paper for the centers of WikiCollabs.
const (
	centerDays          = 30
	centerCollaborators = 30
	centerArticles      = 15
)

// contribution holds on how many days a user edited an article, and on how many the user discussed it.
type contribution struct {
	article      int32
	edits, talks int32
}

// The behaviour of the kinds of editors.
const (
	mostCenterDays  = 300
	centerHomeShare = 0.8  // share of a center's articles that are in its own project
	leastLoyalty    = 0.5  // a member contributes at least to this share of the project,
	mostLoyalty     = 0.95 // and this at most
	coreLoyalty     = 0.7  // from this share on, members mostly join the discussion
	leastProlific   = centerArticles + 1
	mostProlific    = 0.3 // share of the articles
	obscureReaders  = 8   // casual editors of an obscure article, besides the hermit
	sameProjectRate = 0.3 // that a casual editor's next article is in the project of the first
	quietRows       = centerDays - 1
)

// writeContributions draws the articles and days of each user. Roles are assigned to users at random.
func (w *wiki) writeContributions() {
	edits := w.out.Create("article_edit", "article", "user", "day")
	talks := w.out.Create("article_talk", "article", "user", "day")
	r := draw.New(w.Seed, streamEditors)
	role := r.Permutation(w.size.editors)
	w.did, w.members = make([][]contribution, len(role)), make([][]int32, len(w.projects))
	d := &diary{wiki: w, rand: r}
	for u := range w.each("article_edit", len(role)) {
		d.user, d.name, d.first, d.did, d.engaged = u, id("U", u), r.IntN(len(w.calendar)), d.did[:0], 0
		d.draw(int(role[u]))
		days := d.write(edits, talks)
		w.did[u] = slices.Clone(d.did)
		if days >= centerDays && len(d.did) <= centerArticles {
			w.engaged = append(w.engaged, u)
		}
	}
	w.index(edits.Rows, talks.Rows)
}

// diary holds the activity of a user while it is drawn.
type diary struct {
	*wiki
	rand    draw.Source
	user    int32
	name    string
	first   int // day
	did     []contribution
	engaged int   // days with an edit, over all articles; 0 if each article has its own
	days    []int // days with an edit, if each article has its own
}

// draw draws the activity of a user, by role: the first numbers are centers, followed by members, prolific editors, hermits,
// readers of obscure articles, and casual editors.
func (d *diary) draw(role int) {
	for _, kind := range []struct {
		size int
		draw func(index int)
	}{
		{d.size.centers, d.center},
		{d.size.members, d.member},
		{d.size.prolific, d.prolific},
		{d.size.obscure, func(index int) { // a hermit: as engaged as a center, on an article of few contributors
			d.add(int32(d.known+index), 1, 0)
			d.engaged = min(centerDays+d.rand.Geometric(20), mostCenterDays)
		}},
		{d.size.obscure * obscureReaders, func(index int) { d.add(int32(d.known+index/obscureReaders), 1+d.rand.Geometric(0.3), 0) }},
		{d.size.editors, d.casual},
	} {
		if role < kind.size {
			kind.draw(role)
			return
		}
		role -= kind.size
	}
}

// center draws an engaged editor of few articles, most of them in one project.
func (d *diary) center(int) {
	r := d.rand
	k := min(3+r.Geometric(3.7), centerArticles)
	home, list := d.join()
	own := min(max(2, int(float64(centerHomeShare*float64(k))+0.5)), len(list)*3/5)
	for _, a := range d.somePopular(r, list, own) {
		d.add(a, 1, d.sometimes(0.5, 1))
	}
	for len(d.did) < k {
		a := d.popular(r)
		if r.Chance(0.5) {
			a = d.inTopic(r, d.topicOf[home])
		}
		d.add(a, 1, d.sometimes(0.2, 0.5))
	}
	d.engaged = min(centerDays+int(8*(r.Pareto(1.3, mostCenterDays)-1)), mostCenterDays)
}

// join makes the user a member of a project.
func (d *diary) join() (home int32, articles []int32) {
	home = d.projectOf[d.rand.IntN(d.known)]
	d.members[home] = append(d.members[home], d.user)
	return home, d.projects[home]
}

// member draws a user who contributes to most articles of a project and a few others.
func (d *diary) member(int) {
	r := d.rand
	_, list := d.join()
	loyalty := leastLoyalty + float64((mostLoyalty-leastLoyalty)*r.Float64())
	discusses := 0.1
	if loyalty > coreLoyalty {
		discusses = 0.6
	}
	for _, a := range list {
		if r.Chance(loyalty) {
			d.add(a, 1+r.Geometric(0.6), d.sometimes(discusses, 0.5))
		}
	}
	for range 1 + r.Geometric(1) {
		d.add(d.popular(r), 1, d.sometimes(0.03, 0.5))
	}
	d.settle()
}

// prolific draws a user with too many articles for a center.
func (d *diary) prolific(int) {
	n := int(leastProlific * d.rand.Pareto(1.2, max(1, float64(d.known)*mostProlific/leastProlific)))
	seen := make(map[int32]bool, n)
	for len(seen) < n {
		if a := d.popular(d.rand); !seen[a] {
			seen[a] = true
			d.did = append(d.did, contribution{a, int32(1 + d.rand.Geometric(0.6)), d.sometimes(0.2, 0.5)})
		}
	}
}

// casual draws one of the many users with one or two articles.
func (d *diary) casual(int) {
	r := d.rand
	for range int(r.Pareto(2, centerArticles)) {
		a := d.popular(r)
		if len(d.did) > 0 && r.Chance(sameProjectRate) {
			a = draw.Pick(r, d.projects[d.projectOf[d.did[0].article]])
		}
		if days := 1 + r.Geometric(0.3); r.Chance(0.05) {
			d.add(a, 0, int32(days))
		} else {
			d.add(a, days, d.sometimes(0.1, 0.3))
		}
	}
	d.settle()
}

// sometimes draws a number of days: 0 or, with probability p, one or more.
func (d *diary) sometimes(p, more float64) int32 {
	if !d.rand.Chance(p) {
		return 0
	}
	return int32(1 + d.rand.Geometric(more))
}

// add adds an article, unless it is already present.
func (d *diary) add(article int32, edits int, talks int32) {
	if !slices.ContainsFunc(d.did, func(c contribution) bool { return c.article == article }) {
		d.did = append(d.did, contribution{article, int32(edits), talks})
	}
}

// settle ensures that a user with few articles does not become a center by the rule, whichever rows the rule counts.
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
	// Fifteen articles, each edited and discussed once, are one row too many.
	if d.did[0].talks+d.did[0].edits > 1 && len(d.did) == centerArticles {
		d.did[0].talks = 0
	}
}

// write writes the rows, reduces the contributions to those that fit into the calendar, and counts the days with an edit.
func (d *diary) write(edits, talks *csvtables.Table) int {
	// An engaged user edits once on each of a number of days. Each article gets at least one edit, the first ones get the most.
	day := min(d.first, len(d.calendar)-5*d.engaged-1)
	for i := range d.engaged {
		day += 1 + d.rand.IntN(5)
		at := i
		if i >= len(d.did) {
			at = min(d.rand.IntN(len(d.did)), d.rand.IntN(len(d.did)))
			d.did[at].edits++
		}
		d.row(edits, d.did[at].article, day)
	}
	d.days = d.days[:0]
	for i := range d.did {
		c := &d.did[i]
		if d.engaged == 0 {
			c.edits = d.writeDays(edits, c.article, c.edits)
		}
		n := len(d.days)
		c.talks = d.writeDays(talks, c.article, c.talks)
		d.days = d.days[:n]
	}
	slices.Sort(d.days)
	return d.engaged + len(slices.Compact(d.days))
}

func (d *diary) row(t *csvtables.Table, article int32, day int) {
	t.Add(d.articles[article], d.name, d.calendar[day])
}

// writeDays writes rows of n distinct days, fewer at the end of the calendar, and returns how many.
func (d *diary) writeDays(t *csvtables.Table, article, n int32) (done int32) {
	day := min(d.first+d.rand.IntN(200), len(d.calendar)-1)
	for ; done < n && day < len(d.calendar); day += 1 + d.rand.IntN(20) {
		d.row(t, article, day)
		d.days = append(d.days, day)
		done++
	}
	return done
}

// index lists and counts the contributors of each article, and the centers.
func (w *wiki) index(edits, talks int) {
	w.editors = make([][]int32, w.size.articles)
	all, prolific, popular, articles, candidates := 0, 0, 0, 0, 0
	for u, did := range w.did {
		for _, c := range did {
			w.editors[c.article] = append(w.editors[c.article], int32(u))
		}
		all, prolific = all+len(did), max(prolific, len(did))
	}
	for _, list := range w.editors {
		popular = max(popular, len(list))
	}
	for _, u := range w.engaged {
		if n := len(w.collaborators(u)); n >= centerCollaborators {
			w.centers = append(w.centers, u)
			articles += len(w.did[u])
			candidates += n
		}
	}
	w.figure("editors", float64(len(w.did)), 280_068)
	w.figure("edits, one a day", float64(edits), 0)
	w.figure("edits of talk pages, one a day", float64(talks), 0)
	w.figure("articles an editor", mean(all, len(w.did)), 0)
	w.figure("articles of the most prolific editor", float64(prolific), 0)
	w.figure("editors an article", mean(all, len(w.editors)), 0)
	w.figure("editors of the most popular article", float64(popular), 0)
	w.figure("centers", float64(len(w.centers)), 1785)
	w.figure("articles a center", mean(articles, len(w.centers)), 0)
	w.figure("candidate editors a center", mean(candidates, len(w.centers)), 0)
}

// collaborators lists, in order, who else contributes to a user's articles: for a center, E_C.
func (w *wiki) collaborators(user int32) []int32 {
	var all []int32
	for _, c := range w.did[user] {
		all = append(all, w.editors[c.article]...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(u int32) bool { return u == user })
}

// The rates of communication.
const (
	memberTalkRate = 0.5 // that a member of a project writes to another
	writerShare    = 0.2 // share of users who write to others at all
	writerTail     = 1.1 // Pareto exponent of the number they write to
	ownerExponent  = 0.6 // exponent of the power law for the number who write to one user
)

// writeTalk draws distinct pairs: first within projects, then at random up to the total.
func (w *wiki) writeTalk() {
	t, r, n := w.out.Create("user_talk", "writer", "owner"), draw.New(w.Seed, streamTalk), w.size.editors
	talk := make([][]int32, n) // by writer: users whose talk pages the writer edits
	planted := 0
	for _, members := range w.members {
		for _, a := range members {
			for _, b := range members {
				if a != b && r.Chance(memberTalkRate) {
					talk[a] = append(talk[a], b)
					planted++
				}
			}
		}
	}
	weights := make([]float64, n)
	for u := range weights {
		if r.Chance(writerShare) {
			weights[u] = r.Pareto(writerTail, float64(n))
		}
	}
	quota := draw.Apportion(weights, max(0, w.size.talk-planted), 0, n/4)
	owners, popularOwner := r.Permutation(n), draw.NewPowerLaw(n, ownerExponent, 0.001)
	written := make([]int32, n) // by owner: the last writer, counted from 1
	var text []byte
	for u := range w.each("user_talk", n) {
		written[u] = u + 1
		for _, owner := range talk[u] {
			written[owner] = u + 1
		}
		for left := quota[u]; left > 0; {
			if owner := owners[popularOwner.Rank(r)]; written[owner] != u+1 {
				written[owner] = u + 1
				talk[u] = append(talk[u], owner)
				left--
			}
		}
		text = text[:0]
		for _, owner := range talk[u] {
			text = appendID(appendID(text, 'U', -1, u), 'U', -1, owner)
			text[len(text)-1] = '\n'
		}
		t.Append(text, len(talk[u]))
	}
	w.figure("pairs of editors that communicate", float64(t.Rows), 7_874_985)
	w.figure("such pairs within a project, planted", float64(planted), 0)
}
