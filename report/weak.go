package report

// quality writes how good the model is, and where it is weak.
func (r *Report) quality(*Content) {}
