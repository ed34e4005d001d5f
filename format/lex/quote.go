package lex

import (
	"strconv"
	"unicode/utf8"
)

// AppendUnquoted appends the text in the quotes with which a line begins to dst, and returns the length of its source. If closed is false, n is
// where a backslash begins no escape, or the line's length if there is no closing quote.
func AppendUnquoted[T string | []byte](dst []byte, line T) (text []byte, n int, closed bool) {
	for n = 1; n < len(line); {
		switch line[n] {
		case '"':
			return dst, n + 1, true
		case '\\':
			source := string(line[n:min(n+maxEscape, len(line))])
			c, multibyte, rest, err := strconv.UnquoteChar(source, '"')
			switch {
			case err != nil:
				return dst, n, false
			case multibyte:
				dst = utf8.AppendRune(dst, c)
			default:
				dst = append(dst, byte(c))
			}
			n += len(source) - len(rest)
		default:
			dst, n = append(dst, line[n]), n+1
		}
	}
	return dst, n, false
}

// maxEscape is the length of the longest escape, \U and eight digits.
const maxEscape = 10

// Escapes lists the escapes allowed in quotes, by examples.
const Escapes = `\" \\ \n \r \t \x1b \u202e \U0001f600`

// Quote returns a quoted text as written in a file. It escapes what is not printable, so that any bytes can be read back.
func Quote(text string) string { return strconv.Quote(text) }
