package report

import (
	"errors"
	"fmt"
	"io"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/tablewrite"
)

// atomRow holds the cells of a query atom: those before the arguments, the arguments, and those after.
type atomRow func(before []tablewrite.Cell, names []string, after []tablewrite.Cell) error

// atomTable writes a table with a row for each query atom that walk emits: some columns, the arguments arg1, arg2, .. of the target
// predicates, and further columns.
func atomTable(
	w io.Writer, format tablewrite.Format, schema *mln.Schema, before, after []tablewrite.Column, walk func(row atomRow) error,
) error {
	columns, arity := before, 0
	for _, p := range schema.Predicates {
		for ; p.Role.IsTarget() && arity < len(p.Args); arity++ {
			columns = append(columns, tablewrite.Column{Name: fmt.Sprint("arg", arity+1), Kind: tablewrite.Text})
		}
	}
	out, err := tablewrite.NewWriter(w, format, append(columns, after...))
	if err != nil {
		return err
	}
	var cells []tablewrite.Cell
	err = walk(func(before []tablewrite.Cell, names []string, after []tablewrite.Cell) error {
		cells = append(cells[:0], before...)
		for _, name := range names {
			cells = append(cells, tablewrite.TextCell(name))
		}
		cells = append(cells, make([]tablewrite.Cell, arity-len(names))...)
		return out.Row(append(cells, after...))
	})
	return errors.Join(err, out.Close())
}

// truthCell returns the cell for an atom's truth in the data.
func truthCell(t subgraph.Truth) tablewrite.Cell {
	if t == subgraph.Unknown {
		return tablewrite.Cell{}
	}
	return tablewrite.TruthCell(t == subgraph.True)
}

// FeatureColumns returns the columns of some of a model's formulas, with their texts as titles.
func FeatureColumns(m *resolwe.Model, formulas []int) (out []tablewrite.Column) {
	seen := map[string]bool{}
	for _, i := range formulas {
		name, title := fmt.Sprint("f", i+1), mln.FormatFormula(m.Formulas[i])
		if seen[title] { // a formula may occur in the model with several weights
			title += " " + name
		}
		seen[title] = true
		out = append(out, tablewrite.Column{Name: name, Kind: tablewrite.Real, Title: title})
	}
	return out
}

// ColumnNames writes a table of columns: their names and titles.
func ColumnNames(w io.Writer, columns []tablewrite.Column) error {
	out, err := tablewrite.NewWriter(w, tablewrite.CSV, []tablewrite.Column{{Name: "column", Kind: tablewrite.Text}, {Name: "formula", Kind: tablewrite.Text}})
	for _, c := range columns {
		if err == nil {
			err = out.Row([]tablewrite.Cell{tablewrite.TextCell(c.Name), tablewrite.TextCell(c.Title)})
		}
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// FeatureTable writes the features of some of a model's formulas in columns, with a row for each query atom that walk emits.
func FeatureTable(
	w io.Writer, format tablewrite.Format, m *resolwe.Model, columns []tablewrite.Column, walk func(emit func(*resolwe.FeatureRows) error) error,
) error {
	after := append([]tablewrite.Column{{Name: "truth", Kind: tablewrite.Truth}}, columns...)
	before := []tablewrite.Column{
		{Name: "subgraph", Kind: tablewrite.Text}, {Name: "fold", Kind: tablewrite.Whole}, {Name: "predicate", Kind: tablewrite.Text},
	}
	var values []float64
	var cells []tablewrite.Cell
	return atomTable(w, format, m.Schema, before, after, func(row atomRow) error {
		return walk(func(r *resolwe.FeatureRows) error {
			fold := tablewrite.Cell{}
			if r.Fold >= 0 {
				fold = tablewrite.WholeCell(int64(r.Fold))
			}
			for i := range r.Len() {
				pred, names := r.Args(i)
				values, cells = r.Values(i, values), append(cells[:0], truthCell(r.Truth(i)))
				for _, v := range values {
					cells = append(cells, tablewrite.RealCell(v))
				}
				what := [...]tablewrite.Cell{tablewrite.TextCell(r.Subgraph), fold, tablewrite.TextCell(m.Schema.Predicates[pred].Name)}
				if err := row(what[:], names, cells); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
