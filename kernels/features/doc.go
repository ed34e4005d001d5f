// Package features holds what all learners know of query atoms. A row is a query atom, or several equal ones; a [Column] gives each row a
// value: 1, the level of a count ([Level]), the number of its bin ([Quantiles]), or any number. A [Fit] is the penalised logistic regression
// of the rows' truth on columns.
//
// Results do not depend on the number of concurrent tasks: each floating-point sum belongs to one task, or is added up in the order of the
// rows.
package features
