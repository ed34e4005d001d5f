package resolwe

// SetCacheBytes sets how many bytes of ground networks learning keeps from one pass to the next, and returns what it was.
func SetCacheBytes(n int) int {
	old := cacheBytes
	cacheBytes = n
	return old
}

// Divide returns the positions of the folds' subgraphs.
func Divide(entries []Entry, want int, seed uint64) ([][]int, error) {
	return divide(entries, want, seed)
}

// SetObjectiveStates sets how many states may be enumerated for the objective, and returns what it was.
func SetObjectiveStates(n int) int {
	old := objectiveStates
	objectiveStates = n
	return old
}
