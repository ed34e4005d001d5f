package main_test

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"resolwe/internal/archive/archivetest"
	"resolwe/internal/check"
)

// event is a row of one of the dump's tables; user is "" where its cell is empty.
type event struct {
	id, user, about string
	at              time.Time
}

// answerOracle is the oracle of the recipe of questions and answers.
type answerOracle struct {
	questions, answers, comments, votes, badges, joined []event
}

const (
	day   = 24 * time.Hour
	month = 30 * day
)

// answerTables is a dump of 150 days: posts come with HTML, a fifth of their owners is gone.
func answerTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	const users, questions = 25, 60
	o := &answerOracle{}
	start := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	moment := func() time.Time { return start.Add(time.Duration(rng.Int64N(150*24*60*60)) * time.Second) }
	user := func() string {
		if rng.IntN(5) == 0 {
			return ""
		}
		return strconv.Itoa(rng.IntN(users))
	}
	posts := [][]string{{"Id", "PostTypeId", "ParentId", "CreationDate", "Score", "Body", "OwnerUserId", "Tags", "ClosedDate"}}
	post := func(kind, id, parent, owner string, at time.Time) {
		body := []string{"<p>How, \"exactly\"?</p>\n\n<pre>a,b\n\"c\"</pre>", "<p>So</p>", "", "ü,\n"}[rng.IntN(4)]
		posts = append(posts, []string{id, kind, parent, stamp(at), "3", body, owner, "<go><csv>", ""})
	}
	for i := range questions {
		q := event{id: strconv.Itoa(1000 + i), user: user(), at: moment()}
		o.questions = append(o.questions, q)
		post("1", q.id, "", q.user, q.at)
		for range rng.IntN(5) {
			a := event{id: strconv.Itoa(2000 + len(o.answers)), user: user(), about: q.id, at: q.at.Add(time.Duration(rng.Int64N(int64(40 * day)))).Truncate(time.Second)}
			o.answers = append(o.answers, a)
			post("2", a.id, q.id, a.user, a.at)
		}
		post("5", strconv.Itoa(5000+i), "", "", moment())
	}
	votes := [][]string{{"Id", "PostId", "VoteTypeId", "UserId", "CreationDate"}}
	comments := [][]string{{"Id", "PostId", "Text", "CreationDate", "UserId"}}
	badges := [][]string{{"Id", "UserId", "Name", "Date"}}
	for i := range 900 {
		id, a := strconv.Itoa(i), o.answers[rng.IntN(len(o.answers))]
		v := event{id: id, about: a.id, at: moment().Truncate(day)}
		kind := strconv.Itoa(1 + rng.IntN(3))
		if votes = append(votes, []string{id, v.about, kind, "", stamp(v.at)}); kind == "2" {
			o.votes = append(o.votes, v)
		}
		c := event{id: id, user: user(), at: moment()}
		o.comments = append(o.comments, c)
		comments = append(comments, []string{id, a.id, "see <a href=\"x\">this, that</a>", stamp(c.at), c.user})
	}
	joined := [][]string{{"Id", "Reputation", "CreationDate", "AboutMe"}}
	for i := range users {
		u := event{user: strconv.Itoa(i), at: moment()}
		o.joined = append(o.joined, u)
		joined = append(joined, []string{u.user, "1", stamp(u.at), "I \"am\",\n<b>me</b>"})
		b := event{user: u.user, about: []string{"Teacher", "Yearling, twice"}[rng.IntN(2)], at: moment()}
		o.badges = append(o.badges, b)
		badges = append(badges, []string{strconv.Itoa(i), b.user, b.about, stamp(b.at)})
	}
	for file, rows := range map[string][][]string{"Posts": posts, "Votes": votes, "Comments": comments, "Badges": badges, "Users": joined} {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		check.OK(t, w.WriteAll(rows))
		check.OK(t, os.WriteFile(filepath.Join(dir, file+".csv.gz"), archivetest.Gzip(b.Bytes()), 0o600))
	}
	return o
}

// stamp writes a time as dumps do.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000") }

// candidates returns who answered a question within a month, and who was about and did not.
func (o *answerOracle) candidates(q event) (truths, falsehoods set) {
	truths, falsehoods = set{}, set{}
	answered := set{}
	for _, a := range o.answers {
		if a.about == q.id && a.user != "" {
			answered[a.user] = true
			if !a.at.After(q.at.Add(month)) {
				truths[a.user] = true
			}
		}
	}
	for _, a := range o.answers {
		if within(a, q) && a.user != "" && !answered[a.user] && a.user != q.user {
			falsehoods[a.user] = true
		}
	}
	return truths, falsehoods
}

// within reports whether an event is of the month before a question.
func within(e, q event) bool { return e.at.Before(q.at) && !e.at.Before(q.at.Add(-month)) }

func (o *answerOracle) centers() (out []string) {
	for _, q := range o.questions {
		if truths, _ := o.candidates(q); !q.at.Before(time.Date(2016, 2, 1, 0, 0, 0, 0, time.UTC)) && len(truths) > 0 {
			out = append(out, q.id)
		}
	}
	return out
}

func (o *answerOracle) fold(string) int { return -1 }

func (o *answerOracle) facts(t *testing.T, center string, cut factSet) factSet {
	t.Helper()
	var q event
	for _, other := range o.questions {
		if other.id == center {
			q = other
		}
	}
	facts, member := factSet{}, set{}
	truths, falsehoods := o.candidates(q)
	for u := range truths {
		facts.add("answers", u)
		member[u] = true
	}
	sampled := 0
	for u := range falsehoods {
		if cut["!answers("+u+")"] {
			sampled++
			facts.add("!answers", u)
			member[u] = true
		}
	}
	if want := min(4*len(truths), len(falsehoods)); sampled != want {
		t.Errorf("%s: got a sample of %d, want %d", center, sampled, want)
	}
	if q.user != "" {
		facts.add("asker", q.user)
	}
	askedBySame := set{}
	for _, other := range o.questions {
		if q.user != "" && other.user == q.user {
			askedBySame[other.id] = true
		}
	}
	counts := map[[2]string]int{}
	author := map[string]string{} // of the answers of the month before
	for _, a := range o.answers {
		if member[a.user] && within(a, q) {
			counts[[2]string{"recently", a.user}]++
			author[a.id] = a.user
		}
		if member[a.user] && askedBySame[a.about] && a.at.Before(q.at) {
			facts.add("helped", a.user)
		}
	}
	for _, v := range o.votes {
		if u := author[v.about]; u != "" && !v.at.After(q.at.Add(-day)) {
			counts[[2]string{"voted", u}]++
		}
	}
	for _, c := range o.comments {
		if member[c.user] && within(c, q) {
			counts[[2]string{"commented", c.user}]++
		}
	}
	for key, n := range counts {
		facts.add(key[0], key[1], strconv.Itoa(n))
	}
	for _, b := range o.badges {
		if member[b.user] && b.at.Before(q.at) {
			facts.add("holds", b.user, b.about)
		}
	}
	for _, u := range o.joined {
		if member[u.user] && !u.at.Before(q.at.Add(-month)) {
			facts.add("newcomer", u.user)
		}
	}
	return facts
}
