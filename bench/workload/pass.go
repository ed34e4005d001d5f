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
	"resolwe/internal/input"
)

// extent is the range of bytes at the beginning of a file that contains the first subgraphs.
type extent struct {
	path  string
	bytes int64
}

// extents finds the bytes of the first n subgraphs of the stream in its files. It returns nothing if a file, such as text or an
// archive, cannot be mapped.
func (src *Source) extents(n int) (out []extent, err error) {
	s, err := src.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.ReadOnce() {
		return nil, resolwe.ErrReadOnce
	}
	for _, path := range s.Files() {
		f, err := rsg.OpenFile(path, rsg.ReaderOptions{})
		if errors.Is(err, subgraph.ErrCorrupt) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if last := min(n, f.Len()) - 1; last >= 0 {
			entry := f.Entry(last)
			out = append(out, extent{path, entry.Offset + entry.Bytes})
		}
		n -= f.Len()
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// plainPass maps the files and adds up their words.
func plainPass(extents []extent) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	path := ""
	defer func() {
		if fault, ok := recover().(runtime.Error); ok { // the file became shorter
			err = fmt.Errorf("%s: %w while it was read", path, fault)
		}
	}()
	for _, e := range extents {
		path = e.path
		f, err := input.Map(path)
		if err != nil {
			return err
		}
		data := f.Bytes()
		checksum(data[:min(e.bytes, int64(len(data)))])
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// checksum adds up the words of data, without an incomplete word at its end. Four sums keep the loop from waiting for its own
// additions.
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
