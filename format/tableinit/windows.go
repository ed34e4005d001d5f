package tableinit

import (
	"fmt"
	"slices"
)

// teamDays is for how long the rows are told of that other things than what is predicted have.
const teamDays = 1095

// mostRing is about how many of these rows a subgraph takes.
const mostRing = 20_000

// whole reports whether each dated row of a table that is told of is told of by itself.
func (w *writer) whole(t *tabular) bool {
	return w.timed && !t.timeless() && t.key != nil && w.expected(t) <= mostRows
}

// dates reports whether a column refers to what says when its row came to be.
func (c *column) dates() bool {
	return c.table.time == nil && slices.Contains(c.table.parents(), c)
}

// ties returns the columns of a table whose things have rows beside those of what is predicted, such as the team of a player.
func (w *writer) ties(t *tabular) (out []*column) {
	if !w.whole(t) {
		return nil
	}
	for _, c := range w.tellable(t) {
		if c != t.key && c.refers != nil && c.refers.table.text == nil && !c.dates() && c.typ != w.member.typ && c.typ != w.group.typ && w.isShared(c, w.member) {
			out = append(out, c)
		}
	}
	return out
}

// findTeams finds the sorts of things that what is predicted has had, last, in a row, and whose own rows are told of.
func (w *writer) findTeams() {
	w.teams = map[*entityType]string{}
	for _, t := range w.tables {
		if slices.ContainsFunc(w.anchors(t), func(a role) bool { return a.column != t.key }) {
			for _, c := range w.ties(t) {
				w.teams[c.typ] = "near_" + c.typ.name
			}
		}
	}
	for _, name := range w.teams {
		w.names.take(name)
	}
}

// teamColumns returns the columns of a table that hold such things, where their rows are not too many.
func (w *writer) teamColumns(t *tabular) (out []*column) {
	for _, c := range w.ties(t) {
		if w.teams[c.typ] == "" {
			continue
		}
		lo, hi := w.span(t)
		rows := float64(c.filled) * min(1, teamDays*86400/max(hi-lo, 1)) * min(1, w.around/max(c.distinct(), 1))
		if rows > mostRing {
			w.note("rows of %s by %s are told of only where they are of what is predicted: there are about %.0f for each subgraph", t.file, c.title(), rows)
			continue
		}
		out = append(out, c)
	}
	return out
}

// whenTerm returns the column that dates the rows of a table, and the variable that it is in them.
func (t *tabular) whenTerm() (*column, string) {
	if t.time != nil {
		return t.time, "t"
	}
	return t.parents()[0].refers.table.time, "t1"
}

// rank tells of the rows of the things in role A, and numbers those of each by falling time.
func (w *writer) rank(p pattern, s scene) (helper string) {
	when, term := s.table.whenTerm()
	s = s.with("W", when, term)
	a := s.roles["A"]
	known := w.defined["ranked/"+s.named(ranked.name)]
	if helper = known; known == "" {
		helper = w.names.take(s.named(ranked.name))
		w.defined["ranked/"+s.named(ranked.name)] = helper
	}
	if !w.add(helper, p.head, p.body, s) || known != "" {
		return helper
	}
	w.add(s.near, "(K)", helper+"(_, K, _)", s)
	w.add(w.predicate(latestOf, s.with("A", a.column, "x")), latestOf.head, helper+"(_, K, n)", s)
	return helper
}

// rows tells of dated rows one by one: those of what is predicted and of the center, and, of the last years, those of their teams.
func (w *writer) rowsOf(s scene, anchors []role, teams []*column) {
	t := s.table
	for _, a := range anchors {
		of := s.cast("A", a)
		if a.column == t.key {
			w.add(s.near, "(K)", "?A, seen(K, A)", of.cast("K", a))
			continue
		}
		helper := w.rank(ranked, of)
		for _, c := range w.ties(t) {
			of := of.with("C", c, "y")
			name := w.predicate(lastOfAll, of)
			w.add(name, lastOfAll.head, helper+"(A, K, 1), "+lastOfAll.body, of)
			w.reach(c.typ, name+"(_, k)")
			w.add(w.teams[c.typ], "(C)", name+"(_, C)", of)
		}
	}
	for _, c := range teams {
		p := ranked
		p.body = fmt.Sprintf("%s(A), seen(K, A), W >= t0 - %d days", w.teams[c.typ], teamDays)
		w.rank(p, s.with("A", c, "y"))
	}
}
