package mediawiki

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
)

const (
	maxColumns = 1 << 10
	maxName    = 1 << 10
	maxValue   = 1 << 20 // bytes of a value that is kept, well over any title or address
)

// sqlScanner reads the rows of one table of a dump that mysqldump made: what CREATE TABLE says of its columns and what
// INSERT puts into them. Other statements are passed over.
type sqlScanner struct {
	*source
	table  string
	wanted []string // columns
	values [][]byte // of the row, by the index in wanted; empty for NULL. Valid until the next row

	columns  []int    // by position: index in wanted, -1 for others
	names    []string // of the columns
	declared []string // tables of the dump
	inRows   bool     // a row comes next
	from     int64    // offset of the row, or of the word
	word     []byte   // scratch
}

func newSQLScanner(s *source, table string, wanted ...string) *sqlScanner {
	return &sqlScanner{source: s, table: table, wanted: wanted, values: make([][]byte, len(wanted))}
}

// head reads up to where the columns of the table are known.
func (q *sqlScanner) head() error {
	if q.follows("<") {
		return q.malformed(0, "expected an SQL dump; is this XML?")
	}
	for q.names == nil {
		err := q.statement()
		if errors.Is(err, io.EOF) {
			return &SchemaError{Path: q.path, Table: q.table, Have: q.declared}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next goes to the next row of the table, behind head. It returns io.EOF behind the last one.
func (q *sqlScanner) next() error {
	for !q.inRows {
		if err := q.statement(); err != nil {
			return err
		}
	}
	if err := q.row(); err != nil {
		return err
	}
	c, err := q.sign()
	if err != nil {
		return err
	}
	switch c {
	case ',':
	case ';':
		q.inRows = false
	default:
		return q.malformed(q.offset()-1, "expected , or ; behind a row")
	}
	return nil
}

// has reports whether the table has a column of wanted.
func (q *sqlScanner) has(column int) bool { return slices.Contains(q.columns, column) }

// is reports whether a column of the row has this text.
func (q *sqlScanner) is(column int, text string) bool { return string(q.values[column]) == text }

// number returns a column of the row as a number. Nothing and what is no number is an error.
func (q *sqlScanner) number(column int) (uint64, error) {
	n, err := strconv.ParseUint(string(q.values[column]), 10, 64)
	if err != nil {
		return 0, q.malformed(q.from, "%s is no whole number", q.wanted[column])
	}
	return n, nil
}

// statement reads a statement, one that inserts into the table up to its rows. It returns io.EOF behind the last one.
func (q *sqlScanner) statement() error {
	if err := q.space(); err != nil {
		return err
	}
	first, err := q.token()
	if err != nil {
		return err
	}
	switch {
	case first.is("create"):
		return q.create()
	case first.is("insert"), first.is("replace"):
		return q.insert()
	case first.sign == ';':
		return nil
	}
	return q.skipStatement()
}

// create reads CREATE TABLE behind its first word.
func (q *sqlScanner) create() error {
	t, err := q.token()
	if err != nil {
		return err
	}
	if !t.is("table") {
		return q.skipFrom(t)
	}
	for range 4 { // IF NOT EXISTS
		if t, err = q.token(); err != nil {
			return err
		}
		if !t.is("if") && !t.is("not") && !t.is("exists") {
			break
		}
	}
	name, err := q.name(t)
	if err != nil {
		return err
	}
	if q.declared = append(q.declared, name); len(q.declared) > maxColumns {
		return q.malformed(q.from, "more than %d tables", maxColumns)
	}
	if name != q.table {
		return q.skipFrom(t)
	}
	if err := q.expect('('); err != nil {
		return err
	}
	names, err := q.definitions()
	if err != nil {
		return err
	}
	if err := q.bind(names); err != nil {
		return err
	}
	return q.skipStatement()
}

// definitions reads what CREATE TABLE has in its brackets, behind the first of them, and returns the columns' names.
func (q *sqlScanner) definitions() ([]string, error) {
	var names []string
	for {
		t, err := q.token()
		if err != nil {
			return nil, err
		}
		if t.quoted || t.word != nil && !t.isIndex() {
			name, err := q.name(t)
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		if len(names) > maxColumns {
			return nil, q.malformed(q.from, "more than %d columns", maxColumns)
		}
		for depth := 0; depth > 0 || t.sign != ',' && t.sign != ')'; {
			switch t.sign {
			case '(':
				depth++
			case ')':
				depth--
			case ';':
				return nil, q.malformed(q.from, "a statement ends within its brackets")
			}
			if t, err = q.token(); err != nil {
				return nil, err
			}
		}
		if t.sign == ')' {
			return names, nil
		}
	}
}

// name returns a name that is kept.
func (q *sqlScanner) name(t token) (string, error) {
	if len(t.word) > maxName {
		return "", q.tooLong(q.from)
	}
	return string(t.word), nil
}

// bind notes where the wanted columns stand.
func (q *sqlScanner) bind(names []string) error {
	q.columns = q.columns[:0]
	for _, name := range names {
		i := slices.Index(q.wanted, name)
		if i >= 0 && q.has(i) {
			return q.malformed(q.from, "two columns %s", name)
		}
		q.columns = append(q.columns, i)
	}
	q.names = slices.Clip(names)
	if q.names == nil {
		q.names = []string{}
	}
	for i := range q.values {
		q.values[i] = q.values[i][:0]
	}
	return nil
}

// insert reads INSERT behind its first word, up to the rows.
func (q *sqlScanner) insert() error {
	var t token
	var err error
	for range 4 { // modifiers and INTO
		if t, err = q.token(); err != nil {
			return err
		}
		if !t.isModifier() {
			break
		}
	}
	if string(t.word) != q.table {
		return q.skipFrom(t)
	}
	if t, err = q.token(); err != nil {
		return err
	}
	if t.sign == '(' {
		names, err := q.definitions()
		if err != nil {
			return err
		}
		if err := q.bind(names); err != nil {
			return err
		}
		if t, err = q.token(); err != nil {
			return err
		}
	}
	switch {
	case !t.is("values") && !t.is("value"):
		return q.malformed(q.from, "expected VALUES")
	case q.names == nil:
		return q.malformed(q.from, "INSERT before CREATE TABLE says what the columns are")
	}
	q.inRows = true
	return nil
}

// token is a word, a name in quotes, a sign or a string, whose text it does not have.
type token struct {
	word   []byte // valid until the next token
	quoted bool
	sign   byte // else, of a string the quote
}

// is reports whether the token is a word, whatever its case.
func (t token) is(word string) bool {
	return !t.quoted && len(t.word) == len(word) && bytes.EqualFold(t.word, []byte(word))
}

func (t token) isModifier() bool {
	return slices.ContainsFunc([]string{"into", "ignore", "delayed", "low_priority", "high_priority"}, t.is)
}

// isIndex reports whether the token begins what is no column in CREATE TABLE.
func (t token) isIndex() bool {
	return slices.ContainsFunc([]string{
		"primary", "key", "unique", "index", "fulltext", "spatial", "constraint", "foreign", "check", "period",
	}, t.is)
}

// token reads the next token, which there has to be.
func (q *sqlScanner) token() (token, error) {
	c, err := q.sign()
	if err != nil {
		return token{}, err
	}
	q.from = q.offset() - 1
	switch {
	case c == '`':
		q.word, err = q.str(c, q.word[:0], true)
		return token{word: q.word, quoted: true}, err
	case c == '\'' || c == '"':
		_, err = q.str(c, nil, false)
		return token{sign: c}, err
	case !isWord(c):
		return token{sign: c}, nil
	}
	q.at--
	q.word, err = q.bare(q.word[:0])
	return token{word: q.word}, err
}

// sign passes over blanks and comments and the byte behind them, which it returns and which there has to be.
func (q *sqlScanner) sign() (byte, error) {
	if q.at < len(q.window) {
		if c := q.window[q.at]; c > '/' || c == '(' || c == ')' || c == ',' || c == '\'' {
			q.at++ // neither blank nor comment
			return c, nil
		}
	}
	if err := q.space(); err != nil {
		return 0, q.truncated(err)
	}
	return q.must()
}

func (q *sqlScanner) expect(sign byte) error {
	c, err := q.sign()
	if err != nil {
		return err
	}
	if c != sign {
		return q.malformed(q.offset()-1, "expected %c", sign)
	}
	return nil
}

func (q *sqlScanner) skipStatement() error { return q.skipFrom(token{}) }

// skipFrom passes over the rest of a statement of which a token has been read.
func (q *sqlScanner) skipFrom(t token) error {
	for t.sign != ';' {
		var err error
		if t, err = q.token(); err != nil {
			return err
		}
	}
	return nil
}

// space passes over blanks and comments. It returns io.EOF where nothing follows.
func (q *sqlScanner) space() error {
	for {
		c, err := q.peek()
		if err != nil {
			return err
		}
		switch {
		case isSpace(c):
			q.at++
		case c == '#', c == '-' && q.follows("--"):
			err = q.skipTo('\n')
		case c == '/' && q.follows("/*"):
			q.at += len("/*")
			err = q.skipBehind("*/")
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}
