package report

import (
	"encoding/json"
	"fmt"
	"io"

	"resolwe"
)

// Marginals is one subgraph's marginals as infer prints them with --json, in the order of the atoms.
type Marginals struct {
	Subgraph    string          `json:"subgraph"`
	Marginals   json.RawMessage `json:"marginals"`
	Diagnostics Diagnostics     `json:"diagnostics"`
}

// Diagnostics say how marginals were computed.
type Diagnostics struct {
	Exact    int     `json:"exact"`
	Sampled  int     `json:"sampled"`
	Samples  int     `json:"samples,omitempty"` // of each chain
	Stopped  string  `json:"stopped,omitempty"` // samples, error or budget
	MaxRHat  *Number `json:"max_rhat,omitempty"`
	MinESS   *Number `json:"min_ess,omitempty"`
	MaxError *Number `json:"max_error,omitempty"`
}

// NewMarginals returns what is printed of marginals.
func NewMarginals(r *resolwe.Marginals) Marginals {
	b := []byte{'{'}
	for i, p := range r.P {
		if i > 0 {
			b = append(b, ", "...)
		}
		name, _ := json.Marshal(r.Atom(i)) //nolint:errchkjson // text always has a JSON form
		value, _ := Number(p).MarshalJSON()
		b = append(append(append(b, name...), ": "...), value...)
	}
	d := Diagnostics{
		Exact: r.Diagnostics.Exact, Sampled: r.Diagnostics.Sampled, Samples: r.Diagnostics.Samples,
		Stopped: r.Diagnostics.Stopped.String(),
	}
	if d.Sampled > 0 {
		d.MaxRHat, d.MinESS = defined(r.Diagnostics.MaxRHat), defined(r.Diagnostics.MinESS)
		d.MaxError = defined(r.Diagnostics.MaxError)
	}
	return Marginals{r.Subgraph, append(b, '}'), d}
}

// defined returns a number for JSON, null where it is undefined.
func defined(v float64) *Number {
	n := Number(v)
	return &n
}

// MarginalsText prints a line for each query atom: subgraph, atom and probability, separated by tabs.
func MarginalsText(w io.Writer, r *resolwe.Marginals) error {
	for i, p := range r.P {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%.6f\n", r.Subgraph, r.Atom(i), p); err != nil {
			return err
		}
	}
	return nil
}
