package derive

// Groups returns the number of enumerations of rows.
func (p *Measures) Groups() int { return len(p.groups) }
