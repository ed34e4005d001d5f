package mcsat

// The logistic function by Taylor's series of third order about the points of a grid: to 1e-10, without a division.
const (
	gridStep = 1.0 / 64
	gridEnd  = 40 // beyond which the function is 0 or 1 to the last bit
)

// logisticGrid holds the coefficients of the series; the derivatives of s are polynomials in s.
var logisticGrid = func() (grid [2*gridEnd/gridStep + 1][4]float64) {
	for i := range grid {
		s := sigmoid(float64(i)*gridStep - gridEnd)
		s1 := s * (1 - s)
		grid[i] = [4]float64{s, s1, s1 * (1 - 2*s) / 2, s1 * (1 - 6*s1) / 6}
	}
	return grid
}()

// logistic returns what sigmoid does, to 1e-10.
func logistic(h float64) float64 {
	if !(h > -gridEnd && h < gridEnd) {
		return sigmoid(h)
	}
	i := int((h+gridEnd)*(1/gridStep) + 0.5)
	d := h + gridEnd - float64(i)*gridStep
	c := &logisticGrid[i]
	return c[0] + d*(c[1]+d*(c[2]+d*c[3]))
}
