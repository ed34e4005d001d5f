// Package report prints what stages found. A result is one Document, built once: data for programs, a page of tables and prose for
// people, and lines of CSV; what has many subgraphs is printed one after the other.
package report
