// Package plan compiles the joins of many formulas into one graph of shared operators. The graph does not depend on any subgraph; package
// join runs it.
package plan
