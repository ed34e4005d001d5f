package main

import (
	"fmt"

	"resolwe/internal/atomicfile"
)

// paths are the files that a command reads and writes.
type paths struct{ inputs, outputs []string }

// reads takes in files that the command reads, "-" for standard input: no output may replace one of them.
func (p *paths) reads(list ...string) error {
	for i, path := range list {
		if path == "-" {
			list[i] = "/dev/stdin" // which leads to the file that it comes from, where it comes from one
		}
	}
	p.inputs = append(p.inputs, list...)
	for _, out := range append(p.outputs, "/dev/stdout") {
		if err := atomicfile.SameFile(out, list); err != nil {
			return err
		}
	}
	return nil
}

// writes takes in a file that the command writes, which must be none of the others.
func (p *paths) writes(path string) error {
	if err := atomicfile.SameFile(path, p.inputs); err != nil {
		return err
	}
	for _, other := range p.outputs {
		if atomicfile.Same(path, other) {
			return usageError(fmt.Sprintf("outputs %s and %s are one file", other, path))
		}
	}
	p.outputs = append(p.outputs, path)
	return nil
}
