package mediawiki

import (
	"bytes"
	"errors"
	"io"

	"resolwe/format/table"
)

// pages are the titles of namespace 0. With a filter they are only the wanted titles and those that could be mistaken for one.
type pages struct {
	only   *table.Dict // titles of the wanted articles, nil for all
	titles table.Dict
	kinds  []pageKind        // by title
	target map[uint32]uint32 // for redirects: title to target title
	ids    map[uint64]uint32 // page number to title, for articles
}

type pageKind uint8

const (
	absent   pageKind = iota // a link target that has not been seen as a page
	unwanted                 // a redirect that leads nowhere, or a page that the filter excludes
	redirect
	article
)

// addArticle adds a page that is not a redirect and reports whether it is wanted.
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

// addRedirect adds a redirect. Its target is nil if not known.
func (p *pages) addRedirect(title, target []byte) {
	switch {
	case len(target) > 0 && p.wants(target):
		from := p.set(title, redirect)
		p.target[from] = p.intern(target)
	case p.wants(title) || p.nested(title):
		p.set(title, unwanted)
	}
}

// set sets the kind of a title.
func (p *pages) set(title []byte, kind pageKind) uint32 {
	t := p.intern(title)
	p.kinds[t] = kind
	return t
}

// articles counts the wanted articles.
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

// nested reports whether a title is a subpage of one that the filter names, as X/1 is of X.
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

// parent returns the text before the last slash, and whether there is one.
func parent(title []byte) ([]byte, bool) {
	slash := bytes.LastIndexByte(title, '/')
	return title[:max(slash, 0)], slash > 0
}

// isArticle reports whether a title is known to be a wanted article.
func (p *pages) isArticle(title []byte) bool {
	t, ok := p.titles.Lookup(string(title))
	return ok && p.kinds[t] == article
}

// linked returns the article to which a link with this title leads, following a redirect.
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

// discussed returns the article that a talk page is about, given its title without namespace: all of it, or for a subpage such as an
// archive the part before a slash.
func (p *pages) discussed(title []byte) ([]byte, bool) {
	for ok := true; ok; title, ok = parent(title) {
		if t, known := p.titles.Lookup(string(title)); known && p.kinds[t] != absent {
			return title, p.kinds[t] == article
		}
	}
	return nil, false
}

// readFilter reads a file of titles, one a line, with blanks or underscores between the words.
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
