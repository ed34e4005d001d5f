// Package selection is Algorithm 1 of Mihalkova and Moustafa (2011): the counts of a candidate formula on a subgraph,
// their exact sums over a stream, and the criteria that decide what is kept (docs/methods.md).
package selection
