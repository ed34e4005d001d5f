package diagnostics

// Layout returns the length of a batch and the number of batches used per chain.
func Layout(x *Convergence) (length, batches int) { return x.length, x.batches }

// Chance is the margin by which a variance may exceed the true one.
func Chance(freedom float64) float64 { return chance(freedom, rarely) }
