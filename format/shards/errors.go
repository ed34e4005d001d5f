package shards

import (
	"errors"
	"fmt"
	"strings"

	"resolwe/format/subgraph"
)

// What a file may be that is no manifest of this version.
var (
	ErrFormat  = errors.New("not a manifest of the format " + Format)
	ErrVersion = errors.New("a manifest that another version of this program wrote: this one reads the format " + Format)
)

// Error says that a manifest is not sound, or that a shard is not the file that it describes. It matches
// subgraph.ErrCorrupt.
type Error struct {
	Path string // of the manifest, empty where it is not known
	File string // of the shard, empty where the whole manifest is at fault
	Err  error
}

// Error names the manifest and the shard.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.File != "" {
		fmt.Fprintf(&b, "shard %.200q: ", e.File)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether the error is damage.
func (e *Error) Is(target error) bool { return target == subgraph.ErrCorrupt }

// TooManyError says that a stream has fewer subgraphs than it is to have shards.
type TooManyError struct{ Shards, Subgraphs int }

// Error gives both numbers.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d shards of %d subgraphs: each shard takes one at least", e.Shards, e.Subgraphs)
}

// IsUsage says that a person has to ask for fewer.
func (e *TooManyError) IsUsage() bool { return true }
