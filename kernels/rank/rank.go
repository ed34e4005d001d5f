package rank

import (
	"cmp"
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Scored is a query atom of known truth.
type Scored struct {
	P    float64 // marginal probability, 0 to 1
	True bool    // its truth
}

// Figures are the measures of one subgraph.
type Figures struct {
	// Ranked reports whether the subgraph has both true and false atoms. Otherwise the next four are undefined, and zero.
	Ranked bool
	// AUC is the area under the ROC curve: the probability that a true atom ranks above a false one, with ties counted as one half.
	AUC float64
	// AveragePrecision is the mean of the precision at the rank of each true atom.
	AveragePrecision float64
	// PrecisionAllRanks and TrueNegativeAllRanks are the two sums over all ranks of Mihalkova and Moustafa (2011), as means: of the
	// precision at the rank, and of the share of false atoms that rank below it.
	PrecisionAllRanks, TrueNegativeAllRanks float64

	Atoms int // number of atoms
	// CLL is the mean log-probability of the truth in nats, with marginals clipped to [1e-6, 1-1e-6]; zero without atoms.
	CLL float64
	// Brier is the mean squared difference between the marginal and the truth as 0 or 1 (Brier, 1950); zero without atoms.
	Brier float64
}

// Evaluate computes all measures of a subgraph from its query atoms of known truth.
func Evaluate(atoms []Scored) Figures {
	r := newRanking(slices.Clone(atoms))
	f := Figures{Ranked: r.ranked(), Atoms: len(atoms)}
	if len(atoms) > 0 {
		f.CLL, f.Brier = r.cll(), r.brier()
	}
	if f.Ranked {
		f.AUC = auc(r.blocks)
		f.AveragePrecision = r.averagePrecision()
		f.PrecisionAllRanks = r.precisionAllRanks()
		f.TrueNegativeAllRanks = r.trueNegativeAllRanks()
	}
	return f
}

// Ranks computes only AUC, AveragePrecision and Ranked, as area, averagePrecision and ok. It sorts atoms.
func Ranks(atoms []Scored) (area, averagePrecision float64, ok bool) {
	r := newRanking(atoms)
	if !r.ranked() {
		return 0, 0, false
	}
	return auc(r.blocks), r.averagePrecision(), true
}

// ranking is a set of atoms by decreasing marginal, in blocks of tied atoms.
type ranking struct {
	atoms                []Scored // sorted; equal ones are indistinguishable
	blocks               []block
	positives, negatives int // total numbers of true and false atoms
}

// block counts the true and the false atoms that share a marginal.
type block struct{ positives, negatives int }

func (b block) size() int { return b.positives + b.negatives }

// sortFalling sorts atoms by decreasing marginal, true before false for equal ones. It sorts integer keys: the bits of the marginal,
// whose order is that of the marginals as these are not negative, and the truth as the lowest bit.
func sortFalling(atoms []Scored) {
	keys := make([]uint64, len(atoms))
	for i, a := range atoms {
		keys[i] = math.Float64bits(a.P) << 1
		if a.True {
			keys[i]++
		}
	}
	slices.Sort(keys)
	for i, k := range slices.Backward(keys) {
		atoms[len(atoms)-1-i] = Scored{math.Float64frombits(k >> 1), k&1 == 1}
	}
}

// newRanking sorts atoms and keeps them.
func newRanking(atoms []Scored) *ranking {
	r := &ranking{atoms: atoms}
	sortFalling(atoms)
	previous := 0.0
	for i, a := range r.atoms {
		p := round12(a.P)
		if i == 0 || cmp.Compare(p, previous) != 0 {
			r.blocks = append(r.blocks, block{})
			previous = p
		}
		b := &r.blocks[len(r.blocks)-1]
		if a.True {
			b.positives++
			r.positives++
		} else {
			b.negatives++
			r.negatives++
		}
	}
	return r
}

// round12 returns p in units of 1e-12, exactly rounded to the nearest, halves to even: it corrects for the rounding of the product.
func round12(p float64) float64 {
	const unit = 1e12
	product := float64(p * unit)
	lost := math.FMA(p, unit, -product)
	whole := math.Floor(product)
	over := (product - whole) - 0.5 + lost
	if over > 0 || over == 0 && math.Mod(whole, 2) != 0 {
		return whole + 1
	}
	return whole
}

func (r *ranking) ranked() bool { return r.positives > 0 && r.negatives > 0 }

// auc returns the area under the ROC curve, NaN without both true and false atoms.
func auc(blocks []block) float64 {
	var above, below, halves uint64 // true and false atoms so far; half the number of misordered pairs
	for _, b := range blocks {
		positives, negatives := uint64(b.positives), uint64(b.negatives)
		halves += positives * (2*below + negatives)
		above, below = above+positives, below+negatives
	}
	return float64(2*above*below-halves) / 2 / float64(above) / float64(below)
}

// averagePrecision uses that, in a block of n atoms of which m are true, if a true atom is in place i, each of the i-1 atoms before it is
// true with probability (m-1)/(n-1).
func (r *ranking) averagePrecision() float64 {
	sum, above, positivesAbove := 0.0, 0, 0
	for _, b := range r.blocks {
		n, m := b.size(), b.positives
		others := 0.0
		if n > 1 {
			others = float64(m-1) / float64(n-1)
		}
		for i := 1; m > 0 && i <= n; i++ {
			correct := float64(positivesAbove+1) + float64(float64(i-1)*others)
			sum += float64(m) / float64(n) * correct / float64(above+i)
		}
		above += n
		positivesAbove += m
	}
	return sum / float64(r.positives)
}

func (r *ranking) precisionAllRanks() float64 {
	sum, above, positivesAbove := 0.0, 0, 0
	for _, b := range r.blocks {
		share := float64(b.positives) / float64(b.size())
		for i := 1; i <= b.size(); i++ {
			sum += (float64(positivesAbove) + float64(float64(i)*share)) / float64(above+i)
		}
		above += b.size()
		positivesAbove += b.positives
	}
	return sum / float64(len(r.atoms))
}

func (r *ranking) trueNegativeAllRanks() float64 {
	sum, below := 0.0, r.negatives
	for _, b := range r.blocks {
		below -= b.negatives
		// The places in the block have 0 to size-1 of its atoms below them.
		sum += float64(below*b.size()) + float64(float64(b.negatives*(b.size()-1))/2)
	}
	return sum / float64(len(r.atoms)) / float64(r.negatives)
}

func (r *ranking) cll() float64 {
	sum := 0.0
	for _, a := range r.atoms {
		sum += a.logLikelihood()
	}
	return sum / float64(len(r.atoms))
}

// logLikelihood returns the log-probability of the truth, with the marginal clipped.
func (a Scored) logLikelihood() float64 {
	const least = 1e-6
	p := a.P
	if !a.True {
		p = 1 - p
	}
	return elementary.Log(min(max(p, least), 1-least))
}

// correct reports whether the more probable truth value, true for 0.5 after rounding to 12 decimals, is the truth.
func (a Scored) correct() bool { return (round12(a.P) >= 0.5e12) == a.True }

func (r *ranking) brier() float64 {
	sum := 0.0
	for _, a := range r.atoms {
		miss := a.P
		if a.True {
			miss = 1 - a.P
		}
		sum += float64(miss * miss)
	}
	return sum / float64(len(r.atoms))
}
