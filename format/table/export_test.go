package table

// DictBytes returns the memory that a dictionary holds.
func DictBytes(d *Dict) int {
	n := 8*cap(d.marks) + 8*cap(d.slots)
	for _, b := range d.blocks {
		n += cap(b)
	}
	return n
}
