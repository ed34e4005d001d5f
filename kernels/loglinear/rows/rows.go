package rows

// lanes is the number of columns that a vector kernel processes at once.
const lanes = 4

// Width returns the row length of a matrix of n columns. Columns beyond n may hold any finite values.
func Width(n int) int {
	if n <= 1 {
		return n
	}
	return (n + lanes - 1) / lanes * lanes
}

// Sum adds to dst, which has the length of a row, the matrix rows at distance shift, modulo 2^32, from the listed ones. It panics if one
// is beyond the matrix.
func Sum(dst, matrix []float64, list []uint32, shift uint32) {
	w := len(dst)
	if vectors && w%lanes == 0 {
		if !sumVector(dst, matrix, list, shift) {
			panic(beyond)
		}
		return
	}
	for c := range dst {
		dst[c] += SumColumn(matrix, w, c, list, shift)
	}
}

// SumColumn returns one column of what Sum adds, for a matrix of width w.
func SumColumn(matrix []float64, w, column int, list []uint32, shift uint32) float64 {
	if w == 1 {
		return sumSingle(matrix, list, shift)
	}
	var a, b, c, d float64 // independent sums, for instruction-level parallelism
	for ; len(list) >= 4; list = list[4:] {
		a += matrix[int(list[0]+shift)*w+column]
		b += matrix[int(list[1]+shift)*w+column]
		c += matrix[int(list[2]+shift)*w+column]
		d += matrix[int(list[3]+shift)*w+column]
	}
	for _, i := range list {
		a += matrix[int(i+shift)*w+column]
	}
	return (a + b) + (c + d)
}

// sumSingle is SumColumn for width 1, without the multiplication by the width; it adds in the same order.
func sumSingle(matrix []float64, list []uint32, shift uint32) float64 {
	var a, b, c, d float64
	for ; len(list) >= 4; list = list[4:] {
		a += matrix[list[0]+shift]
		b += matrix[list[1]+shift]
		c += matrix[list[2]+shift]
		d += matrix[list[3]+shift]
	}
	for _, i := range list {
		a += matrix[i+shift]
	}
	return (a + b) + (c + d)
}

// Step is an operation of Add at each listed row: Scale times the given row is added to the matrix row at distance Shift, modulo 2^32,
// from the listed one.
type Step struct {
	Shift uint32
	Scale float64
}

// Add applies steps with a row at each listed row. It panics if a changed row is beyond the matrix.
func Add(matrix, row []float64, list []uint32, steps []Step) {
	w := len(row)
	for i := range steps {
		step := &steps[i]
		if vectors && w%lanes == 0 {
			if !addVector(matrix, row, list, step) {
				panic(beyond)
			}
			continue
		}
		for c, v := range row {
			if v == 0 {
				continue
			}
			x := float64(v * step.Scale)
			if w == 1 {
				addSingle(matrix, x, list, step.Shift)
				continue
			}
			for _, i := range list {
				matrix[int(i+step.Shift)*w+c] += x
			}
		}
	}
}

// addSingle adds x to the values of a matrix of width 1 at distance shift from the listed ones.
func addSingle(matrix []float64, x float64, list []uint32, shift uint32) {
	for _, i := range list {
		matrix[i+shift] += x
	}
}

// AddEach adds a row, times the scale of the listed row's class, to each listed row of a matrix. It panics if a row is beyond the matrix,
// a class is beyond the scales, or there are fewer classes than rows.
func AddEach(matrix, row []float64, list, classes []uint32, scales []float64) {
	w := len(row)
	classes = classes[:len(list)]
	if vectors && w%lanes == 0 {
		if !addEachVector(matrix, row, list, classes, scales) {
			panic(beyond)
		}
		return
	}
	for c, v := range row {
		if v == 0 {
			continue
		}
		for k, i := range list {
			matrix[int(i)*w+c] += float64(v * scales[classes[k]])
		}
	}
}

const beyond = "kernels/loglinear/rows: a row beyond the matrix"
