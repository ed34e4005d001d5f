package join

import "resolwe/internal/grow"

// rowCache keeps the rows of one matrix that have been built, until begin: a sparse set (Briggs and Torczon, 1993), which is emptied in
// constant time.
type rowCache[R any] struct {
	at   []uint32 // by row: its position in ids; arbitrary for other rows
	ids  []uint32
	rows []R
}

// begin clears the cache for a matrix with size rows.
func (c *rowCache[R]) begin(size int) {
	c.at, c.ids, c.rows = grow.To(c.at, size), c.ids[:0], c.rows[:0]
}

// row returns row x, nil if it has not been built. Borrowed until the next keep.
func (c *rowCache[R]) row(x uint32) *R {
	if k := c.at[x]; int(k) < len(c.ids) && c.ids[k] == x {
		return &c.rows[k]
	}
	return nil
}

// keep stores row x, which must be absent.
func (c *rowCache[R]) keep(x uint32, row R) {
	c.at[x] = uint32(len(c.ids))
	c.ids, c.rows = append(c.ids, x), append(c.rows, row)
}
