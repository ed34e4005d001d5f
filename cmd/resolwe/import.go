package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"resolwe/format/mediawiki"
)

type importCmd struct {
	Mediawiki mediawikiCmd `cmd:"" help:"Turn the dumps of a wiki into tables."`
}

func (*importCmd) Help() string {
	return `Turns data in other formats into tables for a recipe.

Example:

	resolwe import mediawiki --xml stub-meta-history.xml.gz -o tables`
}

type mediawikiCmd struct {
	XML           []string `help:"Exports with full histories (stub-meta-history, .xml, .gz, .zst or .bz2): edits and talk." name:"xml" placeholder:"FILE"`
	Page          []string `help:"SQL dumps of page: the list of articles, if there is no XML." placeholder:"FILE"`
	PageLinks     []string `help:"SQL dumps of pagelinks: links between articles." name:"pagelinks" placeholder:"FILE"`
	CategoryLinks []string `help:"SQL dumps of categorylinks." name:"categorylinks" placeholder:"FILE"`
	ExternalLinks []string `help:"SQL dumps of externallinks." name:"externallinks" placeholder:"FILE"`
	LinkTarget    []string `help:"SQL dumps of linktarget; newer dumps of links need them." name:"linktarget" placeholder:"FILE"`
	Titles        string   `help:"File with one title per line: take only these articles." placeholder:"FILE"`
	Minor         bool     `help:"Keep edits marked as minor."`
	Registered    bool     `help:"Leave out users without an account."`
	Output        string   `help:"Folder for the tables." short:"o" required:"" placeholder:"DIR"`
}

func (*mediawikiCmd) Help() string {
	return `Reads the dumps of a MediaWiki site, such as Wikipedia, once and in little memory, and writes .tsv tables for a recipe: article_edit,
article_talk, user_talk, hyperlink, category and external, as far as their dumps are given.

Example:

	resolwe import mediawiki --xml history.xml.gz --pagelinks links.sql.gz -o tables`
}

func (c *mediawikiCmd) Run(ctx context.Context, e *environment) error {
	err := e.Reads(slices.Concat(c.XML, c.Page, c.PageLinks, c.CategoryLinks, c.ExternalLinks, c.LinkTarget, []string{c.Titles})...)
	if err != nil {
		return err
	}
	if err := e.makeFolder(c.Output); err != nil {
		return err
	}
	progress := e.parts("import", "bytes")
	sum, err := mediawiki.Import(ctx, mediawiki.Options{
		XML: c.XML, Page: c.Page, PageLinks: c.PageLinks, CategoryLinks: c.CategoryLinks, ExternalLinks: c.ExternalLinks,
		LinkTarget: c.LinkTarget, Titles: c.Titles, Out: c.Output, IncludeMinor: c.Minor, RegisteredOnly: c.Registered,
		Progress: func(path string, bytes int64) {
			total := int64(-1)
			if info, err := os.Stat(path); err == nil {
				total = info.Size()
			}
			progress(path, bytes, total)
		},
	})
	if errors.Is(err, fs.ErrNotExist) {
		return usageError(err.Error())
	}
	if err != nil {
		return err
	}
	return e.results(func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		for _, row := range []struct {
			n    int64
			what string
		}{
			{sum.Articles, "articles"},
			{sum.ArticleEdits, "article edits"},
			{sum.ArticleTalk, "article talk edits"},
			{sum.UserTalk, "user talk edits"},
			{sum.Hyperlinks, "hyperlinks"},
			{sum.Categories, "categories"},
			{sum.External, "external links"},
			{sum.Redirects, "redirects, left out"},
			{sum.Minor, "minor edits, left out"},
			{sum.Unregistered, "edits without an account, left out"},
			{sum.UserDeleted + sum.Suppressed, "hidden edits, left out"},
			{sum.Orphans, "rows of no article, left out"},
			{sum.WithoutDomain, "links without a domain, left out"},
			{sum.MissingTitles, "titles not found"},
		} {
			fmt.Fprintf(t, "%d\t  %s\n", row.n, row.what)
		}
		return t.Flush()
	})
}

// makeFolder makes a folder, and missing parents. Those that are empty when the command ends are removed.
func (e *environment) makeFolder(path string) error {
	var made []string // from within
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	e.atEnd(func() {
		for _, path := range made {
			if os.Remove(path) != nil {
				return
			}
		}
	})
	if err := os.MkdirAll(path, 0o750); err != nil {
		return usageError(err.Error())
	}
	return nil
}
