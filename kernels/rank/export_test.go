package rank

// Round12 gives tests the rounding that decides ties.
var Round12 = round12

// Beyond and its like are of Student's distribution with nu degrees of freedom.
func Beyond(nu int, t float64) float64  { return student(nu).beyond(t) }
func Density(nu int, t float64) float64 { return student(nu).density(t) }
func Edge(nu int) float64               { return student(nu).edge() }
