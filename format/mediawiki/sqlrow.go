package mediawiki

import (
	"bytes"
	"encoding/hex"
)

// row reads the values of a row.
func (q *sqlScanner) row() error {
	if err := q.expect('('); err != nil {
		return err
	}
	q.from = q.offset() - 1
	var err error
	for i, column := range q.columns {
		if i > 0 {
			if err := q.expect(','); err != nil {
				return err
			}
		}
		if column < 0 {
			if q.word, err = q.value(q.word[:0], false); err != nil {
				return err
			}
			continue
		}
		if q.values[column], err = q.value(q.values[column][:0], true); err != nil {
			return err
		}
	}
	return q.expect(')')
}

// value reads a value, and appends it to dst, which is empty, where it is kept. NULL is nothing.
func (q *sqlScanner) value(dst []byte, keep bool) ([]byte, error) {
	c, err := q.sign()
	if err != nil {
		return dst, err
	}
	if c == '\'' || c == '"' {
		return q.str(c, dst, keep)
	}
	if !isBare(c) {
		return dst, q.malformed(q.offset()-1, "expected a value")
	}
	q.at--
	if dst, err = q.bare(dst); err != nil {
		return dst, err
	}
	switch {
	case dst[0] == '_': // _binary 'text'
		if c, err = q.sign(); err != nil {
			return dst, err
		}
		if c != '\'' && c != '"' {
			return dst, q.malformed(q.offset()-1, "expected a string behind %s", shown(dst))
		}
		return q.str(c, dst[:0], keep)
	case bytes.HasPrefix(dst, []byte("0x")):
		n, err := hex.Decode(dst, dst[2:])
		if err != nil {
			return dst, q.malformed(q.from, "a value of wrong hexadecimal digits")
		}
		return dst[:n], nil
	case token{word: dst}.is("null"):
		return dst[:0], nil
	}
	return dst, nil
}

// bare appends a number or a word.
func (q *sqlScanner) bare(dst []byte) ([]byte, error) {
	for {
		rest := q.window[q.at:]
		end := 0
		for end < len(rest) && isBare(rest[end]) {
			end++
		}
		dst = append(dst, rest[:end]...)
		q.at += end
		switch {
		case len(dst) > maxValue:
			return dst, q.tooLong(q.offset())
		case end < len(rest):
			return dst, nil
		}
		if err := q.fill(); err != nil {
			return dst, q.truncated(err)
		}
	}
}

// str reads a string or a name behind its quote, up to the other one, and appends it where it is kept.
func (q *sqlScanner) str(quote byte, dst []byte, keep bool) ([]byte, error) {
	for {
		rest := q.window[q.at:]
		end := 0
		for end < len(rest) && rest[end] != quote && rest[end] != '\\' {
			end++
		}
		if keep {
			dst = append(dst, rest[:end]...)
		}
		q.at += end
		if len(dst) > maxValue {
			return dst, q.tooLong(q.offset())
		}
		c, err := q.must()
		if err != nil {
			return dst, err
		}
		if c == '\\' && quote != '`' {
			if c, err = q.must(); err != nil {
				return dst, err
			}
			c = unescaped(c)
		} else if c == quote {
			if !q.follows(string(quote)) {
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
	switch c {
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'Z':
		return 0x1a
	}
	return c
}

// isBare reports whether a byte can stand in a value without quotes.
func isBare(c byte) bool { return bareBytes[c] }

var bareBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = isWord(byte(c)) || c == '-' || c == '+' || c == '.'
	}
	return is
}()

// isWord reports whether a byte can stand in a number, a keyword or a name without quotes.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
