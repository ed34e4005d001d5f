// Package explain shows why a model gives an atom its probability: what each formula and each neighbour contributes to its log-odds,
// through which groundings, and which evidence would have to be removed to reverse the decision.
package explain
