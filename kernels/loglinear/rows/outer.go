package rows

// Halves returns the length of AddOuter's acc for a matrix of n rows.
func Halves(n int) int { return n * (n + 1) / 2 * lanes }

// AddOuter adds the outer product of each column of a matrix with itself, times the column's value in v. The total for rows i and j <= i
// is the sum of the lanes values of acc from Halves(i) + lanes*j on. It panics if acc is shorter than Halves.
func AddOuter(acc, matrix, v []float64) {
	w := len(v)
	acc = acc[:Halves(len(matrix)/w)]
	if vectors && w%lanes == 0 {
		addOuterVector(acc, matrix, v)
		return
	}
	for c, x := range v {
		at := c % lanes
		for i := c; i < len(matrix); i += w {
			y := x * matrix[i]
			for j := c; j <= i; j += w {
				acc[at] += float64(y * matrix[j])
				at += lanes
			}
		}
	}
}

// Outer returns the total that AddOuter has accumulated for rows i and j <= i.
func Outer(acc []float64, i, j int) float64 {
	sum := 0.0
	for _, v := range acc[Halves(i)+lanes*j:][:lanes] {
		sum += v
	}
	return sum
}
