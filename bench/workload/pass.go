package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/mmapfile"
)

// extent is the bytes at a file's front in which the first subgraphs lie.
type extent struct {
	path  string
	bytes int64
}

// extents finds where the first n subgraphs of the stream lie in its files, and how many bytes that is: none where a file
// cannot be mapped, as text and archives cannot. The error is resolwe.ErrReadOnce for a pipe.
func (src *Source) extents(n int) (out []extent, total int64, err error) {
	s, err := src.Open()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = closed(s, err) }()
	if s.ReadOnce() {
		return nil, 0, resolwe.ErrReadOnce
	}
	for _, path := range s.Files() {
		if n <= 0 {
			break
		}
		e, subgraphs, err := newExtent(path, n)
		if errors.Is(err, subgraph.ErrCorrupt) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		out = append(out, e)
		total += e.bytes
		n -= subgraphs
	}
	return out, total, nil
}

// newExtent finds where the first n subgraphs of a file lie, and returns how many it has.
func newExtent(path string, n int) (extent, int, error) {
	f, err := rsg.OpenFile(path, rsg.ReaderOptions{})
	if err != nil {
		return extent{}, 0, err
	}
	e := extent{path: path}
	if last := min(n, f.Len()) - 1; last >= 0 {
		entry := f.Entry(last)
		e.bytes = entry.Offset + entry.Bytes
	}
	return e, f.Len(), f.Close()
}

// closed closes a stream.
func closed(s *resolwe.Stream, err error) error { return errors.Join(err, s.Close()) }

// plainPass maps the files and adds up their words.
func plainPass(extents []extent) error {
	for _, e := range extents {
		if err := e.pass(); err != nil {
			return err
		}
	}
	return nil
}

func (e extent) pass() (err error) {
	f, err := mmapfile.Open(e.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault, ok := recover().(runtime.Error); ok { // the file has become shorter
			err = fmt.Errorf("%s: %w while it was read", e.path, fault)
		}
	}()
	data := f.Bytes()
	checksum(data[:min(e.bytes, int64(len(data)))])
	return nil
}

// checksum adds up the words of data, without the bytes at its end that fill none. Four sums keep the loop from waiting
// for its own additions.
//
//go:noinline
func checksum(data []byte) uint64 {
	var a, b, c, d uint64
	for ; len(data) >= 32; data = data[32:] {
		a += binary.LittleEndian.Uint64(data)
		b += binary.LittleEndian.Uint64(data[8:])
		c += binary.LittleEndian.Uint64(data[16:])
		d += binary.LittleEndian.Uint64(data[24:])
	}
	for ; len(data) >= 8; data = data[8:] {
		a += binary.LittleEndian.Uint64(data)
	}
	return a + b + c + d
}
