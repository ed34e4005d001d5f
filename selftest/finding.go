package selftest

import "math"

// finding is what the comparisons of a case, or of a whole check, came to. The zero value is that of none.
type finding struct {
	comparisons int
	bets        int     // those of them that involve chance
	largest     float64 // error
	p           float64 // the least p-value
	worst       string  // where that is
}

// bet notes the outcome of a eProcess.
func (f *finding) bet(w *eProcess, where func() string) {
	f.bets++
	f.note(w.deviation(), w.level(), where)
}

// equal compares two numbers that have to be equal but for a tolerance.
func (f *finding) equal(got, want, tolerance float64, where func() string) {
	p := 0.0
	if got == want || math.Abs(got-want) <= tolerance { // infinities are equal
		p = 1
	}
	f.note(difference(got, want), p, where)
}

// holds notes whether something that chance has no part in is as it should be.
func (f *finding) holds(ok bool, where func() string) {
	if ok {
		f.note(0, 1, where)
		return
	}
	f.note(1, 0, where)
}

func (f *finding) note(size, p float64, where func() string) {
	if f.comparisons == 0 || p < f.p {
		f.p, f.worst = p, where()
	}
	f.largest = max(f.largest, size)
	f.comparisons++
}

// merge adds the comparisons of another finding.
func (f *finding) merge(o *finding) {
	if o.comparisons == 0 {
		return
	}
	if f.comparisons == 0 || o.p < f.p {
		f.p, f.worst = o.p, o.worst
	}
	f.largest = max(f.largest, o.largest)
	f.comparisons += o.comparisons
	f.bets += o.bets
}

// difference is |a - b|, 0 for equal infinities, and infinite for what is no number.
func difference(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case math.IsNaN(a - b):
		return math.Inf(1)
	}
	return math.Abs(a - b)
}
