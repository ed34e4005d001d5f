package mcsat

// OnlySlices makes a chain that has started draw a slice in each step, and nothing else.
func (c *Chain) OnlySlices() { c.period, c.rounds, c.sweeps = 1, 1, 0 }
