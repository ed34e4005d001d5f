// Package mediawiki makes tables of the dumps of a wiki, such as dumps.wikimedia.org has of Wikipedia: who edited which
// article, who wrote to whom, what links to what. It is a package of its own, and below no other format, since nothing
// but the tables that it writes is shared with the rest: they are read by resolwe/format/table like any others.
//
// The dumps are read once, from beginning to end. What is kept in memory is the titles of the articles and their
// numbers, about a hundred bytes for each, and of linktarget what is linked, not the edits or links. Rows that have to
// wait until all pages are known do so in a temporary file.
package mediawiki

import (
	"context"
	"errors"
	"os"
	"slices"
)

// Options are the dumps of one wiki and what is made of them. Each dump may be plain text or a gzip or bzip2 archive,
// whatever its name, and in several parts.
type Options struct {
	// XML are exports with full histories, as stub-meta-history. They give article_edit.tsv, article_talk.tsv and
	// user_talk.tsv. The texts of the pages are not needed, but do no harm.
	XML []string
	// Page are SQL dumps of the table page. They say what the articles are where there is no XML.
	Page []string
	// PageLinks are SQL dumps of pagelinks and give hyperlink.tsv. Where they have no titles they need LinkTarget.
	PageLinks []string
	// CategoryLinks are SQL dumps of categorylinks and give category.tsv. Where they have no titles they need
	// LinkTarget.
	CategoryLinks []string
	// ExternalLinks are SQL dumps of externallinks and give external.tsv.
	ExternalLinks []string
	// LinkTarget are SQL dumps of linktarget.
	LinkTarget []string

	// Titles is a file with a title on each line: only these articles are imported, and messages on talk pages of
	// users only where both users edited or discussed one of them. Empty for all articles.
	Titles string
	// Out is the folder of the tables. It is made where there is none, but not those above it.
	Out string
	// IncludeMinor keeps edits that their authors marked as minor.
	IncludeMinor bool
	// RegisteredOnly leaves out users without an account: addresses and temporary accounts.
	RegisteredOnly bool
	// Progress, where it is not nil, is told now and then how many bytes of a file have been read.
	Progress func(what string, bytes int64)
}

// Summary counts what was made and what was left out.
type Summary struct {
	Articles      int64 // pages of namespace 0 that are no redirects, of the wanted titles
	Redirects     int64 // pages of namespaces 0, 1 and 3 that were left out as redirects
	MissingTitles int64 // wanted titles that are no articles

	// Rows of the tables.
	ArticleEdits, ArticleTalk, UserTalk, Hyperlinks, Categories, External int64

	// Edits that were left out, each for the first reason that holds.
	UserDeleted  int64 // the user's name has been deleted
	Suppressed   int64 // the text has been deleted
	Unregistered int64
	Minor        int64
	Orphans      int64 // the talk page belongs to no article

	WithoutDomain int64 // external links left out as they name no host, such as mail addresses
}

// Import writes the tables, as tab-separated values with a header:
//
//	article_edit.tsv   article user timestamp minor    an edit of an article
//	article_talk.tsv   article user timestamp minor    an edit of its talk page, or of a subpage of that
//	user_talk.tsv      writer owner timestamp minor    an edit of a user's talk page, or of a subpage of that
//	hyperlink.tsv      from to                         a link from one article to another
//	category.tsv       article category
//	external.tsv       article domain url              a link out of the wiki
//
// Articles and users go by their names, with blanks, a user without an account as IP:192.0.2.1. A timestamp is as in
// 2009-10-07T12:00:00Z; minor is 1 or 0. Rows are in the order of the dumps, but in article_talk.tsv those of subpages
// and of talk pages that come before their articles stand last. A redirect is no article: its edits are left out, and a
// link to it is one to the article at which it points. Links of an article to itself are left out.
//
// A table is written only where its dump is given. All of them appear at the end, or none where there is an error:
// a [*CorruptError] where a dump is damaged, a [*SchemaError] where it is one of something else, an [*OptionError], an
// [*atomicfile.SameFileError], or that of the context or the system.
func Import(ctx context.Context, opt Options) (Summary, error) {
	if err := opt.validate(); err != nil {
		return Summary{}, err
	}
	im := &importer{opt: &opt, check: ctx.Err}
	if err := im.run(); err != nil {
		return Summary{}, err
	}
	return im.sum, nil
}

func (o *Options) validate() error {
	switch {
	case o.Out == "":
		return &OptionError{"no folder for the tables"}
	case len(o.XML)+len(o.Page) == 0:
		return &OptionError{"no XML dump, nor one of the table page: nothing says what the articles are"}
	case len(o.XML)+len(o.PageLinks)+len(o.CategoryLinks)+len(o.ExternalLinks) == 0:
		return &OptionError{"the table page gives no rows: give an XML dump or one of pagelinks, categorylinks or externallinks"}
	case len(o.LinkTarget) > 0 && len(o.PageLinks)+len(o.CategoryLinks) == 0:
		return &OptionError{"the table linktarget is of use only with pagelinks or categorylinks"}
	}
	return nil
}

// inputs returns the paths of all dumps.
func (o *Options) inputs() []string {
	all := slices.Concat(o.XML, o.Page, o.PageLinks, o.CategoryLinks, o.ExternalLinks, o.LinkTarget)
	if o.Titles != "" {
		all = append(all, o.Titles)
	}
	return all
}

// importer is the work of one import.
type importer struct {
	opt   *Options
	check func() error
	sum   Summary
	pages *pages
	out   *outputs
}

func (im *importer) run() (err error) {
	if im.out, err = openOutputs(im.opt.Out); err != nil {
		return err
	}
	defer im.out.abort()
	if err := im.readTitles(); err != nil {
		return err
	}
	l := newLinks(im.pages, &im.sum, len(im.opt.LinkTarget) > 0)
	if err := im.probe(l); err != nil {
		return err
	}
	if err := im.each(im.opt.Page, l.page().read); err != nil {
		return err
	}
	if err := im.readHistory(); err != nil {
		return err
	}
	if err := im.readLinks(l); err != nil {
		return err
	}
	im.sum.Articles = im.pages.articles
	if im.pages.only != nil {
		im.sum.MissingTitles = int64(im.pages.only.Len()) - im.sum.Articles
	}
	return im.out.commit()
}

// probe looks into all dumps before the long work starts.
func (im *importer) probe(l *links) error {
	for _, p := range []struct {
		paths []string
		look  func(*source) error
	}{
		{im.opt.XML, func(*source) error { return nil }},
		{im.opt.Page, l.page().probe},
		{im.opt.LinkTarget, l.linkTarget().probe},
		{im.opt.PageLinks, l.pageLinks().probe},
		{im.opt.CategoryLinks, l.categoryLinks().probe},
		{im.opt.ExternalLinks, l.externalLinks().probe},
	} {
		for _, path := range p.paths {
			if info, err := os.Stat(path); err != nil {
				return err
			} else if !info.Mode().IsRegular() {
				continue // a pipe is read once
			}
			if err := im.with(path, nil, p.look); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTitles reads the filter.
func (im *importer) readTitles() error {
	im.pages = newPages(nil)
	if im.opt.Titles == "" {
		return nil
	}
	return im.each([]string{im.opt.Titles}, func(s *source) (err error) {
		im.pages.only, err = readTitles(s)
		return err
	})
}

// readHistory reads the XML dumps.
func (im *importer) readHistory() (err error) {
	if len(im.opt.XML) == 0 {
		return nil
	}
	h := &history{opt: im.opt, pages: im.pages, sum: &im.sum, lateTalk: newDelayed(), lateUsers: newDelayed()}
	defer func() { err = errors.Join(err, h.close()) }()
	if h.edits, err = im.table("article_edit.tsv", "article\tuser\ttimestamp\tminor"); err != nil {
		return err
	}
	if h.talk, err = im.table("article_talk.tsv", "article\tuser\ttimestamp\tminor"); err != nil {
		return err
	}
	if h.userTalk, err = im.table("user_talk.tsv", "writer\towner\ttimestamp\tminor"); err != nil {
		return err
	}
	err = im.each(im.opt.XML, func(s *source) error {
		d := &dump{xml: xmlScanner{source: s}, onPage: h.page, onRevision: h.revision}
		return d.read()
	})
	if err != nil {
		return err
	}
	if err := h.finish(im.check); err != nil {
		return err
	}
	im.sum.ArticleEdits, im.sum.ArticleTalk, im.sum.UserTalk = h.edits.n, h.talk.n, h.userTalk.n
	return nil
}

// readLinks reads the SQL dumps of links.
func (im *importer) readLinks(l *links) error {
	tables := []struct {
		dumps        []string
		name, header string
		rows         **rows
		read         func(*source) error
		count        *int64
	}{
		{im.opt.PageLinks, "hyperlink.tsv", "from\tto", &l.hyperlinks, l.pageLinks().read, &im.sum.Hyperlinks},
		{im.opt.CategoryLinks, "category.tsv", "article\tcategory", &l.categories, l.categoryLinks().read, &im.sum.Categories},
		{im.opt.ExternalLinks, "external.tsv", "article\tdomain\turl", &l.external, l.externalLinks().read, &im.sum.External},
	}
	for _, t := range tables {
		if len(t.dumps) == 0 {
			continue
		}
		var err error
		if *t.rows, err = im.table(t.name, t.header); err != nil {
			return err
		}
	}
	if err := im.each(im.opt.LinkTarget, l.linkTarget().read); err != nil {
		return err
	}
	for _, t := range tables {
		if len(t.dumps) == 0 {
			continue
		}
		if err := im.each(t.dumps, t.read); err != nil {
			return err
		}
		*t.count = (*t.rows).n
	}
	return nil
}

// table starts a table.
func (im *importer) table(name, header string) (*rows, error) {
	return im.out.create(name, header, im.opt.inputs())
}

// each reads dumps, one after the other.
func (im *importer) each(paths []string, read func(*source) error) error {
	for _, path := range paths {
		if err := im.with(path, im.opt.Progress, read); err != nil {
			return err
		}
	}
	return nil
}

// with opens a dump for a function.
func (im *importer) with(path string, progress func(what string, bytes int64), read func(*source) error) error {
	s, err := openSource(path, im.check, progress)
	if err != nil {
		return err
	}
	return errors.Join(read(s), s.close())
}
