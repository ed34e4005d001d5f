package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/terminal"
	"resolwe/format/mln"
)

// mapState is one subgraph's most probable state as map prints it with --json.
type mapState struct{ of *resolwe.MapState }

// broken is a hard formula that does not hold.
type broken struct {
	Formula    string `json:"formula"`
	Groundings int64  `json:"groundings"`
}

// appendJSON appends the object. Subgraphs have many atoms: each is printed without memory of its own.
func (m mapState) appendJSON(dst []byte) ([]byte, error) {
	r := m.of
	dst = appendText(append(dst, `{"subgraph":`...), []byte(r.Subgraph))
	dst = append(dst, `,"state":{`...)
	var name []byte
	for i, x := range r.X {
		if i > 0 {
			dst = append(dst, ',')
		}
		name = r.AppendAtom(name[:0], i)
		dst = append(appendText(dst, name), ':', digit(x))
	}
	rest := struct {
		LogWeight Number   `json:"logweight"`
		Exact     bool     `json:"exact"`
		Broken    []broken `json:"broken"`
	}{Number(r.LogWeight), r.Searched == 0, []broken{}}
	for _, b := range r.Broken {
		rest.Broken = append(rest.Broken, broken{mln.FormatFormula(b.Formula), b.Groundings})
	}
	var end bytes.Buffer
	enc := json.NewEncoder(&end)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&rest); err != nil {
		return nil, err
	}
	return append(append(dst, `},`...), bytes.TrimSpace(end.Bytes())[1:]...), nil
}

// digit prints a truth value.
func digit(x bool) byte {
	if x {
		return '1'
	}
	return '0'
}

// mapText prints a comment with the log-weight of a state and one for each hard formula that does not hold, then a line for
// each query atom: subgraph, atom and 1 or 0, separated by tabs, on a terminal in columns.
func mapText(w io.Writer, r *resolwe.MapState) error {
	how := "exact"
	if r.Searched > 0 {
		how = fmt.Sprintf("%d of %d atoms by search", r.Searched, r.Len())
	}
	if _, err := fmt.Fprintf(w, "// %s: log-weight %s, %s\n", terminal.InLine(r.Subgraph), Number(r.LogWeight), how); err != nil {
		return err
	}
	for _, b := range r.Broken {
		if _, err := fmt.Fprintf(w, "// %s: broken in %d groundings: %s.\n", terminal.InLine(r.Subgraph), b.Groundings, mln.FormatFormula(b.Formula)); err != nil {
			return err
		}
	}
	cells := make([]string, 0, 3*len(r.X))
	for i, x := range r.X {
		cells = append(cells, r.Subgraph, r.Atom(i), string(digit(x)))
	}
	return terminal.Rows(w, 3, cells, 2)
}

// MapStates prints the states that find hands over, as JSON or as text.
func MapStates(w io.Writer, asJSON bool, find func(emit func(*resolwe.MapState) error) error) error {
	if !asJSON {
		return find(func(r *resolwe.MapState) error { return mapText(w, r) })
	}
	return List(w, func(add func(any) error) error {
		return find(func(r *resolwe.MapState) error { return add(mapState{r}) })
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
