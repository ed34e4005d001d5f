package join

// rowCache keeps the rows of one matrix that have been built in an epoch. Beginning another epoch costs nothing.
type rowCache struct {
	index []uint64 // by row: the epoch in which it was built, and its position in rows
	rows  [][]uint64
}

// begin forgets all rows, and makes room for n.
func (c *rowCache) begin(n int) {
	c.rows = c.rows[:0]
	if len(c.index) < n {
		c.index = append(c.index, make([]uint64, n-len(c.index))...)
	}
}

// row returns row x, nil where it has not been built in the epoch.
func (c *rowCache) row(epoch, x uint32) []uint64 {
	i := c.index[x]
	if uint32(i>>32) != epoch {
		return nil
	}
	return c.rows[uint32(i)]
}

// keep stores row x.
func (c *rowCache) keep(epoch, x uint32, row []uint64) {
	c.index[x] = uint64(epoch)<<32 | uint64(len(c.rows))
	c.rows = append(c.rows, row)
}
