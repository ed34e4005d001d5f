// Package resolwe selects relational features from a stream of subgraphs, learns their weights and predicts with them:
// the RESOLWE algorithm of Mihalkova and Moustafa (Structure Selection from Streaming Relational Data, 2011) for Markov
// logic networks.
//
// A Model is read from a task file, a Stream is opened from files, a pipe or memory. Select evaluates a model's candidate
// formulas on the first subgraphs of a stream and keeps those that predict, Learn learns the weights of formulas on the
// rest, Infer gives the marginal probabilities of the query atoms and Map their most probable state, Evaluate compares marginals
// with the truth, Explain says why, Features gives what the formulas say of each atom to other learners, and package crossval
// does all of it on folds, beside baselines.
//
// Results are the same bytes for any number of workers.
package resolwe
