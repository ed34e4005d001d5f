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
	maxText  = 64 << 10 // longest text that is kept, in bytes; well over any title or user name
)

// The namespaces that are imported.
const (
	noSpace          = math.MinInt
	articleSpace     = 0
	articleTalkSpace = 1
	userTalkSpace    = 3
)

// page holds what precedes the revisions of a page. Its bytes are valid until the next page.
type page struct {
	title    []byte // with its namespace
	space    int    // namespace
	id       uint64
	redirect []byte // title of the target; nil unless the page is a redirect
}

// revision is one edit of a page. Its bytes are valid until the next revision.
type revision struct {
	timestamp  []byte // 2009-10-07T12:00:00Z
	user       []byte // empty if the user is no longer known
	anonymous  bool   // the user is an IP address
	minor      bool
	suppressed bool // the text has been deleted
}

// dump reads the pages and revisions of an XML export. It knows the parts of XML that a dump may hold, so no document type and no CDATA
// section, and checks that the tags match. Only the few attributes that are read go through encoding/xml: parsing everything with it would
// make an import take several times as long.
type dump struct {
	*source
	path    []byte // the names of the open elements, each preceded by <
	depth   int    // number of open elements
	started bool   // the root element has been opened
	from    int64  // offset of the last tag
	tag     []byte // text between its < and >; valid until the next tag
	text    []byte // text after it, up to the next tag; cut once it is too long

	page     page
	headDone bool // onPage has been called for the page
	revision revision

	onPage     func(*page)           // is called for each page, before its revisions
	onRevision func(*revision) error // is called for each revision, after its page
}

// skipText moves past the next <. It returns false after the root element.
func (d *dump) skipText() bool {
	for d.depth > 0 {
		text := d.window[d.at:]
		end := bytes.IndexByte(text, '<')
		if end >= 0 {
			text = text[:end]
		}
		d.text = append(d.text, text[:min(len(text), maxText+1-len(d.text))]...)
		if d.at += len(text); end >= 0 {
			d.at++
			return true
		}
		d.more()
	}
	for {
		c, err := d.peek()
		switch {
		case errors.Is(err, io.EOF) && d.started:
			return false
		case err != nil:
			d.more()
		case !isSpace(c) && c != '<' && d.started:
			d.malformed(d.offset(), "text outside the root element")
		case !isSpace(c) && c != '<':
			d.malformed(d.offset(), "expected an XML dump, which begins with <")
		}
		if d.at++; c == '<' {
			return true
		}
	}
}

// markup reads the markup that began with the < before the position.
func (d *dump) markup() {
	d.from = d.offset() - 1
	switch d.must() {
	case '?':
		d.skipBehind("?>")
		return
	case '!':
		d.expect("--")
		d.skipBehind("-->")
		return
	}
	d.at--
	d.readTag()
	if len(d.tag) > 0 && d.tag[0] == '/' {
		d.closing(firstWord(d.tag[1:]))
	} else {
		d.opening()
	}
}

// readTag moves past the next > that is not in quotes.
func (d *dump) readTag() {
	quote := byte(0)
	for i := 0; ; d.more() {
		rest := d.window[d.at:]
		for ; i < len(rest); i++ {
			switch c := rest[i]; {
			case c == '>' && quote == 0:
				d.tag = rest[:i]
				d.at += i + 1
				return
			case c == '<':
				d.malformed(d.offset()+int64(i), "< within a tag")
			case c == quote:
				quote = 0
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			}
		}
	}
}

// opening opens the element of the tag, and closes it if the tag is self-closing, as in <minor/>.
func (d *dump) opening() {
	tag, empty := bytes.CutSuffix(d.tag, []byte("/"))
	name := firstWord(tag)
	switch {
	case len(name) == 0:
		d.malformed(d.from, "a tag without a name")
	case len(name) > maxText:
		d.tooLong(d.from)
	case d.depth == 0 && d.started:
		d.malformed(d.from, "a second root element")
	case d.depth == 0 && string(name) != "mediawiki":
		d.malformed(d.from, "<%s> where a dump of MediaWiki has <mediawiki>", shown(name))
	case d.depth == maxDepth:
		d.malformed(d.from, "more than %d elements within each other", maxDepth)
	}
	d.started, d.tag = true, tag
	d.path = append(append(d.path, '<'), name...)
	d.depth++
	d.text = d.text[:0]
	if d.begin(); empty {
		d.closing(name)
	}
}

// firstWord returns the text before the first blank.
func firstWord(text []byte) []byte {
	n := 0
	for n < len(text) && !isSpace(text[n]) {
		n++
	}
	return text[:n]
}

// closing closes the innermost element, which must have this name.
func (d *dump) closing(name []byte) {
	last := max(0, bytes.LastIndexByte(d.path, '<'))
	if open := d.path[last:]; len(open) == 0 || !bytes.Equal(open[1:], name) {
		d.malformed(d.from, "</%s> closes nothing", shown(name))
	}
	d.end()
	d.path, d.text = d.path[:last], d.text[:0]
	d.depth--
}

const (
	pagePath     = "<mediawiki<page"
	revisionPath = pagePath + "<revision"
)

// begin is called after the opening tag of an element.
func (d *dump) begin() {
	switch string(d.path) {
	case pagePath:
		d.headDone = false
		d.page = page{title: d.page.title[:0], space: noSpace}
	case pagePath + "<redirect":
		target, _ := d.attribute("title")
		if !isName(target) {
			d.malformed(d.from, "a redirect to a title with control characters")
		}
		d.page.redirect = append([]byte{}, target...)
	case revisionPath:
		r := &d.revision
		*r = revision{timestamp: r.timestamp[:0], user: r.user[:0]}
		d.endHead()
	case revisionPath + "<minor":
		d.revision.minor = true
	case revisionPath + "<text":
		_, d.revision.suppressed = d.attribute("deleted")
	}
}

// end is called after the closing tag of an element.
func (d *dump) end() {
	p, r := &d.page, &d.revision
	switch string(d.path) {
	case pagePath:
		d.endHead()
	case pagePath + "<title":
		p.title = d.appendName(p.title[:0])
	case pagePath + "<ns":
		if n, err := strconv.Atoi(string(d.text)); err == nil {
			p.space = n
		}
	case pagePath + "<id":
		p.id, _ = strconv.ParseUint(string(d.text), 10, 64) // 0 is not a valid page number
	case revisionPath + "<timestamp":
		if _, err := time.Parse(time.RFC3339, string(d.text)); err != nil || len(d.text) != len("2006-01-02T15:04:05Z") {
			d.malformed(d.from, "%s is no time", quoted(d.text))
		}
		r.timestamp = append(r.timestamp[:0], d.text...)
	case revisionPath + "<contributor<username", revisionPath + "<contributor<ip":
		r.anonymous = bytes.HasSuffix(d.path, []byte("<ip"))
		r.user = d.appendName(r.user[:0])
	case revisionPath:
		if len(r.timestamp) == 0 {
			d.malformed(d.from, "a revision without a time")
		}
		stopAt(d.onRevision(r))
	}
}

// endHead calls onPage unless that has been done.
func (d *dump) endHead() {
	if d.headDone {
		return
	}
	d.headDone = true
	switch p := &d.page; {
	case len(p.title) == 0:
		d.malformed(d.from, "a page without <title>")
	case p.space == noSpace:
		d.malformed(d.from, "a page without a number in <ns>")
	case p.id == 0:
		d.malformed(d.from, "a page without a number in <id>")
	}
	d.onPage(&d.page)
}

// appendName appends the text of an element, which must be fit for a table.
func (d *dump) appendName(dst []byte) []byte {
	from := len(dst)
	dst, ok := appendText(dst, d.text)
	switch {
	case len(d.text) > maxText:
		d.tooLong(d.from)
	case !ok:
		d.malformed(d.from, "a text that is not of XML")
	case !isName(dst[from:]):
		d.malformed(d.from, "%s is no name: it has control characters", quoted(dst[from:]))
	}
	return dst
}

var references = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// appendText appends a text with its references resolved. It reports whether the text is valid: UTF-8 in which each & begins a reference.
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

// attribute returns the value of an attribute of the last tag, and whether the tag has it.
func (d *dump) attribute(name string) (value []byte, found bool) {
	if !bytes.Contains(d.tag, []byte(name)) {
		return nil, false
	}
	token, err := xml.NewDecoder(strings.NewReader("<" + string(d.tag) + ">")).RawToken()
	e, ok := token.(xml.StartElement)
	if !ok || err != nil {
		d.malformed(d.from, "a tag that is not of XML")
	}
	for _, a := range e.Attr {
		if a.Name == (xml.Name{Local: name}) {
			return []byte(a.Value), true
		}
	}
	return nil, false
}

// isName reports whether a text is fit for a table: valid UTF-8 without control characters.
func isName(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexFunc(text, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
