package report

import (
	"io"
	"strconv"

	"resolwe"
	"resolwe/cmd/internal/terminal"
	"resolwe/kernels/mcsat"
)

// marginals is one subgraph's marginals as infer prints them with --json: an object of its name, the probabilities in the
// order of the atoms, and the diagnostics.
type marginals struct{ of *resolwe.Marginals }

// appendJSON appends the object. Subgraphs have many atoms: each is printed without memory of its own.
func (m marginals) appendJSON(dst []byte) ([]byte, error) {
	r := m.of
	dst = appendText(append(dst, `{"subgraph":`...), []byte(r.Subgraph))
	dst = append(dst, `,"marginals":{`...)
	var name []byte
	for i, p := range r.P {
		if i > 0 {
			dst = append(dst, ',')
		}
		name = r.AppendAtom(name[:0], i)
		dst = Number(p).appendJSON(append(appendText(dst, name), ':'))
	}
	dst, err := appendJSON(append(dst, `},"diagnostics":`...), newDiagnostics(r))
	return append(dst, '}'), err
}

// Diagnostics say how marginals were computed.
type Diagnostics struct {
	Exact      int     `json:"exact"`
	Eliminated int     `json:"eliminated,omitempty"` // of the exact ones, on junction trees
	Sampled    int     `json:"sampled"`
	Samples    int     `json:"samples,omitempty"` // of each chain
	Stopped    string  `json:"stopped,omitempty"` // samples, error or budget
	MaxRHat    *Number `json:"max_rhat,omitempty"`
	MinESS     *Number `json:"min_ess,omitempty"`
	MaxError   *Number `json:"max_error,omitempty"`

	Warnings []Warning `json:"warnings,omitempty"`
}

// Warning is a reason not to trust sampled marginals.
type Warning struct {
	Reason string   `json:"reason"`          // stuck, apart, short or imprecise; see docs/methods.md
	Count  int      `json:"count,omitempty"` // of atoms
	Atoms  []string `json:"atoms,omitempty"` // the first of them
}

func newDiagnostics(r *resolwe.Marginals) Diagnostics {
	of := &r.Diagnostics
	d := Diagnostics{Exact: of.Exact, Eliminated: of.Eliminated, Sampled: of.Sampled, Samples: of.Samples, Stopped: string(of.Stopped)}
	if d.Sampled > 0 {
		d.MaxRHat, d.MinESS, d.MaxError = defined(of.MaxRHat), defined(of.MinESS), defined(of.MaxError)
	}
	warn := func(reason string, s *mcsat.Suspects) {
		w := Warning{Reason: reason, Count: s.N}
		for _, a := range s.First {
			w.Atoms = append(w.Atoms, r.Atom(int(a)))
		}
		d.Warnings = append(d.Warnings, w)
	}
	if of.Stuck.N > 0 {
		warn("stuck", &of.Stuck)
	}
	if of.Apart.N > 0 {
		warn("apart", &of.Apart)
	}
	if of.Short {
		warn("short", &mcsat.Suspects{})
	}
	if of.Imprecise {
		warn("imprecise", &mcsat.Suspects{})
	}
	return d
}

// defined returns a number for JSON, null where it is undefined.
func defined(v float64) *Number {
	n := Number(v)
	return &n
}

// ListMarginals prints the marginals that infer hands over: as an array in JSON, else as text.
func ListMarginals(w io.Writer, asJSON bool, infer func(emit func(*resolwe.Marginals) error) error) error {
	if !asJSON {
		return infer(func(r *resolwe.Marginals) error { return marginalsText(w, r) })
	}
	return List(w, func(add func(any) error) error {
		return infer(func(r *resolwe.Marginals) error { return add(marginals{r}) })
	})
}

// marginalsText prints a line for each query atom: subgraph, atom and probability, separated by tabs, on a terminal in columns.
func marginalsText(w io.Writer, r *resolwe.Marginals) error {
	cells := make([]string, 0, 3*len(r.P))
	for i, p := range r.P {
		cells = append(cells, r.Subgraph, r.Atom(i), strconv.FormatFloat(p, 'f', 6, 64))
	}
	return terminal.Rows(w, 3, cells, 2)
}
