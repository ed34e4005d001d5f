// Package report prints the results of stages. A result is one Document, built once, with data for programs, a page of tables and
// prose for people, and lines of CSV. Results with many subgraphs are printed one subgraph after another.
package report
