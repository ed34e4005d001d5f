// Package network is the factor graph of one subgraph as data: which atoms the truths of formulas depend on, and how.
package network
