package join

// Work counts what evaluation has cost, call by call rather than word by word.
type Work struct {
	Words uint64 // words of bits that were united, intersected or counted, of 8 bytes each
	Edges uint64 // tuples of relations that were visited, of 4 bytes each or more
	Rows  uint64 // rows of matrices that were built
}

// Add adds the work of another scratch.
func (w *Work) Add(o Work) {
	w.Words += o.Words
	w.Edges += o.Edges
	w.Rows += o.Rows
}

// Sub returns the work without that done before.
func (w *Work) Sub(o Work) Work {
	return Work{Words: w.Words - o.Words, Edges: w.Edges - o.Edges, Rows: w.Rows - o.Rows}
}
