package mediawiki

import "resolwe/format/table"

// The namespaces as numbered in SQL dumps.
const (
	articleSpaceText  = "0"
	categorySpaceText = "14"
)

// links turns SQL dumps of links into rows, given the pages.
type links struct {
	opt   *Options
	pages *pages
	sum   *Summary

	hyperlinks, categories, external rows

	articleTargets  map[uint64]uint32 // by lt_id: title of the linked article
	categoryTargets map[uint64]uint32 // by lt_id: index in categoryNames
	categoryNames   table.Dict

	origin uint32              // the article whose links are being read
	linked map[uint32]struct{} // the articles that it links to so far
	url    []byte              // scratch
}

// page returns the table that says which pages are articles.
func (l *links) page() *sqlTable {
	const id, space, title, redirect = 0, 1, 2, 3
	return &sqlTable{
		name:    "page",
		dumps:   l.opt.Page,
		columns: []string{"page_id", "page_namespace", "page_title", "page_is_redirect"},
		needs:   [][]int{{id}, {space}, {title}, {redirect}},
		row: func(q *sqlScanner) error {
			if !q.is(space, articleSpaceText) {
				return nil
			}
			n, name := q.number(id), titleOf(q.values[title])
			if q.is(redirect, "1") {
				l.pages.addRedirect(name, nil)
			} else {
				l.pages.addArticle(n, name)
			}
			return nil
		},
	}
}

// linkTarget returns the table of titles to which other tables refer by number.
func (l *links) linkTarget() *sqlTable {
	const id, space, title = 0, 1, 2
	return &sqlTable{
		name:    "linktarget",
		dumps:   l.opt.LinkTarget,
		columns: []string{"lt_id", "lt_namespace", "lt_title"},
		needs:   [][]int{{id}, {space}, {title}},
		row: func(q *sqlScanner) error {
			n := q.number(id)
			switch {
			case len(l.opt.PageLinks) > 0 && q.is(space, articleSpaceText):
				if t, ok := l.pages.linked(titleOf(q.values[title])); ok {
					l.articleTargets[n] = t
				}
			case len(l.opt.CategoryLinks) > 0 && q.is(space, categorySpaceText):
				l.categoryTargets[n] = l.categoryNames.Intern(titleOf(q.values[title]))
			}
			return nil
		},
	}
}

// pageLinks returns the table of links between pages, given by titles or, in the later schema, by numbers of linktarget.
func (l *links) pageLinks() *sqlTable {
	const from, space, title, target = 0, 1, 2, 3
	return &sqlTable{
		name:    "pagelinks",
		dumps:   l.opt.PageLinks,
		columns: []string{"pl_from", "pl_namespace", "pl_title", "pl_target_id"},
		needs:   [][]int{{title, target}, {space, target}, {from}},
		check:   func(q *sqlScanner) error { return l.checkTargets(q, title) },
		row: l.ofArticle(from, func(q *sqlScanner, origin uint32) error {
			t, ok := uint32(0), false
			if !q.has(title) {
				t, ok = l.articleTargets[q.number(target)]
			} else if q.is(space, articleSpaceText) {
				t, ok = l.pages.linked(titleOf(q.values[title]))
			}
			if !ok {
				return nil
			}
			return l.hyperlink(origin, t)
		}),
		rows: &l.hyperlinks, out: "hyperlink.tsv", header: "from\tto",
	}
}

// hyperlink writes a link between articles, once even if several links lead to the same article through redirects.
func (l *links) hyperlink(origin, target uint32) error {
	if origin != l.origin {
		l.origin = origin
		clear(l.linked)
	}
	if _, repeated := l.linked[target]; repeated || target == origin {
		return nil
	}
	l.linked[target] = struct{}{}
	return l.hyperlinks.write(l.title(origin), l.title(target))
}

// categoryLinks returns the table of page categories, given by titles or, in the later schema, by numbers of linktarget.
func (l *links) categoryLinks() *sqlTable {
	const from, title, target = 0, 1, 2
	return &sqlTable{
		name:    "categorylinks",
		dumps:   l.opt.CategoryLinks,
		columns: []string{"cl_from", "cl_to", "cl_target_id"},
		needs:   [][]int{{title, target}, {from}},
		check:   func(q *sqlScanner) error { return l.checkTargets(q, title) },
		row: l.ofArticle(from, func(q *sqlScanner, origin uint32) error {
			name := titleOf(q.values[title])
			if !q.has(title) {
				if c, ok := l.categoryTargets[q.number(target)]; ok {
					name = []byte(l.categoryNames.Name(c))
				}
			}
			if len(name) == 0 {
				return nil
			}
			return l.categories.write(l.title(origin), name)
		}),
		rows: &l.categories, out: "category.tsv", header: "article\tcategory",
	}
}

// externalLinks returns the table of links out of the wiki, given by URLs or, in the later schema, by a domain index and a path.
func (l *links) externalLinks() *sqlTable {
	const from, to, index, path = 0, 1, 2, 3
	return &sqlTable{
		name:    "externallinks",
		dumps:   l.opt.ExternalLinks,
		columns: []string{"el_from", "el_to", "el_to_domain_index", "el_to_path"},
		needs:   [][]int{{to, index}, {from}},
		row: l.ofArticle(from, func(q *sqlScanner, origin uint32) error {
			if l.url = append(l.url[:0], q.values[to]...); !q.has(to) {
				l.url = appendURL(l.url, q.values[index], q.values[path])
			}
			url := clean(l.url)
			domain, ok := domainOf(url)
			if !ok {
				l.sum.WithoutDomain++
				return nil
			}
			return l.external.write(l.title(origin), domain, url)
		}),
		rows: &l.external, out: "external.tsv", header: "article\tdomain\turl",
	}
}

// checkTargets returns an error that asks for a dump of linktarget if a table has no titles.
func (l *links) checkTargets(q *sqlScanner, title int) error {
	if q.has(title) || len(l.opt.LinkTarget) > 0 {
		return nil
	}
	return &OptionError{q.path + " has its targets in the table linktarget: give a dump of that table too"}
}

// ofArticle calls row for the rows whose column from is the page number of an article, with that article.
func (l *links) ofArticle(from int, row func(q *sqlScanner, origin uint32) error) func(*sqlScanner) error {
	return func(q *sqlScanner) error {
		if origin, ok := l.pages.ids[q.number(from)]; ok && l.pages.kinds[origin] == article {
			return row(q, origin)
		}
		return nil
	}
}

func (l *links) title(id uint32) []byte { return []byte(l.pages.titles.Name(id)) }
