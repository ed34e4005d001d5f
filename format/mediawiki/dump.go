package mediawiki

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxDepth = 64
	maxText  = 64 << 10 // bytes of a text that is kept, well over any title or user name
)

// The namespaces that are read.
const (
	noSpace          = math.MinInt
	articleSpace     = 0
	articleTalkSpace = 1
	userTalkSpace    = 3
)

// page is the head of a page. Its bytes are valid until the next page.
type page struct {
	title    []byte // with its namespace
	space    int    // namespace
	id       uint64
	redirect []byte // the title to which it points, nil where it is no redirect
}

// revision is one edit of a page. Its bytes are valid until the next one.
type revision struct {
	timestamp  []byte // 2009-10-07T12:00:00Z
	user       []byte // empty where the user is not known any more
	anonymous  bool   // the user is an address
	minor      bool
	suppressed bool // its text has been deleted
}

// dump reads the pages and revisions of an XML export. It knows as much of XML as a dump may hold, which is no document type
// and no CDATA section, and checks that the tags match. Only attributes, of which few are read, go through encoding/xml: with that for all an
// import takes several times as long.
type dump struct {
	*source
	path    []byte // the names of the open elements, each behind a <
	depth   int    // how many they are
	started bool   // the root element has been opened
	from    int64  // offset of the tag read last
	tag     []byte // what stood between its < and >; valid until the next
	text    []byte // what stands behind it, up to the next; no more than shows that it is too long

	page     page
	headDone bool // onPage has had the page
	revision revision

	onPage     func(*page) error     // is given each page, before its revisions
	onRevision func(*revision) error // is given each revision, behind its page
}

// read reads the dump to its end.
func (d *dump) read() error {
	for {
		if err := d.skipText(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := d.markup(); err != nil {
			return err
		}
	}
}

// skipText goes behind the next <. It returns io.EOF behind the root element.
func (d *dump) skipText() error {
	for d.depth > 0 {
		text := d.window[d.at:]
		end := bytes.IndexByte(text, '<')
		if end >= 0 {
			text = text[:end]
		}
		d.text = append(d.text, text[:min(len(text), maxText+1-len(d.text))]...)
		if d.at += len(text); end >= 0 {
			d.at++
			return nil
		}
		if err := d.more(); err != nil {
			return err
		}
	}
	for {
		c, err := d.peek()
		switch {
		case errors.Is(err, io.EOF) && !d.started:
			return d.more()
		case err != nil:
			return err
		case !isSpace(c) && c != '<' && d.started:
			return d.malformed(d.offset(), "text outside the root element")
		case !isSpace(c) && c != '<':
			return d.malformed(d.offset(), "expected an XML dump, which begins with <")
		}
		if d.at++; c == '<' {
			return nil
		}
	}
}

// markup reads what begins with the < before it.
func (d *dump) markup() error {
	d.from = d.offset() - 1
	c, err := d.must()
	switch {
	case err != nil:
		return err
	case c == '?':
		return d.skipBehind("?>")
	case c == '!':
		if !d.accept("--") {
			return d.lacks("--")
		}
		return d.skipBehind("-->")
	}
	d.at--
	if err := d.readTag(); err != nil {
		return err
	}
	if len(d.tag) > 0 && d.tag[0] == '/' {
		return d.closing(firstWord(d.tag[1:]))
	}
	return d.opening()
}

// readTag goes behind the next > that is not in quotes.
func (d *dump) readTag() error {
	quote := byte(0)
	for i := 0; ; {
		rest := d.window[d.at:]
		for ; i < len(rest); i++ {
			switch c := rest[i]; {
			case c == '>' && quote == 0:
				d.tag = rest[:i]
				d.at += i + 1
				return nil
			case c == '<':
				return d.malformed(d.offset()+int64(i), "< within a tag")
			case c == quote:
				quote = 0
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			}
		}
		if err := d.more(); err != nil {
			return err
		}
	}
}

// opening opens the element of the tag, and closes it where the tag is such as <minor/>.
func (d *dump) opening() error {
	tag, empty := bytes.CutSuffix(d.tag, []byte("/"))
	name := firstWord(tag)
	switch {
	case len(name) == 0:
		return d.malformed(d.from, "a tag without a name")
	case len(name) > maxText:
		return d.tooLong(d.from)
	case d.depth == 0 && d.started:
		return d.malformed(d.from, "a second root element")
	case d.depth == 0 && string(name) != "mediawiki":
		return d.malformed(d.from, "<%s> where a dump of MediaWiki has <mediawiki>", shown(name))
	case d.depth == maxDepth:
		return d.malformed(d.from, "more than %d elements within each other", maxDepth)
	}
	d.started, d.tag = true, tag
	d.path = append(append(d.path, '<'), name...)
	d.depth++
	d.text = d.text[:0]
	if err := d.begin(); err != nil || !empty {
		return err
	}
	return d.closing(name)
}

// firstWord returns what stands before the first blank.
func firstWord(text []byte) []byte {
	n := 0
	for n < len(text) && !isSpace(text[n]) {
		n++
	}
	return text[:n]
}

// closing closes the innermost element, which has to have this name.
func (d *dump) closing(name []byte) error {
	last := max(0, bytes.LastIndexByte(d.path, '<'))
	if open := d.path[last:]; len(open) == 0 || !bytes.Equal(open[1:], name) {
		return d.malformed(d.from, "</%s> closes nothing", shown(name))
	}
	err := d.end()
	d.path, d.text = d.path[:last], d.text[:0]
	d.depth--
	return err
}

const (
	pagePath     = "<mediawiki<page"
	revisionPath = pagePath + "<revision"
)

// begin is called behind the opening tag of an element.
func (d *dump) begin() (err error) {
	switch string(d.path) {
	case pagePath:
		d.headDone = false
		d.page = page{title: d.page.title[:0], space: noSpace}
	case pagePath + "<redirect":
		target, _, err := d.attribute("title")
		if err == nil && !isName(target) {
			err = d.malformed(d.from, "a redirect to a title with control characters")
		}
		d.page.redirect = append([]byte{}, target...)
		return err
	case revisionPath:
		r := &d.revision
		*r = revision{timestamp: r.timestamp[:0], user: r.user[:0]}
		return d.endHead()
	case revisionPath + "<minor":
		d.revision.minor = true
	case revisionPath + "<text":
		_, d.revision.suppressed, err = d.attribute("deleted")
	}
	return err
}

// end is called behind the closing tag of an element.
func (d *dump) end() (err error) {
	p, r := &d.page, &d.revision
	switch string(d.path) {
	case pagePath:
		return d.endHead()
	case pagePath + "<title":
		p.title, err = d.appendName(p.title[:0])
	case pagePath + "<ns":
		if n, err := strconv.Atoi(string(d.text)); err == nil {
			p.space = n
		}
	case pagePath + "<id":
		p.id, _ = strconv.ParseUint(string(d.text), 10, 64) // 0 is no number of a page
	case revisionPath + "<timestamp":
		if !isTimestamp(d.text) {
			return d.malformed(d.from, "%s is no time", quoted(d.text))
		}
		r.timestamp = append(r.timestamp[:0], d.text...)
	case revisionPath + "<contributor<username", revisionPath + "<contributor<ip":
		r.anonymous = bytes.HasSuffix(d.path, []byte("<ip"))
		r.user, err = d.appendName(r.user[:0])
	case revisionPath:
		if len(r.timestamp) == 0 {
			return d.malformed(d.from, "a revision without a time")
		}
		return d.onRevision(r)
	}
	return err
}

// endHead gives the page away where that has not been done.
func (d *dump) endHead() error {
	if d.headDone {
		return nil
	}
	d.headDone = true
	switch p := &d.page; {
	case len(p.title) == 0:
		return d.malformed(d.from, "a page without <title>")
	case p.space == noSpace:
		return d.malformed(d.from, "a page without a number in <ns>")
	case p.id == 0:
		return d.malformed(d.from, "a page without a number in <id>")
	}
	return d.onPage(&d.page)
}

// appendName appends the text of an element, which has to be fit for a table.
func (d *dump) appendName(dst []byte) ([]byte, error) {
	from := len(dst)
	dst, ok := appendText(dst, d.text)
	switch {
	case len(d.text) > maxText:
		return dst, d.tooLong(d.from)
	case !ok:
		return dst, d.malformed(d.from, "a text that is not of XML")
	case !isName(dst[from:]):
		return dst, d.malformed(d.from, "%s is no name: it has control characters", quoted(dst[from:]))
	}
	return dst, nil
}

var references = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// appendText appends a text with its references resolved, and reports whether it is one: valid UTF-8 in which each &
// begins a reference.
func appendText(dst, text []byte) ([]byte, bool) {
	for valid := utf8.Valid(text); ; {
		plain, rest, more := bytes.Cut(text, []byte("&"))
		dst = append(dst, plain...)
		if !more || !valid {
			return dst, valid
		}
		var name []byte
		name, text, valid = bytes.Cut(rest, []byte(";"))
		r, base := references[string(name)], 10
		if number, ok := bytes.CutPrefix(name, []byte("#")); ok {
			if hex, ok := bytes.CutPrefix(number, []byte("x")); ok {
				number, base = hex, 16
			}
			n, _ := strconv.ParseUint(string(number), base, 31)
			r = rune(n)
		}
		valid = valid && r > 0 && utf8.ValidRune(r)
		dst = utf8.AppendRune(dst, r)
	}
}

// attribute returns the value of an attribute of the tag read last, and whether it has it.
func (d *dump) attribute(name string) (value []byte, found bool, err error) {
	if !bytes.Contains(d.tag, []byte(name)) {
		return nil, false, nil
	}
	token, err := xml.NewDecoder(strings.NewReader("<" + string(d.tag) + ">")).RawToken()
	e, ok := token.(xml.StartElement)
	if !ok || err != nil {
		return nil, false, d.malformed(d.from, "a tag that is not of XML")
	}
	for _, a := range e.Attr {
		if a.Name == (xml.Name{Local: name}) {
			return []byte(a.Value), true, nil
		}
	}
	return nil, false, nil
}

// isTimestamp reports whether a text is a time as dumps have it.
func isTimestamp(text []byte) bool {
	_, err := time.Parse(time.RFC3339, string(text))
	return err == nil && len(text) == len("2006-01-02T15:04:05Z")
}

// isName reports whether a text can stand in a table: valid UTF-8 without control characters.
func isName(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexFunc(text, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
