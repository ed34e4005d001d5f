// Package workload times the stages of resolwe on a stream: what a selection costs beside a plain pass over the bytes
// that it reads, and how it scales with workers. Each run opens the stream anew, as a command does. Figures are medians
// over the runs with their range, so that two that stand side by side were measured under the same conditions.
package workload
