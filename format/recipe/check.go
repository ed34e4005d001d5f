package recipe

import (
	"cmp"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/printable"
)

// Error is an error in a recipe, other than a [lex.SyntaxError]. Both are returned in a [lex.ErrorList].
type Error = lex.Fault

// checker turns statements into a recipe.
type checker struct {
	file    string
	parsed  *parser
	recipe  *Recipe
	errs    *lex.Collector
	sources lex.Sources
	named   map[string]int // tables, helpers and true facts
	roles   map[roleName]int
	arity   map[int]lex.Position // what determined the number of a relation's columns
	used    []bool               // by relation: occurs in a body, or is counted
}

// roleName distinguishes relations that share a name.
type roleName struct {
	role Role
	name string
}

// check resolves names and types. Each step runs only if the earlier ones found no errors.
func (c *checker) check() {
	steps := []func(){c.declareTables, c.declareHeads, c.resolveBodies, c.resolveCounts, c.infer, c.checkStrata, c.checkSafety, c.order, c.checkUse}
	for _, step := range steps {
		if step(); c.errs.Len() > 0 {
			return
		}
	}
}

func (c *checker) fail(pos lex.Position, format string, args ...any) {
	c.errs.Add(c.sources.At(pos, format, args...))
}

// predicate returns the index of the model's predicate with that name, -1 if there is none.
func (c *checker) predicate(name string) int { return c.recipe.Schema.Predicate(name) }

// add adds a relation and returns its index.
func (c *checker) add(r Relation) int {
	i := len(c.recipe.Relations)
	c.recipe.Relations = append(c.recipe.Relations, r)
	c.roles[roleName{r.Role, r.Name}] = i
	if r.Role == RoleTable || r.Role == RoleHelper || r.Role == RoleTrue {
		c.named[r.Name] = i
	}
	c.used = append(c.used, false)
	return i
}

func (c *checker) declareTables() {
	for i := range c.parsed.tables {
		t := &c.parsed.tables[i]
		name, pos := t.spec.Name, t.spec.Pos
		if old, ok := c.named[name]; ok {
			first := c.recipe.Relations[old].Pos
			c.fail(pos, "table %s is declared twice, first at %s", name, first)
			continue
		}
		if c.predicate(name) >= 0 {
			c.fail(pos, "table %s has the name of a predicate of the model, whose facts are for rules to state", name)
		}
		columns := c.checkTable(t)
		c.add(Relation{Role: RoleTable, Name: name, Columns: columns, Index: len(c.recipe.Tables), Pos: pos})
		c.recipe.Tables = append(c.recipe.Tables, t.spec)
	}
}

// declareHeads adds the relations that rules define.
func (c *checker) declareHeads() {
	for i := range c.parsed.rules {
		s := &c.parsed.rules[i]
		head, ok := c.head(s)
		if !ok {
			continue
		}
		r := &c.recipe.Relations[head]
		if want := len(r.Columns); len(s.rule.Terms) != want {
			c.arityError(head, s.namePos, len(s.rule.Terms))
			continue
		}
		s.rule.Head = head
		r.Rules = append(r.Rules, len(c.recipe.Rules))
		c.recipe.Rules = append(c.recipe.Rules, s.rule)
	}
	if c.recipe.Center < 0 && c.errs.Len() == 0 {
		c.fail(lex.Position{File: c.file}, "no statement gives the centers: center VAR :- body")
	}
}

// head returns the relation of a rule's head.
func (c *checker) head(s *ruleStatement) (int, bool) {
	predicate := c.predicate(s.name)
	role := s.role
	switch {
	case role == 0 && predicate >= 0:
		role = RoleTrue
	case role == 0:
		role = RoleHelper
	case role == RoleFalse || role == RoleUnknown:
		if !c.mayState(s, predicate) {
			return 0, false
		}
	}
	if old, ok := c.roles[roleName{role, s.name}]; ok {
		if role == RoleCenter && s.fold != c.recipe.Folds && s.by != c.recipe.By { // the number of columns must agree
			c.fail(s.namePos, "one statement of the centers has folds, another an order (by): give all of them the same")
		}
		return old, true
	}
	r := Relation{Role: role, Name: s.name, Index: -1, Pos: s.namePos}
	switch role {
	case RoleTrue, RoleFalse, RoleUnknown:
		r.Index = predicate
		for _, t := range c.recipe.Schema.Predicates[predicate].Args {
			r.Columns = append(r.Columns, c.stated(t))
		}
	case RoleEntity:
		if r.Index = c.recipe.Schema.Type(s.name); r.Index < 0 {
			c.errs.Add(c.sources.Near(s.name, c.recipe.Schema.Types, s.namePos, "%s is not a type of the model", s.name))
			return 0, false
		}
		r.Columns = []Type{c.stated(r.Index)}
	case RoleHelper:
		if t, ok := c.roles[roleName{RoleTable, s.name}]; ok {
			first := c.recipe.Relations[t].Pos
			c.fail(s.namePos, "%s is a table (%s), which takes no rules", s.name, first)
			return 0, false
		}
		r.Columns = make([]Type, len(s.rule.Terms))
	case RoleCenter:
		r.Columns = make([]Type, len(s.rule.Terms))
		c.recipe.Center, c.recipe.Folds, c.recipe.By = len(c.recipe.Relations), s.fold, s.by
	case RoleTable:
	}
	i := c.add(r)
	c.arity[i] = s.namePos
	return i, true
}

// stated returns the type of a column that states entities of one of the model's types.
func (c *checker) stated(typ int) Type {
	if c.recipe.Schema.IsNumber(typ) {
		return Type{Kind: table.KindFloat}
	}
	return Type{table.KindEntity, typ}
}

// mayState reports whether a marked head belongs to a predicate of which its atoms can be stated false, or unknown.
func (c *checker) mayState(s *ruleStatement, predicate int) bool {
	what := "a helper relation"
	if predicate >= 0 {
		role := c.recipe.Schema.Predicates[predicate].Role
		if role == mln.RoleListed || s.role == RoleUnknown && role.IsTarget() {
			return true
		}
		what = cmp.Or(role.String(), "evidence")
	}
	if s.role == RoleUnknown {
		c.fail(s.namePos, "?%s in a head: only targets have atoms of unknown truth, %s is %s", s.name, s.name, what)
	} else {
		c.fail(s.namePos, "!%s in a head: only listed targets have atoms that are stated false, %s is %s", s.name, s.name, what)
	}
	return false
}

func (c *checker) arityError(relation int, pos lex.Position, got int) {
	r := &c.recipe.Relations[relation]
	want := len(r.Columns)
	where := ""
	if first, ok := c.arity[relation]; ok && r.Index < 0 {
		where = " at " + first.String()
	}
	c.fail(pos, "%s has %s%s, found %d", r.describe(), printable.Count(want, "argument"), where, got)
}

// resolveBodies resolves the relations in bodies.
func (c *checker) resolveBodies() {
	for i := range c.recipe.Rules {
		rule := &c.recipe.Rules[i]
		for _, atoms := range [][]Atom{rule.Positive, rule.Negative} {
			for k := range atoms {
				a := &atoms[k]
				relation, ok := c.resolve(a.Name, a.Pos)
				if !ok {
					continue
				}
				if a.Relation = relation; len(a.Args) != len(c.recipe.Relations[relation].Columns) {
					c.arityError(relation, a.Pos, len(a.Args))
				}
				c.used[relation] = true
			}
		}
	}
}

// resolve returns the relation with a name.
func (c *checker) resolve(name string, pos lex.Position) (int, bool) {
	if i, ok := c.named[name]; ok {
		return i, true
	}
	f := c.sources.At(pos, "no table and no rule defines relation %s", name)
	if aggregateOf(name) != AggregateNone {
		c.fail(pos, "aggregate %s(..) stands in a body: only heads have them, so give it a relation of its own", name)
		return 0, false
	}
	if c.predicate(name) < 0 {
		var names []string
		for _, r := range c.recipe.Relations {
			names = append(names, r.Name)
		}
		f.Hint = lex.Suggest(name, names)
	}
	c.errs.Add(f)
	return 0, false
}

// resolveCounts resolves the relations of sample and require.
func (c *checker) resolveCounts() {
	for _, s := range c.parsed.samples {
		if s.ofCenters {
			if first := c.recipe.Drawn; first != nil {
				c.fail(s.sample.Pos, "the centers are sampled twice, first at %s", first.Pos)
			}
			c.recipe.Drawn = &s.sample
			continue
		}
		sampled, ok1 := c.counted(s.of)
		per, ok2 := c.counted(s.per)
		if !ok1 || !ok2 {
			continue
		}
		r := &c.recipe.Relations[sampled]
		if r.Sample != nil {
			first := r.Sample.Pos
			c.fail(s.sample.Pos, "relation %s is sampled twice, first at %s", s.of.name, first)
			continue
		}
		s.sample.Per = per
		r.Sample = &s.sample
		c.used[per] = true
	}
	for _, r := range c.parsed.requires {
		left, ok := c.counted(r.left)
		r.require.Left = left
		if r.right.name != "" {
			right, ok2 := c.counted(r.right)
			r.require.Right, ok = right, ok && ok2
			c.used[right] = c.used[right] || ok2
		}
		if ok {
			c.used[left] = true
			c.recipe.Requires = append(c.recipe.Requires, r.require)
		}
	}
}

// counted returns the relation with a name, which rules must define.
func (c *checker) counted(m mention) (int, bool) {
	i, ok := c.resolve(m.name, m.pos)
	if ok && c.recipe.Relations[i].Role == RoleTable {
		c.fail(m.pos, "%s is a table: a relation that rules define stands here", m.name)
		return 0, false
	}
	return i, ok
}

// checkStrata reports stratified samples whose relations cannot have common strata.
func (c *checker) checkStrata() {
	for _, r := range c.recipe.Relations {
		if r.Sample == nil || !r.Sample.Stratified {
			continue
		}
		per := &c.recipe.Relations[r.Sample.Per]
		if n, m := len(r.Columns), len(per.Columns); n < 2 || m < 1 || r.Columns[n-1] != per.Columns[m-1] {
			c.fail(r.Sample.Pos, "a stratified sample of %s per %s: the last columns hold the stratum; they must be of one type, and not the only one that is sampled", r.describe(), per.describe())
		}
	}
}

// checkUse reports unused tables and helper relations.
func (c *checker) checkUse() {
	predicates := make([]string, len(c.recipe.Schema.Predicates))
	for i, p := range c.recipe.Schema.Predicates {
		predicates[i] = p.Name
	}
	for i, r := range c.recipe.Relations {
		switch {
		case c.used[i]:
		case r.Role == RoleTable:
			c.fail(r.Pos, "no rule uses table %s", r.Name)
		case r.Role == RoleHelper:
			c.errs.Add(c.sources.Near(r.Name, predicates, r.Pos, "no rule uses relation %s, and the model has no predicate of that name", r.Name))
		}
	}
}
