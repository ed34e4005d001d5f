package rows

// lanes is how many columns a vector kernel works on at once.
const lanes = 4

// Width returns the length of the rows of a matrix of n columns. Those beyond n may hold anything finite.
func Width(n int) int {
	if n <= 1 {
		return n
	}
	return (n + lanes - 1) / lanes * lanes
}

// Sum adds to dst, which is as long as a row, those rows of a matrix that come shift, modulo 2^32, after the listed ones.
// It panics where one is beyond the matrix.
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

// SumColumn returns what Sum adds in one column of a matrix of width w.
func SumColumn(matrix []float64, w, column int, list []uint32, shift uint32) float64 {
	if w == 1 {
		return sumSingle(matrix, list, shift)
	}
	var a, b, c, d float64 // additions that do not wait for each other
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

// sumSingle is SumColumn for width 1, where no row has to be multiplied out; it adds in the same order.
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

// Step is what Add does to a matrix for each listed row: Scale times the row that it is given is added to the one that
// comes Shift, modulo 2^32, after the listed one.
type Step struct {
	Shift uint32
	Scale float64
}

// Add takes steps with a row for each of the listed ones. It panics where one is beyond the matrix.
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

// addSingle adds x to those values of a matrix of width 1 that come shift after the listed ones.
func addSingle(matrix []float64, x float64, list []uint32, shift uint32) {
	for _, i := range list {
		matrix[i+shift] += x
	}
}

// AddEach adds to each listed row of a matrix a row, times the scale of the listed row's class. It panics where a row is
// beyond the matrix, a class beyond the scales, or there are fewer classes than rows.
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
