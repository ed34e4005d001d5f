// Package discover grows candidates from declarations and data: conjunctions of evidence literals, with at most one literal of a target
// predicate, connected to the variables of a query atom (relational path-finding: Richards and Mooney, 1992). It extends them one literal
// at a time as long as they have support (WARMR: Dehaspe and Toivonen, 1999). Package ground counts a whole batch on one operator graph.
package discover
