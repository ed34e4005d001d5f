// Package network represents the factor graph of one subgraph: which atoms the truth of each formula depends on, and how.
package network
