package crossval

// Divide returns the positions of the folds' subgraphs.
var Divide = divide
