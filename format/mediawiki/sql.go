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
	maxValue   = 1 << 20 // longest value that is kept, in bytes; well over any title or address
)

// sqlTable says what to read from a table of SQL dumps.
type sqlTable struct {
	name    string
	dumps   []string // paths
	columns []string
	needs   [][]int                 // required columns, one of each list
	check   func(*sqlScanner) error // further checks of the columns; may be nil
	row     func(*sqlScanner) error // is called for each row

	rows        *rows // its output; nil if it has none of its own
	out, header string
}

// open reads a dump up to the columns of the table and checks them.
func (t *sqlTable) open(s *source) *sqlScanner {
	q := &sqlScanner{source: s, table: t, values: make([][]byte, len(t.columns))}
	if c, _ := q.peek(); c == '<' {
		q.malformed(0, "expected an SQL dump; is this XML?")
	}
	for q.names == nil {
		if !q.statement() {
			stopAt(&OptionError{fmt.Sprintf("%s: no table %s in this dump%s", q.path, t.name, thereIs(q.declared))})
		}
	}
	for _, anyOf := range t.needs {
		if !slices.ContainsFunc(anyOf, q.has) {
			names := make([]string, len(anyOf))
			for i, c := range anyOf {
				names[i] = t.columns[c]
			}
			stopAt(&OptionError{fmt.Sprintf("%s: table %s has no column %s%s", q.path, t.name, strings.Join(names, " or "), thereIs(q.names))})
		}
	}
	if t.check != nil {
		stopAt(t.check(q))
	}
	return q
}

func thereIs(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}

// read reads a dump to its end.
func (t *sqlTable) read(s *source) {
	q := t.open(s)
	for q.inRows || q.statement() {
		if q.inRows {
			q.row()
			stopAt(t.row(q))
		}
	}
}

// sqlScanner reads the rows of one table from a dump as mysqldump writes it: statements, and columns in CREATE TABLE, begin on a new line,
// and strings contain no line breaks. All other lines are skipped.
type sqlScanner struct {
	*source
	table  *sqlTable
	values [][]byte // of the row, by index in the table's columns; empty for NULL; valid until the next row
	start  int64    // offset of the row

	columns  []int    // by position: index in the table's columns, -1 for a column not read
	names    []string // of the columns
	declared []string // tables of the dump
	inRows   bool     // the next item is a row
	unread   []byte   // scratch: a value that is not kept
}

// has reports whether the dump has one of the table's columns.
func (q *sqlScanner) has(column int) bool { return slices.Contains(q.columns, column) }

// is reports whether a column of the row equals a text.
func (q *sqlScanner) is(column int, text string) bool { return string(q.values[column]) == text }

// number returns a column of the row as a number. An empty or malformed one is an error.
func (q *sqlScanner) number(column int) uint64 {
	n, err := strconv.ParseUint(string(q.values[column]), 10, 64)
	if err != nil {
		q.malformed(q.start, "%s is no whole number", q.table.columns[column])
	}
	return n
}

// statement reads a line, up to the rows if it inserts into the table. It returns false after the last line.
func (q *sqlScanner) statement() bool {
	switch {
	case q.accept("CREATE TABLE `"), q.accept("CREATE TABLE IF NOT EXISTS `"):
		q.create()
	case q.accept("INSERT INTO `"), q.accept("INSERT IGNORE INTO `"), q.accept("REPLACE INTO `"):
		q.insert()
	default:
		return q.skipLine()
	}
	return true
}

// skipLine moves past the end of the line. It returns false after the last line, which may lack its line break after a statement or in a
// comment.
func (q *sqlScanner) skipLine() bool {
	comment, last := q.accept("--"), byte(';')
	for {
		rest := q.window[q.at:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			q.at += end + 1
			return true
		}
		if len(rest) > 0 {
			last = rest[len(rest)-1]
		}
		q.at = len(q.window)
		if err := q.fill(); errors.Is(err, io.EOF) && (comment || last == ';') {
			return false
		} else if err != nil {
			q.more()
		}
	}
}

// create reads CREATE TABLE from after the opening quote of the table's name.
func (q *sqlScanner) create() {
	name := q.name()
	if q.declared = append(q.declared, name); len(q.declared) > maxColumns {
		q.malformed(q.offset(), "more than %d tables", maxColumns)
	}
	if name != q.table.name {
		return
	}
	if !q.accept(" (\n") && !q.accept(" (\r\n") {
		q.expect(" ( and each column on a line of its own, as mysqldump writes them")
	}
	for q.forget(); ; {
		switch q.sign() {
		case ')':
			q.at--
			return
		case '`':
			q.column()
		}
		if !q.skipLine() {
			q.more()
		}
	}
}

// insert reads INSERT from after the opening quote of the table's name, up to the rows.
func (q *sqlScanner) insert() {
	if q.name() != q.table.name {
		return
	}
	if q.accept(" (`") {
		q.forget()
		for more := true; more; more = q.accept(", `") || q.accept(",`") {
			q.column()
		}
		q.expect(")")
	}
	q.expect(" VALUES")
	if q.names == nil {
		q.malformed(q.offset(), "INSERT before CREATE TABLE says what the columns are")
	}
	q.inRows = true
}

// forget discards the columns.
func (q *sqlScanner) forget() {
	q.columns, q.names = q.columns[:0], []string{}
	for i := range q.values {
		q.values[i] = q.values[i][:0]
	}
}

// column records the next column; the opening quote of its name has been read.
func (q *sqlScanner) column() {
	from := q.offset()
	name := q.name()
	i := slices.Index(q.table.columns, name)
	switch {
	case len(q.names) == maxColumns:
		q.malformed(from, "more than %d columns", maxColumns)
	case i >= 0 && q.has(i):
		q.malformed(from, "two columns %s", name)
	}
	q.columns, q.names = append(q.columns, i), append(q.names, name)
}

// name reads a name from after its opening quote, including the closing one.
func (q *sqlScanner) name() string {
	from := q.offset()
	name := q.quoted('`', nil, true)
	if len(name) > maxName {
		q.tooLong(from)
	}
	return string(name)
}

// row reads the values of a row and the separator after it.
func (q *sqlScanner) row() {
	q.start = q.offset()
	before := byte('(')
	for _, column := range q.columns {
		q.mark(before)
		before = ','
		value := &q.unread
		if column >= 0 {
			value = &q.values[column]
		}
		*value = q.value((*value)[:0], column >= 0)
	}
	q.mark(')')
	c := q.sign()
	if c != ',' && c != ';' {
		q.malformed(q.offset()-1, "expected , or ; behind a row")
	}
	q.inRows = c == ','
}

// mark skips blanks and consumes a sign, which must follow.
func (q *sqlScanner) mark(sign byte) {
	if q.sign() != sign {
		q.malformed(q.offset()-1, "expected %c", sign)
	}
}

// sign skips blanks, then consumes and returns the next byte.
func (q *sqlScanner) sign() byte {
	for {
		if c := q.must(); !isSpace(c) {
			return c
		}
	}
}

// value reads a value, and appends it to dst, which is empty, if keep is true. NULL is empty.
func (q *sqlScanner) value(dst []byte, keep bool) []byte {
	c := q.sign()
	switch {
	case c == '\'':
		return q.quoted(c, dst, keep)
	case !isBare(c):
		q.malformed(q.offset()-1, "expected a value")
	}
	for ; isBare(c); c = q.must() {
		if dst = append(dst, c); len(dst) > maxValue {
			q.tooLong(q.offset())
		}
	}
	q.at--
	switch {
	case dst[0] == '_': // _binary 'text'
		q.mark('\'')
		return q.quoted('\'', dst[:0], keep)
	case bytes.HasPrefix(dst, []byte("0x")):
		n, err := hex.Decode(dst, dst[2:])
		if err != nil {
			q.malformed(q.offset(), "a value of wrong hexadecimal digits")
		}
		return dst[:n]
	case string(dst) == "NULL":
		return dst[:0]
	}
	return dst
}

// quoted reads a string or a name from after its opening quote to its closing one, and appends it if keep is true.
func (q *sqlScanner) quoted(quote byte, dst []byte, keep bool) []byte {
	for {
		rest, n := q.window[q.at:], 0
		for n < len(rest) && rest[n] != quote && rest[n] != '\\' {
			n++
		}
		if keep {
			dst = append(dst, rest[:n]...)
		}
		if q.at += n; len(dst) > maxValue {
			q.tooLong(q.offset())
		}
		c := q.must()
		switch {
		case c == '\\' && quote != '`':
			c = unescaped(q.must())
		case c == quote:
			if next, _ := q.peek(); next != quote {
				return dst
			}
			q.at++ // a doubled quote
		}
		if keep {
			dst = append(dst, c)
		}
	}
}

// unescaped returns the byte for a letter after a backslash.
func unescaped(c byte) byte {
	if i := strings.IndexByte("0bnrtZ", c); i >= 0 {
		return "\x00\b\n\r\t\x1a"[i]
	}
	return c
}

// isBare reports whether a byte may be part of an unquoted value.
func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '+' || c == '.'
}
