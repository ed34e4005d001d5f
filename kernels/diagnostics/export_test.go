package diagnostics

// Layout returns how long batches are, and how many of them are looked at of each chain.
func Layout(x *Convergence) (length, batches int) { return x.length, x.batches }

// Chance is what a variance may exceed the true one by.
var Chance = chance
