// Package features holds query atoms as learners see them. A [Builder] collects them from one subgraph after another, in any order, and makes
// a [Matrix], whose rows are the atoms and whose columns are candidates. A [Column] gives each row a value: 1, the level of a count
// ([Level]), the bin of a number ([Quantiles]), or any number. A [Fit] is the penalised logistic regression of the truth of rows on columns.
//
// Results do not depend on the number of concurrent tasks: each floating-point sum belongs to one task, or is added up in the order of the
// rows.
package features
