package rank

// Round12 is the rounding that determines ties.
var Round12 = round12

// Density and Edge are those of Student's distribution with nu degrees of freedom.
func Density(nu int, t float64) float64 { return student(nu).density(t) }
func Edge(nu int) float64               { return student(nu).edge(0.05) }
