// Command peers counts in databases what resolwe counts in a selection: for each candidate formula of a model, on the
// first subgraphs of a stream, the groundings that its evidence selects and those of them that hold. It checks that all
// counts agree, and prints what each database takes beside resolwe on one worker. Both count only: that the databases
// load the subgraphs first is told apart.
//
// Each candidate is one query for each subgraph, written in several ways of which the fastest counts.
//
//	cd bench/peers && go run . ../../examples/wikicollabs/wikicollabs.mln --stream wikicollabs.rsg --postgres URL
package main
