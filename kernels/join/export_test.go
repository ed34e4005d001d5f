package join

import "resolwe/kernels/plan"

// OnBase returns the number of nodes that are evaluated over the base of the current subgraph.
func (s *Scratch) OnBase() int {
	n := 0
	for id := range s.Prog.Nodes {
		if s.onBase(plan.NodeID(id)) {
			n++
		}
	}
	return n
}

// Lanes returns how many lanes of columns the last group of products needed.
func (s *Scratch) Lanes() int { return len(s.pack.lanes) }

// BaseWords returns how many words of rows over the base are kept.
func (s *Scratch) BaseWords() uint64 { return uint64(s.base.scratch.words.taken) }

// LimitBase sets how many words of rows over the base may be kept for the next subgraph.
func (s *Scratch) LimitBase(words int) { s.base.limit = words }
