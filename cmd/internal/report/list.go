package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/format/mln"
	"resolwe/kernels/mcsat"
)

// list prints what walk hands over, one after the other: as an array of what object appends, an element a line, else as text.
// It need not be held in memory.
func list[T any](
	w io.Writer, asJSON bool, walk func(emit func(T) error) error, object func(dst []byte, v T) ([]byte, error), text func(T) error,
) error {
	if !asJSON {
		return walk(text)
	}
	lead := "[\n "
	var line []byte
	err := walk(func(v T) (err error) {
		if line, err = object(append(line[:0], lead...), v); err != nil {
			return err
		}
		lead = ",\n "
		_, err = w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	end := "\n]\n"
	if lead[0] == '[' {
		end = "[]\n"
	}
	_, err = io.WriteString(w, end)
	return err
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(dst, b...), err
}

// appendText appends text as a JSON string.
func appendText(dst, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			b, _ := json.Marshal(string(text)) //nolint:errchkjson // text always has a JSON form
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// atoms are query atoms of a subgraph, whose values are printed. There are many: each is printed without memory of its own.
type atoms interface {
	AppendAtom(dst []byte, i int) []byte
	Atom(i int) string
}

// appendAtoms appends an object of a subgraph's name and so many atoms with their values, which is not ended.
func appendAtoms(dst []byte, subgraph, key string, of atoms, n int, value func(dst []byte, i int) []byte) []byte {
	dst = appendText(append(dst, `{"subgraph":`...), []byte(subgraph))
	dst = append(append(append(dst, `,"`...), key...), `":{`...)
	var name []byte
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		name = of.AppendAtom(name[:0], i)
		dst = value(append(appendText(dst, name), ':'), i)
	}
	return append(dst, '}')
}

// writeAtoms prints a line for each atom: subgraph, atom and value, separated by tabs, on a terminal in columns.
func writeAtoms(w io.Writer, subgraph string, of atoms, n int, value func(i int) string) error {
	cells := make([]string, 0, 3*n)
	for i := range n {
		cells = append(cells, subgraph, of.Atom(i), value(i))
	}
	return console.Rows(w, 3, cells, 2)
}

// Marginals prints the marginals that infer hands over: subgraph by subgraph the probabilities in the order of the atoms, in JSON
// with the diagnostics.
func Marginals(w io.Writer, asJSON bool, infer func(emit func(*resolwe.Marginals) error) error) error {
	return list(w, asJSON, infer, func(dst []byte, r *resolwe.Marginals) ([]byte, error) {
		dst = appendAtoms(dst, r.Subgraph, "marginals", r, len(r.P), func(dst []byte, i int) []byte { return Number(r.P[i]).appendJSON(dst) })
		dst, err := appendJSON(append(dst, `,"diagnostics":`...), diagnostics(r))
		return append(dst, '}'), err
	}, func(r *resolwe.Marginals) error {
		return writeAtoms(w, r.Subgraph, r, len(r.P), func(i int) string { return strconv.FormatFloat(r.P[i], 'f', 6, 64) })
	})
}

// diagnostics say how marginals were computed, and why not to trust them; docs/methods.md has the reasons.
func diagnostics(r *resolwe.Marginals) Object {
	of := &r.Diagnostics
	out := Object{
		"exact", of.Exact, "eliminated", OrNothing(of.Eliminated), "sampled", of.Sampled, "samples", OrNothing(of.Samples),
		"stopped", OrNothing(string(of.Stopped)),
	}
	if of.Sampled > 0 {
		out = append(out, "max_rhat", of.MaxRHat, "min_ess", of.MinESS, "max_error", of.MaxError)
	}
	var warnings []Object
	warn := func(reason string, is bool, s *mcsat.Suspects) {
		if !is {
			return
		}
		var first []string
		for _, a := range s.First {
			first = append(first, r.Atom(int(a)))
		}
		warnings = append(warnings, Object{"reason", reason, "count", OrNothing(s.N), "atoms", ListOrNothing(first)})
	}
	warn("stuck", of.Stuck.N > 0, &of.Stuck)
	warn("apart", of.Apart.N > 0, &of.Apart)
	warn("short", of.Short, &mcsat.Suspects{})
	warn("imprecise", of.Imprecise, &mcsat.Suspects{})
	return append(out, "warnings", ListOrNothing(warnings))
}

// MapStates prints the states that find hands over. As text, the atoms stand behind a comment with the log-weight, and one for each
// hard formula that does not hold.
func MapStates(w io.Writer, asJSON bool, find func(emit func(*resolwe.MapState) error) error) error {
	return list(w, asJSON, find, func(dst []byte, r *resolwe.MapState) ([]byte, error) {
		dst = appendAtoms(dst, r.Subgraph, "state", r, len(r.X), func(dst []byte, i int) []byte { return append(dst, digit(r.X[i])) })
		rest, err := Object{
			"logweight", r.LogWeight, "exact", r.Searched == 0, "broken", Objects(r.Broken, func(b *resolwe.Broken) Object {
				return Object{"formula", mln.FormatFormula(b.Formula), "groundings", b.Groundings}
			}),
		}.MarshalJSON()
		rest[0] = ','
		return append(dst, rest...), err
	}, func(r *resolwe.MapState) error {
		how, name := "exact", console.InLine(r.Subgraph)
		if r.Searched > 0 {
			how = fmt.Sprintf("%d of %d atoms by search", r.Searched, r.Len())
		}
		if _, err := fmt.Fprintf(w, "// %s: log-weight %s, %s\n", name, Number(r.LogWeight), how); err != nil {
			return err
		}
		for _, b := range r.Broken {
			if _, err := fmt.Fprintf(w, "// %s: broken in %d groundings: %s.\n", name, b.Groundings, mln.FormatFormula(b.Formula)); err != nil {
				return err
			}
		}
		return writeAtoms(w, r.Subgraph, r, len(r.X), func(i int) string { return string(digit(r.X[i])) })
	})
}

// digit prints a truth value.
func digit(x bool) byte {
	if x {
		return '1'
	}
	return '0'
}

// Counts prints the counts of the formulas of a subgraph that count hands over.
func Counts(w io.Writer, asJSON bool, m *resolwe.Model, count func(emit func(string, []resolwe.Count) error) error) error {
	type counts struct {
		subgraph string
		of       []resolwe.Count
	}
	formulas := Texts(m.Formulas)
	walk := func(emit func(counts) error) error {
		return count(func(name string, of []resolwe.Count) error { return emit(counts{name, of}) })
	}
	return list(w, asJSON, walk, func(dst []byte, c counts) ([]byte, error) {
		return appendJSON(dst, Object{"subgraph", c.subgraph, "counts", append([]resolwe.Count{}, c.of...)})
	}, func(c counts) error {
		cells := make([]string, 0, 3*len(c.of))
		for i, n := range c.of {
			cells = append(cells, c.subgraph, n.String(), formulas[i])
		}
		return console.Rows(w, 3, cells, 1)
	})
}

// BrokenError says in how many subgraphs hard formulas do not hold.
type BrokenError struct {
	Subgraphs int    `json:"subgraphs"`
	First     string `json:"first"` // of them
}

// Error names the first subgraph.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("hard formulas are broken in %d subgraphs, the first is %s", e.Subgraphs, e.First)
}

// Add takes in a state.
func (e *BrokenError) Add(r *resolwe.MapState) {
	if len(r.Broken) > 0 {
		e.Merge(&BrokenError{1, strings.Clone(r.Subgraph)})
	}
}

// Merge takes in what is known of other subgraphs, which follow.
func (e *BrokenError) Merge(o *BrokenError) {
	if e.Subgraphs == 0 {
		e.First = o.First
	}
	e.Subgraphs += o.Subgraphs
}

// Err returns the error, nil where there is no such subgraph.
func (e *BrokenError) Err() error {
	if e.Subgraphs == 0 {
		return nil
	}
	return e
}
