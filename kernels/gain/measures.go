package gain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/wire"
	"resolwe/kernels/derive"
	"resolwe/kernels/ground"
)

// measured reports whether a candidate is a single aggregate over variables of its head and the center, so that its bound can be chosen freely.
func measured(c *mln.Candidate) bool {
	if !c.Comparable() || len(c.Selector) != 1 || c.Selector[0].Negated {
		return false
	}
	n := c.Selector[0].Count
	return n != nil && n.Kind != mln.AggregateCount && n.Op != mln.SameAs && n.Op != mln.OtherThan
}

// bounded returns the candidate with another bound of its aggregate.
func bounded(c *mln.Candidate, op mln.Comparison, bound float64) *mln.Candidate {
	with, n := *c, *c.Selector[0].Count
	n.Op, n.K = op, bound
	with.Selector = []mln.Literal{{Count: &n}}
	return &with
}

// addMeasure adds a measured candidate, unless one exists that differs only in its bound.
func (t *Target) addMeasure(c *mln.Candidate, seen map[string]bool) {
	key := mln.Canonical(bounded(c, mln.AtLeast, 0).Joint())
	if seen[key] {
		return
	}
	seen[key] = true
	t.Measures = append(t.Measures, len(t.Candidates))
	t.Candidates = append(t.Candidates, c)
}

// compile compiles the measures of a target.
func (t *Target) compile(schema *mln.Schema) {
	if len(t.Measures) == 0 {
		return
	}
	items := make([]derive.Item, len(t.Measures))
	for i, at := range t.Measures {
		c := t.Candidates[at]
		items[i] = derive.Item{Vars: c.Formula.Vars, Count: c.Selector[0].Count, Head: c.Enforcer[0].Args}
	}
	t.program = derive.NewMeasures(schema, items)
}

// measure returns the values of a target's measures for the atoms of known truth.
func (c *Counter) measure(target int, atoms *ground.Atoms) ([][]float64, error) {
	to := c.task.Targets[target]
	lo, hi := atoms.FreeOf(to.Pred)
	if to.program == nil || lo == hi {
		return nil, nil
	}
	if c.scratches[target] == nil {
		c.scratches[target] = derive.NewMeasurer(to.program)
		c.scratches[target].Stop(c.stop)
	}
	return c.scratches[target].Values(atoms.Sub, atoms.Columns(to.Pred))
}

// setValues returns false unless there are, by measure, values for n atoms, each finite or NaN. The part stores them by atom.
func (p *part) setValues(values [][]float64, n int) bool {
	for _, of := range values {
		if len(of) != n {
			return false
		}
		p.values = append(p.values, of...)
	}
	return !slices.ContainsFunc(p.values, isInfinite)
}

func isInfinite(v float64) bool { return math.IsInf(v, 0) }

// divide returns the boundaries of each measure, computed from all its values.
func (b *Builder) divide() [][]Boundary {
	out := make([][]Boundary, len(b.Measures))
	for i := range out {
		var all []float64
		for k := range b.parts {
			for _, v := range b.parts[k].of(i) {
				if !math.IsNaN(v) {
					all = append(all, v)
				}
			}
		}
		out[i] = Sixteenths(runs(all))
	}
	return out
}

// of returns the values of a measure.
func (p *part) of(measure int) []float64 {
	n := len(p.truth)
	return p.values[measure*n : (measure+1)*n]
}

// addMeasure adds the values of a measure for rows from first on: their level is one plus the number of boundaries below them.
func (k *cells) addMeasure(values []float64, first int, bounds []Boundary) {
	for a, v := range values {
		if math.IsNaN(v) {
			continue
		}
		level, _ := slices.BinarySearchFunc(bounds, v, func(b Boundary, v float64) int {
			if b.From <= v {
				return -1
			}
			return 1
		})
		k.add(first+a, uint8(level+1)) // #nosec G115 -- at most 16
	}
}

// addCuts adds the literals of a measure with slots s: for each boundary, at least and at most.
func (m *slotting) addCuts(s span, bounds []Boundary) {
	at := s.lo
	for i, b := range bounds {
		for at < s.hi && int(m.level[at]) < i+2 {
			at++
		}
		k := int64(i + 2)
		m.cuts = append(m.cuts, cut{k, false, b.from(), span{at, s.hi}}, cut{k - 1, true, b.below(), span{s.lo, at}})
	}
}

// opposite returns the complement of a literal; for a measure, among the rows that have a value.
func (m *slotting) opposite(l Literal) Literal {
	bounds, ok := m.bounds[l.Candidate]
	switch {
	case !ok:
		l.Negated = !l.Negated
	case l.AtMost:
		l.AtLeast, l.AtMost, l.Bound = l.AtLeast+1, false, bounds[l.AtLeast-1].from()
	default:
		l.AtLeast, l.AtMost, l.Bound = l.AtLeast-1, true, bounds[l.AtLeast-2].below()
	}
	return l
}

// writeKinds writes which candidates may be compared, and which are measures.
func (o *BuilderOptions) writeKinds(w *wire.Writer) {
	kinds := []byte(packed(o.Thresholds))
	for _, c := range o.Measures {
		kinds[c] = measureKind
	}
	w.String(string(kinds))
}

const measureKind = 2 // besides 0 and 1, which say whether a candidate may be compared

func (o *BuilderOptions) readKinds(r *wire.Reader) {
	for i, k := range []byte(r.String()) {
		r.Refuse(k > measureKind)
		o.Thresholds = append(o.Thresholds, k == 1)
		if k == measureKind {
			o.Measures = append(o.Measures, i)
		}
	}
}

func (m *slotting) isMeasure(candidate int) bool {
	_, ok := m.bounds[candidate]
	return ok
}

// Boundary separates numbers up to Below from those at or above From, the nearest numbers that occur.
type Boundary struct{ Below, From float64 }

// Sixteenths returns the boundaries, ascending, that divide a sample into sixteen parts by rank; fewer than 15 if equal values would be
// split. The values ascend; times is how often each occurs.
func Sixteenths(values []float64, times []uint64) (out []Boundary) {
	total, before := uint64(0), uint64(0)
	for _, n := range times {
		total += n
	}
	for i, v := range values[:max(len(values)-1, 0)] {
		first := before * 16 / max(total, 1)
		if before += times[i]; before*16/max(total, 1) > first {
			out = append(out, Boundary{v, values[i+1]})
		}
	}
	return out
}

// runs returns the distinct values of a list, ascending, and how often each occurs. It sorts the list.
func runs(values []float64) (different []float64, times []uint64) {
	slices.Sort(values)
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			different, times = append(different, v), append(times, 0)
		}
		times[len(times)-1]++
	}
	return different, times
}

// from returns the shortest decimal number above Below and at most From.
func (b Boundary) from() float64 {
	return shortest(b.From, func(v float64) bool { return v > b.Below && v <= b.From })
}

// below returns the shortest decimal number at least Below and less than From.
func (b Boundary) below() float64 {
	return shortest(b.Below, func(v float64) bool { return v >= b.Below && v < b.From })
}

// shortest returns 0, or a multiple of the largest power of ten, that separates as well as v.
func shortest(v float64, divides func(float64) bool) float64 {
	if divides(0) {
		return 0
	}
	_, text, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(text)
	for k := exponent + 1; k > exponent-17; k-- {
		power, _ := strconv.ParseFloat(fmt.Sprint("1e", k), 64)
		times := math.Floor(v / power)
		for _, n := range [...]float64{times, times + 1, times - 1} {
			if short, err := strconv.ParseFloat(fmt.Sprintf("%.0fe%d", n, k), 64); err == nil && divides(short) {
				return short
			}
		}
	}
	return v
}
