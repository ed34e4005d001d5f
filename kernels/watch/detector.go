package watch

import "resolwe/internal/elementary"

// bets are the stakes over which the tests average, since the best one depends on the mean excess, which is not known.
var bets = [...]float64{.1, .2, .4, .8, 1.2}

// MostMargin is the largest margin of Excess with which no bet can lose everything.
const MostMargin = .1

// Excess returns, by member, the mean over its atoms of the loss of p minus that of the even mixture of p and q, minus a margin, in nats.
// It is at least -ln 2 - margin.
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
	Weight float64            // the weights of all slots sum to at most 1
	Sums   [len(bets)]float64 // Shiryaev-Roberts sums
	Rise   [len(bets)]float64 // sums of the logarithms of their factors since these sums were last at most 0
	Since  [len(bets)]int     // index of the first subgraph in Rise
	Spare  bool               // has no challenger
}

// Detector raises an alarm when challengers predict better than the published model. While none is better by more than the margin, the
// mean number of subgraphs until an alarm at M is at least M, whatever the distribution of the subgraphs and their dependence on each
// other: each Shiryaev-Roberts sum minus the number of subgraphs is a supermartingale (e-detectors: Shin, Ramdas and Rinaldo, 2024).
type Detector struct{ Slots []Slot }

// NewDetector returns a detector with slots for experts, which share half of the weight, and for other challengers, which share the other
// half and are spare at first.
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

// Step adds the excess of each slot on the subgraph with the given index; that of spare slots is ignored.
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

// Value returns the statistic M.
func (d *Detector) Value() (m float64) {
	for i := range d.Slots {
		for _, v := range d.Slots[i].Sums {
			m += float64(d.Slots[i].Weight*v) / float64(len(bets))
		}
	}
	return m
}

// Began returns the slot with the largest part in M, and its estimate of the first subgraph after the change (CUSUM: Page, 1954).
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

// Reset restarts at the subgraph with the given index.
func (d *Detector) Reset(index int) {
	for i := range d.Slots {
		d.Put(i, d.Slots[i].Spare, index)
	}
}

// Put restarts one slot, which is spare or gets another challenger, at the subgraph with the given index.
func (d *Detector) Put(slot int, spare bool, index int) {
	s := &d.Slots[slot]
	*s = Slot{Weight: s.Weight, Spare: spare}
	for k := range s.Since {
		s.Since[k] = index
	}
}

// Process is the evidence for a challenger since it was made, a mean of products. If the challenger is not better by more than the margin,
// the probability that the evidence ever reaches 1/a is at most a.
type Process struct{ Products [len(bets)]float64 }

// NewProcess returns a process without observations.
func NewProcess() *Process {
	p := &Process{}
	for k := range p.Products {
		p.Products[k] = 1
	}
	return p
}

// Step adds an excess. Products are capped at 1e300.
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
