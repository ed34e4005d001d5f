package cd

// Solve exposes solve.
var Solve = solve
