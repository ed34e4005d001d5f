// Package workload times stages of resolwe on a stream: the cost of a selection compared with a plain pass over the bytes that it
// reads, and its scaling with workers. Each run opens the stream again, as a command does. Figures are medians over the runs, with
// ranges, and figures to be compared are measured under the same conditions.
package workload
