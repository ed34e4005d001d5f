package mediawiki

import (
	"bytes"
	"errors"
	"io"

	"resolwe/format/table"
)

// readTitles reads a file of titles, one a line, with blanks or underscores between words.
func readTitles(s *source) (*table.Dict, error) {
	titles := &table.Dict{}
	for last := false; !last; {
		from := s.offset()
		line, err := s.take('\n')
		if last = errors.Is(err, io.EOF); last {
			line, err = s.window[s.at:], nil
		}
		if err != nil {
			return nil, s.truncated(err)
		}
		if from == 0 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		title := bytes.TrimSpace(bytes.ReplaceAll(line, []byte("_"), []byte(" ")))
		switch {
		case len(title) > maxText:
			return nil, s.tooLong(from)
		case !isName(title):
			return nil, s.malformed(from, "%s is no title; expected one on each line", quoted(title))
		case len(title) > 0:
			titles.Intern(title)
		}
	}
	if titles.Len() == 0 {
		return nil, &OptionError{s.path + " holds no titles"}
	}
	return titles, nil
}
