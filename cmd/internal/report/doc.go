// Package report prints the results of stages: as JSON for machines, as tables for people.
package report
