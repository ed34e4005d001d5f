// Package explain says why a model gives an atom its probability: what each formula and each neighbour adds to its log-odds, by
// which groundings, and which evidence would have to be missing for the decision to turn.
package explain
