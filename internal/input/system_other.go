//go:build !unix

package input

import (
	"io"
	"os"
)

const nonblock = 0

func load(f *os.File, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(f, data)
	return data, err
}

func release([]byte) {}

func unload([]byte) error { return nil }
