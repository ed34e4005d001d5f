package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
)

// Handle is a subgraph that has been read, or is to be read by the worker that gets it.
type Handle struct {
	Entry

	Schema *subgraph.Map
	Sub    *subgraph.Subgraph // as it is in the source; nil until Read
	Later  bool               // an earlier subgraph has its name
	file   *rsg.File          // nil if it has been read
	record int                // in the file
	offset int64              // of that record
	bytes  int64              // of that record
	sum    uint32             // of a record that was read in sequence
}

// Entry is a subgraph's position in the stream, its name, its fold (-1 if none), and its time.
type Entry struct {
	Index int
	Name  string
	Fold  int
	Time  subgraph.Time
}

// Read returns the subgraph as it is in the source. It is valid until the memory is used again.
func (h *Handle) Read(b *rsg.Buffer) (*subgraph.Subgraph, error) {
	if h.Sub != nil {
		return h.Sub, nil
	}
	return h.file.AtInto(b, h.record)
}

// Sum represents the contents of the subgraph: by the checksum of its record, which is not read for that, or as they are.
func (h *Handle) Sum() (sum string, err error) {
	defer h.RecoverFault(&err)
	switch {
	case h.file != nil:
		return strconv.FormatUint(uint64(h.file.Sum(h.record)), 16), nil
	case h.sum != 0:
		return strconv.FormatUint(uint64(h.sum), 16), nil
	}
	return h.Sub.Sum(), nil
}

// Bytes estimates the size of the subgraph.
func (h *Handle) Bytes() int64 {
	if h.Sub != nil {
		return 4 * int64(h.Sub.Words())
	}
	return h.bytes
}

// RecoverFault turns a fault into an error if it is deferred. It lets other panics pass.
func (h *Handle) RecoverFault(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if *err = h.Fault(v); *err == nil {
		panic(v)
	}
}

// Fault returns an error if a panic was caused by the handle's mapped file, because it became shorter or was written to, else nil.
// The goroutine must have called debug.SetPanicOnFault.
func (h *Handle) Fault(value any) error {
	if h.file == nil {
		return nil
	}
	if err := h.file.Fault(value); err != nil {
		return h.damaged(err)
	}
	return nil
}

// Changed returns an error if the handle's mapped file was written to since it was opened.
func (h *Handle) Changed() error {
	if h.file != nil && h.file.Changed() {
		return h.damaged(rsg.ErrChanged)
	}
	return nil
}

// damaged says that the mapped file is damaged at the handle's record.
func (h *Handle) damaged(err error) error {
	return &rsg.CorruptError{Path: h.Schema.Path, Record: h.record, Name: h.Name, Section: "mapping", Offset: h.offset, Err: err}
}

// DuplicateError says that a stream has two subgraphs with the same name.
type DuplicateError struct{ Path, Name string }

// Error names the source of the second one.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s: subgraph %s is already in the stream", e.Path, e.Name)
}

// source is a part of a stream: a file, a pipe, or memory.
type source struct {
	schema *subgraph.Map
	length int       // subgraphs, -1 if not known without reading them
	pipe   *tape     // nil for what is no pipe
	file   *rsg.File // if mapped, else nil
	// skipped is the largest number of damaged records that an iteration has skipped, other than those that workers read.
	skipped int
	open    func(repeats bool) (*cursor, error)
	origin  *origin.Origin // what it was made of, if it says so and that was read
}

// cursor reads a source from its beginning.
type cursor struct {
	next func() (Handle, error) // the handle's Index is its position in the source; io.EOF at the end
	// finish closes the source, adds the predicates whose facts were skipped to those of the set, and returns how many damaged records next
	// has skipped; it may be nil.
	finish func(*Set) (skipped int)
}

// sequence is a source of the subgraphs that a program makes: those that a sequence gives whenever it is ranged over, always the same. length is
// their number, -1 if it is not known.
func sequence(seq iter.Seq2[*subgraph.Subgraph, error], length int, schema *subgraph.Map, of *mln.Schema) *source {
	all := -1 // subgraphs, once all were seen
	return &source{schema: schema, length: length, open: func(repeats bool) (*cursor, error) {
		next, stop := iter.Pull2(seq)
		seen, at := map[string]bool{}, 0
		return &cursor{func() (Handle, error) {
			sub, err, ok := next()
			switch {
			case !ok && all >= 0 && at != all:
				return Handle{}, fmt.Errorf("%s: it gave %d subgraphs, and then %d: it must give the same whenever it is ranged over", schema.Path, all, at)
			case !ok:
				all = at
				return Handle{}, io.EOF
			case err != nil:
				return Handle{}, err
			case sub == nil:
				return Handle{}, fmt.Errorf("%s: subgraph %d is nil", schema.Path, at)
			case seen[sub.Name] && !repeats:
				return Handle{}, &DuplicateError{Path: schema.Path, Name: sub.Name}
			}
			if length < 0 || all < 0 { // those in memory stay as they were
				if err := sub.Check(of); err != nil {
					return Handle{}, fmt.Errorf("%s: subgraph %s: %w", schema.Path, subgraph.Shown(sub.Name), err)
				}
			}
			h := Handle{Entry: Entry{at, sub.Name, sub.Fold, sub.Time}, Schema: schema, Sub: sub, Later: seen[sub.Name]}
			seen[sub.Name] = true
			at++
			return h, nil
		}, func(*Set) int {
			stop()
			return 0
		}}, nil
	}}
}

// window is how many bytes of a mapped file before the cursor stay in memory, since workers are reading there.
const window = 16 << 20

// mapped returns a source for a mapped file, whose subgraphs are read by the workers that get them.
func mapped(file *rsg.File, schema *subgraph.Map) *source {
	return &source{schema: schema, length: file.Len(), file: file, origin: file.Origin(), open: func(bool) (*cursor, error) {
		at, freed := 0, int64(0) // offset up to which the file is released
		return &cursor{next: func() (h Handle, err error) {
			if at == file.Len() {
				return Handle{}, io.EOF
			}
			h = Handle{Entry: Entry{Index: at}, Schema: schema, file: file, record: at}
			defer h.RecoverFault(&err)
			e := file.Entry(at)
			h.Name, h.Fold, h.Time, h.offset, h.bytes = e.Name, e.Fold, e.Time, e.Offset, e.Bytes
			at++
			machine.ReleaseMapped()
			if h.offset-freed > 2*window {
				file.Release(freed, h.offset-window)
				freed = h.offset - window
			}
			return h, nil
		}}, nil
	}}
}

// reader is what facts.Reader and rsg.Reader have in common.
type reader interface {
	Next() (*subgraph.Subgraph, error)
}

// sequential returns a source that is read from its beginning. Unless damaged is nil, it is told of damage, at
// which the source then ends.
func sequential(open func() (reader, io.Closer, error), schema *subgraph.Map, damaged func(error)) *source {
	src := &source{schema: schema, length: -1}
	src.open = func(repeats bool) (*cursor, error) {
		r, closer, err := open()
		if err != nil {
			return nil, err
		}
		if text, ok := r.(*facts.Reader); ok && repeats {
			text.AllowRepeats()
		}
		lost := 0 // damaged ends
		next := func() (Handle, error) {
			sub, err := r.Next()
			if damaged != nil && errors.Is(err, subgraph.ErrCorrupt) {
				lost++
				damaged(err)
				err = io.EOF
			}
			if err != nil {
				return Handle{}, err
			}
			h := Handle{Entry: Entry{sub.Index, sub.Name, sub.Fold, sub.Time}, Schema: schema, Sub: sub, Later: sub.Later}
			if records, ok := r.(*rsg.Reader); ok {
				h.sum = records.Sum()
			}
			return h, nil
		}
		return &cursor{next, func(s *Set) int {
			switch r := r.(type) {
			case *rsg.Reader:
				src.origin = cmp.Or(r.Origin(), src.origin)
				if damaged != nil {
					lost += r.Skipped()
				}
			case *facts.Reader:
				s.Ignored = slices.Concat(s.Ignored, r.Ignored())
				slices.Sort(s.Ignored)
				s.Ignored = slices.Compact(s.Ignored)
			}
			if closer != nil {
				_ = closer.Close() // only read
			}
			return lost
		}}, nil
	}
	return src
}
