package mediawiki

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"resolwe/internal/atomicfile"
)

// Options name the dumps of one wiki and say what to make of them. Each dump may be plain text or a gzip or bzip2 archive, whatever its
// name, and may come in several parts.
type Options struct {
	// XML are exports with full histories, such as stub-meta-history. They give article_edit.tsv, article_talk.tsv and user_talk.tsv. The
	// texts of the pages are not needed, but do no harm.
	XML []string
	// Page are SQL dumps of the table page. They say what the articles are if there is no XML.
	Page []string
	// PageLinks are SQL dumps of pagelinks and give hyperlink.tsv. If they have no titles, LinkTarget is needed.
	PageLinks []string
	// CategoryLinks are SQL dumps of categorylinks and give category.tsv. If they have no titles, LinkTarget is needed.
	CategoryLinks []string
	// ExternalLinks are SQL dumps of externallinks and give external.tsv.
	ExternalLinks []string
	// LinkTarget are SQL dumps of linktarget.
	LinkTarget []string

	// Titles is a file with one title a line. Only these articles are imported, and user talk only if both users edited or discussed one of
	// them. Empty for all articles.
	Titles string
	// Out is the folder for the tables. It must exist.
	Out string
	// IncludeMinor keeps edits that their authors marked as minor.
	IncludeMinor bool
	// RegisteredOnly leaves out users without an account: addresses and temporary accounts.
	RegisteredOnly bool
	// Progress, unless nil, is called now and then with the number of bytes read from a file.
	Progress func(what string, bytes int64)
}

// Summary counts what was imported and what was left out.
type Summary struct {
	Articles      int64 // pages of namespace 0 that are not redirects, among the wanted titles
	Redirects     int64 // pages of namespaces 0, 1 and 3 that were left out as redirects
	MissingTitles int64 // wanted titles that are not articles

	// Rows in the tables.
	ArticleEdits, ArticleTalk, UserTalk, Hyperlinks, Categories, External int64

	// Edits that were left out, each counted for the first reason that holds.
	UserDeleted  int64 // the user's name has been deleted
	Suppressed   int64 // the text has been deleted
	Unregistered int64
	Minor        int64
	Orphans      int64 // edits of a talk page that belongs to no article

	WithoutDomain int64 // external links left out because they name no host, such as mail addresses
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
// Articles and users are identified by their names, with blanks; a user without an account is IP:192.0.2.1. A timestamp looks like
// 2009-10-07T12:00:00Z; minor is 1 or 0. Rows follow the order of the dumps, except in article_talk.tsv: rows of subpages, and of talk
// pages that precede their articles, come last. Redirects are not articles: their edits are left out, and links to them count as links to
// their targets. Links of an article to itself are left out.
//
// A table is written only if its dump is given. All appear at the end; after an error none do. The error is a [*CorruptError] for a damaged
// dump, an [*OptionError], also for a dump of something else, an [*atomicfile.SameFileError], or that of the context or the system.
func Import(ctx context.Context, opt Options) (Summary, error) {
	if err := opt.validate(); err != nil {
		return Summary{}, err
	}
	im := &importer{opt: &opt, check: ctx.Err, pages: &pages{target: map[uint32]uint32{}, ids: map[uint64]uint32{}}}
	defer func() {
		for _, f := range im.files {
			f.Abort()
		}
	}()
	if err := im.run(); err != nil {
		return Summary{}, err
	}
	for _, f := range im.files {
		if err := f.Commit(); err != nil {
			return Summary{}, err
		}
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

// importer holds the state of one import.
type importer struct {
	opt   *Options
	check func() error
	sum   Summary
	pages *pages
	files []*atomicfile.File
}

func (im *importer) run() error {
	if im.opt.Titles != "" {
		if err := im.read([]string{im.opt.Titles}, im.pages.readFilter); err != nil {
			return err
		}
	}
	l := &links{
		opt: im.opt, pages: im.pages, sum: &im.sum,
		articleTargets: map[uint64]uint32{}, categoryTargets: map[uint64]uint32{}, linked: map[uint32]struct{}{},
	}
	tables := []*sqlTable{l.page(), l.linkTarget(), l.pageLinks(), l.categoryLinks(), l.externalLinks()}
	if err := im.probe(tables); err != nil {
		return err
	}
	if err := im.read(im.opt.Page, tables[0].read); err != nil {
		return err
	}
	if len(im.opt.XML) > 0 {
		if err := im.readHistory(); err != nil {
			return err
		}
	}
	for _, t := range tables[1:] {
		if len(t.dumps) > 0 && t.rows != nil {
			if err := im.create(t.rows, t.out, t.header); err != nil {
				return err
			}
		}
	}
	for _, t := range tables[1:] {
		if err := im.read(t.dumps, t.read); err != nil {
			return err
		}
	}
	im.sum.Hyperlinks, im.sum.Categories, im.sum.External = l.hyperlinks.n, l.categories.n, l.external.n
	im.sum.Articles = im.pages.articles()
	if im.pages.only != nil {
		im.sum.MissingTitles = int64(im.pages.only.Len()) - im.sum.Articles
	}
	return nil
}

// probe checks the start of all dumps before the long work begins.
func (im *importer) probe(tables []*sqlTable) error {
	look := func(path string, read func(*source)) error {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return err // a pipe can be read only once
		}
		return readFile(path, im.check, nil, read)
	}
	for _, path := range im.opt.XML {
		if err := look(path, func(*source) {}); err != nil {
			return err
		}
	}
	for _, t := range tables {
		for _, path := range t.dumps {
			if err := look(path, func(s *source) { t.open(s) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// readHistory reads the XML dumps.
func (im *importer) readHistory() (err error) {
	h := &history{opt: im.opt, pages: im.pages, sum: &im.sum, lateTalk: newDelayed(), lateUsers: newDelayed()}
	defer func() { err = errors.Join(err, h.lateTalk.spool.Close(), h.lateUsers.spool.Close()) }()
	err = errors.Join(
		im.create(&h.edits, "article_edit.tsv", "article\tuser\ttimestamp\tminor"),
		im.create(&h.talk, "article_talk.tsv", "article\tuser\ttimestamp\tminor"),
		im.create(&h.userTalk, "user_talk.tsv", "writer\towner\ttimestamp\tminor"),
	)
	if err != nil {
		return err
	}
	err = im.read(im.opt.XML, func(s *source) {
		d := &dump{source: s, onPage: h.page, onRevision: h.revision}
		for d.skipText() {
			d.markup()
		}
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

// create starts a table.
func (im *importer) create(r *rows, name, header string) error {
	path := filepath.Join(im.opt.Out, name)
	if err := atomicfile.SameFile(path, im.opt.inputs()); err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	im.files = append(im.files, f)
	r.w = f
	_, err = io.WriteString(f, header+"\n")
	return err
}

// read reads files, one after the other.
func (im *importer) read(paths []string, read func(*source)) error {
	for _, path := range paths {
		if err := readFile(path, im.check, im.opt.Progress, read); err != nil {
			return err
		}
	}
	return nil
}
