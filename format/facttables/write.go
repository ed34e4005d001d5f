package facttables

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/tablewrite"
)

// Writer writes subgraphs as tables, from which Read makes the same ones.
type Writer struct {
	schema *mln.Schema
	tables []*tablewrite.Writer // of predicates, entities and subgraphs
	files  []io.WriteCloser
	cells  []tablewrite.Cell
	at     int64 // position of the next subgraph
}

// NewWriter begins the tables of a stream over the schema, which it keeps, as Parquet. It writes to what create returns for the name of each file.
func NewWriter(schema *mln.Schema, create func(name string) (io.WriteCloser, error)) (*Writer, error) {
	w := &Writer{schema: schema}
	for i, name := range tables(schema) {
		file, err := create(name + string(tablewrite.Parquet))
		if err != nil {
			return nil, err
		}
		w.files = append(w.files, file)
		t, err := tablewrite.NewWriter(file, tablewrite.Parquet, columns(schema, i))
		if err != nil {
			return nil, err
		}
		w.tables = append(w.tables, t)
	}
	return w, nil
}

// columns returns the columns of the table at a position.
func columns(schema *mln.Schema, at int) []tablewrite.Column {
	out := []tablewrite.Column{{Name: columnSubgraph.String(), Kind: tablewrite.Text}}
	column := func(name string, kind tablewrite.Kind) { out = append(out, tablewrite.Column{Name: name, Kind: kind}) }
	switch n := len(schema.Predicates); {
	case at < n:
		p := &schema.Predicates[at]
		for k, typ := range p.Args {
			kind := tablewrite.Text
			if schema.IsNumber(typ) {
				kind = tablewrite.Real
			}
			column(fmt.Sprint("arg", k+1), kind)
		}
		if p.Role.IsTarget() {
			column(columnTruth.String(), tablewrite.Truth)
		}
		return out
	case at == n:
		column(columnType.String(), tablewrite.Text)
		column(columnEntity.String(), tablewrite.Text)
	default:
		column(columnCenter.String(), tablewrite.Text)
		column(columnFold.String(), tablewrite.Whole)
		column(columnTime.String(), tablewrite.Text)
	}
	column(columnPosition.String(), tablewrite.Whole)
	return out
}

// Write adds a subgraph, which must have names. The error is an *[Error] where a name cannot be in a table, or one of writing.
func (w *Writer) Write(s *subgraph.Subgraph) error {
	s = s.Complete(w.schema)
	for t, d := range s.Domains {
		for i := range d.Size {
			name := d.Names.Name(uint32(i))
			if err := writable(s, "entity "+clip(name), name); err != nil {
				return err
			}
			if err := w.row(len(w.schema.Predicates), s, tablewrite.TextCell(w.schema.Types[t]), tablewrite.TextCell(name), tablewrite.WholeCell(int64(i))); err != nil {
				return err
			}
		}
	}
	for pred := range s.Relations {
		for k, t := range s.Relations[pred].Tables() {
			if err := w.facts(s, pred, subgraph.True+subgraph.Truth(k), t); err != nil {
				return err
			}
		}
	}
	return w.head(s)
}

// facts adds the facts of a predicate that have a truth.
func (w *Writer) facts(s *subgraph.Subgraph, pred int, truth subgraph.Truth, t *subgraph.Table) error {
	p := &w.schema.Predicates[pred]
	var cells []tablewrite.Cell
	for i := range t.Len() {
		cells = cells[:0]
		for k, typ := range p.Args {
			name := s.Domains[typ].Names.Name(t.Cols[k][i])
			if v, ok := mln.ParseNumber(name); ok && w.schema.IsNumber(typ) {
				cells = append(cells, tablewrite.RealCell(v))
			} else {
				cells = append(cells, tablewrite.TextCell(name))
			}
		}
		if p.Role.IsTarget() {
			cell := tablewrite.TruthCell(truth == subgraph.True)
			if truth == subgraph.Unknown {
				cell = tablewrite.Cell{}
			}
			cells = append(cells, cell)
		}
		if err := w.row(pred, s, cells...); err != nil {
			return err
		}
	}
	return nil
}

// head adds what describes a subgraph.
func (w *Writer) head(s *subgraph.Subgraph) error {
	var center, fold, at tablewrite.Cell
	if s.Center != "" {
		center = tablewrite.TextCell(s.Center)
	}
	if s.Fold >= 0 {
		fold = tablewrite.WholeCell(int64(s.Fold))
	}
	if s.Time.Known {
		at = tablewrite.TextCell(s.Time.String())
	}
	for what, name := range map[string]string{"its name": s.Name, "its center": s.Center} {
		if err := writable(s, what, name); err != nil {
			return err
		}
	}
	w.at++
	return w.row(len(w.tables)-1, s, center, fold, at, tablewrite.WholeCell(w.at-1))
}

// row adds a row about a subgraph to the table at a position.
func (w *Writer) row(table int, s *subgraph.Subgraph, cells ...tablewrite.Cell) error {
	w.cells = append(append(w.cells[:0], tablewrite.TextCell(s.Name)), cells...)
	return w.tables[table].Row(w.cells)
}

// writable returns an error for a name that tables cannot have.
func writable(s *subgraph.Subgraph, what, name string) error {
	if utf8.ValidString(name) && strings.IndexByte(name, 0) < 0 {
		return nil
	}
	return &Error{
		Pos:     mln.Position{File: "subgraph " + subgraph.Shown(s.Name)},
		Message: what + " is not UTF-8 without NUL bytes, which tables cannot have; --subgraph prints the subgraph as text",
	}
}

// Close ends the tables. They are complete only without an error.
func (w *Writer) Close() error {
	for i, t := range w.tables {
		if err := t.Close(); err != nil {
			return err
		}
		if err := w.files[i].Close(); err != nil {
			return err
		}
	}
	return nil
}
