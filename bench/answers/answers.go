// Package answers writes the dump of a question-and-answer site in the layout of Stack Exchange's, as gzipped CSV.
//
//	Posts.csv.gz     Id, PostTypeId, ParentId, CreationDate, Score, Body, OwnerUserId, Tags, ClosedDate
//	Votes.csv.gz     Id, PostId, VoteTypeId, UserId, CreationDate
//	Comments.csv.gz  Id, PostId, Text, CreationDate, UserId
//	Users.csv.gz     Id, Reputation, CreationDate, AboutMe
//	Badges.csv.gz    Id, UserId, Name, Date
//
// Posts are questions (PostTypeId 1), answers (2), whose ParentId is the question, and pages of tags (5), which have no owner.
// Times are ISO 8601 without a zone; votes are dated by the day. One owner in twelve is gone, and the cell is empty. Texts are
// HTML with quotes, commas and line ends. Rows are in the order of their ids.
//
// Who answers is drawn from four sources, with the shares of [Sources]: the author of one of the answers of the last 30 days,
// so that who answers much goes on to; the author of one of the last answers with the question's tag; the author of the last
// answer that the asker had; any user. Scores, texts, badges, votes and comments cause nothing, but are of the same people.
package answers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"resolwe/bench/csvtables"
)

// Sources are the shares of answers, in percent, whose author comes from each source; the rest are any user's.
type Sources struct {
	Recent int // the authors of the answers of the last 30 days
	Tag    int // those of the last 200 answers with the tag
	Asker  int // that of the last answer that the asker had
}

// Planted are the sources of the tables.
var Planted = Sources{Recent: 50, Tag: 20, Asker: 10}

// Options say how much is generated.
type Options struct {
	Rows int // of all tables: 0 for 1,800,000; at least [MinRows], at most [MaxRows]
	Seed uint64
}

// The numbers of rows that there may be.
const (
	MinRows = 2000
	MaxRows = 100_000_000
)

// ErrRows says that a number of rows is out of range.
var ErrRows = errors.New("rows are out of range")

// Shares of the tables in the rows, in percent; comments are the rest.
const (
	userShare     = 6
	badgeShare    = 6
	questionShare = 11
	answerShare   = 17
	pageShare     = 1
	voteShare     = 27
)

const (
	recentDays = 30
	tagAnswers = 200
	emptyOwner = 12 // one in so many
)

// Stats says what was generated, in rows.
type Stats struct {
	Seed                                                            uint64
	Days, Questions, Answers, Pages, Votes, Comments, Users, Badges int
}

// String is the report: the rows of each table, then the sources.
func (s *Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "answers, %d days, seed %d\n\n", s.Days, s.Seed)
	posts := fmt.Sprintf("Posts: %d questions, %d answers, %d pages", s.Questions, s.Answers, s.Pages)
	for _, t := range []struct {
		rows int
		name string
	}{{s.Questions + s.Answers + s.Pages, posts}, {s.Votes, "Votes"}, {s.Comments, "Comments"}, {s.Users, "Users"}, {s.Badges, "Badges"}} {
		fmt.Fprintf(&b, "%9d  %s\n", t.rows, t.name)
	}
	b.WriteString("\nwho answers, in percent of the answers\n\n")
	for _, c := range []struct {
		share int
		who   string
	}{
		{Planted.Recent, "the author of one of the answers of the last 30 days"},
		{Planted.Tag, "the author of one of the last 200 answers with the question's tag"},
		{Planted.Asker, "the author of the last answer that the asker had"},
		{100 - Planted.Recent - Planted.Tag - Planted.Asker, "any user"},
	} {
		fmt.Fprintf(&b, "%9d  %s\n", c.share, c.who)
	}
	return b.String()
}

// question and answer are posts; times are seconds from the opening.
type question struct {
	id, user, tag int
	at            int64
}

type answer struct {
	id, user int
	at       int64
}

// site is the site while it is generated.
type site struct {
	rand      *rand.Rand
	out       *writer
	days      int
	today     int64 // its first second
	posts     int   // ids that are given
	questions []question
	before    []int       // by day: the questions before it
	recent    []answer    // of the last 30 days, in order
	ofTag     [][]answer  // the last ones
	helped    map[int]int // by asker: who answered last
	stats     Stats
}

const tags = 40

// Generate writes the tables into dir, which is made where it is missing. They appear once all are complete; the same rows
// and seed give the same bytes on any processor.
func Generate(ctx context.Context, dir string, opt Options) (*Stats, error) {
	if opt.Rows == 0 {
		opt.Rows = 1_800_000
	}
	if opt.Rows < MinRows || opt.Rows > MaxRows {
		return nil, fmt.Errorf("%w: %d is not %d to %d", ErrRows, opt.Rows, MinRows, MaxRows)
	}
	t, err := csvtables.New(dir, true)
	if err != nil {
		return nil, err
	}
	defer t.Abort()
	s := &site{rand: rand.New(rand.NewPCG(opt.Seed, 0)), ofTag: make([][]answer, tags), helped: map[int]int{}}
	s.days = min(150+opt.Rows/1000, 4*365)
	if s.out, err = create(t); err != nil {
		return nil, err
	}
	for day := range s.days {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.live(day, opt.Rows)
	}
	s.stats.Seed, s.stats.Days = opt.Seed, s.days
	return &s.stats, t.Commit()
}

// live lets a day pass. What the tables have grown to by its end is their share of the rows.
func (s *site) live(day, rows int) {
	s.today = int64(day) * secondsADay
	s.before = append(s.before, len(s.questions))
	s.recent = slices.DeleteFunc(s.recent, func(a answer) bool { return a.at < s.today-recentDays*secondsADay })
	grown := func(percent int) int { return int(int64(rows) * int64(percent) * int64(day+1) / int64(100*s.days)) }
	for s.stats.Users < max(grown(userShare), 10) {
		s.join()
	}
	for s.stats.Questions < max(grown(questionShare), 1) {
		s.ask()
	}
	for s.stats.Answers < grown(answerShare) {
		s.answer()
	}
	for s.stats.Pages < grown(pageShare) {
		s.posts++
		s.stats.Pages++
		s.post(post{kind: "5", id: s.posts, at: s.moment(s.today), body: s.text()})
	}
	for s.stats.Votes < grown(voteShare) {
		s.vote()
	}
	for s.stats.Badges < grown(badgeShare) {
		s.award()
	}
	for s.stats.Comments < grown(100-userShare-badgeShare-questionShare-answerShare-pageShare-voteShare) {
		s.comment()
	}
}

// moment returns a second of today, not before another one.
func (s *site) moment(from int64) int64 {
	from = max(from, s.today)
	return from + s.rand.Int64N(s.today+secondsADay-from)
}

// owner returns a user, or 0, for no one.
func (s *site) owner(user int) int {
	if s.rand.IntN(emptyOwner) == 0 {
		return 0
	}
	return user
}

func (s *site) join() {
	s.stats.Users++
	s.out.users.Add(strconv.Itoa(s.stats.Users), strconv.Itoa(1+s.rand.IntN(5000)), stamp(s.moment(s.today)), s.text())
}

func (s *site) ask() {
	s.posts++
	s.stats.Questions++
	q := question{id: s.posts, user: s.owner(s.anyone()), tag: min(s.rand.IntN(tags), s.rand.IntN(tags)), at: s.moment(s.today)}
	s.questions = append(s.questions, q)
	p := post{kind: "1", id: q.id, user: q.user, at: q.at, body: s.text(), tags: fmt.Sprintf("<tag-%d><%s>", q.tag, s.pick(forms))}
	if s.rand.IntN(20) == 0 {
		p.closed = stamp(s.moment(q.at))
	}
	s.post(p)
}

// answer answers a question: seven of ten one of the last three days', the others one of the last 40.
func (s *site) answer() {
	days := 40
	if s.rand.IntN(10) < 7 {
		days = 3
	}
	first := s.before[max(len(s.before)-days, 0)]
	if first == len(s.questions) {
		first--
	}
	q := s.questions[first+s.rand.IntN(len(s.questions)-first)]
	s.posts++
	s.stats.Answers++
	a := answer{id: s.posts, user: s.author(&q), at: s.moment(q.at)}
	s.recent = append(s.recent, a)
	s.ofTag[q.tag] = append(s.ofTag[q.tag], a)
	if late := len(s.ofTag[q.tag]) - tagAnswers; late > 0 {
		s.ofTag[q.tag] = s.ofTag[q.tag][late:]
	}
	s.helped[q.user] = a.user
	s.post(post{kind: "2", id: a.id, parent: q.id, user: s.owner(a.user), at: a.at, body: s.text()})
}

// author draws who answers: anyone where a source has no one, or the asker.
func (s *site) author(q *question) int {
	user := 0
	switch draw := s.rand.IntN(100); {
	case draw < Planted.Recent:
		user = s.one(s.recent)
	case draw < Planted.Recent+Planted.Tag:
		user = s.one(s.ofTag[q.tag])
	case draw < Planted.Recent+Planted.Tag+Planted.Asker && q.user > 0:
		user = s.helped[q.user]
	}
	for user == 0 || user == q.user {
		user = s.anyone()
	}
	return user
}

// one returns the author of one of some answers, 0 where there are none.
func (s *site) one(of []answer) int {
	if len(of) == 0 {
		return 0
	}
	return of[s.rand.IntN(len(of))].user
}

func (s *site) anyone() int { return 1 + s.rand.IntN(s.stats.Users) }

// lately returns an answer of the last days, or the first question where there is none.
func (s *site) lately() answer {
	if len(s.recent) == 0 {
		return answer{s.questions[0].id, s.questions[0].user, s.questions[0].at}
	}
	return s.recent[s.rand.IntN(len(s.recent))]
}

// vote votes on an answer: of four three upwards, the others downwards or as the asker, who accepts it. Few kinds have a voter.
func (s *site) vote() {
	s.stats.Votes++
	kind := s.pick(votes)
	user := ""
	if kind == favourite {
		user = name(s.anyone())
	}
	s.out.votes.Add(strconv.Itoa(s.stats.Votes), strconv.Itoa(s.lately().id), kind, user, stamp(s.today))
}

func (s *site) award() {
	s.stats.Badges++
	s.out.badges.Add(strconv.Itoa(s.stats.Badges), strconv.Itoa(s.anyone()), s.pick(badges), stamp(s.moment(s.today)))
}

// comment comments on an answer, half of the time as its author.
func (s *site) comment() {
	s.stats.Comments++
	a := s.lately()
	user := a.user
	if s.rand.IntN(2) == 0 {
		user = s.lately().user
	}
	s.out.comments.Add(strconv.Itoa(s.stats.Comments), strconv.Itoa(a.id), s.text(), stamp(s.moment(a.at)), name(s.owner(user)))
}
