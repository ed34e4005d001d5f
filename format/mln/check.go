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
	constants []map[string]bool // by type
	templates map[string]*template
	order     []*template // as declared
	typeLines []*TypeLine
	rules     []*Rule
	work      int // terms that expansion wrote
}

// declared is a predicate with the place of its first declaration.
type declared struct {
	index int
	pos   Position
}

// template is a declared template whose alternatives are free of bracket lists.
type template struct {
	*Template
	alternatives []*Node
	reached      bool // its declaration stands before the present statement
	used         bool
}

// declare sorts the statements. A formula p(t1, ..) that declares p, or repeats its declaration, becomes a Declaration.
func (c *checker) declare(statements []Statement) {
	c.declared, c.types, c.templates = map[string]declared{}, map[string]int{}, map[string]*template{}
	for _, s := range statements {
		if t, ok := s.(*Template); ok {
			c.addTemplate(t)
		}
	}
	for i, s := range statements {
		switch s := s.(type) {
		case *Template:
			c.templates[s.Name].reached = true
		case *Declaration:
			c.addPredicate(s)
		case *TypeLine:
			c.addConstants(s)
		case *Rule:
			if d := c.asDeclaration(s); d != nil {
				c.addPredicate(d)
				statements[i] = d
			} else {
				c.rules = append(c.rules, s)
			}
		}
	}
	c.model.Statements = statements
	for _, t := range c.order {
		if p, ok := c.declared[t.Name]; ok {
			e := c.model.sources.At(t.Pos, "%s is a predicate (%s) and a template", t.Name, p.pos)
			c.errs.Add(&DeclarationError{e, t.Name, p.pos})
		}
	}
}

func (c *checker) addTemplate(t *Template) {
	if old, ok := c.templates[t.Name]; ok {
		e := c.model.sources.At(t.Pos, "template %s is declared twice, first at %s", t.Name, old.Pos)
		c.errs.Add(&DeclarationError{e, t.Name, old.Pos})
		return
	}
	c.templates[t.Name] = &template{Template: t}
	c.order = append(c.order, c.templates[t.Name])
}

// asDeclaration returns the declaration that a formula is, nil for one that is none.
func (c *checker) asDeclaration(r *Rule) *Declaration {
	if r.HasWeight || r.Hard || r.quoted || r.Body.Op != OpAtom {
		return nil
	}
	d := &Declaration{Name: r.Body.plainName(), Role: RoleEvidence, Pos: r.Pos}
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
	if known && !slices.Equal(c.typeNames(old.index), d.Types) {
		return nil
	}
	return d
}

// typeNames returns the names of a predicate's types.
func (c *checker) typeNames(pred int) []string {
	args := c.model.Schema.Predicates[pred].Args
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = c.model.Schema.Types[t]
	}
	return names
}

func (c *checker) addPredicate(d *Declaration) {
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
	if !sameRole || !slices.Equal(c.typeNames(old.index), d.Types) {
		e := c.model.sources.At(d.Pos, "%s is declared otherwise at %s", d.Name, old.pos)
		c.errs.Add(&DeclarationError{e, d.Name, old.pos})
	}
}

// addType returns the index of a type, which it makes where it is new.
func (c *checker) addType(name string) int {
	if t, ok := c.types[name]; ok {
		return t
	}
	t := len(c.model.Schema.Types)
	c.types[name] = t
	c.model.Schema.Types = append(c.model.Schema.Types, name)
	c.model.Constants = append(c.model.Constants, nil)
	c.constants = append(c.constants, map[string]bool{})
	return t
}

func (c *checker) addConstants(line *TypeLine) {
	t := c.addType(line.Name)
	for _, name := range line.Constants {
		if !c.constants[t][name] {
			c.constants[t][name] = true
			c.model.Constants[t] = append(c.model.Constants[t], name)
		}
	}
	c.typeLines = append(c.typeLines, line)
}

// markTargets makes targets of the predicates that the options name.
func (c *checker) markTargets(file string) {
	if len(c.opt.Targets) == 0 {
		return
	}
	predicates := c.model.Schema.Predicates
	for _, p := range predicates {
		if p.Role.IsTarget() {
			pos := c.declared[p.Name].pos
			c.errs.Add(&TargetError{c.model.sources.At(pos, "the model marks a target itself, so that none can be named beside it"), p.Name})
			return
		}
	}
	for _, name := range c.opt.Targets {
		p, ok := c.declared[name]
		if !ok {
			pos := Position{File: file}
			c.errs.Add(&TargetError{c.model.sources.Near(name, c.predicateNames(), pos, "target %q is not a predicate of the model", name), name})
			continue
		}
		predicates[p.index].Role = RoleTarget
	}
}

func (c *checker) predicateNames() []string {
	names := make([]string, len(c.model.Schema.Predicates))
	for i, p := range c.model.Schema.Predicates {
		names[i] = p.Name
	}
	return names
}

// checkRules checks what does not depend on how templates expand.
func (c *checker) checkRules() {
	for _, r := range c.rules {
		if c.errs.Full() {
			return
		}
		c.checkNames(r.Body)
		c.checkUses(r.Body, "")
	}
}

// checkNames checks the names and numbers of arguments of a formula without looking into bracket lists.
func (c *checker) checkNames(n *Node) {
	n.walk(func(m *Node) bool {
		if m.Op == OpAtom && m.plainName() != "" {
			c.checkAtom(m)
		}
		return !c.errs.Full()
	})
}

// checkAtom reports whether an atom's predicate or template exists and has that many arguments.
func (c *checker) checkAtom(n *Node) bool {
	var want int
	name := n.plainName()
	if t := c.templates[name]; t != nil {
		want = len(t.Params)
		t.used = true
	} else if p, ok := c.declared[name]; ok {
		want = len(c.model.Schema.Predicates[p.index].Args)
	} else {
		names := c.predicateNames()
		for _, t := range c.order {
			names = append(names, t.Name)
		}
		c.errs.Add(&UnknownPredicateError{c.model.sources.Near(name, names, n.Pos, "unknown predicate %q", name), name})
		return false
	}
	if len(n.Args) == want {
		return true
	}
	e := c.model.sources.At(n.Pos, "%s has %s, found %d", name, plural(want, "argument"), len(n.Args))
	c.errs.Add(&ArityError{e, name, len(n.Args), want})
	return false
}

// checkUses reports templates where they may not stand; where says in what the formula stands, "" where they may.
func (c *checker) checkUses(n *Node, where string) {
	if n.Op == OpAtom && where != "" {
		if name := n.plainName(); c.templates[name] != nil {
			c.errs.Add(&TemplateUseError{c.model.sources.At(n.Pos, "template %s stands %s", name, where), name})
		}
	}
	for i, x := range n.Xs {
		inner := where
		switch {
		case n.Op == OpNot:
			inner = "under !"
		case n.Op == OpIff || n.Op == OpImplies && i == 1:
			inner = "in a head"
		}
		c.checkUses(x, inner)
	}
}

// warn notes what is declared in vain.
func (c *checker) warn() {
	used := make([]bool, len(c.model.Schema.Types))
	for _, p := range c.model.Schema.Predicates {
		for _, t := range p.Args {
			used[t] = true
		}
	}
	note := func(e modelError) { c.model.Warnings = append(c.model.Warnings, e.Diagnostic) }
	for _, line := range c.typeLines {
		if !used[c.types[line.Name]] {
			note(c.model.sources.Near(line.Name, c.model.Schema.Types, line.Pos, "no predicate has arguments of type %s", line.Name))
		}
	}
	for _, t := range c.order {
		if !t.used {
			note(c.model.sources.At(t.Pos, "template %s is not used", t.Name))
		}
	}
	slices.SortStableFunc(c.model.Warnings, func(a, b Diagnostic) int { return a.Pos.Compare(b.Pos) })
}
