package source

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"resolwe/format/subgraph"
)

// Damage keeps the first of the damages that an iteration skipped, in order of file, record and offset. It is safe for concurrent use.
type Damage struct {
	mu    sync.Mutex
	first []*subgraph.CorruptError
}

const mostDamage = 5

// Add adds a damage.
func (d *Damage) Add(err error) {
	var c *subgraph.CorruptError
	if !errors.As(err, &c) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	at, _ := slices.BinarySearchFunc(d.first, c, func(a, b *subgraph.CorruptError) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Offset, b.Offset))
	})
	d.first = slices.Insert(d.first, at, c)
	d.first = d.first[:min(len(d.first), mostDamage)]
}

// First returns the first damages, at most five.
func (d *Damage) First() []*subgraph.CorruptError {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.first)
}

func (d *Damage) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first = nil
}
