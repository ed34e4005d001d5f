package tablefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/input"
)

// Reader reads tables that belong together. It remembers what their files were when it first opened them. The zero value is ready.
type Reader struct {
	opened map[string]*input.State
	quoted map[string]bool       // whether quotes stand around cells, by the encodings and paths of texts between tabs
	shapes map[string]*jsonShape // by path
}

// open opens a file of a table.
func (r *Reader) open(path string, s *spec) (*os.File, error) {
	f, state, err := input.Open(path)
	if errors.Is(err, input.ErrKind) {
		return nil, s.fault("%s: %v; copy what it holds into a file", path, input.ErrKind)
	}
	if err == nil && r.opened[path] == nil {
		if r.opened == nil {
			r.opened = map[string]*input.State{}
		}
		r.opened[path] = state
	}
	return f, err
}

// Head returns what a file's text begins with, n bytes at most, as they are. Errors are those of [Reader.Load].
func (r *Reader) Head(path string, of *table.Spec, n int64) ([]byte, error) {
	f, err := r.open(path, (*spec)(of))
	if err != nil {
		return nil, err
	}
	text, err := openText(f)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(text, n))
	if err != nil {
		return nil, readingError(mln.Position{File: path, Line: 1 + bytes.Count(head, []byte("\n")), Column: 1}, err)
	}
	return head, nil
}

// Check returns a [DamageError] of [ErrChanged] where a file changed since it was first opened, in place of nil and of what may come of that: damage, or
// that there is no such file. Else it returns err.
func (r *Reader) Check(err error) error {
	if err != nil && !errors.Is(err, subgraph.ErrCorrupt) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(r.opened)) {
		if same, written := r.opened[path].Now(); !same || written {
			return &DamageError{mln.Position{File: path}, ErrChanged.Error(), ErrChanged}
		}
	}
	return err
}
