package report

// dictionary writes the lines about the columns of the tables.
func (r *Report) dictionary(*Content) {}
