// Package checkpoint is what checkpoints of all stages begin with: which stage wrote it, and what its result depends on.
package checkpoint

import (
	"fmt"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/internal/wire"
)

// Error says that a run cannot continue from a checkpoint.
type Error struct {
	Reason  string
	Damaged bool // it is no checkpoint, or not as it was written; else it is of another run
}

// Error gives the reason.
func (e *Error) Error() string { return "checkpoint: " + e.Reason }

// Is makes a damaged checkpoint match subgraph.ErrCorrupt.
func (e *Error) Is(target error) bool { return e.Damaged && target == subgraph.ErrCorrupt }

// IsUsage reports whether the checkpoint was given to another run than its own.
func (e *Error) IsUsage() bool { return !e.Damaged }

// ErrDamaged is the error of a checkpoint that no run writes.
var ErrDamaged = &Error{Reason: "damaged", Damaged: true}

// Differs is the error of a checkpoint that differs from the run in something.
func Differs(what string) error {
	return &Error{Reason: "it belongs to a run that differs in " + what}
}

// Property is something that a run's result depends on: by a name that checkpoints keep, and what errors call it.
type Property struct{ Name, Value, Field string }

// Depends returns the property of a value. Where errors call it by its name field is "".
func Depends(name string, value any, field string) Property {
	return Property{name, fmt.Sprint(value), field}
}

// Form is a kind of checkpoint: package wire writes it behind a magic number, a version, and the properties of the run.
type Form struct{ Magic, Version, Stage string }

// New begins a checkpoint of a run.
func (f Form) New(run []Property) *wire.Writer {
	w := wire.NewWriter(f.Magic + f.Version)
	w.Int(len(run))
	for _, p := range run {
		w.String(p.Name)
		w.String(p.Value)
	}
	return w
}

// Open begins to read any bytes as a checkpoint of a run with those properties. The error is an *Error.
func (f Form) Open(data []byte, run []Property) (*wire.Reader, error) {
	r, found, err := f.Read(data)
	if err != nil {
		return nil, err
	}
	if len(found) != len(run) {
		return nil, ErrDamaged
	}
	for i, p := range run {
		switch {
		case found[i].Name != p.Name:
			return nil, ErrDamaged
		case found[i].Value != p.Value && p.Field != "":
			return nil, Differs(p.Field)
		case found[i].Value != p.Value:
			return nil, Differs(p.Name)
		}
	}
	return r, nil
}

// Read is Open for a checkpoint of any run, whose properties it returns, but for their fields.
func (f Form) Read(data []byte) (*wire.Reader, []Property, error) {
	text, ok := strings.CutPrefix(string(data[:min(len(data), len(f.Magic+f.Version))]), f.Magic)
	switch {
	case !ok || len(text) < len(f.Version):
		return nil, nil, &Error{Reason: "this is none of " + f.Stage, Damaged: true}
	case text != f.Version:
		return nil, nil, &Error{Reason: "another version of this program wrote it: go on with that, or begin anew", Damaged: true}
	}
	r := wire.NewReader(data, f.Magic+f.Version)
	return r, wire.List(r, 16, func() Property { return Property{Name: r.String(), Value: r.String()} }), nil
}
