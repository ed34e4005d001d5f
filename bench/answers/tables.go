package answers

import (
	"strconv"
	"strings"
	"time"

	"resolwe/bench/csvtables"
)

// What cells hold. Votes are upward, downward, an acceptance, or a favourite, which alone names its voter.
var (
	votes      = []string{"2", "2", "2", "2", "2", "2", "1", "3", favourite}
	badges     = []string{"Teacher", "Student", "Yearling, twice", `"Curious"`, "Popular Question", "Necromancer", "Critic", "Editor"}
	forms      = []string{"csv", "python", "c++", "sql", "regex"}
	paragraphs = []string{
		`<p>How do I do this, "exactly"?</p>`, "<pre><code>a,b\n\"c\",d\n</code></pre>", `<p>See <a href="#x">this, that</a>.</p>`,
		"<p>Grüße,\nwith thanks</p>", "<ul><li>one;</li><li>two</li></ul>", "<p>It fails with &quot;1 &lt; 2&quot; on line 3, and I do not know why.</p>",
		"<blockquote><p>Why?</p></blockquote>", "",
	}
)

const favourite = "5"

const secondsADay = 24 * 60 * 60

var opening = time.Date(2016, time.January, 1, 0, 0, 0, 0, time.UTC)

// stamp writes a time as dumps do.
func stamp(at int64) string {
	return opening.Add(time.Duration(at) * time.Second).Format("2006-01-02T15:04:05.000")
}

// name writes a user's id, or an empty cell.
func name(user int) string {
	if user == 0 {
		return ""
	}
	return strconv.Itoa(user)
}

func (s *site) pick(from []string) string { return from[s.rand.IntN(len(from))] }

// text returns up to four paragraphs of HTML.
func (s *site) text() string {
	var b strings.Builder
	for range 1 + s.rand.IntN(4) {
		b.WriteString(s.pick(paragraphs))
	}
	return b.String()
}

// writer is the tables.
type writer struct{ posts, votes, comments, users, badges *csvtables.Table }

func create(t *csvtables.Tables) (*writer, error) {
	w := &writer{}
	for _, c := range []struct {
		table   **csvtables.Table
		name    string
		columns []string
	}{
		{&w.posts, "Posts", []string{"Id", "PostTypeId", "ParentId", "CreationDate", "Score", "Body", "OwnerUserId", "Tags", "ClosedDate"}},
		{&w.votes, "Votes", []string{"Id", "PostId", "VoteTypeId", "UserId", "CreationDate"}},
		{&w.comments, "Comments", []string{"Id", "PostId", "Text", "CreationDate", "UserId"}},
		{&w.users, "Users", []string{"Id", "Reputation", "CreationDate", "AboutMe"}},
		{&w.badges, "Badges", []string{"Id", "UserId", "Name", "Date"}},
	} {
		var err error
		if *c.table, err = t.Create(c.name, c.columns...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// post is a row of Posts.
type post struct {
	kind         string
	id, parent   int // parent 0 for none
	user         int // 0 for none
	at           int64
	body         string
	tags, closed string
}

func (s *site) post(p post) {
	s.out.posts.Add(strconv.Itoa(p.id), p.kind, name(p.parent), stamp(p.at), strconv.Itoa(s.rand.IntN(40)-3), p.body, name(p.user), p.tags, p.closed)
}
