package mediawiki

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// The namespaces that are read.
const (
	articleSpace     = 0
	articleTalkSpace = 1
	userTalkSpace    = 3
)

// page is the head of a page. Its bytes are valid until the next page.
type page struct {
	title      []byte // with its namespace
	space      int    // namespace
	id         uint64
	redirect   []byte // the title to which it points, nil where it is no redirect
	hasSpace   bool
	hasID      bool
	isRedirect bool
}

// revision is one edit of a page. Its bytes are valid until the next one.
type revision struct {
	timestamp  []byte // 2009-10-07T12:00:00Z
	user       []byte // empty where the user is not known any more
	anonymous  bool   // the user is an address
	minor      bool
	suppressed bool // its text has been deleted
}

// element is an element that is read, known by its name and what it stands in.
type element struct {
	name   string
	text   bool              // its text is kept
	begin  func(*dump) error // is called behind its opening tag; may be nil
	end    func(*dump) error // is called behind its closing tag; may be nil
	inside []*element        // those in it that are read
}

var (
	outside = &element{inside: []*element{{name: "mediawiki", inside: []*element{{
		name: "page", begin: (*dump).beginPage, end: (*dump).endHead, inside: []*element{
			{name: "title", text: true, end: (*dump).title},
			{name: "ns", text: true, end: (*dump).space},
			{name: "id", text: true, end: (*dump).id},
			{name: "redirect", begin: (*dump).redirect},
			{name: "revision", begin: (*dump).beginRevision, end: (*dump).endRevision, inside: []*element{
				{name: "timestamp", text: true, end: (*dump).timestamp},
				{name: "minor", begin: (*dump).minor},
				{name: "text", begin: (*dump).text},
				{name: "contributor", inside: []*element{
					{name: "username", text: true, end: (*dump).user},
					{name: "ip", text: true, end: (*dump).address},
				}},
			}},
		},
	}}}}}
	passed = &element{} // any other, and what is in it
)

// child returns what an element of this name is within e.
func (e *element) child(name []byte) *element {
	for _, c := range e.inside {
		if c.name == string(name) {
			return c
		}
	}
	return passed
}

// dump reads the pages and revisions of an XML export.
type dump struct {
	xml  xmlScanner
	open []*element

	page     page
	headDone bool // onPage has had the page
	revision revision

	onPage     func(*page) error     // is given each page, before its revisions
	onRevision func(*revision) error // is given each revision, behind its page
}

// read reads the dump to its end.
func (d *dump) read() error {
	d.open = append(d.open[:0], outside)
	for {
		top := d.open[len(d.open)-1]
		opened, err := d.xml.next(top.text)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		act := top.end
		if opened {
			e := top.child(d.xml.name)
			if top == outside && e == passed {
				return d.wrong("<%s> where a dump of MediaWiki has <mediawiki>", shown(d.xml.name))
			}
			d.open = append(d.open, e)
			act = e.begin
		} else {
			d.open = d.open[:len(d.open)-1]
		}
		if act == nil {
			continue
		}
		if err := act(d); err != nil {
			return err
		}
	}
}

func (d *dump) wrong(format string, args ...any) error {
	return d.xml.malformed(d.xml.from, format, args...)
}

func (d *dump) beginPage() error {
	d.headDone = false
	d.page = page{title: d.page.title[:0]}
	return nil
}

func (d *dump) title() (err error) {
	d.page.title, err = d.appendName(d.page.title[:0])
	return err
}

func (d *dump) space() error {
	n, err := strconv.Atoi(string(d.xml.text))
	d.page.space, d.page.hasSpace = n, err == nil
	return nil
}

func (d *dump) id() error {
	n, err := strconv.ParseUint(string(d.xml.text), 10, 64)
	d.page.id, d.page.hasID = n, err == nil
	return nil
}

func (d *dump) redirect() error {
	target, _, err := d.xml.attribute("title")
	if err == nil && !isName(target) {
		err = d.wrong("a redirect to a title with control characters")
	}
	d.page.isRedirect, d.page.redirect = true, target
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
		return d.wrong("a page without <title>")
	case !p.hasSpace:
		return d.wrong("a page without a number in <ns>")
	case !p.hasID:
		return d.wrong("a page without a number in <id>")
	}
	return d.onPage(&d.page)
}

func (d *dump) beginRevision() error {
	r := &d.revision
	*r = revision{timestamp: r.timestamp[:0], user: r.user[:0]}
	return d.endHead()
}

func (d *dump) timestamp() error {
	if !isTimestamp(d.xml.text) {
		return d.wrong("%s is no time", quoted(d.xml.text))
	}
	d.revision.timestamp = append(d.revision.timestamp[:0], d.xml.text...)
	return nil
}

func (d *dump) minor() error {
	d.revision.minor = true
	return nil
}

func (d *dump) text() (err error) {
	_, d.revision.suppressed, err = d.xml.attribute("deleted")
	return err
}

func (d *dump) user() (err error) {
	d.revision.user, err = d.appendName(d.revision.user[:0])
	return err
}

func (d *dump) address() error {
	d.revision.anonymous = true
	return d.user()
}

func (d *dump) endRevision() error {
	if len(d.revision.timestamp) == 0 {
		return d.wrong("a revision without a time")
	}
	return d.onRevision(&d.revision)
}

// appendName appends the text of an element, which has to be fit for a table.
func (d *dump) appendName(dst []byte) ([]byte, error) {
	if !isName(d.xml.text) {
		return dst, d.wrong("%s is no name: it has control characters", quoted(d.xml.text))
	}
	return append(dst, d.xml.text...), nil
}

// isTimestamp reports whether a text is a time as dumps have it.
func isTimestamp(text []byte) bool {
	const layout = "2006-01-02T15:04:05Z"
	if len(text) != len(layout) || text[len(text)-1] != 'Z' {
		return false
	}
	_, err := time.Parse(time.RFC3339, string(text))
	return err == nil
}

// isName reports whether a text can stand in a table: valid UTF-8 without control characters.
func isName(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexFunc(text, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
