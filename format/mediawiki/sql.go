package mediawiki

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	maxColumns = 1 << 10
	maxName    = 1 << 10
	maxValue   = 1 << 20 // bytes of a value that is kept, well over any title or address
)

// sqlTable says what is read of a table of SQL dumps.
type sqlTable struct {
	name    string
	dumps   []string // paths
	columns []string
	needs   [][]int                 // columns that have to be there, one of each list
	check   func(*sqlScanner) error // what else has to be so; may be nil
	row     func(*sqlScanner) error // takes a row

	rows        *rows // what it makes; nil for no rows of its own
	out, header string
}

// open reads a dump up to where the columns of the table are known, and checks these.
func (t *sqlTable) open(s *source) (*sqlScanner, error) {
	q := &sqlScanner{source: s, table: t, values: make([][]byte, len(t.columns))}
	if c, _ := q.peek(); c == '<' {
		return nil, q.malformed(0, "expected an SQL dump; is this XML?")
	}
	for q.names == nil {
		err := q.statement()
		if errors.Is(err, io.EOF) {
			return nil, &OptionError{fmt.Sprintf("%s: no table %s in this dump%s", q.path, t.name, thereIs(q.declared))}
		}
		if err != nil {
			return nil, err
		}
	}
	for _, anyOf := range t.needs {
		if !slices.ContainsFunc(anyOf, q.has) {
			var names []string
			for _, c := range anyOf {
				names = append(names, t.columns[c])
			}
			return nil, &OptionError{fmt.Sprintf("%s: table %s has no column %s%s", q.path, t.name, strings.Join(names, " or "), thereIs(q.names))}
		}
	}
	if t.check == nil {
		return q, nil
	}
	return q, t.check(q)
}

func thereIs(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}

// probe checks the columns of a dump.
func (t *sqlTable) probe(s *source) error {
	_, err := t.open(s)
	return err
}

// read reads a dump to its end.
func (t *sqlTable) read(s *source) error {
	q, err := t.open(s)
	for err == nil {
		if !q.inRows {
			err = q.statement()
			continue
		}
		if err = q.row(); err == nil {
			err = t.row(q)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sqlScanner reads the rows of one table of a dump as mysqldump writes it: a statement begins a line, so does a column in CREATE
// TABLE, and strings have no line breaks in them. All other lines are passed over.
type sqlScanner struct {
	*source
	table  *sqlTable
	values [][]byte // of the row, by the index in the table's columns; empty for NULL. Valid until the next row
	start  int64    // offset of the row

	columns  []int    // by position: index in the table's columns, -1 for others
	names    []string // of the columns
	declared []string // tables of the dump
	inRows   bool     // a row comes next
	unread   []byte   // scratch: a value that is not kept
}

// has reports whether the table has one of its columns.
func (q *sqlScanner) has(column int) bool { return slices.Contains(q.columns, column) }

// is reports whether a column of the row has this text.
func (q *sqlScanner) is(column int, text string) bool { return string(q.values[column]) == text }

// number returns a column of the row as a number. Nothing and what is no number is an error.
func (q *sqlScanner) number(column int) (uint64, error) {
	n, err := strconv.ParseUint(string(q.values[column]), 10, 64)
	if err != nil {
		return 0, q.malformed(q.start, "%s is no whole number", q.table.columns[column])
	}
	return n, nil
}

// statement reads a line, or up to the rows that a statement inserts into the table. It returns io.EOF behind the last line.
func (q *sqlScanner) statement() error {
	switch {
	case q.accept("CREATE TABLE `"), q.accept("CREATE TABLE IF NOT EXISTS `"):
		return q.create()
	case q.accept("INSERT INTO `"), q.accept("INSERT IGNORE INTO `"), q.accept("REPLACE INTO `"):
		return q.insert()
	}
	return q.skipLine()
}

// skipLine goes behind the end of the line, or returns io.EOF. The last line may lack its end behind a statement or in a comment.
func (q *sqlScanner) skipLine() error {
	comment, last := q.accept("--"), byte(';')
	for {
		rest := q.window[q.at:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			q.at += end + 1
			return nil
		}
		if len(rest) > 0 {
			last = rest[len(rest)-1]
		}
		q.at = len(q.window)
		if err := q.fill(); errors.Is(err, io.EOF) && !comment && last != ';' {
			return q.more()
		} else if err != nil {
			return err
		}
	}
}

// create reads CREATE TABLE behind the quote of the table's name.
func (q *sqlScanner) create() error {
	name, err := q.name()
	if err != nil {
		return err
	}
	if q.declared = append(q.declared, name); len(q.declared) > maxColumns {
		return q.malformed(q.offset(), "more than %d tables", maxColumns)
	}
	if name != q.table.name {
		return nil
	}
	if !q.accept(" (\n") && !q.accept(" (\r\n") {
		return q.lacks(" ( and each column on a line of its own, as mysqldump writes them")
	}
	for q.forget(); ; {
		c, err := q.sign()
		switch {
		case err != nil:
			return err
		case c == ')':
			q.at--
			return nil
		case c == '`':
			err = q.column()
		}
		if err == nil {
			err = q.skipLine()
		}
		if errors.Is(err, io.EOF) {
			err = q.more()
		}
		if err != nil {
			return err
		}
	}
}

// insert reads INSERT behind the quote of the table's name, up to the rows.
func (q *sqlScanner) insert() error {
	if name, err := q.name(); err != nil || name != q.table.name {
		return err
	}
	if q.accept(" (`") {
		q.forget()
		for more := true; more; more = q.accept(", `") || q.accept(",`") {
			if err := q.column(); err != nil {
				return err
			}
		}
		if !q.accept(")") {
			return q.lacks(")")
		}
	}
	switch {
	case !q.accept(" VALUES"):
		return q.lacks(" VALUES")
	case q.names == nil:
		return q.malformed(q.offset(), "INSERT before CREATE TABLE says what the columns are")
	}
	q.inRows = true
	return nil
}

// forget forgets the columns.
func (q *sqlScanner) forget() {
	q.columns, q.names = q.columns[:0], []string{}
	for i := range q.values {
		q.values[i] = q.values[i][:0]
	}
}

// column notes the next column, of whose name the quote has been read.
func (q *sqlScanner) column() error {
	from := q.offset()
	name, err := q.name()
	if err != nil {
		return err
	}
	i := slices.Index(q.table.columns, name)
	switch {
	case len(q.names) == maxColumns:
		return q.malformed(from, "more than %d columns", maxColumns)
	case i >= 0 && q.has(i):
		return q.malformed(from, "two columns %s", name)
	}
	q.columns, q.names = append(q.columns, i), append(q.names, name)
	return nil
}

// name reads a name behind its quote, and the other one.
func (q *sqlScanner) name() (string, error) {
	from := q.offset()
	name, err := q.quoted('`', nil, true)
	if err == nil && len(name) > maxName {
		err = q.tooLong(from)
	}
	return string(name), err
}

// row reads the values of a row, and what separates it from the next.
func (q *sqlScanner) row() (err error) {
	q.start = q.offset()
	before := byte('(')
	for _, column := range q.columns {
		if err := q.expect(before); err != nil {
			return err
		}
		before = ','
		value := &q.unread
		if column >= 0 {
			value = &q.values[column]
		}
		if *value, err = q.value((*value)[:0], column >= 0); err != nil {
			return err
		}
	}
	if err := q.expect(')'); err != nil {
		return err
	}
	c, err := q.sign()
	if err == nil && c != ',' && c != ';' {
		err = q.malformed(q.offset()-1, "expected , or ; behind a row")
	}
	q.inRows = c == ','
	return err
}

func (q *sqlScanner) expect(sign byte) error {
	c, err := q.sign()
	if err == nil && c != sign {
		err = q.malformed(q.offset()-1, "expected %c", sign)
	}
	return err
}

// sign passes over blanks and the byte behind them, which it returns.
func (q *sqlScanner) sign() (byte, error) {
	c, err := q.must()
	for err == nil && isSpace(c) {
		c, err = q.must()
	}
	return c, err
}

// value reads a value, and appends it to dst, which is empty, where it is kept. NULL is nothing.
func (q *sqlScanner) value(dst []byte, keep bool) ([]byte, error) {
	c, err := q.sign()
	switch {
	case err != nil:
		return dst, err
	case c == '\'':
		return q.quoted(c, dst, keep)
	case !isBare(c):
		return dst, q.malformed(q.offset()-1, "expected a value")
	}
	for ; err == nil && isBare(c); c, err = q.must() {
		if dst = append(dst, c); len(dst) > maxValue {
			return dst, q.tooLong(q.offset())
		}
	}
	if err != nil {
		return dst, err
	}
	q.at--
	switch {
	case dst[0] == '_': // _binary 'text'
		if err := q.expect('\''); err != nil {
			return dst, err
		}
		return q.quoted('\'', dst[:0], keep)
	case bytes.HasPrefix(dst, []byte("0x")):
		n, err := hex.Decode(dst, dst[2:])
		if err != nil {
			return dst, q.malformed(q.offset(), "a value of wrong hexadecimal digits")
		}
		return dst[:n], nil
	case string(dst) == "NULL":
		return dst[:0], nil
	}
	return dst, nil
}

// quoted reads a string or a name behind its quote, up to the other one, and appends it where it is kept.
func (q *sqlScanner) quoted(quote byte, dst []byte, keep bool) ([]byte, error) {
	for {
		rest, n := q.window[q.at:], 0
		for n < len(rest) && rest[n] != quote && rest[n] != '\\' {
			n++
		}
		if keep {
			dst = append(dst, rest[:n]...)
		}
		q.at += n
		if len(dst) > maxValue {
			return dst, q.tooLong(q.offset())
		}
		c, err := q.must()
		switch {
		case err != nil:
			return dst, err
		case c == '\\' && quote != '`':
			if c, err = q.must(); err != nil {
				return dst, err
			}
			c = unescaped(c)
		case c == quote:
			if next, _ := q.peek(); next != quote {
				return dst, nil
			}
			q.at++ // two quotes stand for one
		}
		if keep {
			dst = append(dst, c)
		}
	}
}

// unescaped returns what a letter behind a backslash stands for.
func unescaped(c byte) byte {
	if i := strings.IndexByte("0bnrtZ", c); i >= 0 {
		return "\x00\b\n\r\t\x1a"[i]
	}
	return c
}

// isBare reports whether a byte can stand in a value without quotes.
func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '+' || c == '.'
}
