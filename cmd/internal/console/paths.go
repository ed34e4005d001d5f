package console

import (
	"fmt"
	"sync"

	"resolwe/internal/atomicfile"
)

// Paths are the files that a command reads and writes. Several goroutines may use it.
type Paths struct {
	mu              sync.Mutex
	inputs, outputs []string
}

// Reads takes in files that the command reads, "-" for standard input: no output may replace one of them.
func (p *Paths) Reads(list ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
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

// Writes takes in a file that the command writes, which must be none of the others.
func (p *Paths) Writes(path string) error {
	if err := p.Spares(path); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.outputs {
		if atomicfile.Same(path, other) {
			return UsageError(fmt.Sprintf("outputs %s and %s are one file", other, path))
		}
	}
	p.outputs = append(p.outputs, path)
	return nil
}

// Spares returns an error where a file is one that the command reads.
func (p *Paths) Spares(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return atomicfile.SameFile(path, p.inputs)
}
