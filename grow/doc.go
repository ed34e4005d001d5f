// Package grow learns what to fetch for a subgraph, in which order, and when to stop; replays such a policy on streams; and runs it against
// a store.
package grow
