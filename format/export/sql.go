package export

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/printable"
)

// sql writes tables for one subgraph, and for each formula a query, for SQLite and PostgreSQL, that gives what the command counts
// prints.
func sql(t *text) {
	t.claimed["center"] = "the table of the center"
	for _, typ := range t.model.Schema.Types {
		t.claim(strings.ToLower("domain_"+typ), "the domain of "+typ, "domain_"+typ)
	}
	for _, p := range t.model.Schema.Predicates {
		t.claim(strings.ToLower(p.Name), "predicate "+p.Name, p.Name)
		if len(p.Args) > maxKey {
			t.refuseName("predicate "+printable.Clip(p.Name, maxShown), fmt.Sprintf("has more arguments than the %d columns of an index", maxKey))
		}
	}
	t.domains()
	t.line("-- Tables of one subgraph: an entity of a type is a row of its domain, a true atom of evidence one of its predicate's table.")
	t.line("-- A target's table has truth 1 where an atom is true, 0 where it is stated false, and null where it is unknown; of a listed target")
	t.line("-- no other atoms exist, of another one all others are false.")
	t.line("CREATE TABLE center (name TEXT);")
	for _, typ := range t.model.Schema.Types {
		t.line("CREATE TABLE %s (name TEXT PRIMARY KEY);", identifier("domain_"+typ))
	}
	for typ, constants := range t.model.Schema.Domains(t.model.Constants, t.model.Formulas) {
		for _, c := range constants {
			t.line("INSERT INTO %s VALUES (%s) ON CONFLICT DO NOTHING;", identifier("domain_"+t.model.Schema.Types[typ]), sqlText(c))
		}
	}
	for _, p := range t.model.Schema.Predicates {
		var columns, key []string
		for i := range p.Args {
			key = append(key, fmt.Sprint("a", i+1))
			columns = append(columns, key[i]+" TEXT")
		}
		if p.Role.IsTarget() {
			columns = append(columns, "truth INTEGER")
		}
		t.line("CREATE TABLE %s (%s, PRIMARY KEY (%s));", identifier(p.Name), strings.Join(columns, ", "), strings.Join(key, ", "))
	}
	for i, f := range t.model.Formulas {
		t.line("")
		t.comment("--", i)
		t.widest = 0
		t.line("%s;", t.query(f))
		if t.sayable(i) && t.widest > maxJoin {
			t.refuse(i, fmt.Sprintf("joins %d tables, more than the %d of SQLite", t.widest, maxJoin))
		}
	}
}

// query returns a query for a formula's count.
func (t *text) query(f *mln.Formula) string {
	if f.Shape != mln.ShapeNone {
		return t.shaped(f)
	}
	literals, negated, ok := conjunction(f.Body)
	switch {
	case !ok: // any other formula: all existing groundings, one by one
		s := t.selection(f.Vars, f.Free)
		s.bindRest()
		s.known(f.Body)
		s.where = append(s.where, s.expr(f.Body))
		return "SELECT " + s.count()
	case !negated:
		s := t.selection(f.Vars, f.Free)
		s.literals(literals)
		return "SELECT " + s.count()
	}
	not := t.selection(f.Vars, f.Free)
	not.literals(literals)
	return "SELECT " + t.groundings(f, literals) + " - (SELECT " + not.count() + ")"
}

// groundings returns a query for the number of existing groundings of a formula that is a conjunction of literals or the complement
// of one.
func (t *text) groundings(f *mln.Formula, literals []mln.Literal) string {
	s := t.selection(f.Vars, 0)
	for _, l := range literals {
		if l.Atom != nil && t.isTarget(l.Atom.Pred) {
			for _, a := range l.Atom.Args {
				if a.Kind == mln.TermVariable && !slices.Contains(s.free, a.Var) {
					s.free = append(s.free, a.Var)
				}
			}
			s.known(l.Atom)
		}
	}
	factors := []string{"(SELECT " + s.count() + ")"}
	for v := range f.Free {
		if !slices.Contains(s.free, v) {
			factors = append(factors, "(SELECT count(*) FROM "+identifier("domain_"+t.model.Schema.Types[f.Vars[v].Type])+")")
		}
	}
	return strings.Join(factors, " * ")
}

// selection is the FROM and WHERE of a query over a formula's variables.
type selection struct {
	*text
	vars   []mln.Variable
	free   []int          // must be bound
	bound  map[int]string // variables and the columns they are bound to
	tables []string
	where  []string
	prefix string // prefix of aliases, different for inner queries
}

func (t *text) selection(vars []mln.Variable, free int) *selection {
	s := &selection{text: t, vars: vars, bound: map[int]string{}, prefix: "t"}
	for v := range free {
		s.free = append(s.free, v)
	}
	return s
}

// inner begins a query inside this one that binds more variables.
func (s *selection) inner(vars []int) *selection {
	return &selection{text: s.text, vars: s.vars, free: vars, bound: maps.Clone(s.bound), prefix: s.prefix + "t"}
}

// from returns FROM and WHERE.
func (s *selection) from() string {
	s.bindRest()
	s.widest = max(s.widest, len(s.tables))
	out := ""
	if len(s.tables) > 0 {
		out = "FROM " + strings.Join(s.tables, ", ")
	}
	if len(s.where) > 0 {
		out += " WHERE " + strings.Join(s.where, " AND ")
	}
	return strings.TrimSpace(out)
}

func (s *selection) count() string { return "count(*) " + s.from() }

// bindRest makes the unbound variables range over their domains.
func (s *selection) bindRest() {
	for _, v := range s.free {
		s.bind(v)
	}
}

func (s *selection) bind(v int) string {
	if s.bound[v] == "" {
		alias := s.prefix + strconv.Itoa(len(s.tables))
		s.tables = append(s.tables, identifier("domain_"+s.model.Schema.Types[s.vars[v].Type])+" "+alias)
		s.bound[v] = alias + ".name"
	}
	return s.bound[v]
}

func (s *selection) term(t mln.Term) string {
	switch t.Kind {
	case mln.TermVariable:
		return s.bind(t.Var)
	case mln.TermCenter:
		return "(SELECT name FROM center)"
	case mln.TermConstant:
	}
	return sqlText(t.Name)
}

// literals joins the tables of literals, whose target atoms must exist.
func (s *selection) literals(list []mln.Literal) {
	for _, l := range list {
		if l.Atom == nil || l.Negated {
			continue
		}
		alias := s.join(l.Atom)
		if s.isTarget(l.Atom.Pred) {
			s.where = append(s.where, alias+".truth = 1")
		}
	}
	s.bindRest() // before inner queries refer to bound variables
	for _, l := range list {
		if l.Atom == nil || l.Negated {
			if l.Atom != nil {
				s.known(l.Atom)
			}
			s.where = append(s.where, s.literal(l))
		}
	}
}

// join joins the table of an atom and returns its alias.
func (s *selection) join(x *mln.Atom) (alias string) {
	alias = s.prefix + strconv.Itoa(len(s.tables))
	s.tables = append(s.tables, identifier(x.Name)+" "+alias)
	for i, a := range x.Args {
		column := fmt.Sprintf("%s.a%d", alias, i+1)
		if a.Kind == mln.TermVariable && s.bound[a.Var] == "" && slices.Contains(s.free, a.Var) {
			s.bound[a.Var] = column
		} else {
			s.where = append(s.where, s.same(column, a))
		}
	}
	return alias
}

// same compares a column with a term.
func (s *selection) same(column string, a mln.Term) string {
	if a.Kind == mln.TermConstant && s.model.Schema.IsNumber(a.Type) {
		return "CAST(" + column + " AS DOUBLE PRECISION) = " + a.Name
	}
	return column + " = " + s.term(a)
}

// known requires that the target atoms of an expression outside quantifiers exist.
func (s *selection) known(x mln.Expr) {
	switch x := x.(type) {
	case *mln.Exists, *mln.ForAll, *mln.Count:
		return
	case *mln.Atom:
		if !s.isTarget(x.Pred) {
			return
		}
		if s.model.Schema.Predicates[x.Pred].Role == mln.RoleListed {
			s.where = append(s.where, "EXISTS ("+s.rows(x)+" AND truth IS NOT NULL)")
			return
		}
		s.inDomains(x)
		s.where = append(s.where, "NOT EXISTS ("+s.rows(x)+" AND truth IS NULL)")
		return
	}
	for _, y := range mln.Operands(x) {
		s.known(y)
	}
}

// inDomains requires that the constants of a target's atom belong to their domains.
func (s *selection) inDomains(x *mln.Atom) {
	for i, a := range x.Args {
		if a.Kind != mln.TermVariable {
			domain := identifier("domain_" + s.model.Schema.Types[s.model.Schema.Predicates[x.Pred].Args[i]])
			s.where = append(s.where, "EXISTS (SELECT 1 FROM "+domain+" WHERE "+s.same("name", a)+")")
		}
	}
}

// rows selects the rows of an atom.
func (s *selection) rows(a *mln.Atom) string {
	where := make([]string, len(a.Args))
	for i, x := range a.Args {
		where[i] = s.same(fmt.Sprint("r.a", i+1), x)
	}
	return "SELECT 1 FROM " + identifier(a.Name) + " r WHERE " + strings.Join(where, " AND ")
}

func (s *selection) literal(l mln.Literal) string {
	if l.Negated {
		l.Negated = false
		return "(NOT " + s.expr(l.Expr()) + ")"
	}
	return s.expr(l.Expr())
}

// aggregate returns the condition of a counting literal or aggregate. An aggregate of nothing is null, and every comparison with it
// is false.
func (s *selection) aggregate(x *mln.Count) string {
	holds := fmt.Sprintf("%s %v %s", s.measure(x), x.Op, mln.FormatNumber(x.K))
	if x.Kind != mln.AggregateCount {
		return "COALESCE(" + holds + ", 1 = 0)"
	}
	return "(" + holds + ")"
}

// measure returns the value of a counting literal or aggregate.
func (s *selection) measure(x *mln.Count) string {
	rows := func(literals []mln.Literal) string {
		in := s.inner(append(slices.Clone(x.Listed), x.Inner...))
		in.literals(literals)
		listed := make([]string, len(x.Listed))
		for i, v := range x.Listed {
			listed[i] = in.bind(v) + fmt.Sprint(" AS v", i)
		}
		return "(SELECT DISTINCT " + strings.Join(listed, ", ") + " " + in.from() + ") AS counted"
	}
	body, part := x.Parts()
	from := rows(body)
	const number, time = "CAST(v0 AS DOUBLE PRECISION)", "CAST(v1 AS DOUBLE PRECISION)"
	value, order := "count(*)", ""
	switch x.Kind {
	case mln.AggregateCount:
	case mln.AggregateAvg, mln.AggregateSum, mln.AggregateMin, mln.AggregateMax:
		value = x.Kind.String() + "(" + number + ")"
	case mln.AggregateLast:
		value, order = number, " ORDER BY "+time+" DESC, "+number+" DESC LIMIT 1"
	case mln.AggregateTrend:
		value, order = "x - (total - x) / (n - 1)", " WHERE n > 1 ORDER BY t DESC, x DESC LIMIT 1"
		from = fmt.Sprintf("(SELECT %s AS x, %s AS t, sum(%[1]s) OVER () AS total, count(*) OVER () AS n FROM %[3]s) AS ordered", number, time, from)
	case mln.AggregateShare:
		value = "(SELECT CAST(count(*) AS DOUBLE PRECISION) FROM " + rows(slices.Concat(body, part)) + ") / NULLIF(count(*), 0)"
	}
	return fmt.Sprintf("(SELECT %s FROM %s%s)", value, from, order)
}

// expr returns a condition.
func (s *selection) expr(x mln.Expr) string {
	switch x := x.(type) {
	case *mln.Atom:
		rows := s.rows(x)
		if s.isTarget(x.Pred) {
			rows += " AND truth = 1"
		}
		return "EXISTS (" + rows + ")"
	case *mln.Equal:
		a, b := x.A, x.B
		if a.Kind == mln.TermConstant {
			a, b = b, a
		}
		return "(" + s.same(s.term(a), b) + ")"
	case *mln.Compare:
		return "(CAST(" + s.term(x.X) + " AS DOUBLE PRECISION) " + x.Op.String() + " " + x.Value.Name + ")"
	case *mln.Count:
		return s.aggregate(x)
	case *mln.Not:
		return "(NOT " + s.expr(x.X) + ")"
	case *mln.And:
		return s.operands(x.Xs, " AND ")
	case *mln.Or:
		return s.operands(x.Xs, " OR ")
	case *mln.Implies:
		return "(NOT " + s.expr(x.L) + " OR " + s.expr(x.R) + ")"
	case *mln.Iff:
		return "(" + s.expr(x.L) + " = " + s.expr(x.R) + ")"
	case *mln.Exists:
		return s.some(x.Vars, x.X, "")
	case *mln.ForAll:
		return "(NOT " + s.some(x.Vars, x.X, "NOT ") + ")"
	}
	panic(fmt.Sprintf("format/export: expression of type %T", x))
}

// some returns the condition that an expression, negated if not is "NOT ", holds for some binding of variables for which its atoms
// exist.
func (s *selection) some(vars []int, x mln.Expr, not string) string {
	in := s.inner(vars)
	in.bindRest()
	in.known(x)
	in.where = append(in.where, not+in.expr(x))
	return "EXISTS (SELECT 1 " + in.from() + ")"
}

func (s *selection) operands(xs []mln.Expr, operator string) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = s.expr(x)
	}
	return "(" + strings.Join(out, operator) + ")"
}
