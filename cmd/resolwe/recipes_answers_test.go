package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"resolwe/bench/answers"
	"resolwe/bench/csvtables"
	"resolwe/internal/test/check"
)

// event is a row of one of the dump's tables; user is "" where its cell is empty.
type event struct {
	id, user, about string
	at              time.Time
}

// answerOracle is the oracle of the recipe of questions and answers.
type answerOracle struct {
	questions, answers, closed, comments, votes, badges, joined []event
}

const (
	day   = 24 * time.Hour
	month = 30 * day
)

// answerTables is a small dump.
func answerTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	_, err := answers.Generate(t.Context(), dir, csvtables.Options{Rows: answers.MinRows, Seed: rng.Uint64()})
	check.OK(t, err)
	o := &answerOracle{}
	for _, r := range dumped(t, dir, "Posts") {
		e := event{r["Id"], r["OwnerUserId"], r["ParentId"], moment(t, r["CreationDate"])}
		if r["ClosedDate"] != "" {
			o.closed = append(o.closed, event{id: e.id, at: moment(t, r["ClosedDate"])})
		}
		switch r["PostTypeId"] {
		case "1":
			o.questions = append(o.questions, e)
		case "2":
			o.answers = append(o.answers, e)
		}
	}
	for _, r := range dumped(t, dir, "Votes") {
		if r["VoteTypeId"] == "2" {
			o.votes = append(o.votes, event{r["Id"], "", r["PostId"], moment(t, r["CreationDate"])})
		}
	}
	for _, r := range dumped(t, dir, "Comments") {
		o.comments = append(o.comments, event{r["Id"], r["UserId"], r["PostId"], moment(t, r["CreationDate"])})
	}
	for _, r := range dumped(t, dir, "Badges") {
		o.badges = append(o.badges, event{r["Id"], r["UserId"], r["Name"], moment(t, r["Date"])})
	}
	for _, r := range dumped(t, dir, "Users") {
		o.joined = append(o.joined, event{user: r["Id"], at: moment(t, r["CreationDate"])})
	}
	return o
}

// dumped returns the rows of a table, by column.
func dumped(t *testing.T, dir, table string) (out []map[string]string) {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(contents(t, filepath.Join(dir, table+".csv.gz"))))
	check.OK(t, err)
	rows, err := csv.NewReader(in).ReadAll()
	check.OK(t, err)
	for _, r := range rows[1:] {
		row := map[string]string{}
		for i, c := range r {
			row[rows[0][i]] = c
		}
		out = append(out, row)
	}
	return out
}

// moment reads a time as dumps have it.
func moment(t *testing.T, cell string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05.000", cell)
	check.OK(t, err)
	return at
}

// candidates returns who answered a question within a month, and who did not, of those who were about, by how often they answered others.
func (o *answerOracle) candidates(q event) (truths, falsehoods strata) {
	answered, soon, about, often := set{}, set{}, set{}, map[string]int{}
	for _, a := range o.answers {
		switch {
		case a.user == "":
		case a.about == q.id:
			answered[a.user] = true
			if !a.at.After(q.at.Add(month)) {
				soon[a.user] = true
			}
		default:
			often[a.user]++
			if within(a, q) && a.user != q.user {
				about[a.user] = true
			}
		}
	}
	truths, falsehoods = strata{}, strata{}
	for u := range about {
		switch {
		case soon[u]:
			truths.add(often[u], u)
		case !answered[u]:
			falsehoods.add(often[u], u)
		}
	}
	return truths, falsehoods
}

// within reports whether an event is of the month before a question.
func within(e, q event) bool { return e.at.Before(q.at) && !e.at.Before(q.at.Add(-month)) }

func (o *answerOracle) centers() (out []string) {
	for _, q := range o.questions {
		matched := false
		truths, falsehoods := o.candidates(q)
		for n := range truths {
			matched = matched || len(falsehoods[n]) > 0
		}
		if matched && !q.at.Before(time.Date(2016, 2, 1, 0, 0, 0, 0, time.UTC)) {
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
	facts.addMatched(t, cut, "answers", truths, falsehoods, member)
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
