package lex

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Position is a place in a source file. Line and Column count from 1; a column is a Unicode code point. The zero value means no position.
type Position struct {
	File         string
	Line, Column int
}

// String returns "file:line:column", omitting unknown parts.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// after returns the position after a text that starts here.
func (p Position) after(text string) Position {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += strings.Count(text, "\n")
		p.Column, text = 1, text[i+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}
