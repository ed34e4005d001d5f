package bitset

// OrRows adds the rows of a matrix to dst: row r is words r*len(dst) to (r+1)*len(dst) of the matrix. It panics if a row is beyond the
// matrix.
func OrRows(dst, matrix []uint64, rows []uint32) {
	if level != generic && len(dst) > 0 && len(rows) > 0 {
		if n := orRowsVector(dst, matrix, rows); n < len(rows) {
			panic(beyond)
		}
		return
	}
	width := uint64(len(dst))
	for _, r := range rows {
		end := (uint64(r) + 1) * width
		if end > uint64(len(matrix)) {
			panic(beyond)
		}
		OrInto(dst, matrix[end-width:end])
	}
}

const beyond = "bitset: a row beyond the matrix"
