package mediawiki

import (
	"errors"
	"io"
)

// sqlTable says what is read of a table of SQL dumps.
type sqlTable struct {
	name    string
	columns []string
	check   func(*sqlScanner) error // that the columns are there
	row     func(*sqlScanner) error // takes a row
}

// open reads a dump up to its first row and checks its columns.
func (t *sqlTable) open(s *source) (*sqlScanner, error) {
	q := newSQLScanner(s, t.name, t.columns...)
	if err := q.head(); err != nil {
		return nil, err
	}
	return q, t.check(q)
}

// probe checks the columns of a dump.
func (t *sqlTable) probe(s *source) error {
	_, err := t.open(s)
	return err
}

// read reads a dump to its end.
func (t *sqlTable) read(s *source) error {
	q, err := t.open(s)
	for err == nil {
		if err = q.next(); err == nil {
			err = t.row(q)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// require returns an error where the table lacks one of some columns, which are indices.
func (q *sqlScanner) require(columns ...int) error {
	for _, c := range columns {
		if !q.has(c) {
			return q.missing(c)
		}
	}
	return nil
}

// missing returns the error of a table with none of some columns.
func (q *sqlScanner) missing(columns ...int) error {
	e := &SchemaError{Path: q.path, Table: q.table, Have: q.names}
	for _, c := range columns {
		e.Columns = append(e.Columns, q.wanted[c])
	}
	return e
}
