package recipe

import (
	"slices"
	"strconv"
	"strings"

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

// table parses "table NAME(type, ..) from "glob" [option ..] (column, ..) [where condition, ..]", behind its first word.
func (p *parser) table(pos lex.Position) {
	t := tableStatement{spec: table.Spec{Pos: p.Tok.Pos}}
	t.spec.Name = p.Name("the name of a table")
	p.list(`"(" and the types of the columns`, func() {
		t.types = append(t.types, p.Name("the name of a type"))
	})
	p.Resume()
	p.word("from")
	t.spec.Glob = p.quoted("the quoted names of files")
	p.options(&t)
	p.list(`an option such as "delimiter" or "noheader", or "(" and the columns`, func() { p.column(&t) })
	if len(t.types) != len(t.spec.Columns) {
		p.Fail(p.Sources.At(pos, "table %s has %s and %s", t.spec.Name,
			printable.Count(len(t.types), "type"), printable.Count(len(t.spec.Columns), "column")))
	}
	p.where(&t)
	p.tables = append(p.tables, t)
}

// list parses items in brackets, separated by commas.
func (p *parser) list(want string, item func()) {
	p.Expect("(", want)
	p.Items(maxArguments, item)
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

// options parses the options of a table, each at most once.
func (p *parser) options(t *tableStatement) {
	given := map[string]bool{}
	for p.Tok.Kind == lex.Name && !given[p.Tok.Text] {
		word := p.Tok.Text
		if given[word] = true; !p.option(&t.spec, word) {
			return
		}
	}
}

// option parses an option behind its word, which is consumed if it is one.
func (p *parser) option(spec *table.Spec, word string) bool {
	flags := map[string]*bool{"noheader": &spec.NoHeader, "trim": &spec.Trim, "escape": &spec.Escape, "ragged": &spec.Ragged}
	if flag := flags[word]; flag != nil {
		p.Advance()
		*flag = true
		return true
	}
	if !slices.Contains([]string{"delimiter", "encoding", "null", "comment", "skip"}, word) {
		return false
	}
	p.Advance()
	pos := p.Tok.Pos
	switch word {
	case "delimiter":
		if p.Tok.IsWord("blanks") {
			p.Advance()
			spec.Delimiter = table.Blanks
			break
		}
		if spec.Delimiter = p.quoted("quoted characters, or blanks"); strings.ContainsAny(spec.Delimiter, "\"\r\n\x00") {
			p.Fail(p.Sources.Syntax(pos, "the delimiter must be one character or more, without quotes and line ends"))
		}
	case "encoding":
		if spec.Encoding = p.quoted("a quoted encoding"); !table.IsEncoding(spec.Encoding) {
			p.Fail(p.Sources.Syntax(pos, `the encoding is "latin1", "utf16le" or "utf16be"; UTF-8, and UTF-16 with its mark, need none`))
		}
	case "null":
		spec.Nulls = p.nulls()
	case "comment":
		spec.Comment = p.quoted("the quoted characters with which a comment begins")
	case "skip":
		spec.Skip = int(p.whole("the number of lines before the first row", 1, 31))
	}
	return true
}

// nulls parses "text" .., which are read as empty cells.
func (p *parser) nulls() []string {
	texts := []string{p.quoted("a quoted text that is read as an empty cell")}
	for p.Tok.Kind == lex.Quoted {
		texts = append(texts, p.quoted("a quoted text"))
	}
	return texts
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
		c.Prefix = p.Name("the name of a wildcard")
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

// cell parses "ref [null ..]" or "function(ref [as ..] [null ..], ..)".
func (p *parser) cell(t *tableStatement, c *table.ColumnSpec) {
	c.Zone = p.zone
	if p.Tok.Kind != lex.Name || !p.Peek().Is("(") {
		c.Refs = []table.Ref{p.ref(t)}
		p.nullsOf(c)
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
		p.nullsOf(c)
	})
	if c.Form != "" && len(c.Refs) != 1 {
		p.Fail(p.Sources.At(p.Tok.Pos, "a form (as ..) is of one column"))
	}
}

// nullsOf parses "null "text" ..", if it is there, behind a column.
func (p *parser) nullsOf(c *table.ColumnSpec) {
	if p.Tok.IsWord("null") {
		p.Advance()
		c.Nulls = append(c.Nulls, p.nulls()...)
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
	forms := `"dmy", "mdy", "ymd", as "dmy 1925" where 25 is 1925 and 24 is 2024, "period" (as 2020Q3, 2020-W05 or 2020-05), or "s" and "ms" (seconds and milliseconds since 1970)`
	if c.Func == functions[table.KindInt] || c.Func == functions[table.KindFloat] {
		forms = `"1,234.5", "1.234,5", "1 234,5", "1'234.5" and "1234.5", with other signs around as in "($1,234.5)" or "<1234.5 %"`
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
		p.Fail(p.Sources.At(pos, "table %s has no header: its columns are #1, #2, ..", t.spec.Name))
	}
	if p.Tok.Kind == lex.Name {
		return table.Ref{Header: p.Name("a column")}
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
