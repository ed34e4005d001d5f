package mcsat

// OnlySlices makes a chain that has started draw a slice in each step, and nothing else.
func (c *Chain) OnlySlices() { c.period, c.rounds, c.sweeps = 1, 1, 0 }

// Copies returns of how many equal parts a model takes the sides of its network to consist.
func Copies(m *Model) int { return int(m.hubs.copies.n) }

// TiesCopied reports whether a model takes the pairs of its network to be equal in each copy.
func TiesCopied(m *Model) bool { return m.ties.copied }
