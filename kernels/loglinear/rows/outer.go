package rows

// Halves returns how many values AddOuter takes for a matrix of n rows.
func Halves(n int) int { return n * (n + 1) / 2 * lanes }

// AddOuter adds the outer product of each column of a matrix with itself, times the column's value in v. What it adds up
// is, for the rows i and j <= i, the sum of the values of acc from Halves(i) + 4j to 4 beyond it. It panics where acc is
// shorter than Halves.
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

// Outer returns what AddOuter has added up for the rows i and j <= i.
func Outer(acc []float64, i, j int) float64 {
	sum := 0.0
	for _, v := range acc[Halves(i)+lanes*j:][:lanes] {
		sum += v
	}
	return sum
}
