package mln

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNewline
	tokenName    // a name, constant or number without sign and point, perhaps with bracket lists
	tokenNumber  // a number at the start of a line
	tokenQuoted  // text is without quotes
	tokenCenter  // @center
	tokenInclude // #include
	tokenSymbol  // text is the symbol
	tokenBad     // text says what is wrong
)

// token is a piece of the source.
type token struct {
	kind  tokenKind
	text  string
	parts []NamePart // of a name with bracket lists
	pos   Position
}

func (t token) is(symbol string) bool { return t.kind == tokenSymbol && t.text == symbol }

// isWord reports whether the token is that word, unquoted and without bracket lists.
func (t token) isWord(word string) bool {
	return t.kind == tokenName && t.parts == nil && t.text == word
}

// String describes the token for a message.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "end of file"
	case tokenNewline:
		return "end of line"
	case tokenQuoted:
		return "a quoted constant"
	case tokenName, tokenNumber, tokenCenter, tokenInclude, tokenSymbol, tokenBad:
	}
	return fmt.Sprintf("%q", t.text)
}

// symbols are the operators and brackets, longer ones before their beginnings.
var symbols = []string{"<=>", "...", "=>", "!=", "(", ")", "{", "}", ",", ".", "!", "=", "^", "|", "+", "*"}

var weightPattern = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?`)

// lexer cuts a source into tokens. It is a value: a copy looks ahead.
type lexer struct {
	rest      string
	pos       Position
	lineStart bool // nothing but blanks since the line began
}

func newLexer(file, src string) lexer {
	return lexer{rest: src, pos: Position{File: file, Line: 1, Column: 1}, lineStart: true}
}

// take consumes n bytes and returns them.
func (l *lexer) take(n int) string {
	text := l.rest[:n]
	l.rest = l.rest[n:]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		l.pos.Line += strings.Count(text, "\n")
		l.pos.Column = 1 + utf8.RuneCountInString(text[i+1:])
	} else {
		l.pos.Column += utf8.RuneCountInString(text)
	}
	return text
}

// next returns the next token; newlines that follow each other are one.
func (l *lexer) next() token {
	newline, bad := l.space()
	if bad.kind == tokenBad {
		return bad
	}
	if newline.kind == tokenNewline {
		l.lineStart = true
		return newline
	}
	start := l.lineStart
	l.lineStart = false
	t := token{pos: l.pos}
	if l.rest == "" {
		return t
	}
	if start {
		if text := l.number(); text != "" {
			t.kind, t.text = tokenNumber, text
			return t
		}
	}
	switch c := l.rest[0]; {
	case isWordByte(c) || c == '[':
		l.name(&t)
	case c == '"':
		l.quoted(&t)
	case c == '@':
		l.word(&t, tokenCenter, "@center")
	case c == '#':
		l.word(&t, tokenInclude, "#include")
	default:
		l.symbol(&t)
	}
	return t
}

// space skips blanks and comments. It returns a newline token if it passed one, or a bad token.
func (l *lexer) space() (newline, bad token) {
	for l.rest != "" {
		t := token{kind: tokenNewline, pos: l.pos}
		switch {
		case l.rest[0] == '\n':
			l.take(1)
		case strings.ContainsRune(" \t\r\f\v", rune(l.rest[0])):
			l.take(1)
			continue
		case strings.HasPrefix(l.rest, "//"):
			l.take(len(l.rest) - len(strings.TrimLeftFunc(l.rest, func(r rune) bool { return r != '\n' })))
			continue
		case strings.HasPrefix(l.rest, "/*"):
			end := strings.Index(l.rest[2:], "*/")
			if end < 0 {
				l.take(len(l.rest))
				return newline, token{kind: tokenBad, text: "a comment without end", pos: t.pos}
			}
			if !strings.Contains(l.take(end+4), "\n") {
				continue
			}
		default:
			return newline, bad
		}
		if newline.kind != tokenNewline {
			newline = t
		}
	}
	return newline, bad
}

// number consumes a weight, if one stands here.
func (l *lexer) number() string {
	text := weightPattern.FindString(l.rest)
	if len(text) < len(l.rest) && isWordByte(l.rest[len(text)]) {
		return ""
	}
	return l.take(len(text))
}

// word consumes a word that begins with a sign.
func (l *lexer) word(t *token, kind tokenKind, word string) {
	n := 1
	for n < len(l.rest) && isWordByte(l.rest[n]) {
		n++
	}
	t.kind, t.text = kind, l.take(n)
	if t.text != word {
		t.kind, t.text = tokenBad, fmt.Sprintf("%q; there is only %s", t.text, word)
	}
}

// letters consumes the letters, digits and underscores that stand here.
func (l *lexer) letters() string {
	n := 0
	for n < len(l.rest) && isWordByte(l.rest[n]) {
		n++
	}
	return l.take(n)
}

// name consumes a name with its bracket lists.
func (l *lexer) name(t *token) {
	t.kind, t.text = tokenName, l.letters()
	if strings.HasPrefix(t.text, "_") {
		t.kind, t.text = tokenBad, fmt.Sprintf("%q; a name begins with a letter", t.text)
		return
	}
	if !strings.HasPrefix(l.rest, "[") {
		return
	}
	if t.text != "" {
		t.parts = append(t.parts, NamePart{Text: t.text})
	}
	for l.rest != "" {
		if l.rest[0] == '[' {
			part, bad := l.list()
			if bad.kind == tokenBad {
				*t = bad
				return
			}
			t.parts = append(t.parts, part)
		} else if text := l.letters(); text != "" {
			t.parts = append(t.parts, NamePart{Text: text})
		} else {
			break
		}
	}
	t.text = formatName(t.parts)
}

// list consumes a bracket list.
func (l *lexer) list() (NamePart, token) {
	var part NamePart
	l.take(1)
	for {
		_, bad := l.space()
		if bad.kind == tokenBad {
			return part, bad
		}
		pos := l.pos
		word := l.letters()
		if _, bad = l.space(); bad.kind == tokenBad {
			return part, bad
		}
		if word == "" || l.rest == "" {
			return part, token{kind: tokenBad, text: "a bracket list that is not like [1|2|3] or [i:1|2|3]", pos: pos}
		}
		switch sep := l.take(1); {
		case sep == ":" && part.Label == "" && part.Choices == nil:
			part.Label = word
		case sep == "|":
			part.Choices = append(part.Choices, word)
		case sep == "]":
			part.Choices = append(part.Choices, word)
			return part, token{}
		default:
			return part, token{kind: tokenBad, text: "a bracket list that is not like [1|2|3] or [i:1|2|3]", pos: pos}
		}
	}
}

// quoted consumes a quoted constant.
func (l *lexer) quoted(t *token) {
	var b strings.Builder
	for i := 1; i < len(l.rest) && l.rest[i] != '\n'; i++ {
		switch c := l.rest[i]; c {
		case '"':
			l.take(i + 1)
			t.kind, t.text = tokenQuoted, b.String()
			return
		case '\\':
			if i++; i >= len(l.rest) || (l.rest[i] != '"' && l.rest[i] != '\\') {
				l.take(i - 1)
				*t = token{kind: tokenBad, text: `a backslash, which may stand only before " and \ here`, pos: l.pos}
				return
			}
			b.WriteByte(l.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	l.take(1)
	t.kind, t.text = tokenBad, "a quoted constant without closing quote on its line"
}

// symbol consumes an operator or bracket.
func (l *lexer) symbol(t *token) {
	for _, s := range symbols {
		if strings.HasPrefix(l.rest, s) {
			t.kind, t.text = tokenSymbol, l.take(len(s))
			return
		}
	}
	_, n := utf8.DecodeRuneInString(l.rest)
	t.kind, t.text = tokenBad, fmt.Sprintf("%q", l.take(n))
}

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
func isLetter(c byte) bool   { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isLower(c byte) bool    { return 'a' <= c && c <= 'z' }

// isName reports whether a text matches [A-Za-z][A-Za-z0-9_]*.
func isName(text string) bool { return isPlain(text) && isLetter(text[0]) }

// isPlain reports whether a text is letters, digits and underscores and does not begin with an underscore.
func isPlain(text string) bool {
	for i := range len(text) {
		if !isWordByte(text[i]) {
			return false
		}
	}
	return text != "" && text[0] != '_'
}
