package tableinit

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// states are words for the state of a thing on the day of the dump. Amounts are words for numbers that grow with what happens to a thing;
// before an id they name an event.
var (
	states = []string{
		"status", "current", "currently", "latest", "last", "recent", "final", "finally", "resolution", "reason", "stage", "progress", "updated", "modified",
		"edited", "editor", "changed", "closed", "closing", "resolved", "solved", "finished", "completed", "ended", "cancelled", "canceled", "cancellation",
		"accepted", "rejected", "approved", "refunded", "deleted", "archived", "blocked", "banned", "suspended", "terminated", "expired", "active", "inactive",
		"churn", "churned", "left", "seen", "login", "snapshot", "synced",
	}
	amounts = []string{
		"score", "view", "viewed", "reputation", "karma", "balance", "total", "sum", "count", "cnt", "num", "nb", "average", "avg", "mean", "median", "rating",
		"rank", "ranking", "vote", "upvote", "downvote", "like", "liked", "favorite", "favourite", "follower", "following", "subscriber", "download", "hit", "visit",
		"click", "sale", "sold", "revenue", "turnover", "spend", "spent", "lifetime", "ltv", "cumulative", "ytd", "popularity", "activity", "usage", "streak",
		"recency", "frequency", "outcome", "result", "update",
	}
)

// isState reports whether a column's name says that its value changes after the row is created. In a table with such a name, all columns
// do.
func (c *column) isState() bool {
	stem, named := stemOf(c.words)
	if named && len(stem) == 0 {
		return false
	}
	counted := len(c.words) > 1 && slices.Contains([]string{"n", "no", "number"}, c.words[0])
	return counted || slices.ContainsFunc(c.words, func(w string) bool {
		return !slices.Contains(c.table.stem(), w) && (slices.Contains(states, w) || !named && slices.Contains(amounts, w))
	})
}

// trusting finds the tables and columns to include although they may know the future.
func (d *draft) trusting(names []string) error {
	for _, name := range names {
		switch t, c, err := d.trustee(name); {
		case err != nil:
			return err
		case c != nil:
			c.trusted = true
		default:
			t.trusted = true
		}
	}
	return nil
}

// trustee returns the table that has a name, and its column if the name is that of a column.
func (d *draft) trustee(name string) (*tabular, *column, error) {
	if t := d.table(strings.TrimSpace(name)); t != nil {
		return t, nil, nil
	}
	if !strings.Contains(name, ".") {
		return nil, nil, usage("--trust: there is no table %q: name a table, or a column as TABLE.COLUMN", name)
	}
	c, err := d.findColumn(name, "--trust")
	if err != nil {
		return nil, nil, err
	}
	return c.table, c, nil
}

// trusts reports whether a column is included whatever speaks against it: it was requested or is trusted.
func (c *column) trusts() bool {
	if c == c.table.key || c == c.table.text || c.ofRow || c.table.trusted {
		return true
	}
	return slices.ContainsFunc(c.table.columns, func(other *column) bool {
		return other.position == c.position && (other.asked || other.trusted)
	})
}

// hide omits a column because it could know the future.
func (d *draft) hide(c *column, why string) {
	c.typ, c.refers, c.kind, c.why, c.hidden = nil, nil, kindText, why, true
	d.note("%s is hidden: it %s; %s includes it", clip(c.table.name+"."+c.title()), why, d.trust(c.table, c))
}

// trust returns the flag that includes a column, or with nil a table: with its name, or its position, as [draft.trusting] finds it.
func (d *draft) trust(t *tabular, c *column) string {
	names := []string{t.name, t.file}
	if c != nil {
		names = make([]string, 0, 4)
		for _, title := range []string{c.title(), "#" + itoa(c.position)} {
			names = append(names, t.name+"."+title, t.file+"."+title)
		}
	}
	for _, name := range names {
		table, found, err := d.trustee(name)
		if err == nil && name == clipLong(name) && isPrintable(name) && table == t && (c == nil) == (found == nil) && (c == nil || found.position == c.position) {
			return "--trust " + quoted(name)
		}
	}
	return "--trust " + quoted(names[0]) // of a name that no flag can give
}

// quoted formats a name for a shell, as an element of a flag's list, whose elements are separated by commas.
func quoted(name string) string {
	if !bare.MatchString(name) {
		return "'" + strings.NewReplacer(",", `\,`, "'", `'\''`).Replace(name) + "'"
	}
	return name
}

// bare are names that need no quotes there.
var bare = regexp.MustCompile(`\A[\w.=-]*\z`)

// isEntity reports whether the rows of a table are lasting things that change, rather than events.
func (d *draft) isEntity(t *tabular, l *lives) bool {
	return t.key != nil && (t.dateless() || t.key.typ == d.member.typ || t.time != nil && l.goOn)
}

// hideFuture hides the columns that could know what came after the target. It stops, and reports true, if some are times of rows: those
// must be found again.
func (d *draft) hideFuture() (again bool) {
	all := d.findLives()
	for i, t := range d.tables {
		for _, c := range t.stamps {
			if t != d.request.table && !c.trusts() && all[i].bornLate[c] {
				d.hide(c, "is later than rows that refer to its row")
				again = true
			}
		}
	}
	if again {
		return true
	}
	for i, t := range d.tables {
		for _, c := range t.columns {
			if !c.told() || slices.Contains(t.stamps, c) || c.trusts() {
				continue
			}
			if why := d.betrays(c, all[i]); why != "" {
				d.hide(c, why)
			}
		}
	}
	return false
}

// betrays returns what a column does that could tell the future, "" for nothing.
func (d *draft) betrays(c *column, l *lives) string {
	t := c.table
	switch of := l.follows(c); {
	case d.isEntity(t, l) && c.isState():
		return "may have changed after the target, by its name"
	case c.kind == kindTime && (l.isLate(c) || t.time == nil && !t.dateless() && (c.isState() || hasWord(c.words, ending))):
		return "is later than its row in some cases"
	case of != nil && d.isEntity(t, l):
		return "follows the number of rows of " + clip(of.table.name) + " over all time"
	}
	return ""
}

// A table repeats the target if it states at least this fraction of its pairs, this multiple of those expected by chance, and this number
// of standard deviations more than expected.
const (
	repeated      = .5
	seldomRepeats = .05
	timesRepeated = 2
	sureRepeated  = 5
)

// findRepeats finds tables without a time that repeat the target: they would reveal the truth.
func (d *draft) findRepeats(h *history) {
	for _, t := range d.tables {
		if t == d.request.table || !t.dateless() || t.trusted {
			continue
		}
		for _, g := range t.columns {
			for _, m := range t.columns {
				if g == m || g.typ == nil || m.typ == nil || g.typ != d.group.typ || m.typ != d.member.typ || t.repeats != nil {
					continue
				}
				same, chance := d.overlap(h, g, m)
				part := same / float64(len(h.pairs))
				more := same >= timesRepeated*chance && same-chance >= sureRepeated*math.Sqrt(max(chance, 1))
				if part < repeated && (part < seldomRepeats || !more) {
					continue
				}
				t.repeats = []*column{g, m}
				d.note("%s repeats %s of the target's pairs and has no time: its rows of a center are hidden; %s includes them", t.name, percent(part), d.trust(t, nil))
			}
		}
	}
}

// overlap returns how many pairs of the target two columns of another table have together, and how many by chance.
func (d *draft) overlap(h *history, g, m *column) (same, chance float64) {
	found := map[[2]uint64]bool{}
	groups, members := map[uint64]float64{}, map[uint64]float64{}
	rows := 0.0
	d.pass(g.table, func(cells [][]byte) {
		pair := [2]uint64{hashOf(g.cell(cells)), hashOf(m.cell(cells))}
		if h.pairs[pair] {
			found[pair] = true
		}
		rows++
		groups[pair[0]]++
		members[pair[1]]++
	})
	for pair := range h.pairs { // products of whole numbers: their sum is exact
		chance += float64(groups[pair[0]] * members[pair[1]])
	}
	return float64(len(found)), chance / max(rows, 1)
}
