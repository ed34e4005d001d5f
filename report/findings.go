package report

// findings writes the section of findings.
func (r *Report) findings(*Content) {}
