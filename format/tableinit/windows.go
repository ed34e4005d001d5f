package tableinit

import (
	"context"
	"fmt"
	"slices"

	"resolwe/internal/isotime"
)

// teamDays is how far back the rows of a team are included, which are not those of what is predicted.
const teamDays = 1095

// mostTeamRows is about how many of these rows a subgraph takes.
const mostTeamRows = 20_000

// mostLatest is of how many of its latest times the rows of a thing are included, where there are many rows.
const mostLatest = 10

// ranks reports whether the rows of a table are stated one by one, with their ranks by time.
func (w *writer) ranks(t *tabular) bool { return w.timed && !t.timeless() && t.key != nil }

// whole reports whether these are all rows.
func (w *writer) whole(t *tabular) bool { return w.ranks(t) && w.expected(t) <= mostRows }

// dates reports whether a column refers to what says when its row came to be.
func (c *column) dates() bool {
	return c.table.time == nil && slices.Contains(c.table.parents(), c)
}

// keeping is how many rows one has with the same team, at least, in the mean.
const keeping = 3

// keepingRows is of about how many rows that is measured.
const keepingRows = 200_000

// findKept finds the columns whose thing stays the same over rows of what is predicted, or of the center.
func (d *draft) findKept(ctx context.Context) error {
	d.kept = map[*column]bool{}
	for _, t := range d.tables {
		if !d.timed || t.timeless() {
			continue
		}
		for _, m := range t.columns {
			if m == t.key || m.typ == nil || m.typ != d.member.typ && m.typ != d.group.typ {
				continue
			}
			if err := d.findKeptBy(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// findKeptBy finds those that the things of a column keep.
func (d *draft) findKeptBy(ctx context.Context, m *column) error {
	pairs := map[*column]map[[2]uint64]bool{}
	for _, c := range m.table.columns {
		if c != m && c != m.table.key && c.refers != nil && !c.isLookedUp() && !c.dates() && c.typ != m.typ {
			pairs[c] = map[[2]uint64]bool{}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	rows, part := map[*column]int{}, uint64(1+m.table.rows/keepingRows)
	err := m.table.each(ctx, func(cells [][]byte) {
		who := hashOf(m.cell(cells))
		if who%part != 0 {
			return
		}
		for c, seen := range pairs {
			if cell := c.cell(cells); len(cell) > 0 {
				rows[c]++
				seen[[2]uint64{who, hashOf(cell)}] = true
			}
		}
	})
	for c, seen := range pairs {
		d.kept[c] = d.kept[c] || rows[c] >= keeping*max(len(seen), 1)
	}
	return err
}

// ties returns the columns of a table whose things have rows beside those of what is predicted, such as the team of a player.
func (w *writer) ties(t *tabular) []*column {
	if !w.whole(t) {
		return nil
	}
	return slices.DeleteFunc(w.tellable(t), func(c *column) bool { return c.dates() || !w.mayBeTeam(c) })
}

// mayBeTeam reports whether a column refers to things that several of what is predicted may have.
func (w *writer) mayBeTeam(c *column) bool {
	return c != c.table.key && c.refers != nil && !c.isLookedUp() && c.typ != w.member.typ && c.typ != w.group.typ && w.isShared(c, w.member)
}

// kept returns those of ties that stay the same over rows of what is predicted.
func (w *writer) kept(t *tabular) []*column {
	return slices.DeleteFunc(w.ties(t), func(c *column) bool { return !w.draft.kept[c] })
}

// findTeams finds the sorts of things whose own rows are included: those in the latest rows of what is predicted, and what it refers
// to itself.
func (w *writer) findTeams() {
	w.teams = map[*entityType]string{}
	for _, t := range w.tables {
		columns := w.kept(t)
		switch {
		case !w.timed || len(w.anchors(t)) == 0:
			continue
		case t.key != nil && t.key.typ == w.member.typ: // what it refers to itself
			columns = slices.DeleteFunc(w.tellable(t), func(c *column) bool { return !w.mayBeTeam(c) })
		}
		for _, c := range columns {
			if w.teams[c.typ] == "" {
				w.teams[c.typ] = w.names.take("near_" + c.typ.name)
			}
		}
	}
}

// teamColumns returns the columns of a table that hold such things, where their rows are not too many.
func (w *writer) teamColumns(t *tabular) (out []*column) {
	for _, c := range w.ties(t) {
		if w.teams[c.typ] == "" {
			continue
		}
		lo, hi := w.span(t)
		rows := float64(c.filled) * min(1, teamDays*isotime.SecondsOfDay/max(hi-lo, 1)) * min(1, w.around/max(c.distinct(), 1))
		if rows > mostTeamRows {
			w.note("rows of %s by %s are left out unless they are of what is predicted: there are about %.0f for each subgraph", t.file, c.title(), rows)
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
	near, latest := "(_, K, _)", "(_, K, n)"
	if !w.whole(s.table) {
		latest += fmt.Sprintf(", n <= %d", mostLatest)
		near = latest
	}
	w.add(s.near, "(K)", helper+near, s)
	w.add(w.predicate(latestOf, s.with("A", a.column, "x")), latestOf.head, helper+latest, s)
	return helper
}

// rowsOf tells of dated rows one by one: those of what is predicted and of the center, and, of the last years, those of their teams.
func (w *writer) rowsOf(s scene, anchors []role, teams []*column) {
	t := s.table
	for _, a := range anchors {
		of := s.cast("A", a)
		if a.column == t.key {
			body := "?A, seen(K, A)"
			if w.born && t == w.request.table {
				body = "?A, rows(K, A)"
			}
			w.add(s.near, "(K)", body, of.cast("K", a))
			continue
		}
		helper := w.rank(ranked, of)
		if !w.whole(t) {
			w.add(w.predicate(countOf, of), countOf.head, helper+"(A, K, _)", of)
		}
		for _, c := range w.kept(t) {
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
