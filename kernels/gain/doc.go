// Package gain selects features of query atoms by what they add to the penalised conditional log-likelihood of the atoms'
// truth.
//
// A row is a query atom of known truth, and a candidate a formula with one target literal. A cell is the number of the candidate's
// groundings for that atom or, for an aggregate, its value. A [Task] counts them, and [Rows] collects them from one subgraph after another,
// in any order. A [Matrix] is the features.Matrix of a target, dealt to folds. [Matrix.Select] grows paths of [Column]s:
// logarithms of counts, thresholds on counts, and rules, which are conjunctions of thresholds and their negations. Each round adds the
// column with the greatest gain by a score test and refits all weights. Paths on four fifths of the data, judged on the last fifth, choose
// the family of columns, the size of the path and the shrinkage of the weights. [Matrix.Extend] then adds real-valued columns: with
// [Tying], features of formulas with several target literals.
//
// Some shortcuts save time. If there are many rows, the first subgraphs by hash choose (5 << 15 rows; 50 subgraphs if these are large,
// training on a share of the rows of each). Rules are searched on a sample of rows (1 << 14), then scored on all. A round recomputes only
// gains that may be the greatest, and all of them every eighth round. A family clearly behind after one fold is dropped.
// Without the last two, BenchmarkSelect takes 1.6 and 1.5 times as long.
//
// Results depend neither on the order in which subgraphs arrive nor on the number of concurrent tasks: histograms are sums of integers, and
// every floating-point sum belongs to one task, which runs along the rows.
package gain
