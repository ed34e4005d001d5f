package join

import "slices"

// rowCache keeps the rows of one matrix that have been built in an epoch: a hash table, so that it takes the memory of
// these rows, not of all that the matrix has.
type rowCache struct {
	slots []uint32 // place in rows plus one, at the hash of the row or behind; a power of two of them
	ids   []uint32
	rows  [][]uint64
}

// leastSlots is the slots of a table without rows.
const leastSlots = 16

// begin forgets all rows.
func (c *rowCache) begin() {
	c.ids, c.rows = c.ids[:0], c.rows[:0]
	c.clear(leastSlots)
}

func (c *rowCache) clear(n int) {
	c.slots = slices.Grow(c.slots[:0], n)[:n]
	clear(c.slots)
}

// slot returns the slot of row x, or the free one where it would go.
func (c *rowCache) slot(x uint32) *uint32 {
	mask := uint32(len(c.slots) - 1)
	for i := x * 0x9E3779B1 >> 8 & mask; ; i = (i + 1) & mask { // Fibonacci hashing
		if k := c.slots[i]; k == 0 || c.ids[k-1] == x {
			return &c.slots[i]
		}
	}
}

// row returns row x, nil where it has not been built in the epoch.
func (c *rowCache) row(x uint32) []uint64 {
	if k := *c.slot(x); k != 0 {
		return c.rows[k-1]
	}
	return nil
}

// keep stores row x, which is not there.
func (c *rowCache) keep(x uint32, row []uint64) {
	if 2*len(c.ids) >= len(c.slots) {
		c.clear(2 * len(c.slots))
		for i, id := range c.ids {
			*c.slot(id) = uint32(i + 1)
		}
	}
	*c.slot(x) = uint32(len(c.ids) + 1)
	c.ids, c.rows = append(c.ids, x), append(c.rows, row)
}
