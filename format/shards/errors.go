package shards

import (
	"errors"
	"fmt"
	"strings"

	"resolwe/format/subgraph"
)

// Files that are not a manifest of this version.
var (
	ErrFormat  = errors.New("not a manifest of the format " + Format)
	ErrVersion = errors.New("a manifest that another version of this program wrote: this one reads the format " + Format)
)

// Error reports an invalid manifest, or a shard that is not the file its manifest describes. It matches subgraph.ErrCorrupt.
type Error struct {
	Path string // of the manifest, empty if not known
	File string // of the shard, empty if the whole manifest is at fault
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

// Is makes the error match subgraph.ErrCorrupt.
func (e *Error) Is(target error) bool { return target == subgraph.ErrCorrupt }

// TooManyError says that more shards were asked for than the stream has subgraphs.
type TooManyError struct{ Shards, Subgraphs int }

// Error gives both numbers.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d shards of %d subgraphs: each shard needs at least one", e.Shards, e.Subgraphs)
}

// IsUsage reports that the user must ask for fewer shards.
func (e *TooManyError) IsUsage() bool { return true }
