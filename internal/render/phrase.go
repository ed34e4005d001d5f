package render

import (
	"strings"
	"unicode"
)

// Phrase is text in which names from the data are marked.
type Phrase []Piece

// Piece is a part of a phrase.
type Piece struct {
	Text string
	Name bool
}

// String returns the text.
func (p Phrase) String() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}

// words returns the number of words, in which a name counts as one.
func (p Phrase) words() (n int) {
	for _, piece := range p {
		if n++; !piece.Name {
			n += len(strings.Fields(piece.Text)) - 1
		}
	}
	return n
}

// MostName, MostPath and MostText bound the length of names in the data, file paths, and formulas on the page, in characters.
const (
	MostName = 80
	MostPath = 300
	MostText = 1500
)

// Name is a name from the data or the model.
type Name string

// Join concatenates texts, names and phrases.
func Join(parts ...any) (out Phrase) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			out = append(out, Piece{Text: part})
		case Name:
			out = append(out, Piece{Clip(string(part), MostName), true})
		case Phrase:
			out = append(out, part...)
		}
	}
	return out
}

// Marks around names in text that becomes a phrase; [Clip] leaves neither in a name.
const nameStart, nameEnd = "\x01", "\x02"

// marked returns a name for text that becomes a phrase.
func marked(name string) string { return nameStart + Clip(name, MostName) + nameEnd }

// phrase returns text as a phrase.
func phrase(text string) (out Phrase) {
	for text != "" {
		plain, rest, found := strings.Cut(text, nameStart)
		if plain != "" {
			out = append(out, Piece{Text: plain})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, nameEnd)
		out, text = append(out, Piece{name, true}), after
	}
	return out
}

// Clip returns at most the first most characters of a text, with nothing hidden: control characters and marks that change the direction
// of text appear as U+FFFD.
func Clip(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Either returns one of two texts.
func Either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// Between returns the text before the i-th item of a list.
func Between(i, of int) string {
	switch i {
	case 0:
		return ""
	case of - 1:
		return " and "
	}
	return ", "
}
