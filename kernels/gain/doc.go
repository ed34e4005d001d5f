// Package gain selects features of query atoms by what they add to the penalised conditional log-likelihood of the atoms'
// truth.
//
// A row is a query atom of known truth, a candidate a formula with one target literal, and a cell the number of the
// candidate's groundings for that atom, or, of an aggregate, the sixteenth of all values that its value is in. A [Task] has them counted, [Rows] takes them a subgraph at a time, in any order, and gives
// a [Matrix] for each target. [Matrix.Select] grows paths of [Column]s over it: logarithms of counts, thresholds on counts, and rules, which are conjunctions
// of thresholds and their negations. Each round adds the column with the greatest gain by a score test and refits all
// weights. Paths on four fifths of the data, judged on the last fifth, choose the family of columns, the size of the path
// and the shrinkage of the weights. [Matrix.Extend] goes on with real-valued columns: with [Tying], features of formulas of
// several target literals.
//
// What is left undone, to be fast: where there are many rows, those of the first subgraphs, by hash, choose (5 << 15; of large
// subgraphs 50, with a share of the rows of each to train on), and rules are looked for on a sample of rows (1 << 14), then scored on
// all. A round computes anew only gains that may be the greatest, and all of them every eighth round. A family that is clearly behind
// after one fold is left out.
//
// Results depend neither on the order in which subgraphs arrive nor on how many tasks run at once: histograms are sums of
// whole numbers, and every sum of floating numbers belongs to one task, which runs along the rows.
package gain
