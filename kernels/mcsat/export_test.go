package mcsat

// Logistic is the logistic function by its table.
func Logistic(h float64) float64 { return logistic(h) }

// OnlySlices makes a chain that has started draw a slice in each step, and nothing else.
func (c *Chain) OnlySlices() { c.period, c.rounds, c.sweeps = 1, 1, 0 }

// Copies returns of how many equal parts a model takes the sides of its network to consist.
func Copies(m *Model) int { return int(m.hubs.copies.n) }
