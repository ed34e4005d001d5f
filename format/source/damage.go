package source

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"resolwe/format/subgraph"
)

// Damage keeps what was skipped of a set, each record once, however often and in whatever subsets the set is read: the records that workers
// could not read, and the first of all damages, in order of file, record and offset. It is safe for concurrent use.
type Damage struct {
	mu      sync.Mutex
	first   []*subgraph.CorruptError
	records map[place]bool
}

type place struct {
	path   string
	record int
}

const mostDamage = 5

// Add adds a damage.
func (d *Damage) Add(err error) { d.add(err, false) }

// AddRecord adds the damage of a record that a worker skips.
func (d *Damage) AddRecord(err error) { d.add(err, true) }

func (d *Damage) add(err error, record bool) {
	var c *subgraph.CorruptError
	if !errors.As(err, &c) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if record {
		if d.records == nil {
			d.records = map[place]bool{}
		}
		d.records[place{c.Path, c.Record}] = true
	}
	at, known := slices.BinarySearchFunc(d.first, c, func(a, b *subgraph.CorruptError) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Offset, b.Offset))
	})
	if !known {
		d.first = slices.Insert(d.first, at, c)
		d.first = d.first[:min(len(d.first), mostDamage)]
	}
}

// First returns the first damages, at most five.
func (d *Damage) First() []*subgraph.CorruptError {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.first)
}

// Records returns the number of records that workers have skipped.
func (d *Damage) Records() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.records)
}
