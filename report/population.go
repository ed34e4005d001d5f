package report

// population corrects shares of the cases for how these were drawn. nil is the population of cases as they are.
type population struct{}

// share returns the share of true cases in the population that corresponds to one among the cases.
func (*population) share(v float64) float64 { return v }
