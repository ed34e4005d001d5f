// Package checkpoint defines the common head of checkpoints: which stage wrote it, and what the stage's result depends on.
package checkpoint

import (
	"cmp"
	"fmt"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/internal/wire"
)

// Error says that a run cannot continue from a checkpoint.
type Error struct {
	Reason  string
	Damaged bool // it is not a checkpoint or has changed; otherwise it belongs to another run
}

// Error gives the reason.
func (e *Error) Error() string { return "checkpoint: " + e.Reason }

// Is makes a damaged checkpoint match subgraph.ErrCorrupt.
func (e *Error) Is(target error) bool { return e.Damaged && target == subgraph.ErrCorrupt }

// IsUsage reports whether the checkpoint belongs to another run.
func (e *Error) IsUsage() bool { return !e.Damaged }

// ErrDamaged is the error for a checkpoint that no run could have written.
var ErrDamaged = &Error{Reason: "damaged", Damaged: true}

// Differs returns the error for a checkpoint that differs from the run in something.
func Differs(what string) error {
	return &Error{Reason: "it belongs to a run that differs in " + what}
}

// Property is something that a run's result depends on, with its name in checkpoints and the name that errors use.
type Property struct {
	Name, Value, Field string

	later bool // checkpoints of earlier versions lack it
}

// Depends returns the property for a value. If field is "", errors use name.
func Depends(name string, value any, field string) Property {
	return Property{Name: name, Value: fmt.Sprint(value), Field: field}
}

// Later returns the property, which checkpoints of earlier versions may lack: they are not compared in it.
func (p Property) Later() Property {
	p.later = true
	return p
}

// Form is a kind of checkpoint. Package wire writes it, after a magic number, a version, and the properties of the run.
type Form struct{ Magic, Version, Stage string }

// New starts writing a checkpoint of a run.
func (f Form) New(run []Property) *wire.Writer {
	w := wire.NewWriter(f.Magic + f.Version)
	w.Int(len(run))
	for _, p := range run {
		w.String(p.Name)
		w.String(p.Value)
	}
	return w
}

// Open starts reading arbitrary bytes as a checkpoint of a run with those properties. The error is an *Error.
func (f Form) Open(data []byte, run []Property) (*wire.Reader, error) {
	r, found, err := f.Read(data)
	if err != nil {
		return nil, err
	}
	for _, p := range run {
		switch {
		case len(found) == 0 || found[0].Name != p.Name:
			if !p.later {
				return nil, ErrDamaged
			}
		case found[0].Value != p.Value:
			return nil, Differs(cmp.Or(p.Field, p.Name))
		default:
			found = found[1:]
		}
	}
	if len(found) > 0 {
		return nil, ErrDamaged
	}
	return r, nil
}

// Read is Open for a checkpoint of any run. It returns the properties, without their fields.
func (f Form) Read(data []byte) (*wire.Reader, []Property, error) {
	text, ok := strings.CutPrefix(string(data[:min(len(data), len(f.Magic+f.Version))]), f.Magic)
	switch {
	case !ok || len(text) < len(f.Version):
		return nil, nil, &Error{Reason: "this is not a checkpoint of " + f.Stage, Damaged: true}
	case text != f.Version:
		return nil, nil, &Error{Reason: "another version of this program wrote it: resume with that version, or start anew", Damaged: true}
	}
	r := wire.NewReader(data, f.Magic+f.Version)
	return r, wire.List(r, 16, func() Property { return Property{Name: r.String(), Value: r.String()} }), nil
}
