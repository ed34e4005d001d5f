// Package discover grows candidates out of declarations and data: conjunctions of evidence literals, and at most one literal
// of a target predicate, that hang on the variables of a query atom (relational path-finding: Richards and Mooney, 1992), length
// by length as far as they have support (WARMR: Dehaspe and Toivonen, 1999). Package ground counts them, all of a batch on one
// operator graph.
package discover
