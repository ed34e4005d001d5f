package watch

import "resolwe/internal/elementary"

// bets are the stakes over which the tests average: the mean excess at which each grows fastest need not be known.
var bets = [...]float64{.1, .2, .4, .8, 1.2}

// MostMargin bounds the margin of Excess: no bet can then lose all.
const MostMargin = .1

// Excess returns by member the mean over its atoms of how much more the loss of p is than that of the even mixture of p and q, less
// a margin, in nats. It is at least -ln 2 - margin.
func (b *Block) Excess(p, q []float64, margin float64) []float64 {
	return b.means(margin, func(i, truth int) float64 {
		half := float64((q[i] - p[i]) * .5)
		if truth == 0 {
			return elementary.Log1p(-half / (1 - p[i]))
		}
		return elementary.Log1p(half / p[i])
	})
}

// Slot tests one challenger of the published model.
type Slot struct {
	Weight float64            // of all slots together at most 1
	Sums   [len(bets)]float64 // Shiryaev-Roberts sums
	Rise   [len(bets)]float64 // of the logarithms of their factors since they were last below 0
	Since  [len(bets)]int     // the subgraph behind which this was
	Spare  bool               // without a challenger
}

// Detector raises an alarm where challengers predict better than the published model. While none is better by more than the margin,
// the mean number of subgraphs up to an alarm at M is at least M, whatever the distribution and however subgraphs depend on each
// other: each Shiryaev-Roberts sum less the number of subgraphs is a supermartingale (e-detectors: Shin, Ramdas and Rinaldo, 2024).
type Detector struct{ Slots []Slot }

// NewDetector returns one of a number of experts, which share half of the weight, and of other challengers, which share the rest, and
// are spare at first.
func NewDetector(experts, others int) *Detector {
	d := &Detector{make([]Slot, experts+others)}
	for i := range d.Slots {
		d.Slots[i].Weight = .5 / float64(experts)
		if i >= experts {
			d.Slots[i].Weight, d.Slots[i].Spare = .5/float64(others), true
		}
	}
	return d
}

// Step takes in the excess of each slot on the subgraph of an index; that of spare slots plays no part.
func (d *Detector) Step(index int, excess []float64) {
	for i := range d.Slots {
		s := &d.Slots[i]
		if s.Spare {
			continue
		}
		for k, bet := range bets {
			factor := 1 + float64(bet*excess[i])
			s.Sums[k] = float64((s.Sums[k] + 1) * factor)
			if s.Rise[k] += elementary.Log(factor); s.Rise[k] <= 0 {
				s.Rise[k], s.Since[k] = 0, index+1
			}
		}
	}
}

// Value returns M.
func (d *Detector) Value() (m float64) {
	for i := range d.Slots {
		for _, v := range d.Slots[i].Sums {
			m += float64(d.Slots[i].Weight*v) / float64(len(bets))
		}
	}
	return m
}

// Began returns the slot and the bet's estimate of when the change began (CUSUM: Page, 1954) that have most part in M.
func (d *Detector) Began() (slot, index int) {
	most := -1.
	for i := range d.Slots {
		s := &d.Slots[i]
		for k, v := range s.Sums {
			if part := s.Weight * v; part > most {
				most, slot, index = part, i, s.Since[k]
			}
		}
	}
	return slot, index
}

// Reset begins anew at the subgraph of an index.
func (d *Detector) Reset(index int) {
	for i := range d.Slots {
		d.Put(i, d.Slots[i].Spare, index)
	}
}

// Put begins anew with one slot, which is spare or gets another challenger, at the subgraph of an index.
func (d *Detector) Put(slot int, spare bool, index int) {
	s := &d.Slots[slot]
	*s = Slot{Weight: s.Weight, Spare: spare}
	for k := range s.Since {
		s.Since[k] = index
	}
}

// Process is the evidence for a challenger since its birth: a mean of products, that is at 1/a or above at any time with probability
// at most a where the challenger is not better by more than the margin.
type Process struct{ Products [len(bets)]float64 }

// NewProcess returns one that has seen nothing.
func NewProcess() *Process {
	p := &Process{}
	for k := range p.Products {
		p.Products[k] = 1
	}
	return p
}

// Step takes in an excess. A product stays below 1e300.
func (p *Process) Step(excess float64) {
	for k, bet := range bets {
		p.Products[k] = min(p.Products[k]*(1+float64(bet*excess)), 1e300)
	}
}

// Value returns the evidence.
func (p *Process) Value() (sum float64) {
	for _, v := range p.Products {
		sum += v / float64(len(bets))
	}
	return sum
}
