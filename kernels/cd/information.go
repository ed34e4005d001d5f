package cd

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/loglinear/rows"
	"resolwe/kernels/network"
)

// Information sums the information of the conditional distributions of single atoms about the weights, as in the pseudo-likelihood (Besag,
// 1975). The zero value is ready to use; its memory is reused.
type Information struct {
	visit Conditionals
	half  []float64 // F x F: the outer products; the value for (i, j) and (j, i) is the sum of both entries

	// If atoms are drawn side by side, they mostly contribute to the same few formulas.
	state  *loglinear.State
	dense  []uint32  // those formulas
	seen   []int     // by formula: number of atoms with it, among a few
	column []uint32  // by formula: its position in dense, plus 1; 0 for the others
	values []float64 // by place in dense, then by copy: true groundings that an atom adds
	outer  []float64 // of dense formulas, as rows.AddOuter has them
	mixed  []float64 // by formula, then by place in dense: outer products of two dense formulas
	truth  []float64 // by slot
	field  [network.MaxReplicas]float64
	weight [network.MaxReplicas]float64 // variance
	gains  []float64
	sparse []network.Coef // for one atom: the other formulas
}

// Add adds to dst, F x F by rows, for each sampled atom that the hard constraints leave free, p (1-p) times the outer product of what it
// adds to the true groundings; p is its probability of true given the others. It is accurate to 1e-10.
func (x *Information) Add(dst []float64, s *loglinear.State) {
	f := len(s.M.Weights)
	x.half = grow.Zeroed(x.half, f*f)
	if s.Outdated() {
		s.RefreshFields()
	}
	if x.state = s; x.choose() {
		x.addPlaces()
	} else {
		x.visit.VisitState(s, x.addAtom)
	}
	for i := range f {
		dst[i*f+i] += x.half[i*f+i]
		for j := range i {
			v := x.half[i*f+j] + x.half[j*f+i]
			dst[i*f+j] += v
			dst[j*f+i] += v
		}
	}
}

// addAtom adds an atom.
func (x *Information) addAtom(_ uint32, h float64, formulas []uint32, values []float64) {
	f, p := len(x.column), rows.Logistic(h)
	variance := p * (1 - p)
	for j, i := range formulas {
		row := x.half[int(i)*f:][:f]
		scaled := variance * values[j]
		for k, i := range formulas[:j+1] {
			row[i] += float64(scaled * values[k])
		}
	}
}

// mostDense bounds the formulas whose outer products are added for every atom.
const mostDense = 16

// choose sets the dense formulas: those of pairs and bilinear factors, and those of many atoms. It returns false if not all atoms are drawn
// side by side, or if pairs and bilinear factors have too many formulas.
func (x *Information) choose() bool {
	m := x.state.M
	x.dense, x.column = x.dense[:0], grow.Zeroed(x.column, len(m.Weights))
	if !m.Batched() {
		return false
	}
	for class := range m.Couplings.First {
		x.addDense(m.PairCoefs(uint32(class)))
	}
	for i := range m.Net.Bilinears {
		x.addDense(m.Net.Bilinears[i].Coefs)
	}
	if len(x.dense) > mostDense {
		return false
	}
	x.addFrequent()
	return true
}

func (x *Information) addDense(coefs []network.Coef) {
	for _, c := range coefs {
		if x.column[c.Formula] == 0 {
			x.dense = append(x.dense, c.Formula)
			x.column[c.Formula] = uint32(len(x.dense))
		}
	}
}

// addFrequent adds formulas that many of a few atoms have.
func (x *Information) addFrequent() {
	const few, share = 64, 4
	m := x.state.M
	atoms := m.Scope.Atoms
	x.seen = grow.Zeroed(x.seen, len(m.Weights))
	seen, looks := x.seen, 0
	for i := 0; i < len(atoms); i += len(atoms)/few + 1 {
		looks++
		for _, c := range m.Unary(atoms[i]) {
			seen[c.Formula]++
		}
	}
	for least := looks; share*least > looks; least-- { // the most frequent first
		for f, n := range seen {
			if n == least && len(x.dense) < mostDense {
				x.addDense([]network.Coef{{Formula: uint32(f)}})
			}
		}
	}
}

// addPlaces adds the sampled atoms, handling those of a place side by side.
func (x *Information) addPlaces() {
	s := x.state
	h := &s.M.Bilinear
	x.truth = grow.Zeroed(x.truth, h.Slots())
	for _, a := range s.M.Scope.Atoms {
		x.truth[h.Slot[a]] = loglinear.Indicator(s.X[a])
	}
	x.outer, x.mixed = grow.Zeroed(x.outer, rows.Halves(len(x.dense))), grow.Zeroed(x.mixed, len(x.column)*len(x.dense))
	count := s.Counts()
	for _, place := range s.M.Scope.Places {
		x.values = grow.Zeroed(x.values, len(x.dense)*h.Width)
		copy(x.field[:h.Width], s.Fields.Atom[int(place)*h.Width:])
		x.addPairs(place)
		x.addBilinear(place, count)
		x.addPlace(place)
	}
	x.fold()
}

// fold adds the outer products of dense formulas to the others.
func (x *Information) fold() {
	f := len(x.column)
	for i, a := range x.dense {
		for j, b := range x.dense[:i+1] {
			x.half[int(a)*f+int(b)] += rows.Outer(x.outer, i, j)
		}
		for b := range f {
			x.half[int(a)*f+b] += x.mixed[b*len(x.dense)+i]
		}
	}
}

// addPairs adds the pairs of the atoms at a place to their values.
func (x *Information) addPairs(place uint32) {
	m, w := x.state.M, x.state.M.Bilinear.Width
	neighbours, classes := m.Couplings.At(place)
	for k, b := range neighbours {
		x.addValues(m.PairCoefs(classes[k]), x.truth[int(b)*w:][:w])
	}
}

// addBilinear adds the bilinear factors of the atoms at a place to their values and fields.
func (x *Information) addBilinear(place uint32, count []float64) {
	m := x.state.M
	h, w := &m.Bilinear, m.Bilinear.Width
	if !h.Tied(place) {
		return
	}
	x.gains = h.Gains(x.gains, place, count)
	truth := x.truth[int(place)*w:][:w]
	for i := range m.Net.Bilinears {
		gains := x.gains[i*w:][:w]
		if h.Self[i] != nil {
			for r, v := range truth { // less an atom's interaction with itself
				gains[r] += float64(float64(h.Self[i][place]) * (1 - float64(2*v)))
			}
		}
		for r, n := range gains {
			x.field[r] += float64(h.Energy[i] * n)
		}
		x.addValues(m.Net.Bilinears[i].Coefs, gains)
	}
}

// addValues adds a row times coefficients to the values of dense formulas.
func (x *Information) addValues(coefs []network.Coef, row []float64) {
	for _, c := range coefs {
		n, to := float64(c.Mult), x.values[int(x.column[c.Formula]-1)*len(row):][:len(row)]
		for r, v := range row {
			to[r] += float64(n * v)
		}
	}
}

// addPlace adds the atoms at a place, with fields and values set except for the terms of single atoms.
func (x *Information) addPlace(place uint32) {
	s := x.state
	h := &s.M.Bilinear
	p := x.weight[:h.Width]
	rows.Draw(p, x.field[:h.Width], p) // which draws nothing
	for r, v := range p {
		if s.M.Scope.Replicas[place]>>r&1 == 0 {
			p[r] = 0
			continue
		}
		p[r] = v * (1 - v)
		x.addUnary(h.Replicas.Atom(place, uint32(r)), r)
	}
	rows.AddOuter(x.outer, x.values, p)
}

// addUnary adds the terms of a single atom to its values, and its outer products except those of dense formulas.
func (x *Information) addUnary(a uint32, r int) {
	w, column, values := x.state.M.Bilinear.Width, x.column, x.values
	sparse := x.sparse[:0]
	for _, c := range x.state.M.Unary(a) {
		if k := int(column[c.Formula]); k > 0 {
			values[(k-1)*w+r] += float64(c.Mult)
		} else {
			sparse = append(sparse, c)
		}
	}
	if x.sparse = sparse; len(sparse) == 0 {
		return
	}
	var dense [mostDense]float64
	for k := range x.dense {
		dense[k] = values[k*w+r]
	}
	f := len(column)
	for i, c := range sparse {
		scaled := x.weight[r] * float64(c.Mult)
		mixed := x.mixed[int(c.Formula)*len(x.dense):][:len(x.dense)]
		for k, v := range dense[:len(mixed)] {
			mixed[k] += float64(scaled * v)
		}
		row := x.half[int(c.Formula)*f:][:f]
		for _, d := range sparse[:i+1] {
			row[d.Formula] += float64(scaled * float64(d.Mult))
		}
	}
}
