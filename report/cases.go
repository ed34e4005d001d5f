package report

// listCases writes the section of cases.
func (r *Report) listCases(*Content) {}
