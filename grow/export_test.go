package grow

import (
	"slices"

	"resolwe/kernels/grow"
)

// Induce returns the figures of the rule chosen within a budget.
func Induce(traces []*grow.Trace, loss grow.Loss, budget float64) Figures {
	p := &Policy{Loss: loss, Budget: budget, Order: slices.Repeat([]Stage{{}}, len(traces[0].Points))}
	p.induce(traces)
	return p.Learned.Chosen
}
