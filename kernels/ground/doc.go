// Package ground turns a subgraph and formulas into the ground Markov network over the subgraph's query atoms. Compile prepares the
// formulas and chooses the routes each one's shape allows; a Grounder grounds them one after another, on one subgraph at a time.
package ground
