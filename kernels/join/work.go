package join

// Work measures the cost of evaluation, recorded call by call.
type Work struct {
	Words uint64 // words of bits united, intersected or counted, of 8 bytes each
	Edges uint64 // tuples of relations visited, of 4 bytes each or more
	Rows  uint64 // rows of matrices built
}

// Add adds the work of another scratch.
func (w *Work) Add(o Work) {
	w.Words += o.Words
	w.Edges += o.Edges
	w.Rows += o.Rows
}
