package gain

// Doubt is a candidate that tells the truth so well that it may be the answer in disguise.
type Doubt struct {
	Candidate int
	AUC       float64 // of its count, or of the opposite, over all rows
	Rows      int     // that have a grounding, or a value
	Only      bool    // these are all true, or all false, which is unlikely by chance: P below 1e-6
	Truth     bool    // which of the two
}

const (
	doubtfulAUC = .98
	doubtfulP   = 1e-6
)

// Doubts returns the candidates whose AUC-ROC is above .98, and those of one relation that is stated of true rows only, or of false
// ones only, which is unlikely by chance; relation tells which candidates are of one relation.
func (m *Matrix) Doubts(relation func(candidate int) bool) (out []Doubt) {
	counts := make([][2]int, len(m.owner)) // by slot: false and true rows
	var all [2]int
	for row, truth := range m.truth {
		at := 0
		if truth {
			at = 1
		}
		all[at]++
		for _, slot := range m.slots[m.first[row]:m.first[row+1]] {
			counts[slot][at]++
		}
	}
	if all[0] == 0 || all[1] == 0 {
		return nil
	}
	for c, s := range m.spans {
		d := Doubt{Candidate: c}
		some := [2]int{}
		for _, n := range counts[s.lo:s.hi] {
			some[0], some[1] = some[0]+n[0], some[1]+n[1]
		}
		wins := 0. // twice the pairs that it puts in order
		below := all[0] - some[0]
		wins += float64(float64(all[1]-some[1]) * float64(below))
		for _, n := range counts[s.lo:s.hi] {
			wins += float64(float64(n[1]) * float64(2*below+n[0]))
			below += n[0]
		}
		d.AUC = wins / 2 / float64(all[0]) / float64(all[1])
		d.AUC = max(d.AUC, 1-d.AUC)
		d.Rows, d.Truth = some[0]+some[1], some[0] == 0
		d.Only = d.Rows > 0 && min(some[0], some[1]) == 0 && relation(c) && isUnlikely(d.Rows, all, d.Truth)
		if d.AUC > doubtfulAUC || d.Only {
			out = append(out, d)
		}
	}
	return out
}

// isUnlikely reports whether rows drawn at random would hardly all be true, or all false.
func isUnlikely(rows int, all [2]int, truth bool) bool {
	like := all[0]
	if truth {
		like = all[1]
	}
	p := 1.
	for i := 0; i < rows && p >= doubtfulP; i++ {
		p *= float64(like-i) / float64(all[0]+all[1]-i)
	}
	return p < doubtfulP
}
