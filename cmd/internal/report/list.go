package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/mcsat"
)

// list prints the items that walk emits, one after another: as a JSON array of what object appends, with one element per line, or
// else as text. They need not be held in memory.
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

// appendAtoms appends the beginning of an object: a subgraph's name, and its atoms with their values. There are many, so each is
// printed without allocating.
func appendAtoms[V any](
	dst []byte, subgraph, key string, atom func(dst []byte, i int) []byte, values []V, value func(dst []byte, v V) []byte,
) []byte {
	dst = appendText(append(dst, `{"subgraph":`...), []byte(subgraph))
	dst = append(append(append(dst, `,"`...), key...), `":{`...)
	var name []byte
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		name = atom(name[:0], i)
		dst = value(append(appendText(dst, name), ':'), v)
	}
	return append(dst, '}')
}

// writeAtoms prints a line for each atom: subgraph, atom and value, separated by tabs, on a terminal in columns.
func writeAtoms[V any](w io.Writer, subgraph string, atom func(i int) string, values []V, text func(V) string) error {
	cells := make([]string, 0, 3*len(values))
	for i, v := range values {
		cells = append(cells, subgraph, atom(i), text(v))
	}
	return render.Rows(w, 3, cells, 2)
}

// diagnostics say how marginals were computed, in JSON. They are not an Object, because there may be very many subgraphs.
type diagnostics struct {
	Exact      int            `json:"exact"`
	Eliminated int            `json:"eliminated,omitempty"` // exact ones, on junction trees
	Sampled    int            `json:"sampled"`
	Samples    int            `json:"samples,omitempty"` // per chain
	Stopped    string         `json:"stopped,omitempty"` // samples, error or budget
	MaxRHat    *render.Number `json:"max_rhat,omitempty"`
	MinESS     *render.Number `json:"min_ess,omitempty"`
	MaxError   *render.Number `json:"max_error,omitempty"`

	Warnings []render.Object `json:"warnings,omitempty"` // why not to trust them, see docs/methods.md
}

func newDiagnostics(r *resolwe.Marginals) diagnostics {
	of := &r.Diagnostics
	out := diagnostics{Exact: of.Exact, Eliminated: of.Eliminated, Sampled: of.Sampled, Samples: of.Samples, Stopped: string(of.Stopped)}
	if of.Sampled > 0 {
		rhat, ess, deviation := render.Number(of.MaxRHat), render.Number(of.MinESS), render.Number(of.MaxError)
		out.MaxRHat, out.MinESS, out.MaxError = &rhat, &ess, &deviation
	}
	warn := func(reason string, is bool, s *mcsat.Suspects) {
		if !is {
			return
		}
		var first []string
		for _, a := range s.First {
			first = append(first, r.Atom(int(a)))
		}
		out.Warnings = append(out.Warnings, render.Object{"reason", reason, "count", render.OrNothing(s.N), "atoms", render.ListOrNothing(first)})
	}
	warn("stuck", of.Stuck.N > 0, &of.Stuck)
	warn("apart", of.Apart.N > 0, &of.Apart)
	warn("short", of.Short, &mcsat.Suspects{})
	warn("imprecise", of.Imprecise, &mcsat.Suspects{})
	return out
}

// MapStates prints the states that find emits. In text, the atoms follow a comment with the log-weight, and one for each violated
// hard formula.
func MapStates(w io.Writer, asJSON bool, find func(emit func(*resolwe.MapState) error) error) error {
	return list(w, asJSON, find, func(dst []byte, r *resolwe.MapState) ([]byte, error) {
		dst = appendAtoms(dst, r.Subgraph, "state", r.AppendAtom, r.X, func(dst []byte, x bool) []byte { return append(dst, digit(x)) })
		rest, err := render.Object{
			"logweight", r.LogWeight, "exact", r.Searched == 0, "broken", render.Objects(r.Broken, func(b *inferring.Broken) render.Object {
				return render.Object{"formula", mln.FormatFormula(b.Formula), "groundings", b.Groundings}
			}),
		}.MarshalJSON()
		rest[0] = ','
		return append(dst, rest...), err
	}, func(r *resolwe.MapState) error {
		how, name := "exact", render.InLine(r.Subgraph)
		if r.Searched > 0 {
			how = fmt.Sprintf("%d of %d atoms by search", r.Searched, r.Len())
		}
		if _, err := fmt.Fprintf(w, "// %s: log-weight %s, %s\n", name, render.Number(r.LogWeight), how); err != nil {
			return err
		}
		for _, b := range r.Broken {
			if _, err := fmt.Fprintf(w, "// %s: broken in %d groundings: %s.\n", name, b.Groundings, mln.FormatFormula(b.Formula)); err != nil {
				return err
			}
		}
		return writeAtoms(w, r.Subgraph, r.Atom, r.X, func(x bool) string { return string(digit(x)) })
	})
}

// digit prints a truth value.
func digit(x bool) byte {
	if x {
		return '1'
	}
	return '0'
}

// Counts prints the counts that count emits for the formulas of each subgraph.
func Counts(w io.Writer, asJSON bool, m *resolwe.Model, count func(emit func(string, []resolwe.Count) error) error) error {
	type counts struct {
		Subgraph string          `json:"subgraph"`
		Counts   []resolwe.Count `json:"counts"`
	}
	formulas := Texts(m.Formulas)
	walk := func(emit func(counts) error) error {
		return count(func(name string, of []resolwe.Count) error { return emit(counts{name, of}) })
	}
	return list(w, asJSON, walk, func(dst []byte, c counts) ([]byte, error) {
		return appendJSON(dst, counts{c.Subgraph, append([]resolwe.Count{}, c.Counts...)})
	}, func(c counts) error {
		cells := make([]string, 0, 3*len(c.Counts))
		for i, n := range c.Counts {
			cells = append(cells, c.Subgraph, n.String(), formulas[i])
		}
		return render.Rows(w, 3, cells, 1)
	})
}

// BrokenError says in how many subgraphs hard formulas are violated.
type BrokenError struct {
	Subgraphs int    `json:"subgraphs"`
	First     string `json:"first"` // first such subgraph
}

// Error names the first subgraph.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("hard formulas are violated in %s, first in %s", printable.Count(e.Subgraphs, "subgraph"), e.First)
}

// Add includes a state.
func (e *BrokenError) Add(r *resolwe.MapState) {
	if len(r.Broken) > 0 {
		e.Merge(&BrokenError{1, strings.Clone(r.Subgraph)})
	}
}

// Merge includes the error of the subgraphs that follow.
func (e *BrokenError) Merge(o *BrokenError) {
	if e.Subgraphs == 0 {
		e.First = o.First
	}
	e.Subgraphs += o.Subgraphs
}

// Err returns the error, or nil if there is no such subgraph.
func (e *BrokenError) Err() error {
	if e.Subgraphs == 0 {
		return nil
	}
	return e
}
