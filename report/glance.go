package report

// atAGlance writes the title, what was read, the first section, and how to make it again.
func (r *Report) atAGlance(*Content) {}
