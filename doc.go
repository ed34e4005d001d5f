// Package resolwe selects relational features from a stream of subgraphs, learns their weights and predicts with them: the RESOLWE
// algorithm of Mihalkova and Moustafa (Structure Selection from Streaming Relational Data, 2011) for Markov logic networks.
//
// A Model is read from a task file. A Stream is opened from files or pipes, or made of subgraphs in memory or of a sequence of the
// program's own. Discover finds candidate formulas, Select keeps those that predict held-out atoms, with their weights, Learn learns the
// weights of given formulas, Infer computes the marginal probabilities of the query atoms and Map their most probable state, Evaluate
// compares marginals with the truth, Explain says why an atom has its probability, Features writes the values of formulas for other
// learners, and package crossval runs these stages on folds, beside baselines.
//
// Results come one at a time, in stream order: a loop over Infer, Map, Explain, Features or Counts ends the work when it is left. What a
// caller does wrong is an error, never a panic.
//
// The zero value of all options equals the defaults of the command line.
//
// Results are the same bytes for any number of workers.
package resolwe
