// Package ground turns a subgraph and formulas into the ground Markov network over the subgraph's query atoms: Compile prepares the
// formulas, each with the routes that its shape allows, and a Grounder takes them one after another, on one subgraph at a time.
package ground
