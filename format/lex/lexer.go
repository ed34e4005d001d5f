package lex

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of a token.
const (
	End     Kind = iota
	Newline      // consecutive newlines are one token
	Name         // a name, a constant, or a number without sign and point; may have bracket lists
	Number       // a number, if the language has them
	Quoted       // the text is without quotes
	Marked       // a word that starts with a sign, such as @center
	Symbol       // the text is the symbol
	Bad          // the text says what is wrong
)

// Token is a piece of the source.
type Token struct {
	Kind  Kind
	Text  string
	Parts []NamePart // for a name with bracket lists
	Pos   Position
	Mark  string // text of the last [Note] since the token before it, "" for none
}

// Is reports whether the token is that symbol or marked word.
func (t Token) Is(text string) bool { return (t.Kind == Symbol || t.Kind == Marked) && t.Text == text }

// IsWord reports whether the token is that word, unquoted and without bracket lists.
func (t Token) IsWord(word string) bool { return t.Kind == Name && t.Parts == nil && t.Text == word }

// String describes the token for a message.
func (t Token) String() string {
	switch t.Kind {
	case End:
		return "end of file"
	case Newline:
		return "end of line"
	case Quoted:
		return "a quoted constant"
	case Name, Number, Marked, Symbol, Bad:
	}
	return fmt.Sprintf("%q", t.Text)
}

// NamePart is a part of a name: plain text or a bracket list such as [1|2|3] or [i:1|2|3].
type NamePart struct {
	Text    string   // if Choices is empty
	Label   string   // of a bracket list, "" for none
	Choices []string // of a bracket list
}

// IsList reports whether the part is a bracket list.
func (p NamePart) IsList() bool { return len(p.Choices) > 0 }

// Equal reports whether the parts are the same.
func (p NamePart) Equal(q NamePart) bool {
	return p.Text == q.Text && p.Label == q.Label && slices.Equal(p.Choices, q.Choices)
}

// FormatName returns the source form of a name.
func FormatName(parts []NamePart) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.IsList() {
			b.WriteString(p.Text)
			continue
		}
		b.WriteByte('[')
		if p.Label != "" {
			b.WriteString(p.Label + ":")
		}
		b.WriteString(strings.Join(p.Choices, "|") + "]")
	}
	return b.String()
}

// Language defines how the languages that share the lexer differ.
type Language struct {
	Symbols   []string // operators and brackets, longer ones before their prefixes; "_" may be one
	Marked    []string // the words that start with a sign, @ or #
	Joins     []string // symbols after which a newline does not end the statement
	Continues []string // symbols and words before which a newline does not end it
	Lists     bool     // names may have bracket lists
	Minus     bool     // - subtracts, and belongs to a name only where a bracket follows that
	Numbers   bool     // numbers are allowed everywhere, not only at the start of a line
}

var numberPattern = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?`)

// Lexer splits a source into tokens. It is a value: copy it to look ahead.
type Lexer struct {
	language  *Language
	rest      string
	pos       Position
	lineStart bool // only blanks since the start of the line
	mark      string
	notes     *[]Note // collects the lines "//= ..", nil to skip them
}

// Note is a line "//= ..", which says something to this program that to others is a comment.
type Note struct {
	Text string // without blanks around it
	Pos  Position
}

// Notes returns all such lines that are ahead, in order.
func (l *Lexer) Notes() (notes []Note) {
	if strings.Contains(l.rest, "//=") {
		ahead := *l
		ahead.notes = &notes
		for t := ahead.Next(); t.Kind != End; t = ahead.Next() {
		}
	}
	return notes
}

// NewLexer returns a lexer at the start of a file. It keeps the language.
func NewLexer(language *Language, file, src string) Lexer {
	return Lexer{language: language, rest: src, pos: Position{File: file, Line: 1, Column: 1}, lineStart: true}
}

// take consumes n bytes and returns them.
func (l *Lexer) take(n int) string {
	text := l.rest[:n]
	l.rest, l.pos = l.rest[n:], l.pos.after(text)
	return text
}

// Next returns the next token; consecutive newlines are one token.
func (l *Lexer) Next() Token {
	if passed := l.space(); passed.Kind != End {
		l.lineStart = l.lineStart || passed.Kind == Newline
		return passed
	}
	start := l.lineStart
	l.lineStart = false
	t := Token{Pos: l.pos, Mark: l.mark}
	l.mark = ""
	if l.rest == "" {
		return t
	}
	if start || l.language.Numbers {
		if text := l.number(); text != "" {
			t.Kind, t.Text = Number, text
			return t
		}
	}
	switch c := l.rest[0]; {
	case isWordByte(c) || c == '[' && l.language.Lists:
		l.name(&t)
	case c == '"':
		l.quoted(&t)
	default:
		l.sign(&t)
	}
	return t
}

// space skips blanks and comments. It returns a newline token if it skipped one, or a bad token, otherwise one of kind End.
func (l *Lexer) space() (passed Token) {
	for l.rest != "" {
		t := Token{Kind: Newline, Pos: l.pos}
		switch {
		case l.rest[0] == '\n':
			l.take(1)
		case strings.ContainsRune(" \t\r\f\v", rune(l.rest[0])):
			l.take(1)
			continue
		case strings.HasPrefix(l.rest, "//"):
			line, _, _ := strings.Cut(l.rest, "\n")
			if text, ok := strings.CutPrefix(line, "//="); ok && (l.lineStart || passed.Kind == Newline) && !strings.HasPrefix(text, "=") {
				l.mark = strings.TrimSpace(text)
				if l.notes != nil {
					*l.notes = append(*l.notes, Note{l.mark, l.pos})
				}
			}
			l.take(len(line))
			continue
		case strings.HasPrefix(l.rest, "/*"):
			end := strings.Index(l.rest[2:], "*/")
			if end < 0 {
				l.take(len(l.rest))
				return Token{Kind: Bad, Text: "a comment without end", Pos: t.Pos}
			}
			if !strings.Contains(l.take(end+4), "\n") {
				continue
			}
		default:
			return passed
		}
		if passed.Kind != Newline {
			passed = t
		}
	}
	return passed
}

// number consumes a number, if there is one.
func (l *Lexer) number() string {
	if !strings.ContainsRune("+-.0123456789", rune(l.rest[0])) {
		return ""
	}
	text := numberPattern.FindString(l.rest)
	if len(text) < len(l.rest) && isWordByte(l.rest[len(text)]) {
		return ""
	}
	return l.take(len(text))
}

// letters consumes a name, or another word of letters, digits and underscores.
func (l *Lexer) letters() string {
	n := NameLen(l.rest)
	if l.language.Minus && strings.Contains(l.rest[:n], "-") && !strings.HasPrefix(strings.TrimLeft(l.rest[n:], " \t"), "(") {
		n = strings.IndexByte(l.rest[:n], '-')
	}
	return l.take(n)
}

// NameLen returns the length of the name or other word of letters, digits and underscores at the beginning of a text. A name begins with a letter,
// and may also have, as in Alchemy, primes and, between two other characters, hyphens.
func NameLen[T string | []byte](text T) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case isWordByte(c):
		case n == 0 || !isLetter(text[0]):
			return n
		case c == '\'':
		case c == '-' && text[n-1] != '-' && n+1 < len(text) && isWordByte(text[n+1]):
		default:
			return n
		}
		n++
	}
	return n
}

// name consumes a name with its bracket lists.
func (l *Lexer) name(t *Token) {
	t.Kind, t.Text = Name, l.letters()
	if t.Text == "_" && slices.Contains(l.language.Symbols, "_") {
		t.Kind = Symbol
		return
	}
	if strings.HasPrefix(t.Text, "_") {
		t.Kind, t.Text = Bad, fmt.Sprintf("%q; a name begins with a letter", t.Text)
		return
	}
	if !l.language.Lists || !strings.HasPrefix(l.rest, "[") {
		return
	}
	if t.Text != "" {
		t.Parts = append(t.Parts, NamePart{Text: t.Text})
	}
	for l.rest != "" {
		if l.rest[0] == '[' {
			part, bad := l.list()
			if bad.Kind == Bad {
				*t = bad
				return
			}
			t.Parts = append(t.Parts, part)
		} else if text := l.letters(); text != "" {
			t.Parts = append(t.Parts, NamePart{Text: text})
		} else {
			break
		}
	}
	t.Text = FormatName(t.Parts)
}

// list consumes a bracket list.
func (l *Lexer) list() (NamePart, Token) {
	var part NamePart
	l.take(1)
	for {
		if bad := l.space(); bad.Kind == Bad {
			return part, bad
		}
		pos := l.pos
		word := l.letters()
		if bad := l.space(); bad.Kind == Bad {
			return part, bad
		}
		if word == "" || l.rest == "" {
			return part, Token{Kind: Bad, Text: "a bracket list that is not like [1|2|3] or [i:1|2|3]", Pos: pos}
		}
		switch sep := l.take(1); {
		case sep == ":" && part.Label == "" && part.Choices == nil:
			part.Label = word
		case sep == "|":
			part.Choices = append(part.Choices, word)
		case sep == "]":
			part.Choices = append(part.Choices, word)
			return part, Token{}
		default:
			return part, Token{Kind: Bad, Text: "a bracket list that is not like [1|2|3] or [i:1|2|3]", Pos: pos}
		}
	}
}

// quoted consumes a quoted constant.
func (l *Lexer) quoted(t *Token) {
	line, _, _ := strings.Cut(l.rest, "\n")
	switch text, n, closed := AppendUnquoted(nil, line); {
	case closed:
		l.take(n)
		t.Kind, t.Text = Quoted, string(text)
	case n < len(line):
		l.take(n)
		*t = Token{Kind: Bad, Text: "a backslash that begins no escape; there are " + Escapes, Pos: l.pos}
	default:
		l.take(1)
		t.Kind, t.Text = Bad, "a quoted constant without closing quote on its line"
	}
}

// sign consumes a marked word, an operator or a bracket.
func (l *Lexer) sign(t *Token) {
	var marked []string
	for _, word := range l.language.Marked {
		if word[0] == l.rest[0] && !l.isSign() {
			marked = append(marked, word)
		}
	}
	if len(marked) > 0 {
		if t.Kind, t.Text = Marked, l.take(1)+l.letters(); !slices.Contains(marked, t.Text) {
			t.Kind, t.Text = Bad, fmt.Sprintf("%q; there is only %s", t.Text, strings.Join(marked, " and "))
		}
		return
	}
	for _, s := range l.language.Symbols {
		if strings.HasPrefix(l.rest, s) {
			t.Kind, t.Text = Symbol, l.take(len(s))
			return
		}
	}
	_, n := utf8.DecodeRuneInString(l.rest)
	t.Kind, t.Text = Bad, fmt.Sprintf("%q", l.take(n))
}

// isSign reports whether the next byte alone is a symbol of the language, and begins no word.
func (l *Lexer) isSign() bool {
	return slices.Contains(l.language.Symbols, l.rest[:1]) && (len(l.rest) == 1 || !isWordByte(l.rest[1]))
}

func isWordByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }
func isLetter(c byte) bool   { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsName reports whether a text is a name: see NameLen.
func IsName(text string) bool { return text != "" && isLetter(text[0]) && NameLen(text) == len(text) }

// IsVariable reports whether a text is a name that begins with a lowercase letter.
func IsVariable(text string) bool { return IsName(text) && 'a' <= text[0] && text[0] <= 'z' }

// IsPlain reports whether a text is letters, digits and underscores and does not begin with an underscore.
func IsPlain(text string) bool {
	for i := range len(text) {
		if !isWordByte(text[i]) {
			return false
		}
	}
	return text != "" && text[0] != '_'
}
