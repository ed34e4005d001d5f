package exact

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Expectation holds exact sums over the components of a model that are not sampled. They exclude the network's constants. The zero value is
// ready for [Expectation.Compute].
type Expectation struct {
	LogZ float64   // logarithm of the sum over the states of exp(sum of w_i n_i)
	Mean []float64 // by formula: expected number of true groundings
	Cov  []float64 // F x F, row by row: covariance of the numbers of true groundings

	Diagonal bool // only variances: Cov is by formula

	Stop func() error // unless nil, called before each component of several atoms; an error ends Compute

	enum  Enumerator
	local moments
	tree  Tree
}

// Compute sets the expectations under the model's current weights, only LogZ without moments. Independent atoms have closed forms; other
// components are enumerated or eliminated by the model's routes. Moments take time proportional to the states, or entries of the tree's
// tables, times the square of a component's formulas. The error is an *UnsatisfiableError or that of Stop.
func (e *Expectation) Compute(m *loglinear.Model, moments bool) error {
	if e.LogZ = 0; moments {
		size := len(m.Weights)
		e.Mean = grow.Zeroed(e.Mean, size)
		if !e.Diagonal {
			size *= size
		}
		e.Cov = grow.Zeroed(e.Cov, size)
	}
	if err := m.Possible(); err != nil {
		return err
	}
	for i := range m.Components.Len() {
		atoms := m.Components.Atoms(i)
		var err error
		switch {
		case m.Sampled(atoms[0]):
		case m.Independent(atoms[0]):
			e.addAtom(m, atoms[0], moments)
		case e.stopped(&err):
		case m.Route(i) == loglinear.Eliminate:
			err = e.eliminate(m, atoms, moments)
		default:
			err = e.enumerate(m, atoms, moments)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stopped sets err to the error of Stop, and reports whether there is one.
func (e *Expectation) stopped(err *error) bool {
	if e.Stop != nil {
		*err = e.Stop()
	}
	return *err != nil
}

func (e *Expectation) addAtom(m *loglinear.Model, a uint32, moments bool) {
	h, coefs := m.Bias[a], m.Unary(a)
	small := elementary.Exp(-math.Abs(h)) // the odds of the less probable value
	e.LogZ += max(h, 0) + elementary.Log1p(small)
	if !moments {
		return
	}
	p := 1 / (1 + small)
	if h < 0 {
		p *= small
	}
	loglinear.AddCoefs(e.Mean, coefs, p)
	variance := small / ((1 + small) * (1 + small))
	for _, c := range coefs {
		if e.Diagonal {
			e.Cov[c.Formula] += float64(variance * float64(c.Mult) * float64(c.Mult))
			continue
		}
		row := e.Cov[int(c.Formula)*len(e.Mean):]
		for _, d := range coefs {
			row[d.Formula] += float64(variance * float64(c.Mult) * float64(d.Mult))
		}
	}
}

func (e *Expectation) enumerate(m *loglinear.Model, atoms []uint32, moments bool) error {
	if err := e.enum.Run(m, atoms); err != nil {
		return err
	}
	if e.LogZ += e.enum.logZ(); !moments {
		return nil
	}
	e.local.compute(&e.enum)
	for i, f := range e.local.formulas {
		e.Mean[f] += e.local.mean[i]
		if e.Diagonal {
			e.Cov[f] += e.local.cov[i*len(e.local.formulas)+i]
			continue
		}
		row := e.Cov[int(f)*len(e.Mean):]
		for j, g := range e.local.formulas {
			row[g] += e.local.cov[i*len(e.local.formulas)+j]
		}
	}
	return nil
}

func (e *Expectation) eliminate(m *loglinear.Model, atoms []uint32, moments bool) error {
	if err := e.tree.Bind(m, atoms, MostEntries); err != nil {
		return err
	}
	if err := e.tree.Sum(); err != nil {
		return err
	}
	if e.LogZ += e.tree.LogZ(); moments {
		e.tree.AddMoments(e.Mean, e.Cov, e.Diagonal)
	}
	return nil
}

// moments enumerates a component a second time, with the counts of its formulas, which are exact integers, centred on their known means.
type moments struct {
	*Enumerator
	formulas []uint32
	column   []uint32 // by formula: its position in formulas, plus 1
	weights  []float64
	mean     []float64
	cov      []float64
	counts   []float64
	centred  []float64
	all      []float64 // expected counts of every formula of the model
	logMass  float64
}

func (s *moments) compute(e *Enumerator) {
	s.Enumerator = e
	s.listFormulas()
	k := len(s.formulas)
	s.all = grow.Zeroed(s.all, len(e.m.Weights))
	e.addExpected(s.all)
	s.mean, s.weights = s.mean[:0], s.weights[:0]
	for _, f := range s.formulas {
		s.mean = append(s.mean, s.all[f])
		s.weights = append(s.weights, e.m.Weights[f])
	}
	s.cov, s.counts, s.centred = grow.Zeroed(s.cov, k*k), grow.Zeroed(s.counts, k), grow.To(s.centred, k)
	s.logMass = e.logZ()
	s.visit(0)
}

// listFormulas lists the formulas that have a term in the component.
func (s *moments) listFormulas() {
	s.formulas = s.formulas[:0]
	s.column = grow.Zeroed(s.column, len(s.m.Weights))
	for _, a := range s.atoms {
		s.list(s.m.Unary(a))
		_, classes, _ := s.m.Couplings.Of(a)
		for _, class := range classes {
			s.list(s.m.PairCoefs(class))
		}
	}
	for i := range s.terms {
		s.list(s.m.SoftCoefs(s.terms[i].factor))
	}
}

func (s *moments) list(coefs []network.Coef) {
	for _, c := range coefs {
		if s.column[c.Formula] == 0 {
			s.formulas = append(s.formulas, c.Formula)
			s.column[c.Formula] = uint32(len(s.formulas))
		}
	}
}

func (s *moments) visit(d int) {
	if d == s.n {
		s.addState()
		return
	}
	for _, v := range [...]bool{false, true} {
		s.x[s.atoms[d]] = v
		if s.lawful(d) {
			s.count(d, 1)
			s.visit(d + 1)
			s.x[s.atoms[d]] = v
			s.count(d, -1)
		}
	}
}

// count adds the true terms whose last atom is at a level.
func (s *moments) count(d int, sign float64) {
	m, a := s.m, s.atoms[d]
	if s.x[a] {
		s.add(m.Unary(a), sign)
		neighbours, classes, base := m.Couplings.Of(a)
		for k, b := range neighbours {
			if b += base; b < a && s.x[b] {
				s.add(m.PairCoefs(classes[k]), sign)
			}
		}
	}
	for _, ref := range m.Soft.Of(a) {
		lits, feature := m.SoftFactor(ref >> 1)
		if lastAtom(lits, feature) != a {
			continue
		}
		if feature == nil && loglinear.AllTrue(lits, s.x) || feature != nil && feature.Root.True(s.x) {
			s.add(m.SoftCoefs(ref>>1), sign)
		}
	}
}

func (s *moments) add(coefs []network.Coef, sign float64) {
	for _, c := range coefs {
		s.counts[s.column[c.Formula]-1] += float64(sign * float64(c.Mult))
	}
}

func (s *moments) addState() {
	energy := -s.logMass
	for i, n := range s.counts {
		energy += float64(s.weights[i] * n)
		s.centred[i] = n - s.mean[i]
	}
	p := elementary.Exp(energy)
	k := len(s.counts)
	for i, n := range s.centred {
		row := s.cov[i*k : (i+1)*k]
		for j, o := range s.centred {
			row[j] += float64(p * n * o)
		}
	}
}
