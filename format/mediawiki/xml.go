package mediawiki

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"resolwe/internal/printable"
)

const (
	maxDepth = 64
	maxText  = 64 << 10 // bytes of a text that is kept, well over any title or user name
)

// xmlScanner reads the tags of an XML text and, where it is asked to, the text between them. It knows as much of XML as
// a dump may hold, which is no document type and no CDATA section, and checks that the tags match.
type xmlScanner struct {
	*source
	name  []byte // of the tag read last; valid until the next one
	attrs []byte // of the tag read last; valid until the next one
	text  []byte // what stood before the tag read last, where it was asked for; valid until the next one
	path  []byte // the names of the open elements, one after the other
	ends  []int  // of the names in path
	empty bool   // the element that was opened last has to be closed: its tag was <name/>
	from  int64  // offset of the tag read last
}

// next goes to the next tag and reports whether it opens an element; one such as <minor/> is opened and then closed.
// It returns io.EOF behind the root element.
func (x *xmlScanner) next(keepText bool) (open bool, err error) {
	x.text = x.text[:0]
	if x.empty {
		x.empty = false
		x.pop()
		return false, nil
	}
	for {
		if err := x.skipText(keepText); err != nil {
			return false, err
		}
		x.from = x.offset()
		x.at++
		c, err := x.peek()
		if err != nil {
			return false, x.truncated(err)
		}
		switch c {
		case '!':
			err = x.comment()
		case '?':
			err = x.skipBehind("?>")
		case '/':
			x.at++
			return false, x.closing()
		default:
			return true, x.opening()
		}
		if err != nil {
			return false, err
		}
	}
}

// skipText goes to the next <.
func (x *xmlScanner) skipText(keep bool) error {
	if len(x.ends) == 0 {
		return x.skipSpace()
	}
	if !keep {
		if err := x.skipTo('<'); err != nil {
			return x.truncated(err)
		}
		return nil
	}
	from := x.offset()
	text, err := x.take('<')
	if err != nil {
		return x.truncated(err)
	}
	x.at-- // it stays in the window
	if len(x.text)+len(text) > maxText {
		return x.tooLong(from)
	}
	var ok bool
	if x.text, ok = appendText(x.text, text); !ok {
		return x.malformed(from, "a text that is not of XML")
	}
	return nil
}

// skipSpace goes to the next < outside the root element, where nothing else may stand.
func (x *xmlScanner) skipSpace() error {
	for {
		c, err := x.peek()
		switch {
		case errors.Is(err, io.EOF):
			if x.ends == nil {
				return x.truncated(err)
			}
			return err
		case err != nil:
			return x.truncated(err)
		case c == '<':
			return nil
		case !isSpace(c) && (c < 0xbb || x.offset() >= 3): // the byte order mark
			return x.outside()
		}
		x.at++
	}
}

// outside is text where only the root element may stand.
func (x *xmlScanner) outside() error {
	if x.ends == nil {
		return x.malformed(x.offset(), "expected an XML dump, which begins with <")
	}
	return x.malformed(x.offset(), "text outside the root element")
}

// comment passes over a comment.
func (x *xmlScanner) comment() error {
	for _, want := range []byte("!--") {
		c, err := x.must()
		if err != nil {
			return err
		}
		if c != want {
			return x.malformed(x.from, "expected a tag or a comment")
		}
	}
	return x.skipBehind("-->")
}

// opening reads the tag of an element, behind its <.
func (x *xmlScanner) opening() error {
	tag, err := x.tag()
	if err != nil {
		return err
	}
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		tag, x.empty = tag[:n-1], true
	}
	end := 0
	for end < len(tag) && !isSpace(tag[end]) {
		end++
	}
	x.name, x.attrs = tag[:end], tag[end:]
	switch {
	case end == 0:
		return x.malformed(x.from, "a tag without a name")
	case len(x.ends) == maxDepth:
		return x.malformed(x.from, "more than %d elements within each other", maxDepth)
	case len(x.ends) == 0 && x.ends != nil:
		return x.malformed(x.from, "a second root element")
	case end > maxText:
		return x.tooLong(x.from)
	}
	x.path = append(x.path, x.name...)
	x.ends = append(x.ends, len(x.path))
	return nil
}

// closing reads the tag that ends an element, behind its </.
func (x *xmlScanner) closing() error {
	tag, err := x.tag()
	if err != nil {
		return err
	}
	name := tag
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	if len(x.ends) == 0 || !bytes.Equal(name, x.top()) {
		return x.malformed(x.from, "</%s> closes nothing", shown(name))
	}
	x.pop()
	return nil
}

// top returns the name of the innermost open element.
func (x *xmlScanner) top() []byte {
	from := 0
	if n := len(x.ends); n > 1 {
		from = x.ends[n-2]
	}
	return x.path[from:]
}

func (x *xmlScanner) pop() {
	x.path = x.path[:len(x.path)-len(x.top())]
	x.ends = x.ends[:len(x.ends)-1]
}

// tag returns what comes before the next > that is not in quotes, and passes over both.
func (x *xmlScanner) tag() ([]byte, error) {
	quote := byte(0)
	for i := 0; ; {
		rest := x.window[x.at:]
		for ; i < len(rest); i++ {
			switch c := rest[i]; {
			case c == '>' && quote == 0:
				x.at += i + 1
				return rest[:i], nil
			case c == '<':
				return nil, x.malformed(x.offset()+int64(i), "< within a tag")
			case c == quote:
				quote = 0
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			}
		}
		if err := x.fill(); err != nil {
			return nil, x.truncated(err)
		}
	}
}

// attribute returns the value of an attribute of the tag read last, and whether it has it.
func (x *xmlScanner) attribute(name string) ([]byte, bool, error) {
	for rest := x.attrs; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 {
			return nil, false, nil
		}
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return nil, false, x.malformed(x.from, "an attribute without a value")
		}
		key := bytes.TrimRight(rest[:equals], " \t\r\n")
		rest = bytes.TrimLeft(rest[equals+1:], " \t\r\n")
		if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
			return nil, false, x.malformed(x.from, "an attribute without a value in quotes")
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return nil, false, x.malformed(x.from, "an attribute whose value does not end")
		}
		value := rest[1 : end+1]
		rest = rest[end+2:]
		if string(key) != name {
			continue
		}
		value, ok := appendText(nil, value)
		if !ok {
			return nil, false, x.malformed(x.from, "a value that is not of XML")
		}
		return value, true, nil
	}
}

// appendText appends a text with its references resolved, and reports whether it is one: valid UTF-8 in which each &
// begins a reference.
func appendText(dst, text []byte) ([]byte, bool) {
	if !utf8.Valid(text) {
		return dst, false
	}
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...), true
		}
		dst = append(dst, text[:i]...)
		text = text[i+1:]
		end := bytes.IndexByte(text, ';')
		if end < 0 {
			return dst, false
		}
		r, ok := reference(text[:end])
		if !ok {
			return dst, false
		}
		dst = utf8.AppendRune(dst, r)
		text = text[end+1:]
	}
}

// reference returns the character that is named between & and ;.
func reference(name []byte) (rune, bool) {
	switch string(name) {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || len(name) > 10 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// quoted puts a text in quotes, with escapes for what is not plain, and without what would not fit a line.
func quoted(b []byte) string { return strconv.Quote(printable.Clip(string(b), shownBytes)) }

// shown is a text without quotes.
func shown(b []byte) string { return printable.Escape(printable.Clip(string(b), shownBytes)) }

// shownBytes is how much of a text from a file a message gives.
const shownBytes = 80
