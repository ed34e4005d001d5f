package mln

import (
	"slices"

	"resolwe/format/lex"
)

// checker turns statements into a model.
type checker struct {
	model     *Model
	opt       Options
	errs      *lex.Collector
	declared  map[string]declared // predicates by name
	types     map[string]int
	numbers   map[string]bool   // types declared anywhere as kinds of numbers
	constants []map[string]bool // by type
	templates map[string]*template
	order     []*template // as declared
	typeLines []*typeLine
	rules     []*rule
	refused   int              // errors, with duplicates
	work      int              // terms written by expansion
	data      map[int][]string // constants for +, by type, for types without a type line
}

// declared is a predicate with the place of its first declaration.
type declared struct {
	index int
	pos   Position
}

// at returns a message for a position.
func (c *checker) at(pos Position, format string, args ...any) ModelError {
	return c.model.sources.At(pos, format, args...)
}

// refuse records an error for a position and returns false.
func (c *checker) refuse(pos Position, format string, args ...any) bool {
	return c.report(c.at(pos, format, args...))
}

// report records an error and returns false.
func (c *checker) report(e Error) bool {
	c.refused++
	c.errs.Add(e)
	return false
}

// declare sorts the statements. A formula p(t1, ..) that declares p, or repeats its declaration, is not a rule.
func (c *checker) declare(statements []statement) {
	c.declared, c.types, c.templates = map[string]declared{}, map[string]int{}, map[string]*template{}
	c.numbers = map[string]bool{}
	for _, s := range statements {
		switch s := s.(type) {
		case *template:
			c.addTemplate(s)
		case *kinds:
			for _, name := range s.Names {
				c.numbers[name] = true
			}
		}
	}
	for _, s := range statements {
		switch s := s.(type) {
		case *template:
			c.templates[s.Name].reached = true
		case *declaration:
			c.addPredicate(s)
		case *typeLine:
			c.addConstants(s)
		case *kinds:
			for _, name := range s.Names {
				c.addType(name)
			}
		case *rule:
			if d := c.asDeclaration(s); d != nil {
				c.addPredicate(d)
			} else {
				c.rules = append(c.rules, s)
			}
		}
	}
	for _, t := range c.order {
		if p, ok := c.declared[t.Name]; ok {
			c.refuse(t.Pos, "%s is a predicate (%s) and a template", t.Name, p.pos)
		}
	}
}

func (c *checker) addTemplate(t *template) {
	if old, ok := c.templates[t.Name]; ok {
		c.refuse(t.Pos, "template %s is declared twice, first at %s", t.Name, old.Pos)
		return
	}
	c.templates[t.Name] = t
	c.order = append(c.order, t)
}

// asDeclaration returns the declaration that a formula represents, nil for none.
func (c *checker) asDeclaration(r *rule) *declaration {
	if r.HasWeight || r.Hard || r.quoted || r.Shape != ShapeNone || r.Body.Op != OpAtom {
		return nil
	}
	d := &declaration{Name: r.Body.plainName(), Role: RoleEvidence, Pos: r.Pos}
	if t := c.templates[d.Name]; d.Name == "" || t != nil && t.reached {
		return nil
	}
	for _, t := range r.Body.Args {
		if t.Kind == TermCenter || t.Plus || !lex.IsName(t.Name) {
			return nil
		}
		d.Types = append(d.Types, t.Name)
	}
	old, known := c.declared[d.Name]
	if known && !c.hasTypes(old.index, d.Types) {
		return nil
	}
	return d
}

// hasTypes reports whether a predicate's arguments have types of these names.
func (c *checker) hasTypes(pred int, names []string) bool {
	return slices.Equal(c.model.Schema.typeNames(&c.model.Schema.Predicates[pred]), names)
}

func (c *checker) addPredicate(d *declaration) {
	s := &c.model.Schema
	old, known := c.declared[d.Name]
	if !known {
		p := Predicate{Name: d.Name, Role: d.Role, Args: make([]int, len(d.Types))}
		for i, t := range d.Types {
			p.Args[i] = c.addType(t)
		}
		c.declared[d.Name] = declared{len(s.Predicates), d.Pos}
		s.Predicates = append(s.Predicates, p)
		return
	}
	sameRole := d.Role == RoleEvidence || d.Role == s.Predicates[old.index].Role
	if !sameRole || !c.hasTypes(old.index, d.Types) {
		c.refuse(d.Pos, "%s is declared otherwise at %s", d.Name, old.pos)
	}
}

// addType returns the index of a type, adding it if it is new.
func (c *checker) addType(name string) int {
	if t, ok := c.types[name]; ok {
		return t
	}
	t := len(c.model.Schema.Types)
	c.types[name] = t
	c.model.Schema.Types = append(c.model.Schema.Types, name)
	c.model.Constants = append(c.model.Constants, nil)
	c.constants = append(c.constants, map[string]bool{})
	if c.numbers[name] {
		c.model.Schema.AddKind(t)
	}
	return t
}

func (c *checker) addConstants(line *typeLine) {
	t := c.addType(line.Name)
	number := c.model.Schema.IsNumber(t)
	if line.signed != nil && !number {
		c.errs.Add(line.signed)
		return
	}
	for _, name := range line.Constants {
		if number {
			v, ok := ParseNumber(name)
			if !ok {
				c.refuse(line.Pos, "%q is no finite number", name)
				continue
			}
			name = FormatNumber(v)
		}
		if !c.constants[t][name] {
			c.constants[t][name] = true
			c.model.Constants[t] = append(c.model.Constants[t], name)
		}
	}
	c.typeLines = append(c.typeLines, line)
}

// markTargets marks the predicates named in the options as targets. If the model marks its own, the options may only repeat these.
func (c *checker) markTargets(file string) {
	if len(c.opt.Targets) == 0 {
		return
	}
	predicates := c.model.Schema.Predicates
	marked := slices.IndexFunc(predicates, func(p Predicate) bool { return p.Role.IsTarget() })
	for _, name := range c.opt.Targets {
		p, ok := c.declared[name]
		switch {
		case !ok:
			pos := Position{File: file}
			c.errs.Add(c.model.sources.Near(name, c.model.Schema.PredicateNames(), pos, "target %q is not a predicate of the model", name))
		case marked < 0:
			predicates[p.index].Role = RoleTarget
		case !predicates[p.index].Role.IsTarget():
			pos := c.declared[predicates[marked].Name].pos
			c.refuse(pos, "the model marks targets itself, so no others can be named")
		}
	}
}
