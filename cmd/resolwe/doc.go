// Command resolwe selects relational features from a stream of subgraphs, learns their weights and predicts with them.
// See README.md, and resolwe --help.
package main
