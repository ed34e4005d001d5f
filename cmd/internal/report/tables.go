package report

import (
	"errors"
	"fmt"
	"io"
	"math"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/tablewrite"
)

// atomTable is a table with a row for each query atom.
type atomTable struct {
	out   *tablewrite.Writer
	arity int // the largest of a target predicate
	cells []tablewrite.Cell
}

// argumentColumns returns the columns arg1, arg2, .. of the target predicates' arguments.
func argumentColumns(schema *mln.Schema) []tablewrite.Column {
	var out []tablewrite.Column
	for _, p := range schema.Predicates {
		for i := len(out); p.Role.IsTarget() && i < len(p.Args); i++ {
			out = append(out, tablewrite.Column{Name: fmt.Sprint("arg", i+1), Kind: tablewrite.Text})
		}
	}
	return out
}

// newAtomTable begins a table of some columns, the arguments, and more columns.
func newAtomTable(w io.Writer, format tablewrite.Format, schema *mln.Schema, before, after []tablewrite.Column) (*atomTable, error) {
	args := argumentColumns(schema)
	out, err := tablewrite.NewWriter(w, format, append(append(before, args...), after...))
	return &atomTable{out: out, arity: len(args)}, err
}

// args appends the cells of the arguments.
func (t *atomTable) args(names []string) {
	for i := range t.arity {
		if i < len(names) {
			t.cells = append(t.cells, tablewrite.TextCell(names[i]))
		} else {
			t.cells = append(t.cells, tablewrite.Cell{})
		}
	}
}

// truthCell returns the cell of what the data says.
func truthCell(t subgraph.Truth) tablewrite.Cell {
	if t == subgraph.Unknown {
		return tablewrite.Cell{}
	}
	return tablewrite.TruthCell(t == subgraph.True)
}

// fill writes the rows that walk adds, and ends the table.
func (t *atomTable) fill(walk func() error) error { return errors.Join(walk(), t.out.Close()) }

// FeatureTable writes the features of some of a model's formulas, a row for each query atom that walk hands over.
func FeatureTable(
	w io.Writer, format tablewrite.Format, m *resolwe.Model, formulas []int, walk func(emit func(*resolwe.FeatureRows) error) error,
) error {
	after := append(make([]tablewrite.Column, 0, 1+len(formulas)), tablewrite.Column{Name: "truth", Kind: tablewrite.Truth})
	seen := map[string]bool{}
	for _, i := range formulas {
		name, title := fmt.Sprint("f", i+1), mln.FormatFormula(m.Formulas[i])
		if seen[title] { // a formula may stand in the model with several weights
			title += " " + name
		}
		seen[title] = true
		after = append(after, tablewrite.Column{Name: name, Kind: tablewrite.Real, Title: title})
	}
	t, err := newAtomTable(w, format, m.Schema, []tablewrite.Column{
		{Name: "subgraph", Kind: tablewrite.Text}, {Name: "fold", Kind: tablewrite.Whole}, {Name: "predicate", Kind: tablewrite.Text},
	}, after)
	if err != nil {
		return err
	}
	var values []float64
	return t.fill(func() error {
		return walk(func(r *resolwe.FeatureRows) error {
			fold := tablewrite.Cell{}
			if r.Fold >= 0 {
				fold = tablewrite.WholeCell(int64(r.Fold))
			}
			for i := range r.Len() {
				pred, names := r.Args(i)
				t.cells = append(t.cells[:0], tablewrite.TextCell(r.Subgraph), fold, tablewrite.TextCell(m.Schema.Predicates[pred].Name))
				t.args(names)
				t.cells = append(t.cells, truthCell(r.Truth(i)))
				values = r.Values(i, values)
				for _, v := range values {
					t.cells = append(t.cells, tablewrite.RealCell(v))
				}
				if err := t.out.Row(t.cells); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// MarginalTable writes marginals, a row for each query atom that walk hands over.
func MarginalTable(
	w io.Writer, format tablewrite.Format, m *resolwe.Model, walk func(emit func(*resolwe.Marginals) error) error,
) error {
	t, err := newAtomTable(w, format, m.Schema, []tablewrite.Column{
		{Name: "subgraph", Kind: tablewrite.Text}, {Name: "atom", Kind: tablewrite.Text},
	}, []tablewrite.Column{
		{Name: "probability", Kind: tablewrite.Real}, {Name: "truth", Kind: tablewrite.Truth}, {Name: "error", Kind: tablewrite.Real},
	})
	if err != nil {
		return err
	}
	return t.fill(func() error {
		return walk(func(r *resolwe.Marginals) error {
			for i, p := range r.P {
				_, names := r.Args(i)
				t.cells = append(t.cells[:0], tablewrite.TextCell(r.Subgraph), tablewrite.TextCell(r.Atom(i)))
				t.args(names)
				t.cells = append(t.cells, tablewrite.RealCell(p), truthCell(r.Truth(i)), errorCell(r, i))
				if err := t.out.Row(t.cells); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// errorCell returns the cell of an estimate's error.
func errorCell(r *resolwe.Marginals, i int) tablewrite.Cell {
	switch {
	case r.Errors == nil:
		return tablewrite.RealCell(0)
	case math.IsNaN(r.Errors[i]):
		return tablewrite.Cell{}
	}
	return tablewrite.RealCell(r.Errors[i])
}
