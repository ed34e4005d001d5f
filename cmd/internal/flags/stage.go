package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Stage holds the options of a stage that another command runs within, which are given to that command as one text: --learn '--passes 2'.
// The text is read as the command line of the stage is. F is the struct of the stage's flags.
type Stage[F any] struct {
	Flags F
	text  string
}

// parser returns a parser of the stage's flags alone.
func (s *Stage[F]) parser() (*kong.Kong, error) {
	return kong.New(&s.Flags, kong.Name(""), kong.NoDefaultHelp(), Vars(), Texts())
}

// UnmarshalText reads the options; those that the text does not state have their defaults.
func (s *Stage[F]) UnmarshalText(text []byte) error {
	words, err := Words(string(text))
	if err != nil {
		return err
	}
	*s = Stage[F]{text: string(text)}
	parser, err := s.parser()
	if err == nil {
		_, err = parser.Parse(words)
	}
	return err
}

// Given reports whether the text states anything.
func (s *Stage[F]) Given() bool { return s.text != "" }

// MarshalText writes the text that UnmarshalText reads.
func (s Stage[F]) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// Decode reads the options from a command line, on which the flag is named after the command of the stage.
func (s *Stage[F]) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop() // which may begin with a dash
	if token.IsEOL() {
		return errors.New("expected the options of the stage, in quotes")
	}
	if err := s.UnmarshalText([]byte(token.String())); err != nil {
		text := strings.Replace(err.Error(), "unknown flag", "unknown option", 1)
		if !strings.HasSuffix(text, "?") {
			text += ";"
		}
		return fmt.Errorf("%s resolwe %s --help-all lists them at its end", text, ctx.Value.Name)
	}
	return nil
}

// Has reports whether the stage has a flag of that name.
func (s *Stage[F]) Has(name string) bool {
	parser, err := s.parser()
	if err != nil {
		return false
	}
	for _, f := range parser.Model.Flags {
		if f.Name == name {
			return true
		}
	}
	return false
}

// Words divides a text into words as a shell does: at blanks that are neither quoted nor behind a backslash. Nothing is expanded.
func Words(text string) (words []string, err error) {
	var word strings.Builder
	quote, begun := rune(0), false
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("a backslash ends the text")
	case begun:
		words = append(words, word.String())
	}
	return words, nil
}
