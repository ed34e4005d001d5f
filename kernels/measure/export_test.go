package measure

// Groups returns the number of enumerations of rows.
func (p *Program) Groups() int { return len(p.groups) }
