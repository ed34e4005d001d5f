package mediawiki

import (
	"fmt"
	"io"
)

// ReadXML returns the heads of the pages and the revisions of a dump, each as a line.
func ReadXML(r io.Reader) (lines []string, err error) {
	d := &dump{
		source: newSource(r, "f.xml", unstopped, nil),
		onPage: func(p *page) {
			lines = append(lines, fmt.Sprintf("page %q %d %d %v %q", p.title, p.space, p.id, p.redirect != nil, p.redirect))
		},
		onRevision: func(r *revision) error {
			lines = append(lines, fmt.Sprintf("revision %s %q %v %v %v", r.timestamp, r.user, r.anonymous, r.minor, r.suppressed))
			return nil
		},
	}
	err = reading(func() {
		for d.skipText() {
			d.markup()
		}
	})
	return lines, err
}

// ReadSQL returns the columns of a table of a dump.
func ReadSQL(r io.Reader, table string, columns ...string) (rows [][]string, err error) {
	t := &sqlTable{
		name: table, columns: columns,
		row: func(q *sqlScanner) error {
			row := make([]string, len(columns))
			for i, v := range q.values {
				row[i] = string(v)
			}
			rows = append(rows, row)
			return nil
		},
	}
	for i := range columns {
		t.needs = append(t.needs, []int{i})
	}
	err = reading(func() { t.read(newSource(r, "f.sql", unstopped, nil)) })
	return rows, err
}

func unstopped() error { return nil }

// Domain returns the host of a URL, "" where it has none.
func Domain(url string) string {
	host, _ := domainOf([]byte(url))
	return string(host)
}

// URL returns what externallinks has as an index and a path.
func URL(index, path string) string { return string(appendURL(nil, []byte(index), []byte(path))) }
