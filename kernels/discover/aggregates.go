package discover

import (
	"slices"
	"strings"

	"resolwe/format/mln"
)

// The kinds of numbers, as init declares them, on which windows of rows are based, and the bounds of the windows.
const (
	daysKind   = "days"
	latestKind = "latest"
)

var (
	latestRows = []string{"1", "3", "5", "10"}
	lastDays   = []string{"30", "90", "365", "1095"}
)

// path leads from head variables and the center to a row, which is an entity with numbers.
type path struct {
	target int
	atoms  []literal // the last ones contain the row
	types  []int     // of the variables: the head's, the row, and possibly one in between
	row    int32
	enter  int // predicate that leads to the row
}

// Aggregate is a candidate on the rows of a path.
type Aggregate struct {
	Formula *mln.Formula // an implication; the bound of an aggregate in it is meaningless
	Group   int          // number of its group: the aggregates of one number, or the counts, on one path
	Target  int          // the head's predicate
	Length  int          // literals without the head
}

// Aggregates returns the candidate counts and aggregates on the rows of all paths: the number of rows, that number and the share for each
// property of a row, and when the last such was; and avg, min, max, sum and trend of each number of a row; over all rows and over windows of them.
func (g *Grower) Aggregates() (out []Aggregate) {
	group := 0
	for target, p := range g.schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		for _, path := range g.paths(target) {
			out = append(out, g.counts(&path, &group)...)
			out = append(out, g.numbers(&path, &group)...)
		}
	}
	return out
}

// paths returns the paths of a target: through one relation; through a functional relation to an entity and then its rows; through rows
// to their parts; or through two relations of a row to different head variables or the center.
func (g *Grower) paths(target int) (out []path) {
	head := g.schema.Predicates[target].Args
	var ends []int32
	for v := range head {
		ends = append(ends, int32(v))
	}
	for i, c := range g.constants {
		if c.Kind == mln.TermCenter {
			ends = append(ends, ^int32(i))
		}
	}
	row := int32(len(head))
	for _, end := range ends {
		for _, s := range g.steps(g.typeOf(head, end)) {
			if g.isRow(s.to) {
				first := path{target, []literal{s.literal(end, row)}, append(slices.Clip(head), s.to), row, s.pred}
				out = append(out, first)
				for _, other := range ends {
					if other != end {
						out = append(out, g.joined(&first, end, other)...)
					}
				}
			}
			for _, next := range g.steps(s.to) {
				leads := s.single || s.unique && next.unique // to the rows of an entity, or to the parts of rows
				if leads && g.isRow(next.to) && next.pred != s.pred {
					atoms := []literal{s.literal(end, row+1), next.literal(row+1, row)}
					out = append(out, path{target, atoms, append(slices.Clip(head), next.to, s.to), row, next.pred})
				}
			}
		}
	}
	return out
}

// joined returns the paths extended by another relation of the row, to an end that comes after the path's own.
func (g *Grower) joined(p *path, end, other int32) (out []path) {
	if end < 0 || other >= 0 && other < end {
		return nil
	}
	for _, s := range g.steps(p.types[p.row]) {
		if s.to == g.typeOf(p.types, other) && s.pred != p.enter {
			both := *p
			both.atoms = append(slices.Clip(p.atoms), s.literal(p.row, other))
			out = append(out, both)
		}
	}
	return out
}

// typeOf returns the type of a variable or constant.
func (g *Grower) typeOf(types []int, a int32) int {
	if a < 0 {
		return g.constants[^a].Type
	}
	return types[a]
}

// step is a way from an entity to others.
type step struct {
	pred, from, to int  // from: argument of the entity; to: type of the others
	single         bool // an entity has at most one other
	unique         bool // and the other has at most one entity
}

func (s *step) literal(from, to int32) literal {
	if s.from == 0 {
		return literal{s.pred, []int32{from, to}}
	}
	return literal{s.pred, []int32{to, from}}
}

// steps returns the ways from entities of a type to entities that are not numbers.
func (g *Grower) steps(typ int) (out []step) {
	for pred, p := range g.schema.Predicates {
		if p.Role.IsTarget() || len(p.Args) != 2 {
			continue
		}
		for from, t := range p.Args {
			if to := p.Args[1-from]; t == typ && !g.number[to] {
				out = append(out, step{pred, from, to, g.functional[pred][from], g.functional[pred][1-from]})
			}
		}
	}
	return out
}

// isRow reports whether entities of a type have numbers.
func (g *Grower) isRow(typ int) bool { return len(numbersOf(g.schema, typ)) > 0 }

// numbersOf returns the predicates with the numbers of a type's entities.
func numbersOf(schema *mln.Schema, typ int) (out []int) {
	for pred, p := range schema.Predicates {
		if len(p.Args) == 2 && p.Args[0] == typ && schema.IsNumber(p.Args[1]) && !p.Role.IsTarget() {
			out = append(out, pred)
		}
	}
	return out
}

// window is a condition on rows; pred is -1 for all rows.
type window struct {
	pred  int
	bound string
}

// windows returns the windows on the rows of a path, all rows first.
func (g *Grower) windows(p *path) []window {
	out := []window{{pred: -1}}
	enter := g.schema.Predicates[p.enter].Name
	add := func(pred int, bounds []string) {
		for _, b := range bounds {
			out = append(out, window{pred, b})
		}
	}
	for _, n := range numbersOf(g.schema, p.types[p.row]) {
		of := g.schema.Predicates[n]
		if g.schema.Types[of.Args[1]] == latestKind && ranks(of.Name, enter) {
			add(n, latestRows)
		}
	}
	if n := daysOf(g.schema, p.types[p.row], p.enter); n >= 0 {
		add(n, lastDays)
	}
	return out
}

// ranks reports whether a predicate named T_latest_c ranks the rows of T_c.
func ranks(name, of string) bool {
	const mark = "_" + latestKind + "_"
	for at := range name {
		if strings.HasPrefix(name[at:], mark) && name[:at]+"_"+name[at+len(mark):] == of {
			return true
		}
	}
	return false
}

// counts returns the candidates that count the rows of a path or, of those with a property, take the share, or say how long ago the last was.
func (g *Grower) counts(p *path, group *int) (out []Aggregate) {
	add := func(atoms []literal, windows []window) {
		*group++
		for _, w := range windows {
			b := g.building(p.target, p.types)
			body := append(b.atoms(atoms), b.windowed(p, w)...)
			f := b.implied(body)
			out = append(out, Aggregate{f, *group, p.target, len(body)})
		}
	}
	windows := g.windows(p)
	if len(p.atoms) == 1 { // already a pattern
		add(p.atoms, windows[1:])
	} else {
		add(p.atoms, windows)
	}
	for _, mark := range g.marks(p) {
		add(append(slices.Clip(p.atoms), mark), windows)
		*group++
		for _, w := range windows {
			b := g.building(p.target, p.types)
			body := append(b.atoms(p.atoms), b.windowed(p, w)...)
			f := b.over(mln.AggregateShare, []int{int(p.row)}, &mln.Implies{L: conjoined(body), R: b.atoms([]literal{mark})[0]})
			out = append(out, Aggregate{f, *group, p.target, 1})
		}
		if days := daysOf(g.schema, p.types[p.row], p.enter); days >= 0 {
			*group++
			b := g.building(p.target, p.types)
			d := b.variable(g.schema.Predicates[days].Args[1])
			body := b.atoms(append(slices.Clip(p.atoms), mark, literal{days, []int32{p.row, d}}))
			out = append(out, Aggregate{b.over(mln.AggregateMin, []int{int(d), int(p.row)}, conjoined(body)), *group, p.target, 1})
		}
	}
	return out
}

// marks returns the literals that say that a path's row has a property, or a name of a small domain. Those of large categories, times
// windows, would be so many that some would seem to tell something.
func (g *Grower) marks(p *path) (out []literal) {
	for pred, of := range g.schema.Predicates {
		if of.Role.IsTarget() || len(of.Args) == 0 || of.Args[0] != p.types[p.row] {
			continue
		}
		switch len(of.Args) {
		case 1:
			out = append(out, literal{pred, []int32{p.row}})
		case 2:
			for _, c := range g.constantsOf[of.Args[1]] {
				if g.isName(c) && int(^c) < g.small {
					out = append(out, literal{pred, []int32{p.row, c}})
				}
			}
		}
	}
	return out
}

// numbers returns the aggregates of the numbers of a path's rows, and of the entities that the rows refer to.
func (g *Grower) numbers(p *path, group *int) (out []Aggregate) {
	windows := g.windows(p)
	add := func(to *step, typ int, named func(kind string) bool) {
		for _, n := range numbersOf(g.schema, typ) {
			kind := g.schema.Types[g.schema.Predicates[n].Args[1]]
			if !named(kind) {
				continue
			}
			over := windows
			if kind == daysKind {
				over = windows[:1]
			}
			*group++
			for _, w := range over {
				for _, kind := range g.kinds(p, n) {
					out = append(out, Aggregate{g.building(p.target, p.types).aggregate(kind, p, to, n, w), *group, p.target, 1})
				}
			}
		}
	}
	add(nil, p.types[p.row], func(kind string) bool { return kind != latestKind })
	for _, s := range g.steps(p.types[p.row]) {
		known := slices.ContainsFunc(p.atoms, func(l literal) bool { return l.pred == s.pred })
		if s.from == 0 && s.single && !known {
			add(&s, s.to, func(kind string) bool { return kind != latestKind && kind != daysKind })
		}
	}
	return out
}

// kinds returns the aggregates of a number to offer on the rows of a path.
func (g *Grower) kinds(p *path, number int) []mln.Aggregate {
	out := []mln.Aggregate{mln.AggregateAvg, mln.AggregateMin, mln.AggregateMax}
	if !g.isLevel(p, number) {
		out = append(out, mln.AggregateSum)
	}
	if days := daysOf(g.schema, p.types[p.row], p.enter); days >= 0 && days != number {
		out = append(out, mln.AggregateTrend)
	}
	return out
}

// daysOf returns the predicate that dates the rows of a type to which a predicate leads, -1 for none.
func daysOf(schema *mln.Schema, row, enter int) int {
	for _, n := range numbersOf(schema, row) {
		of := schema.Predicates[n]
		table, ok := strings.CutSuffix(of.Name, daysKind)
		if ok && schema.Types[of.Args[1]] == daysKind && strings.HasPrefix(schema.Predicates[enter].Name, table) {
			return n
		}
	}
	return -1
}

// windowed returns the literals that restrict the row to a window.
func (b *building) windowed(p *path, w window) []mln.Expr {
	if w.pred < 0 {
		return nil
	}
	v := b.variable(b.schema.Predicates[w.pred].Args[1])
	value := mln.Term{Kind: mln.TermConstant, Name: w.bound, Type: b.f.Vars[v].Type, Number: true}
	return append(b.atoms([]literal{{w.pred, []int32{p.row, v}}}), &mln.Compare{X: b.term(v), Op: mln.AtMost, Value: value})
}

// aggregate returns a formula on a number of the rows in a window or, with a step, of the entities that the rows refer to.
func (b *building) aggregate(kind mln.Aggregate, p *path, to *step, number int, w window) *mln.Formula {
	body, of := b.atoms(p.atoms), p.row
	var listed []int
	if to != nil {
		of = b.variable(to.to)
		body = append(body, b.atoms([]literal{to.literal(p.row, of)})...)
		listed = append(listed, int(of))
	}
	n := b.variable(b.schema.Predicates[number].Args[1])
	body = append(body, b.atoms([]literal{{number, []int32{of, n}}})...)
	leading := []int{int(n)}
	if kind.Leading() > 1 {
		days := daysOf(b.schema, p.types[p.row], p.enter)
		t := b.variable(b.schema.Predicates[days].Args[1])
		body = append(body, b.atoms([]literal{{days, []int32{p.row, t}}})...)
		leading = append(leading, int(t))
	}
	body = append(body, b.windowed(p, w)...)
	return b.over(kind, slices.Concat(leading, []int{int(p.row)}, listed), conjoined(body))
}

// over returns a formula on an aggregate of what holds for the listed variables.
func (b *building) over(kind mln.Aggregate, listed []int, x mln.Expr) *mln.Formula {
	c := &mln.Count{Kind: kind, Listed: listed, X: x, Op: mln.AtLeast}
	for v := b.heads; v < len(b.f.Vars); v++ {
		if !slices.Contains(c.Listed, v) {
			c.Inner = append(c.Inner, v)
		}
	}
	return b.implied([]mln.Expr{c})
}

// conjoined returns the conjunction of one or more literals.
func conjoined(xs []mln.Expr) mln.Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	return &mln.And{Xs: xs}
}
