package recipe

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/printable"
)

// tableStatement is a table as written.
type tableStatement struct {
	spec    table.Spec
	types   []string
	columns []lex.Position
}

// functions are the functions that read a value, by its type.
var functions = map[table.Kind]string{
	table.KindInt: "int", table.KindFloat: "float", table.KindDay: "date", table.KindTime: "time",
}

// table parses "table NAME(type, ..) from "glob" [delimiter "c"] [encoding "e"] [null "text" ..] [noheader] (column, ..) [where condition, ..]", behind its
// first word.
func (p *parser) table(pos lex.Position) {
	t := tableStatement{spec: table.Spec{Pos: p.Tok.Pos}}
	t.spec.Name = p.name("the name of a table")
	p.list(`"(" and the types of the columns`, func() {
		t.types = append(t.types, p.name("the name of a type"))
	})
	p.Resume()
	p.word("from")
	t.spec.Glob = p.quoted("the quoted names of files")
	p.options(&t)
	p.list(`"delimiter", "encoding", "null", "noheader" or "(" and the columns`, func() { p.column(&t) })
	if len(t.types) != len(t.spec.Columns) {
		p.Fail(&Error{p.Sources.At(pos, "table %s has %s and %s", t.spec.Name,
			printable.Count(len(t.types), "type"), printable.Count(len(t.spec.Columns), "column"))})
	}
	p.where(&t)
	p.tables = append(p.tables, t)
}

// list parses items in brackets, separated by commas.
func (p *parser) list(want string, item func()) {
	p.Expect("(", want)
	for n := 0; ; n++ {
		if n == maxArguments {
			p.Fail(&Error{p.Sources.At(p.Tok.Pos, "more than %d arguments", maxArguments)})
		}
		item()
		if !p.Accept(",") {
			break
		}
	}
	p.Expect(")", `"," or ")"`)
}

// quoted consumes a quoted text.
func (p *parser) quoted(want string) string {
	text := p.Tok.Text
	if p.Tok.Kind != lex.Quoted || text == "" {
		p.Unexpected(want)
	}
	p.Advance()
	return text
}

// options parses "delimiter "c"", "encoding "e"", "null "text" .." and "noheader".
func (p *parser) options(t *tableStatement) {
	for {
		switch {
		case p.Tok.IsWord("delimiter") && t.spec.Delimiter == 0:
			p.Advance()
			pos := p.Tok.Pos
			text := p.quoted("a quoted character")
			c, n := utf8.DecodeRuneInString(text)
			if n != len(text) || strings.ContainsRune("\"\r\n", c) {
				p.Fail(p.Sources.Syntax(pos, "the delimiter must be one character other than a quote"))
			}
			t.spec.Delimiter = c
		case p.Tok.IsWord("encoding") && t.spec.Encoding == "":
			p.Advance()
			pos := p.Tok.Pos
			if t.spec.Encoding = p.quoted("a quoted encoding"); !table.IsEncoding(t.spec.Encoding) {
				p.Fail(p.Sources.Syntax(pos, `the encoding is "latin1", "utf16le" or "utf16be"; UTF-8, and UTF-16 with its mark, need none`))
			}
		case p.Tok.IsWord("noheader") && !t.spec.NoHeader:
			p.Advance()
			t.spec.NoHeader = true
		case p.Tok.IsWord("null") && t.spec.Nulls == nil:
			p.Advance()
			for t.spec.Nulls = []string{p.quoted("a quoted text that is read as an empty cell")}; p.Tok.Kind == lex.Quoted; {
				t.spec.Nulls = append(t.spec.Nulls, p.quoted("a quoted text"))
			}
		default:
			return
		}
	}
}

// column parses "[w:]#row", "[optional] [w:]ref" or "[optional] function(ref, ..)".
func (p *parser) column(t *tableStatement) {
	var c table.ColumnSpec
	t.columns = append(t.columns, p.Tok.Pos)
	if next := p.Peek(); p.Tok.IsWord("optional") && (next.Kind == lex.Name || next.Kind == lex.Quoted || next.Is("#")) {
		p.Advance()
		c.Optional = true
	}
	if p.Tok.Kind == lex.Name && p.Peek().Is(":") {
		c.Prefix = p.name("the name of a wildcard")
		p.Advance()
	}
	if row := p.Peek(); p.Tok.Is("#") && row.IsWord("row") && !c.Optional {
		p.Advance()
		p.Advance()
		c.Row = true
	} else {
		p.cell(t, &c)
	}
	t.spec.Columns = append(t.spec.Columns, c)
}

// cell parses "ref" or "function(ref, ..)".
func (p *parser) cell(t *tableStatement, c *table.ColumnSpec) {
	c.Zone = p.zone
	if p.Tok.Kind != lex.Name || !p.Peek().Is("(") {
		c.Refs = []table.Ref{p.ref(t)}
		return
	}
	if table.Kinds[p.Tok.Text] == 0 && p.Tok.Text != mln.NumberType {
		p.Fail(&lex.SyntaxError{Fault: p.Sources.Near(p.Tok.Text, []string{"int", "float", "date", "time"}, p.Tok.Pos, "unknown function %s", p.Tok)})
	}
	if c.Func = p.Tok.Text; c.Func == mln.NumberType {
		c.Func = functions[table.KindFloat]
	}
	p.Advance()
	p.list(`"("`, func() {
		c.Refs = append(c.Refs, p.ref(t))
		if p.Tok.IsWord("as") {
			p.form(c)
		}
	})
	if c.Form != "" && len(c.Refs) != 1 {
		p.Fail(&Error{p.Sources.At(p.Tok.Pos, "a form (as ..) is of one column")})
	}
}

// form parses "as "form"".
func (p *parser) form(c *table.ColumnSpec) {
	p.Advance()
	pos := p.Tok.Pos
	c.Form = p.quoted("a quoted form")
	if table.IsForm(c.Func, c.Form) {
		return
	}
	forms := `"dmy", "mdy", "ymd", or "s" and "ms" (seconds and milliseconds since 1970)`
	if c.Func == functions[table.KindInt] || c.Func == functions[table.KindFloat] {
		forms = `"1,234.5", "1.234,5" or "1 234,5"`
	}
	p.Fail(p.Sources.Syntax(pos, "%s(..) has no form %s: there are %s", c.Func, strconv.Quote(c.Form), forms))
}

// ref parses the header or number of a column of the file.
func (p *parser) ref(t *tableStatement) table.Ref {
	pos := p.Tok.Pos
	if p.Accept("#") {
		return table.Ref{Index: int(p.whole("the number of a column", 1, 16))}
	}
	if t.spec.NoHeader {
		p.Fail(&Error{p.Sources.At(pos, "table %s has no header: its columns are #1, #2, ..", t.spec.Name)})
	}
	if p.Tok.Kind == lex.Name {
		return table.Ref{Header: p.name("a column")}
	}
	if p.Tok.Kind != lex.Quoted {
		p.Unexpected("a column: a name, a quoted name or #3")
	}
	return table.Ref{Header: p.quoted("a column")}
}

// checkTable resolves the types of a table, checks its columns against them, and returns the columns' types.
func (c *checker) checkTable(t *tableStatement) []Type {
	wildcards := wildcardsOf(t.spec.Glob)
	columns := make([]Type, len(t.types))
	for i, name := range t.types {
		spec := &t.spec.Columns[i]
		fail := func(format string, args ...any) {
			args = append([]any{i + 1, t.spec.Name}, args...)
			c.fail(t.columns[i], "column %d of table %s "+format, args...)
		}
		kind, isValue := kindOf(c.recipe.Schema, name)
		if !isValue {
			columns[i] = Type{Kind: table.KindEntity, Entity: c.entityType(name)}
			t.spec.Types = append(t.spec.Types, columns[i].Entity)
			if spec.Func != "" && (spec.Func != functions[table.KindInt] || spec.Form != "") {
				fail("is an entity of type %s, not a value that %s(..) reads", name, spec.Func)
			}
			if spec.Prefix != "" && !slices.Contains(wildcards, spec.Prefix) {
				fail("takes its prefix from {%s}, which %s does not have", spec.Prefix, strconv.Quote(t.spec.Glob))
			}
			continue
		}
		columns[i] = Type{Kind: kind}
		t.spec.Types = append(t.spec.Types, -1)
		if spec.Func == "" {
			spec.Func = functions[kind]
		}
		switch {
		case spec.Row:
			fail("is the number of the row, an entity, not of type %s", name)
		case spec.Func != functions[kind]:
			fail("is of type %s, which %s(..) reads, not %s(..)", name, functions[kind], spec.Func)
		case spec.Prefix != "":
			fail("is a value: only entities take a prefix")
		case len(spec.Refs) != 1 && (len(spec.Refs) != 3 || spec.Func != "date"):
			fail("reads %s: one, or year, month and day for a date", printable.Count(len(spec.Refs), "column"))
		}
	}
	return columns
}

// entityType returns the index of a type, adding it if it is new.
func (c *checker) entityType(name string) int {
	if i := slices.Index(c.recipe.Types, name); i >= 0 {
		return i
	}
	c.recipe.Types = append(c.recipe.Types, name)
	return len(c.recipe.Types) - 1
}

// wildcardsOf returns the names in braces of a glob.
func wildcardsOf(glob string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(glob, "{")
		if !found {
			return names
		}
		name, after, _ := strings.Cut(rest, "}")
		names, glob = append(names, name), after
	}
}
