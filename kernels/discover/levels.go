package discover

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// levelNames are words in the names of numbers that say how much there is at a time: their sum over rows means nothing.
var levelNames = []string{"balance", "level", "stock", "inventory", "rate", "ratio", "temperature", "age"}

// A series follows a number of an entity's rows in order of time. A level, such as a balance, differs little from one row to the next; a
// flow, such as an amount, as much as between any two rows. The rank version of von Neumann's ratio (Bartels, JASA 77, 1982) compares
// these differences with those that any order has on average: it is about 1 for a flow, and near 0 for a level.
type series struct {
	enter, entity int // the relation of the rows to entities, and the argument of these
	days, number  int // predicates of the rows
	contrast
	entities map[string]contrast // by name, of the last subgraph with enough rows: others may repeat these
}

// contrast compares successive rows of one entity that differ in time.
type contrast struct {
	pairs       int
	differences float64
	expected    float64 // of differences in any order
}

// Series of fewer rows say little about order; a ratio of fewer pairs is noise, and more pairs tell nothing new.
const (
	leastRows  = 6
	leastPairs = 100
	mostPairs  = 100_000
)

// A ratio up to mostOfLevel is a level's, one from leastOfFlow a flow's. Of public tables, balances, standings and car numbers have ratios up
// to .41; amounts, points and places in a race from .59, most of them about 1. In between, as if rows are few, the name of the number decides.
const (
	mostOfLevel = .5
	leastOfFlow = .8
)

// newSeries returns the series of a schema.
func newSeries(schema *mln.Schema) (out []series) {
	for enter, p := range schema.Predicates {
		if p.Role.IsTarget() || len(p.Args) != 2 {
			continue
		}
		for entity, t := range p.Args {
			row := p.Args[1-entity]
			days := daysOf(schema, row, enter)
			if days < 0 || schema.IsNumber(t) {
				continue
			}
			for _, n := range numbersOf(schema, row) {
				if kind := schema.Types[schema.Predicates[n].Args[1]]; kind != daysKind && kind != latestKind {
					out = append(out, series{enter: enter, entity: entity, days: days, number: n, entities: map[string]contrast{}})
				}
			}
		}
	}
	return out
}

// point is a row of a series.
type point struct{ days, value float64 }

// numbers are those that a subgraph's entities stand for, each read when it is first wanted.
type numbers struct {
	sub    *subgraph.Subgraph
	values [][]float64 // by type and entity: NaN for those not read, infinite for no number
}

// at returns the number of an entity; false for no number, and without names.
func (n *numbers) at(typ int, id uint32) (float64, bool) {
	d := &n.sub.Domains[typ]
	if n.values[typ] == nil {
		n.values[typ] = slices.Repeat([]float64{math.NaN()}, d.Size)
	}
	v := &n.values[typ][id]
	if math.IsNaN(*v) {
		*v = math.Inf(1)
		if d.Names != nil {
			if x, ok := mln.ParseNumber(d.Names.Name(id)); ok {
				*v = x
			}
		}
	}
	return *v, !math.IsInf(*v, 1)
}

// add observes the series in a subgraph.
func (s *series) add(schema *mln.Schema, numbers *numbers) {
	sub := numbers.sub
	enter := &sub.Relations[s.enter].True
	rows, at := &enter.Forward, []point(nil)
	entities := sub.Domains[schema.Predicates[s.enter].Args[s.entity]].Names
	if s.entity == 1 {
		rows = &enter.Backward
	}
	number := func(pred int, row uint32) (v float64, ok bool) {
		of := sub.Relations[pred].True.Forward.Row(row)
		if len(of) == 0 {
			return 0, false
		}
		return numbers.at(schema.Predicates[pred].Args[1], of[0])
	}
	for e := uint32(0); int(e)+1 < len(rows.Offsets) && entities != nil && s.pairs < mostPairs; e++ {
		at = at[:0]
		for _, row := range rows.Row(e) {
			days, ok := number(s.days, row)
			value, too := number(s.number, row)
			if ok && too {
				at = append(at, point{days, value})
			}
		}
		if len(at) < leastRows {
			continue
		}
		name, now := entities.Name(e), follow(at)
		last, known := s.entities[name]
		if !known {
			name = strings.Clone(name)
		}
		s.entities[name] = now
		s.pairs += now.pairs - last.pairs
		s.differences += now.differences - last.differences
		s.expected += now.expected - last.expected
	}
}

// follow returns the contrast of an entity's rows.
func follow(at []point) contrast {
	slices.SortStableFunc(at, func(a, b point) int { return cmp.Compare(a.days, b.days) })
	values := make([]float64, len(at))
	for i, p := range at {
		values[i] = p.value
	}
	ranks, n, pairs := elementary.Ranks(values), float64(len(at)), 0
	square := func(v float64) float64 { return float64(v * v) }
	differences, variance := 0., 0.
	for i, rank := range ranks {
		variance += square(rank-float64((n+1)/2)) / (n - 1)
		if i > 0 && at[i].days != at[i-1].days {
			pairs++
			differences += square(rank - ranks[i-1])
		}
	}
	return contrast{pairs, differences / square(n), float64(2*pairs) * variance / square(n)}
}

// isLevel reports whether a number of the rows of a path says how much there is at a time: as the data have it or, if they do not tell,
// its name.
func (g *Grower) isLevel(p *path, number int) bool {
	at := slices.IndexFunc(g.series, func(s series) bool { return s.enter == p.enter && s.number == number })
	if at >= 0 && g.series[at].pairs >= leastPairs {
		switch s := &g.series[at]; {
		case s.differences <= mostOfLevel*s.expected:
			return true
		case s.differences >= leastOfFlow*s.expected:
			return false
		}
	}
	words := strings.FieldsFunc(strings.ToLower(g.schema.Predicates[number].Name), func(r rune) bool { return r == '_' })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(levelNames, w) })
}
