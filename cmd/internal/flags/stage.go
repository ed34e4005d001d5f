package flags

import (
	"errors"
	"fmt"
	"slices"
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
	return err == nil && slices.ContainsFunc(parser.Model.Flags, func(f *kong.Flag) bool { return f.Name == name })
}

// Words divides a text into words as a shell does: at blanks that are neither quoted nor behind a backslash. Nothing is expanded.
func Words(text string) (words []string, err error) {
	var word []byte
	quote, begun, escaped := byte(0), false, false
	for _, c := range []byte(text) {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", rune(c)) {
				word = append(word, '\\')
			}
			word, escaped = append(word, c), false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c != ' ' && c != '\t' && c != '\n':
			word, begun = append(word, c), true
		case begun:
			words = append(words, string(word))
			word, begun = word[:0], false
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("a backslash ends the text")
	case begun:
		words = append(words, string(word))
	}
	return words, nil
}
