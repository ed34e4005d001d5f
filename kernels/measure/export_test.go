package measure

// Groups returns how many enumerations of rows there are.
func (p *Program) Groups() int { return len(p.groups) }
