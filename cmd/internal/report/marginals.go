package report

import (
	"cmp"
	"io"
	"slices"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/format/tablewrite"
	"resolwe/internal/render"
)

// Choice says which marginals to print, and in what order. The zero value means all, in the order of the stream.
type Choice struct {
	Unknown bool // only those of atoms whose truth the data do not give
	Sorted  bool // by falling probability, of equal ones in the order of the stream; all are held in memory
}

// marginal is a query atom with its probability.
type marginal struct {
	subgraph, atom string
	args           []string
	p, deviation   float64
	truth          subgraph.Truth
}

// places returns which of a subgraph's atoms to print.
func (c Choice) places(r *resolwe.Marginals) []int {
	out := make([]int, 0, len(r.P))
	for i := range r.P {
		if !c.Unknown || r.Truth(i) == subgraph.Unknown {
			out = append(out, i)
		}
	}
	return out
}

// walk emits the chosen atoms of the marginals that infer emits: of one subgraph after another, or all at once if they are sorted.
func (c Choice) walk(infer func(emit func(*resolwe.Marginals) error) error, emit func([]marginal) error) error {
	var list []marginal
	err := infer(func(r *resolwe.Marginals) error {
		for _, i := range c.places(r) {
			m := marginal{subgraph: r.Subgraph, atom: r.Atom(i), p: r.P[i], truth: r.Truth(i)}
			if _, m.args = r.Args(i); r.Errors != nil {
				m.deviation = r.Errors[i]
			}
			list = append(list, m)
		}
		if c.Sorted {
			return nil
		}
		defer func() { list = list[:0] }()
		return emit(list)
	})
	if err != nil || !c.Sorted {
		return err
	}
	slices.SortStableFunc(list, func(a, b marginal) int { return cmp.Compare(b.p, a.p) })
	return emit(list)
}

// Marginals prints the chosen marginals that infer emits: as text, a line for each atom; as JSON, which is never sorted, an object for each
// subgraph, with the diagnostics.
func Marginals(w io.Writer, asJSON bool, c Choice, infer func(emit func(*resolwe.Marginals) error) error) error {
	if !asJSON {
		return c.walk(infer, func(list []marginal) error {
			cells := make([]string, 0, 3*len(list))
			for i := range list {
				cells = append(cells, list[i].subgraph, list[i].atom, decimal(list[i].p))
			}
			return render.Rows(w, 3, cells, 2)
		})
	}
	return list(w, true, infer, func(dst []byte, r *resolwe.Marginals) ([]byte, error) {
		places := c.places(r)
		atom := func(dst []byte, i int) []byte { return r.AppendAtom(dst, places[i]) }
		dst = appendAtoms(dst, r.Subgraph, "marginals", atom, places, func(dst []byte, i int) []byte { return render.Number(r.P[i]).AppendJSON(dst) })
		dst, err := appendJSON(append(dst, `,"diagnostics":`...), newDiagnostics(r))
		return append(dst, '}'), err
	}, nil)
}

// PredictionTable writes what the systems of a cross-validation predict for each query atom of known truth, in the order in which walk,
// [crossval.Result.Predictions], emits them.
func PredictionTable(
	w io.Writer, format tablewrite.Format, m *resolwe.Model, cv *crossval.Result,
	walk func(emit func(*resolwe.Marginals, crossval.Tested, [][]float64) error) error,
) error {
	before := []tablewrite.Column{{Name: "subgraph", Kind: tablewrite.Text}, {Name: "atom", Kind: tablewrite.Text}}
	after := append(make([]tablewrite.Column, 0, 3+len(cv.Systems)),
		tablewrite.Column{Name: "time", Kind: tablewrite.Text}, tablewrite.Column{Name: "fold", Kind: tablewrite.Whole}, tablewrite.Column{Name: "truth", Kind: tablewrite.Truth})
	for _, s := range cv.Systems {
		after = append(after, tablewrite.Column{Name: s.Name, Kind: tablewrite.Real})
	}
	return atomTable(w, format, m.Schema, before, after, func(row atomRow) error {
		said := make([]tablewrite.Cell, 0, len(after))
		return walk(func(of *resolwe.Marginals, tested crossval.Tested, p [][]float64) error {
			for i, next := 0, 0; i < len(of.P); i++ {
				if !of.Predicted(i) {
					continue
				}
				said = append(said[:0], tablewrite.Cell{}, tablewrite.WholeCell(int64(tested.In)+1), truthCell(of.Truth(i)))
				if tested.Time.Known {
					said[0] = tablewrite.TextCell(tested.Time.String())
				}
				for _, system := range p {
					said = append(said, tablewrite.RealCell(system[next]))
				}
				next++
				_, names := of.Args(i)
				if err := row([]tablewrite.Cell{tablewrite.TextCell(of.Subgraph), tablewrite.TextCell(of.Atom(i))}, names, said); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// MarginalTable writes the chosen marginals that infer emits, with a row for each query atom.
func MarginalTable(
	w io.Writer, format tablewrite.Format, m *resolwe.Model, c Choice, infer func(emit func(*resolwe.Marginals) error) error,
) error {
	before := []tablewrite.Column{{Name: "subgraph", Kind: tablewrite.Text}, {Name: "atom", Kind: tablewrite.Text}}
	after := []tablewrite.Column{
		{Name: "probability", Kind: tablewrite.Real}, {Name: "truth", Kind: tablewrite.Truth}, {Name: "error", Kind: tablewrite.Real},
	}
	return atomTable(w, format, m.Schema, before, after, func(row atomRow) error {
		return c.walk(infer, func(list []marginal) error {
			for i := range list {
				a := &list[i]
				what := [...]tablewrite.Cell{tablewrite.TextCell(a.subgraph), tablewrite.TextCell(a.atom)}
				said := [...]tablewrite.Cell{tablewrite.RealCell(a.p), truthCell(a.truth), tablewrite.RealCell(a.deviation)}
				if err := row(what[:], a.args, said[:]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
