package resolwe

import (
	"math"
	"strings"

	"resolwe/kernels/mcsat"
)

// RHatLimit is the split R-hat above which chains, or their halves, disagree, or are too short to tell.
const RHatLimit = mcsat.RHatLimit

// Quality sums up how far the sampled marginals of many subgraphs are to be trusted. The zero value is of none.
type Quality struct {
	Subgraphs int // that were inferred
	Sampled   int // of them, with atoms that had to be sampled
	Samples   int // of each chain, summed over them
	Disagree  int // of them, with an R-hat above RHatLimit
	Precise   int // of them, whose sampling ended at the target error
	Cut       int // of them, whose sampling ended as time was over
	LeftOut   int // that have no marginals: time was over before they had a sample; those that were not read are not counted

	RHat, ESS, Error Worst // the largest, the least and the largest; see mcsat.Diagnostics
}

// Worst is a figure with the subgraph that has it, "" where no subgraph has one.
type Worst struct {
	Value    float64
	Subgraph string
}

// Add takes in a subgraph's marginals. It keeps nothing of them.
func (q *Quality) Add(m *Marginals) {
	d := &m.Diagnostics
	q.Subgraphs++
	if d.Sampled == 0 {
		return
	}
	q.Sampled++
	q.Samples += d.Samples
	if d.MaxRHat > RHatLimit {
		q.Disagree++
	}
	switch d.Stopped {
	case mcsat.StopError:
		q.Precise++
	case mcsat.StopEnough:
		q.Cut++
	case mcsat.StopSamples:
	}
	q.RHat.take(d.MaxRHat, m.Subgraph, d.MaxRHat > q.RHat.Value)
	q.ESS.take(d.MinESS, m.Subgraph, d.MinESS < q.ESS.Value)
	q.Error.take(d.MaxError, m.Subgraph, d.MaxError > q.Error.Value)
}

// observe counts the subgraphs that are left out.
func (q *Quality) observe(opt *InferOptions) {
	leftOut := opt.LeftOut
	opt.LeftOut = func(name string) {
		q.LeftOut++
		if leftOut != nil {
			leftOut(name)
		}
	}
}

// Merge takes in what has been summed up of other subgraphs, which follow.
func (q *Quality) Merge(o *Quality) {
	more := o.counts()
	for i, n := range q.counts() {
		*n += *more[i]
	}
	q.RHat.take(o.RHat.Value, o.RHat.Subgraph, o.RHat.Value > q.RHat.Value)
	q.ESS.take(o.ESS.Value, o.ESS.Subgraph, o.ESS.Value < q.ESS.Value)
	q.Error.take(o.Error.Value, o.Error.Subgraph, o.Error.Value > q.Error.Value)
}

// counts returns the counts in their order.
func (q *Quality) counts() [7]*int {
	return [...]*int{&q.Subgraphs, &q.Sampled, &q.Samples, &q.Disagree, &q.Precise, &q.Cut, &q.LeftOut}
}

// worst returns the figures in their order.
func (q *Quality) worst() [3]*Worst { return [...]*Worst{&q.RHat, &q.ESS, &q.Error} }

// take takes a figure of a subgraph that is defined, and worse or the first.
func (w *Worst) take(value float64, subgraph string, worse bool) {
	if subgraph != "" && !math.IsNaN(value) && (worse || w.Subgraph == "") {
		w.Value, w.Subgraph = value, strings.Clone(subgraph)
	}
}
