package recipe

import (
	"slices"
	"strconv"
	"time"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

const (
	maxSource     = 16 << 20 // bytes of a recipe
	maxLiterals   = 64       // of a body
	maxVariables  = 256      // of a rule
	maxArguments  = 64       // of a relation
	maxStatements = 10_000
)

// language configures the lexer for recipes.
var language = lex.Language{
	Symbols:   []string{":-", "<=", ">=", "!=", "<", ">", "=", "(", ")", ",", "!", "?", ":", "#", "_", "+", "-", "/"},
	Marked:    []string{"@center", "@asof"},
	Joins:     []string{":-", ",", "<", "<=", ">", ">=", "=", "!=", "+", "-", "/"},
	Continues: []string{":-", ",", "from"},
	Numbers:   true,
	Minus:     true,
}

// Parse reads a recipe for a model from the text of a file; the name is used in messages only. The recipe keeps the schema. Errors are
// returned as a [lex.ErrorList].
func Parse(file string, src []byte, schema *mln.Schema) (*Recipe, error) {
	var errs lex.Collector
	sources := lex.Sources{}
	if len(src) > maxSource {
		errs.Add(sources.At(lex.Position{File: file}, "the recipe has more than %d bytes", maxSource))
		return nil, errs.Err()
	}
	cursor, ok := lex.NewCursor(&language, file, src, sources, &errs)
	if !ok {
		return nil, errs.Err()
	}
	p := parser{Cursor: cursor}
	p.Statements(p.statement)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	c := &checker{
		file: file, parsed: &p, errs: p.Errs, sources: p.Sources,
		recipe: &Recipe{Schema: schema, Types: slices.Clone(schema.Types), Center: -1, Zone: p.zone},
		named:  map[string]int{}, roles: map[roleName]int{}, arity: map[int]lex.Position{},
	}
	c.check()
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return c.recipe, nil
}

// ParseOptions reads the options of a table, as they stand between its files and its columns. Only Layout and Nulls of the result are set. Errors
// are returned as a [lex.ErrorList].
func ParseOptions(text string) (*table.Spec, error) {
	var errs lex.Collector
	var t tableStatement
	if cursor, ok := lex.NewCursor(&language, "", []byte(text), lex.Sources{}, &errs); ok {
		p := parser{Cursor: cursor}
		p.Statements(func() { p.options(&t) })
	}
	return &t.spec, errs.Err()
}

// parser turns a recipe into statements with unresolved names.
type parser struct {
	lex.Cursor
	tables   []tableStatement
	rules    []ruleStatement
	samples  []sampleStatement
	requires []requireStatement
	zone     *time.Location
	count    int // of statements
}

// ruleStatement is a rule as written. Its terms have no types yet, and its numbers are of kind number.
type ruleStatement struct {
	rule    Rule
	role    Role   // RoleCenter, RoleEntity, RoleFalse or RoleUnknown for a marked head, else 0
	name    string // of the head, or of the type of RoleEntity
	namePos lex.Position
	fold    bool // of RoleCenter: has folds
	by      bool // of RoleCenter: has an order
}

// mention is a relation named by a statement.
type mention struct {
	name string
	pos  lex.Position
}

type sampleStatement struct {
	of, per   mention
	sample    Sample
	ofCenters bool // the mentions are unused
}

type requireStatement struct {
	require     Require
	left, right mention // right has no name if it is a number
}

// keywords begin a statement if a name follows.
var keywords = []string{"table", "center", "sample", "require", "entity"}

// statement parses one statement.
func (p *parser) statement() {
	if p.count++; p.count > maxStatements {
		p.Fail(p.Sources.At(p.Tok.Pos, "the recipe has more than %d statements", maxStatements))
	}
	if p.Tok.IsWord("zone") && p.Peek().Kind == lex.Quoted {
		p.timeZone()
		return
	}
	if p.Tok.Kind != lex.Name || p.Peek().Kind != lex.Name {
		p.rule(ruleStatement{})
		return
	}
	word, pos := p.Tok.Text, p.Tok.Pos
	p.Advance()
	switch word {
	case "table":
		p.table(pos)
	case "center":
		p.center(pos)
	case "sample":
		p.sample(pos)
	case "require":
		p.require(pos)
	case "entity":
		p.rule(ruleStatement{role: RoleEntity})
	default:
		f := p.Sources.Near(word, keywords, pos, "%q before a name", word)
		p.Fail(&lex.SyntaxError{Fault: f})
	}
}

// timeZone parses "zone "Europe/Berlin"".
func (p *parser) timeZone() {
	if p.count > 1 {
		p.Fail(p.Sources.Syntax(p.Tok.Pos, "the zone is stated once, before everything else"))
	}
	p.Advance()
	pos := p.Tok.Pos
	name := p.quoted("the quoted name of a zone")
	zone, ok := isotime.FindZone(name)
	if p.zone = zone; !ok {
		p.Fail(p.Sources.Syntax(pos, `there is no zone %s: write its name as in "Europe/Berlin"`, strconv.Quote(name)))
	}
}

// word consumes a given word.
func (p *parser) word(word string) {
	if !p.Tok.IsWord(word) {
		p.Unexpected(strconv.Quote(word))
	}
	p.Advance()
}

// whole consumes a whole number of at least least.
func (p *parser) whole(want string, least uint64, bits int) uint64 {
	if p.Tok.Kind != lex.Number {
		p.Unexpected(want)
	}
	n, err := strconv.ParseUint(p.Tok.Text, 10, bits)
	if err != nil || n < least {
		p.Fail(p.Sources.At(p.Tok.Pos, "%s: a whole number from %d to %d stands here", p.Tok.Text, least, ^uint64(0)>>(64-bits)))
	}
	p.Advance()
	return n
}

// sample parses "sample REL N per REL [stratified] seed S" or "sample center N seed S", after the first word.
func (p *parser) sample(pos lex.Position) {
	s := sampleStatement{sample: Sample{Pos: pos}, of: p.mention()}
	s.sample.N = int(p.whole("how many tuples", 1, 31))
	s.ofCenters = s.of.name == "center" && p.Tok.IsWord("seed")
	if !s.ofCenters {
		p.word("per")
		s.per = p.mention()
		if s.sample.Stratified = p.Tok.IsWord("stratified"); s.sample.Stratified {
			p.Advance()
		}
	}
	p.word("seed")
	s.sample.Seed = p.whole("a seed", 0, 64)
	p.samples = append(p.samples, s)
}

// require parses "require count(REL) cmp number" or "count(REL)", after the first word.
func (p *parser) require(pos lex.Position) {
	r := requireStatement{require: Require{Right: -1, Pos: pos}}
	r.left = p.counted()
	r.require.Op = p.Comparison("a comparison")
	if p.Tok.Kind != lex.Number {
		r.right = p.counted()
		p.requires = append(p.requires, r)
		return
	}
	n, err := strconv.ParseFloat(p.Tok.Text, 64)
	if err != nil {
		p.Fail(p.Sources.At(p.Tok.Pos, "%s is out of range", p.Tok.Text))
	}
	r.require.Number = n
	p.Advance()
	p.requires = append(p.requires, r)
}

// counted parses "count(REL)".
func (p *parser) counted() mention {
	if !p.Tok.IsWord("count") {
		p.Unexpected(`"count(" and a relation`)
	}
	p.Advance()
	p.Expect("(", `"("`)
	m := p.mention()
	p.Expect(")", `")"`)
	return m
}

func (p *parser) mention() mention {
	pos := p.Tok.Pos
	return mention{p.Name("the name of a relation"), pos}
}
