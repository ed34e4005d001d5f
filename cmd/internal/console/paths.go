package console

import (
	"fmt"

	"resolwe/internal/atomicfile"
)

// Paths are the files that a command reads and writes.
type Paths struct{ Inputs, Outputs []string }

// Reads takes in files that the command reads, "-" for standard input: no output may replace one of them.
func (p *Paths) Reads(list ...string) error {
	for i, path := range list {
		if path == "-" {
			list[i] = "/dev/stdin" // which leads to the file that it comes from, where it comes from one
		}
	}
	p.Inputs = append(p.Inputs, list...)
	for _, out := range append(p.Outputs, "/dev/stdout") {
		if err := atomicfile.SameFile(out, list); err != nil {
			return err
		}
	}
	return nil
}

// Writes takes in a file that the command writes, which must be none of the others.
func (p *Paths) Writes(path string) error {
	if err := atomicfile.SameFile(path, p.Inputs); err != nil {
		return err
	}
	for _, other := range p.Outputs {
		if atomicfile.Same(path, other) {
			return UsageError(fmt.Sprintf("outputs %s and %s are one file", other, path))
		}
	}
	p.Outputs = append(p.Outputs, path)
	return nil
}
