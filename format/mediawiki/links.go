package mediawiki

import "resolwe/format/table"

// The namespaces as SQL dumps have them.
const (
	articleSpaceText  = "0"
	categorySpaceText = "14"
)

// links makes rows of the SQL dumps, for whose links the pages must be known.
type links struct {
	pages   *pages
	sum     *Summary
	targets bool // there is a dump of linktarget

	hyperlinks, categories, external *rows // nil where the table is not made

	articleTargets  map[uint64]uint32 // by lt_id: title of the article to which a link leads
	categoryTargets map[uint64]uint32 // by lt_id: id in categoryNames
	categoryNames   table.Dict

	origin uint32              // the article whose hyperlinks come
	linked map[uint32]struct{} // the articles to which it has some
	url    []byte              // scratch
}

func newLinks(p *pages, sum *Summary, targets bool) *links {
	return &links{
		pages: p, sum: sum, targets: targets,
		articleTargets: map[uint64]uint32{}, categoryTargets: map[uint64]uint32{}, linked: map[uint32]struct{}{},
	}
}

// page reads what the articles are.
func (l *links) page() *sqlTable {
	const id, space, title, redirect = 0, 1, 2, 3
	return &sqlTable{
		name:    "page",
		columns: []string{"page_id", "page_namespace", "page_title", "page_is_redirect"},
		check:   func(q *sqlScanner) error { return q.require(id, space, title, redirect) },
		row: func(q *sqlScanner) error {
			if !q.is(space, articleSpaceText) {
				return nil
			}
			n, err := q.number(id)
			if err != nil {
				return err
			}
			name := titleOf(q.values[title])
			if q.is(redirect, "1") {
				l.pages.addRedirect(name, nil)
			} else {
				l.pages.addArticle(n, name)
			}
			return nil
		},
	}
}

// linkTarget reads the titles that other tables have by their numbers.
func (l *links) linkTarget() *sqlTable {
	const id, space, title = 0, 1, 2
	return &sqlTable{
		name:    "linktarget",
		columns: []string{"lt_id", "lt_namespace", "lt_title"},
		check:   func(q *sqlScanner) error { return q.require(id, space, title) },
		row: func(q *sqlScanner) error {
			n, err := q.number(id)
			if err != nil {
				return err
			}
			switch {
			case l.hyperlinks != nil && q.is(space, articleSpaceText):
				if t, ok := l.pages.linked(titleOf(q.values[title])); ok {
					l.articleTargets[n] = t
				}
			case l.categories != nil && q.is(space, categorySpaceText):
				l.categoryTargets[n] = l.categoryNames.Intern(titleOf(q.values[title]))
			}
			return nil
		},
	}
}

// pageLinks reads the links between pages, with titles or, in the later schema, with numbers of linktarget.
func (l *links) pageLinks() *sqlTable {
	const from, space, title, target = 0, 1, 2, 3
	return &sqlTable{
		name:    "pagelinks",
		columns: []string{"pl_from", "pl_namespace", "pl_title", "pl_target_id"},
		check: func(q *sqlScanner) error {
			if q.has(space) && q.has(title) {
				return q.require(from)
			}
			return l.requireTarget(q, from, title, target)
		},
		row: l.ofArticle(from, func(q *sqlScanner, origin uint32) error {
			if q.has(title) {
				if !q.is(space, articleSpaceText) {
					return nil
				}
				if t, ok := l.pages.linked(titleOf(q.values[title])); ok {
					return l.hyperlink(origin, t)
				}
				return nil
			}
			n, err := q.number(target)
			if t, ok := l.articleTargets[n]; ok && err == nil {
				return l.hyperlink(origin, t)
			}
			return err
		}),
	}
}

// hyperlink writes a link between articles, once where redirects lead to the same.
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

// categoryLinks reads the categories of pages, with titles or, in the later schema, with numbers of linktarget.
func (l *links) categoryLinks() *sqlTable {
	const from, title, target = 0, 1, 2
	return &sqlTable{
		name:    "categorylinks",
		columns: []string{"cl_from", "cl_to", "cl_target_id"},
		check: func(q *sqlScanner) error {
			if q.has(title) {
				return q.require(from)
			}
			return l.requireTarget(q, from, title, target)
		},
		row: l.ofArticle(from, func(q *sqlScanner, origin uint32) error {
			if q.has(title) {
				return l.category(origin, titleOf(q.values[title]))
			}
			n, err := q.number(target)
			if c, ok := l.categoryTargets[n]; ok && err == nil {
				return l.category(origin, []byte(l.categoryNames.Name(c)))
			}
			return err
		}),
	}
}

func (l *links) category(origin uint32, name []byte) error {
	if len(name) == 0 {
		return nil
	}
	return l.categories.write(l.title(origin), name)
}

// externalLinks reads the links out of the wiki, with URLs or, in the later schema, with a domain's index and a path.
func (l *links) externalLinks() *sqlTable {
	const from, to, index, path = 0, 1, 2, 3
	return &sqlTable{
		name:    "externallinks",
		columns: []string{"el_from", "el_to", "el_to_domain_index", "el_to_path"},
		check: func(q *sqlScanner) error {
			if !q.has(to) && !q.has(index) {
				return q.missing(to, index)
			}
			return q.require(from)
		},
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
	}
}

// requireTarget checks a table that names its targets by their numbers.
func (l *links) requireTarget(q *sqlScanner, from, title, target int) error {
	switch {
	case !q.has(target):
		return q.missing(title, target)
	case !l.targets:
		return &OptionError{q.path + " has its targets in the table linktarget: give a dump of that table too"}
	}
	return q.require(from)
}

// ofArticle hands the rows whose column from is the number of an article's page to row, with the article.
func (l *links) ofArticle(from int, row func(q *sqlScanner, origin uint32) error) func(*sqlScanner) error {
	return func(q *sqlScanner) error {
		n, err := q.number(from)
		if origin, ok := l.pages.numbered(n); ok && err == nil {
			return row(q, origin)
		}
		return err
	}
}

func (l *links) title(id uint32) []byte { return []byte(l.pages.titles.Name(id)) }
