// Package answers writes the dump of a question-and-answer site in the layout of Stack Exchange's, as gzipped CSV.
//
//	Posts.csv.gz     Id, PostTypeId, ParentId, CreationDate, Score, Body, OwnerUserId, Tags, ClosedDate
//	Votes.csv.gz     Id, PostId, VoteTypeId, UserId, CreationDate
//	Comments.csv.gz  Id, PostId, Text, CreationDate, UserId
//	Users.csv.gz     Id, Reputation, CreationDate, LastAccessDate, AboutMe
//	Badges.csv.gz    Id, UserId, Name, Date
//
// Posts are questions (PostTypeId 1); answers (2), whose ParentId is the question; and tag pages (5), which have no owner. Times
// are ISO 8601 without a zone; votes are dated by the day. One owner in twelve is missing, which leaves the cell empty. Texts are
// HTML with quotes, commas and line ends. Rows are in the order of their ids.
//
// Who answers is drawn from four sources, with the shares that the report gives: the author of one of the answers of the last 30
// days, so that frequent answerers stay frequent; the author of one of the last answers with the question's tag; the author of the
// last answer that the asker received; any user. Texts, badges, votes and comments have no effect, but involve the same people.
// Reputations, last accesses and scores of questions are those on the day of the dump: they grow with the answers, and so reveal
// who answered what.
package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"resolwe"
	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
)

// Shares of answers, in percent, whose author comes from each source; the rest come from any user.
const (
	fromRecent = 50 // the authors of the answers of the last 30 days
	fromTag    = 20 // the authors of the last 200 answers with the tag
	fromAsker  = 10 // the author of the last answer that the asker received
)

// The range of the number of rows.
const (
	MinRows = 2000
	MaxRows = 100_000_000
)

const (
	recentDays  = 30
	tagAnswers  = 200
	answerDays  = 40 // days in which a question is answered
	tags        = 40
	emptyOwner  = 12 // one post in 12 has no owner
	secondsADay = 24 * 60 * 60

	scorePerAnswer      = 5  // of a question
	reputationPerAnswer = 40 // of its author
)

// Contents of cells. Votes are upward, downward, an acceptance, or a favourite; only a favourite names its voter.
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

// question and answer are posts; times are seconds from the opening.
type question struct {
	id, user, tag int
	at            int64
}

type answer struct {
	id, user int
	at       int64
}

// post is a row held back until its answers are known.
type post struct {
	cells   []string // after the id
	score   int
	at      int64
	answers int
}

// user is a row held back until the day of the dump.
type user struct {
	reputation       int
	joined, lastSeen int64
}

// site is the state of the site during generation.
type site struct {
	rand                                  draw.Source
	posts, votes, comments, users, badges *csvtables.Table
	waiting                               []post
	people                                []user
	texts                                 draw.Source // of users
	answers, pages                        int         // of the posts
	today                                 int64       // its first second
	questions                             []question
	before                                []int       // by day: the questions before it
	recent                                []answer    // of the last 30 days, in order
	ofTag                                 [][]answer  // the last ones
	helped                                map[int]int // by asker: who answered last
}

// Generate writes the tables to dir, which it creates if missing, and returns a report on them. They appear once all are complete;
// the same rows and seed give the same bytes on any processor. Rows are from [MinRows] to [MaxRows], 0 for 1,800,000; the error is
// else a *resolwe.OptionError. Progress is told of each simulated day.
func Generate(ctx context.Context, dir string, opt csvtables.Options) (string, error) {
	rows := cmp.Or(opt.Rows, 1_800_000)
	if rows < MinRows || rows > MaxRows {
		return "", &resolwe.OptionError{Option: "--rows", Reason: fmt.Sprintf("rows are out of range: %d is not %d to %d", rows, MinRows, MaxRows)}
	}
	t, err := csvtables.New(dir, ".csv.gz")
	if err != nil {
		return "", err
	}
	defer t.Abort()
	s := &site{
		rand: draw.New(opt.Seed, 0), texts: draw.New(opt.Seed, 1), ofTag: make([][]answer, tags), helped: map[int]int{},
		posts: t.Create("Posts", "Id", "PostTypeId", "ParentId", "CreationDate", "Score", "Body", "OwnerUserId", "Tags", "ClosedDate"),
		votes: t.Create("Votes", "Id", "PostId", "VoteTypeId", "UserId", "CreationDate"), comments: t.Create("Comments", "Id", "PostId", "Text", "CreationDate", "UserId"),
		users: t.Create("Users", "Id", "Reputation", "CreationDate", "LastAccessDate", "AboutMe"), badges: t.Create("Badges", "Id", "UserId", "Name", "Date"),
	}
	days := min(150+rows/1000, 4*365)
	for day := range days {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		s.live(day, func(percent int) int { return int(int64(rows) * int64(percent) * int64(day+1) / int64(100*days)) })
		if opt.Progress != nil {
			opt.Progress("answers", int64(day+1), int64(days))
		}
	}
	s.writePosts(len(s.waiting))
	s.writeUsers()
	posts := fmt.Sprintf("  Posts: %d questions, %d answers, %d pages\n", len(s.questions), s.answers, s.pages)
	text := fmt.Sprintf("answers, %d days, seed %d\n\n%s", days, opt.Seed, strings.Replace(t.Report(9), "  Posts\n", posts, 1)) +
		"\nwho answers, in percent of the answers\n\n" +
		fmt.Sprintf("%9d  the author of one of the answers of the last 30 days\n", fromRecent) +
		fmt.Sprintf("%9d  the author of one of the last 200 answers with the question's tag\n", fromTag) +
		fmt.Sprintf("%9d  the author of the last answer that the asker had\n", fromAsker) +
		fmt.Sprintf("%9d  any user\n", 100-fromRecent-fromTag-fromAsker)
	return text, t.Commit()
}

// live simulates a day. By its end, the tables have grown to a given percentage of the rows.
func (s *site) live(day int, grown func(percent int) int) {
	s.today = int64(day) * secondsADay
	s.before = append(s.before, len(s.questions))
	old := slices.IndexFunc(s.waiting, func(p post) bool { return p.at >= s.today-(answerDays+1)*secondsADay })
	s.writePosts(max(old, 0))
	s.recent = slices.DeleteFunc(s.recent, func(a answer) bool { return a.at < s.today-recentDays*secondsADay })
	for _, t := range []struct {
		share, least int
		rows         func() int
		add          func()
	}{
		{6, 10, func() int { return len(s.people) }, s.join},
		{11, 1, func() int { return len(s.questions) }, s.ask},
		{17, 0, func() int { return s.answers }, s.answer},
		{1, 0, func() int { return s.pages }, s.page},
		{27, 0, func() int { return s.votes.Rows }, s.vote},
		{6, 0, func() int { return s.badges.Rows }, s.award},
		{32, 0, func() int { return s.comments.Rows }, s.comment},
	} {
		for goal := max(grown(t.share), t.least); t.rows() < goal; {
			t.add()
		}
	}
}

// stamp formats a time as dumps do.
func stamp(at int64) string {
	opening := time.Date(2016, time.January, 1, 0, 0, 0, 0, time.UTC)
	return opening.Add(time.Duration(at) * time.Second).Format("2006-01-02T15:04:05.000")
}

// name formats an id, or an empty cell for 0.
func name(id int) string {
	if id == 0 {
		return ""
	}
	return strconv.Itoa(id)
}

// text returns up to four paragraphs of HTML.
func (s *site) text() string { return textOf(s.rand) }

func textOf(rand draw.Source) string {
	var b strings.Builder
	for range 1 + rand.IntN(4) {
		b.WriteString(draw.Pick(rand, paragraphs))
	}
	return b.String()
}

// moment returns a second of today, not before the given one.
func (s *site) moment(from int64) int64 {
	from = max(from, s.today)
	return from + s.rand.Int64N(s.today+secondsADay-from)
}

// owner returns a user, or 0 for none.
func (s *site) owner(user int) int {
	if s.rand.IntN(emptyOwner) == 0 {
		return 0
	}
	return user
}

// add adds a row, with its number as id.
func add(t *csvtables.Table, cells ...string) {
	t.Add(append([]string{strconv.Itoa(t.Rows + 1)}, cells...)...)
}

// post adds a post. The parent and the user may be 0 for none.
func (s *site) post(kind string, parent int, at int64, body string, user int, tags, closed string) {
	p := post{cells: []string{kind, name(parent), stamp(at), "", body, name(user), tags, closed}, score: s.rand.IntN(40) - 3, at: at}
	s.waiting = append(s.waiting, p)
	s.see(user, at)
}

// nextPost is the id of the next post.
func (s *site) nextPost() int { return s.posts.Rows + len(s.waiting) + 1 }

// see records that a user visited, with 0 for none.
func (s *site) see(user int, at int64) {
	if user > 0 {
		s.people[user-1].lastSeen = max(s.people[user-1].lastSeen, at)
	}
}

// writePosts writes the first n held-back posts.
func (s *site) writePosts(n int) {
	for _, p := range s.waiting[:n] {
		p.cells[3] = strconv.Itoa(p.score + scorePerAnswer*p.answers)
		add(s.posts, p.cells...)
	}
	s.waiting = slices.Delete(s.waiting, 0, n)
}

// writeUsers writes all users as they are on the day of the dump.
func (s *site) writeUsers() {
	for _, u := range s.people {
		add(s.users, strconv.Itoa(u.reputation), stamp(u.joined), stamp(u.lastSeen), textOf(s.texts))
	}
}

func (s *site) join() {
	u := user{reputation: 1 + s.rand.IntN(5000), joined: s.moment(s.today)}
	u.lastSeen = u.joined
	s.people = append(s.people, u)
	s.text() // so that later draws are the same as if it were written here
}

func (s *site) ask() {
	q := question{s.nextPost(), s.owner(s.anyone()), min(s.rand.IntN(tags), s.rand.IntN(tags)), s.moment(s.today)}
	s.questions = append(s.questions, q)
	body, tags, closed := s.text(), fmt.Sprintf("<tag-%d><%s>", q.tag, draw.Pick(s.rand, forms)), ""
	if s.rand.IntN(20) == 0 {
		closed = stamp(s.moment(q.at))
	}
	s.post("1", 0, q.at, body, q.user, tags, closed)
}

// answer answers a question: seven times in ten one of the last three days, otherwise one of the last 40.
func (s *site) answer() {
	days := answerDays
	if s.rand.IntN(10) < 7 {
		days = 3
	}
	first := s.before[max(len(s.before)-days, 0)]
	if first == len(s.questions) {
		first--
	}
	q := s.questions[first+s.rand.IntN(len(s.questions)-first)]
	a := answer{s.nextPost(), s.author(&q), s.moment(q.at)}
	s.recent = append(s.recent, a)
	s.ofTag[q.tag] = append(s.ofTag[q.tag], a)
	if late := len(s.ofTag[q.tag]) - tagAnswers; late > 0 {
		s.ofTag[q.tag] = s.ofTag[q.tag][late:]
	}
	s.helped[q.user] = a.user
	s.answers++
	s.people[a.user-1].reputation += reputationPerAnswer
	if i := len(s.waiting) - (s.nextPost() - q.id); i >= 0 {
		s.waiting[i].answers++
	}
	user := s.owner(a.user)
	s.post("2", q.id, a.at, s.text(), user, "", "")
}

// page adds a tag page.
func (s *site) page() {
	s.pages++
	at := s.moment(s.today)
	s.post("5", 0, at, s.text(), 0, "", "")
}

// author draws who answers: any user if the source has none, or only the asker.
func (s *site) author(q *question) int {
	user := 0
	switch draw := s.rand.IntN(100); {
	case draw < fromRecent:
		user = s.one(s.recent)
	case draw < fromRecent+fromTag:
		user = s.one(s.ofTag[q.tag])
	case draw < fromRecent+fromTag+fromAsker && q.user > 0:
		user = s.helped[q.user]
	}
	for user == 0 || user == q.user {
		user = s.anyone()
	}
	return user
}

// one returns the author of a random answer, or 0 if there are none.
func (s *site) one(of []answer) int {
	if len(of) == 0 {
		return 0
	}
	return draw.Pick(s.rand, of).user
}

func (s *site) anyone() int { return 1 + s.rand.IntN(len(s.people)) }

// lately returns an answer of the last days, or the first question if there is none.
func (s *site) lately() answer {
	if len(s.recent) == 0 {
		return answer{s.questions[0].id, s.questions[0].user, s.questions[0].at}
	}
	return draw.Pick(s.rand, s.recent)
}

// vote votes on an answer: three times in four upwards, otherwise downwards or as the asker, who accepts it. Few kinds have a
// voter.
func (s *site) vote() {
	kind, user := draw.Pick(s.rand, votes), ""
	if kind == favourite {
		user = name(s.anyone())
	}
	add(s.votes, strconv.Itoa(s.lately().id), kind, user, stamp(s.today))
}

func (s *site) award() {
	add(s.badges, strconv.Itoa(s.anyone()), draw.Pick(s.rand, badges), stamp(s.moment(s.today)))
}

// comment comments on an answer, half of the time as its author.
func (s *site) comment() {
	a := s.lately()
	user := a.user
	if s.rand.IntN(2) == 0 {
		user = s.lately().user
	}
	text, at := s.text(), s.moment(a.at)
	s.see(user, at)
	add(s.comments, strconv.Itoa(a.id), text, stamp(at), name(s.owner(user)))
}
