package mediawiki

import (
	"bytes"
	"errors"
	"io"

	"resolwe/format/table"
)

// pages are the titles of namespace 0. With a filter they are only those that are wanted and those that could be
// taken for one.
type pages struct {
	only   *table.Dict // titles of the articles that are wanted, nil for all
	titles table.Dict
	kinds  []pageKind        // by title
	target map[uint32]uint32 // of redirects, both titles
	ids    map[uint64]uint32 // titles of articles, by the page's number
}

type pageKind uint8

const (
	absent   pageKind = iota // a target that has not been seen as a page
	unwanted                 // a redirect that leads nowhere, or what the filter leaves out
	redirect
	article
)

func newPages() *pages { return &pages{target: map[uint32]uint32{}, ids: map[uint64]uint32{}} }

// addArticle adds a page that is no redirect and reports whether it is wanted.
func (p *pages) addArticle(id uint64, title []byte) bool {
	if !p.wants(title) {
		if p.nested(title) {
			p.set(title, unwanted)
		}
		return false
	}
	p.ids[id] = p.set(title, article)
	return true
}

// addRedirect adds a redirect. Its target may be nil where it is not known.
func (p *pages) addRedirect(title, target []byte) {
	switch {
	case len(target) > 0 && p.wants(target):
		from := p.set(title, redirect)
		p.target[from] = p.intern(target)
	case p.wants(title) || p.nested(title):
		p.set(title, unwanted)
	}
}

// set says what a title is.
func (p *pages) set(title []byte, kind pageKind) uint32 {
	t := p.intern(title)
	p.kinds[t] = kind
	return t
}

// articles counts the articles that are wanted.
func (p *pages) articles() (n int64) {
	for _, k := range p.kinds {
		if k == article {
			n++
		}
	}
	return n
}

func (p *pages) intern(title []byte) uint32 {
	t := p.titles.Intern(title)
	if int(t) == len(p.kinds) {
		p.kinds = append(p.kinds, absent)
	}
	return t
}

// wants reports whether the filter lets a title through.
func (p *pages) wants(title []byte) bool {
	if p.only == nil {
		return true
	}
	_, ok := p.only.Lookup(string(title))
	return ok
}

// nested reports whether a title is below one that the filter names, as X/1 is below X.
func (p *pages) nested(title []byte) bool {
	if p.only == nil {
		return false
	}
	for above, ok := parent(title); ok; above, ok = parent(above) {
		if p.wants(above) {
			return true
		}
	}
	return false
}

// parent returns what stands before the last slash, and whether there is one.
func parent(title []byte) ([]byte, bool) {
	slash := bytes.LastIndexByte(title, '/')
	return title[:max(slash, 0)], slash > 0
}

// isArticle reports whether a title is known to be an article that is wanted.
func (p *pages) isArticle(title []byte) bool {
	t, ok := p.titles.Lookup(string(title))
	return ok && p.kinds[t] == article
}

// numbered returns the article whose page has a number.
func (p *pages) numbered(id uint64) (uint32, bool) {
	t, ok := p.ids[id]
	return t, ok && p.kinds[t] == article
}

// linked returns the article to which a link with this title leads, through a redirect where there is one.
func (p *pages) linked(title []byte) (uint32, bool) {
	t, ok := p.titles.Lookup(string(title))
	if !ok {
		return 0, false
	}
	if p.kinds[t] == redirect {
		t = p.target[t]
	}
	return t, p.kinds[t] == article
}

// discussed returns the part of a talk page's title, without its namespace, that is an article: all of it, or for a
// subpage such as an archive what stands before a slash.
func (p *pages) discussed(title []byte) ([]byte, bool) {
	for ok := true; ok; title, ok = parent(title) {
		if t, known := p.titles.Lookup(string(title)); known && p.kinds[t] != absent {
			return title, p.kinds[t] == article
		}
	}
	return nil, false
}

// readFilter reads a file of titles, one a line, with blanks or underscores between words.
func (p *pages) readFilter(s *source) {
	p.only = &table.Dict{}
	for {
		line, _, found := bytes.Cut(s.window[s.at:], []byte("\n"))
		if !found && s.err == nil {
			if err := s.fill(); !errors.Is(err, io.EOF) {
				stopAt(err)
			}
			continue
		}
		title := bytes.TrimSpace(bytes.ReplaceAll(line, []byte("_"), []byte(" ")))
		switch {
		case len(title) > maxText:
			s.tooLong(s.offset())
		case !isName(title):
			s.malformed(s.offset(), "%s is no title; expected one on each line", quoted(title))
		case len(title) > 0:
			p.only.Intern(title)
		}
		if s.at += len(line) + 1; !found {
			break
		}
	}
	if p.only.Len() == 0 {
		stopAt(&OptionError{s.path + " holds no titles"})
	}
}
