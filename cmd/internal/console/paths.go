package console

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"resolwe/internal/atomicfile"
)

// Paths are the files that a command reads and writes. They are safe for concurrent use.
type Paths struct {
	mu              sync.Mutex
	inputs, outputs []string
}

// Reads registers files that the command reads, with "-" for standard input. No output may replace one of them.
func (p *Paths) Reads(list ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, path := range list {
		if path == "-" {
			list[i] = "/dev/stdin" // which leads to the redirected file, if any
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

// Writes registers a file that the command writes. It must differ from all others. If its name has an extension, it must be one of the
// given ones; any will do if there are none.
func (p *Paths) Writes(path string, extensions ...string) error {
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
	if ext := strings.ToLower(filepath.Ext(path)); ext != "" && len(extensions) > 0 && !slices.Contains(extensions, ext) {
		return UsageError(fmt.Sprintf("output %s: give it a name that ends in %s", path, strings.Join(extensions, " or ")))
	}
	p.outputs = append(p.outputs, path)
	return nil
}

// Spares returns an error if a file is one that the command reads.
func (p *Paths) Spares(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return atomicfile.SameFile(path, p.inputs)
}
