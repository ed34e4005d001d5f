// Package resolwe selects relational features from a stream of subgraphs, learns their weights and predicts with them:
// the RESOLWE algorithm of Mihalkova and Moustafa (Structure Selection from Streaming Relational Data, 2011) for Markov
// logic networks.
//
// A Model is read from a task file, a Stream is opened from files, a pipe or memory. Select evaluates a model's candidate
// formulas on the first subgraphs of a stream and keeps those that predict, Learn learns the weights of formulas on the
// rest, Infer gives the marginal probabilities of the query atoms, Evaluate compares them with the truth, and
// CrossValidate does all of it on folds, beside the baseline that skips the selection.
//
// Results are the same bytes for any number of workers.
package resolwe
