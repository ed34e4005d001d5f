package tableinit

import (
	"fmt"
	"slices"

	"resolwe/internal/isotime"
)

// teamDays is how many days back the rows of a team are included, other than those of predicted things.
const teamDays = 1095

// mostTeamRows is the approximate number of these rows in a subgraph.
const mostTeamRows = 20_000

// mostLatest is the number of latest times whose rows are included for a thing, if there are many rows.
const mostLatest = 10

// ranks reports whether the rows of a table are stated one by one, with their ranks by time.
func (w *writer) ranks(t *tabular) bool { return w.timed && !t.timeless() && t.key != nil }

// whole reports whether all rows are stated one by one.
func (w *writer) whole(t *tabular) bool { return w.ranks(t) && w.expected(t) <= mostRows }

// dates reports whether a column refers to a row that dates its own.
func (c *column) dates() bool {
	return c.table.time == nil && slices.Contains(c.table.parents(), c)
}

// keeping is the least mean number of rows for which a thing keeps its team.
const keeping = 3

// keepingRows is the approximate number of rows on which that is measured.
const keepingRows = 200_000

// findKept finds the columns whose value stays the same over rows of a predicted thing, or of the center.
func (d *draft) findKept() {
	type tie struct {
		who, what *column
		rows      int
		seen      map[[2]uint64]bool // their values
	}
	for _, t := range d.tables {
		if !d.timed || t.timeless() {
			continue
		}
		var ties []*tie
		for _, m := range t.columns {
			for _, c := range t.columns {
				isThing := m != t.key && m.typ != nil && !d.isOther(m)
				if isThing && c != t.key && c.refers != nil && !c.isLookedUp() && !c.dates() && c.typ != m.typ {
					ties = append(ties, &tie{m, c, 0, map[[2]uint64]bool{}})
				}
			}
		}
		if len(ties) == 0 {
			continue
		}
		part := uint64(1 + t.rows/keepingRows)
		d.pass(t, func(cells [][]byte) {
			for _, x := range ties {
				if who, cell := hashOf(x.who.cell(cells)), x.what.cell(cells); who%part == 0 && len(cell) > 0 {
					x.rows++
					x.seen[[2]uint64{who, hashOf(cell)}] = true
				}
			}
		})
		for _, x := range ties {
			x.what.kept = x.what.kept || x.rows >= keeping*max(len(x.seen), 1)
		}
	}
}

// ties returns the columns of a table whose things also have rows other than those of the predicted thing, such as a player's team.
func (w *writer) ties(t *tabular) []*column {
	if !w.whole(t) {
		return nil
	}
	return slices.DeleteFunc(w.tellable(t), func(c *column) bool { return c.dates() || !w.mayBeTeam(c) })
}

// mayBeTeam reports whether a column refers to things that several predicted things may share.
func (w *writer) mayBeTeam(c *column) bool {
	return c != c.table.key && c.refers != nil && !c.isLookedUp() && w.isOther(c) && w.isShared(c, w.member)
}

// isOther reports whether a column holds neither predicted things nor centers.
func (d *draft) isOther(c *column) bool { return c.typ != d.member.typ && c.typ != d.group.typ }

// kept returns the ties that stay the same over rows of a predicted thing.
func (w *writer) kept(t *tabular) []*column {
	return slices.DeleteFunc(w.ties(t), func(c *column) bool { return !c.kept })
}

// findTeams finds the types of things whose own rows are included: those in the latest rows of a predicted thing, and those to which it
// refers itself.
func (w *writer) findTeams() {
	for _, t := range w.tables {
		columns := w.kept(t)
		switch {
		case !w.timed || len(w.anchors(t)) == 0:
			continue
		case t.key != nil && t.key.typ == w.member.typ: // to which it refers itself
			columns = slices.DeleteFunc(w.tellable(t), func(c *column) bool { return !w.mayBeTeam(c) })
		}
		for _, c := range columns {
			if c.typ.team == "" {
				c.typ.team = w.names.take("near_" + c.typ.name)
			}
		}
	}
}

// teamColumns returns the columns of a table that hold teams, if their rows are not too many.
func (w *writer) teamColumns(t *tabular) (out []*column) {
	for _, c := range w.ties(t) {
		if c.typ.team == "" {
			continue
		}
		lo, hi := t.dating().times()
		rows := float64(c.filled) * min(1, teamDays*isotime.SecondsOfDay/max(float64(hi)-float64(lo), 1)) * min(1, w.around/max(c.distinct(), 1))
		if rows > mostTeamRows {
			w.note("rows of %s by %s are left out unless they are of what is predicted: there are about %.0f for each subgraph", t.file, c.title(), rows)
			continue
		}
		out = append(out, c)
	}
	return out
}

// rank includes the rows of the things in role A, and numbers each thing's from the latest to the earliest.
func (w *writer) rank(p pattern, s scene) string {
	term := "t"
	if s.table.time == nil {
		term = "t1"
	}
	s = s.with("W", s.table.dating(), term)
	purpose := "ranked/" + s.named(p.name)
	helper, known := w.defined[purpose]
	if !known {
		helper = w.names.take(s.named(p.name))
		w.defined[purpose] = helper
	}
	if !w.add(helper, p.head, p.body, s) || known {
		return helper
	}
	near, latest := "(_, K, _)", "(_, K, n)"
	if !w.whole(s.table) {
		latest += fmt.Sprintf(", n <= %d", mostLatest)
		near = latest
	}
	w.add(s.near, "(K)", helper+near, s)
	w.tell(latestOf.of(helper+latest), s)
	return helper
}

// rowsOf includes dated rows one by one: those of the predicted things and the center, and those of their teams in the last years.
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
			w.tell(countOf.of(helper+"(A, K, _)"), of)
		}
		for _, c := range w.kept(t) {
			of := of.with("C", c, "y")
			name := w.tell(lastOfAll.of(helper+"(A, K, 1), rows(K, C)"), of)
			w.reach(c.typ, name+"(_, k)")
			w.add(c.typ.team, "(C)", name+"(_, C)", of)
		}
	}
	for _, c := range teams {
		body := fmt.Sprintf("%s(A), seen(K, A), W >= t0 - %d days", c.typ.team, teamDays)
		w.rank(ranked.of(body), s.with("A", c, "y"))
	}
}

// ofCenters includes rows that refer to things of the center's type, such as comments on posts, if other rows of that type concern the
// predicted things.
func (w *writer) ofCenters() {
	key := w.group.typ.key
	if key == nil || key.table.near == "" || w.group.typ == w.member.typ {
		return
	}
	for _, t := range w.tables {
		if t.near == "" || t == key.table || w.expected(t) > mostRows {
			continue
		}
		i := slices.IndexFunc(t.columns, func(c *column) bool { return c.typ == w.group.typ && c != t.key })
		if i < 0 {
			continue
		}
		if rows := w.expected(key.table) * float64(t.columns[i].filled) / max(t.columns[i].distinct(), 1); rows > mostRows {
			w.note("rows of %s by other things than the center are left out: there are about %.0f for each subgraph", t.file, rows)
		} else {
			s := scene{table: t, near: t.near}.with("K", t.key, "k").with("A", t.columns[i], "x")
			if body := key.table.near + "(A), seen(K, A)"; w.ranks(t) {
				w.rank(ranked.of(body), s)
			} else {
				w.add(t.near, "(K)", body, s)
			}
		}
	}
}

// details includes the rows that refer to those of a table, if nothing else connects them.
func (w *writer) details(s scene) {
	for _, d := range w.tables {
		if d == s.table || d.near != "" && d.key == nil || len(w.anchors(d)) > 0 {
			continue
		}
		i := slices.IndexFunc(d.columns, func(f *column) bool { return f.refers != nil && f.typ == s.table.key.typ && f != d.key })
		if i < 0 {
			continue
		}
		f := d.columns[i]
		w.section("What " + clip(d.file) + " says of these.")
		of := scene{table: d, near: s.near, known: f}
		if d.key == nil {
			w.attributes(of.with("K", f, "k"))
		} else {
			known := d.near != ""
			if !known {
				d.near = w.names.take("of_" + d.plain())
			}
			w.add(d.near, "(K)", "near(F), seen(K, F)", of.with("K", d.key, "k").with("F", f, "x"))
			if of = (scene{table: d, near: d.near}).with("K", d.key, "k"); !known {
				w.attributes(of)
				w.details(of)
			}
		}
		w.through(s.table, f)
	}
}

// through connects the predicted thing, or the center, directly with the things in rows that refer to those of a table.
func (w *writer) through(t *tabular, f *column) {
	d := f.table
	for _, m := range t.columns {
		anchors := w.anchorsOf(m, "x")
		for _, c := range w.tellable(d) {
			if len(anchors) == 0 || m == t.key || c == f || c == d.key || !c.isThing() || !w.isShared(c, m) {
				continue
			}
			s := scene{table: d, known: f}.with("K", t.key, "k").with("F", f, "k").with("A", m, "x").with("C", c, "y")
			name := w.predicate(through, s)
			for _, a := range anchors {
				w.add(name, through.head, through.body, s.cast("A", a))
			}
			w.reach(c.typ, name+"(_, k)")
		}
	}
}

// upward includes the rows of keyed tables to which included rows refer.
func (w *writer) upward() {
	for again := true; again; {
		again = false
		for _, t := range w.tables {
			if t.key == nil || t.near != "" || t.text != nil || len(t.key.typ.reached) == 0 || len(w.tellable(t)) < 2 || len(w.anchors(t)) > 0 {
				continue
			}
			t.near, again = w.names.take("of_"+t.plain()), true
			s := scene{table: t, near: t.near}.with("K", t.key, "k")
			w.section("What " + clip(t.file) + " says of these.")
			for _, atom := range t.key.typ.reached {
				w.add(t.near, "(K)", atom+", seen(K)", s)
			}
			w.attributes(s)
		}
	}
}
