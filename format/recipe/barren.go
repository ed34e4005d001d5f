package recipe

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/printable"
)

// barren finds relations without rows.
type barren struct {
	*Recipe
	sources lex.Sources
	empty   []bool // by relation
	out     []lex.Diagnostic
}

// Barren returns warnings of tables and rules without rows, of requirements that no center meets, and of days that disagree, in the order of
// the recipe, whose text and file name are passed again, with its tables. If one thing follows from another, only predicates of the model
// are reported.
func (r *Recipe) Barren(file string, src []byte, tables []*table.Table, isBarren, isUnmet func(int) bool) []lex.Diagnostic {
	b := barren{Recipe: r, sources: lex.Sources{}, empty: make([]bool, len(r.Relations))}
	b.sources.Add(file, string(src))
	for i := range r.Relations {
		rel := &r.Relations[i]
		if rel.Role == RoleTable {
			b.empty[i] = tables[rel.Index].Rows == 0
			continue
		}
		b.empty[i] = len(rel.Rules) > 0 && !slices.ContainsFunc(rel.Rules, func(rule int) bool { return !isBarren(rule) })
	}
	for i := range r.Relations {
		b.relation(i, isBarren)
	}
	for i, q := range r.Requires {
		if isUnmet(i) {
			b.warn(q.Pos, "no center meets this requirement")
		}
	}
	b.days(tables)
	slices.SortStableFunc(b.out, func(x, y lex.Diagnostic) int { return x.Pos.Compare(y.Pos) })
	return b.out
}

func (b *barren) warn(pos lex.Position, format string, args ...any) {
	b.out = append(b.out, b.sources.At(pos, format, args...).Diagnostic)
}

// days warns of times that were written on other days than the zone's if days or times of other columns are the zone's.
func (b *barren) days(tables []*table.Table) {
	isLocal := func(c table.Column) bool { return c.Local > 0 && c.Shifted == 0 }
	i := slices.IndexFunc(tables, func(t *table.Table) bool { return slices.ContainsFunc(t.Columns, isLocal) })
	if i < 0 {
		return
	}
	name := func(i, column int) string {
		return b.Tables[i].Columns[column].Refs[0].String() + " of " + b.Tables[i].Name
	}
	local := name(i, slices.IndexFunc(tables[i].Columns, isLocal))
	for k, t := range tables {
		for column, c := range t.Columns {
			if c.Shifted > 0 {
				b.warn(b.Relations[k].Pos, "in %s, %s in %s would have a different date, and %s has no offsets: if its dates are not in %[1]s, "+
					`begin the recipe with their time zone, as in zone "Europe/Berlin"`, cmp.Or(b.Zone, time.UTC), printable.Count(c.Shifted, "time"), name(k, column), local)
			}
		}
	}
}

func (b *barren) relation(i int, isBarren func(int) bool) {
	rel := &b.Relations[i]
	if rel.Role == RoleTable {
		switch {
		case b.empty[i] && len(b.Tables[rel.Index].Where) > 0:
			b.warn(rel.Pos, "no row of table %s meets its conditions", rel.Name)
		case b.empty[i]:
			b.warn(rel.Pos, "table %s has no rows", rel.Name)
		}
		return
	}
	follows := ""
	for _, rule := range rel.Rules {
		if !isBarren(rule) {
			continue
		}
		if cause := b.cause(&b.Rules[rule]); cause != "" {
			follows = cause
			continue
		}
		b.warn(b.Rules[rule].Pos, "%s", b.told(rel))
	}
	if follows != "" && b.empty[i] && rel.Role != RoleHelper {
		b.warn(rel.Pos, "%s, as %s has none", b.told(rel), follows)
	}
}

// told returns the message that a rule of a relation has no rows.
func (b *barren) told(rel *Relation) string {
	switch {
	case rel.Role == RoleCenter:
		return "this rule gives no centers"
	case rel.Local:
		return fmt.Sprintf("this rule of %s has no rows around any center", rel.describe())
	}
	return fmt.Sprintf("this rule of %s has no rows", rel.describe())
}

// cause returns a relation without rows that a rule needs, "" for none.
func (b *barren) cause(r *Rule) string {
	for _, a := range r.Positive {
		if b.empty[a.Relation] {
			return a.Name
		}
	}
	return ""
}
