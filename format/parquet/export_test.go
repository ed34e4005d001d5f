package parquet

import "io"

// OpenWithin opens a file that may stand for fewer bytes than others before its size counts.
func OpenWithin(in io.ReaderAt, size, free int64) (*File, error) {
	f, err := Open(in, size)
	if err == nil {
		f.free = free
	}
	return f, err
}
