package network

import "slices"

// Lit is a literal of a query atom: 2*atom, plus 1 if negated.
type Lit uint32

// NewLit returns the literal of an atom.
func NewLit(atom uint32, negated bool) Lit {
	l := Lit(atom << 1)
	if negated {
		l |= 1
	}
	return l
}

// Atom returns the literal's atom.
func (l Lit) Atom() uint32 { return uint32(l >> 1) }

// Negated reports whether the literal is the atom's negation.
func (l Lit) Negated() bool { return l&1 == 1 }

// True reports whether the literal holds in a state.
func (l Lit) True(x []bool) bool { return x[l>>1] != (l&1 == 1) }

// Coef gives the number of true groundings of a formula per unit of a factor's value; a conjunction or feature has value 1 if true.
type Coef struct {
	Formula uint32
	Mult    int64 // multiplicity, not 0; negative if the factor removes groundings
}

// Groundings returns a coefficient as a number of groundings: its Mult, multiplied by the Scale of its formula.
func (net *Network) Groundings(c Coef) float64 {
	if net.Scale == nil {
		return float64(c.Mult)
	}
	return float64(float64(c.Mult) * net.Scale[c.Formula])
}

// Unit is the value of 1 in a Mult or Constant of a formula with a shape (mln.Shape). Such formulas have real coefficients, which are
// rounded to multiples of Unit, so that sums are exact and independent of their order. It is a power of 2: scaling by it does not round.
const Unit = 1.0 / PerUnit

// PerUnit is 1 / Unit: large enough for the share of an atom with thousands of groundings, small enough for sums over millions of atoms.
const PerUnit = 1 << 40

// Network is the factor graph over the free query atoms. The number of true groundings of formula i in a state x is
//
//	n_i(x) = Constant[i] + sum of Mult over the factors that are true in x and have a Coef of formula i
//	       + sum of Mult times the value in x of the bilinear factors that have a Coef of formula i.
//
// Every ground formula is written as a sum of conjunctions, so that equal ones are merged, whichever formula they come from. Factors of
// one atom are that atom, those of two atoms are the product of both (m ^ !n is m - m^n), and longer ones are conjunctions of literals as
// they occur. A ground formula without a short sum of conjunctions is a Feature. A Network is read-only once built and may be used by
// several chains at once.
type Network struct {
	NumAtoms int
	// Scale is, by formula, the factor for its counts: 1, or [Unit] if it has a shape. nil if all are 1.
	Scale []float64
	// Constant is by formula, soft and hard. If the builder accepts a constant beyond 2^63 - 1, it is stored as 0: constants do not
	// affect probabilities.
	Constant []int64

	// Unary[UnaryStart[a]:UnaryStart[a+1]] are the coefficients of the unary term of atom a, in order of formulas.
	UnaryStart []uint32
	Unary      []Coef

	// Pairs are the pairwise factors, A < B, sorted; coefficients are PairCoefs[PairStart[p]:PairStart[p+1]].
	Pairs     []Pair
	PairStart []uint32
	PairCoefs []Coef

	// Bilinears are joins, kept factored, of two atoms through a shared entity: sums over many pairs of atoms. The connected component of
	// each of their atoms has at least FactoredAtoms atoms.
	Incidences []Incidence
	Bilinears  []Bilinear
	// Replicas are the equal parts of a network with bilinear factors that was made by [Network.Repeat].
	Replicas Replicas

	// Conjunctions are the factors of three or more literals, of distinct atoms in ascending order.
	Conjunctions []Conjunction

	// Features are the ground formulas that are evaluated as trees.
	Features []Feature

	// Clauses are hard constraints: at least one literal of each holds. The atoms of a clause are distinct and ascending.
	Clauses [][]Lit
	// HardFeatures are the hard constraints without a short set of clauses.
	HardFeatures []Feature
}

// Pair is a factor that is true if both atoms are. A < B.
type Pair struct{ A, B uint32 }

// Incidence is the sparse incidence matrix of the atoms and the entities that a join goes through. An entity stands for everything that
// its atoms share in the join. The value of a row in a state is the number of its true atoms, with multiplicities.
type Incidence struct {
	Start []uint32 // Atoms[Start[e]:Start[e+1]] are the atoms of entity e
	Atoms []uint32 // ascending within an entity
	Mult  []int64  // multiplicities, parallel to Atoms, positive; nil if all are 1
}

// Entities returns the number of rows.
func (s *Incidence) Entities() int { return len(s.Start) - 1 }

// At returns the multiplicity of Atoms[i].
func (s *Incidence) At(i uint32) int64 {
	if s.Mult == nil {
		return 1
	}
	return s.Mult[i]
}

// Shared calls f for each atom of an entity on two incidences, with its multiplicities on both.
func (s *Incidence) Shared(o *Incidence, entity int, f func(a uint32, mult, other int64)) {
	i, j := s.Start[entity], o.Start[entity]
	for i < s.Start[entity+1] && j < o.Start[entity+1] {
		switch a, b := s.Atoms[i], o.Atoms[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			f(a, s.At(i), o.At(j))
			i, j = i+1, j+1
		}
	}
}

// Bilinear is a low-rank factor: the inner product of two incidences' row values. The incidences have the same entities, may be the same
// and may share atoms; Left <= Right.
type Bilinear struct {
	Left, Right uint32 // indices in Network.Incidences
	Coefs       []Coef
}

// FactoredAtoms is the smallest number of atoms of a component with bilinear factors; in a smaller one all pairs are listed, so that it
// can be enumerated.
const FactoredAtoms = 32

// Conjunction is a factor of three or more literals.
type Conjunction struct {
	Lits  []Lit
	Coefs []Coef
}

// Feature is a Boolean function of a few atoms. Atoms lists them, ascending; Root is evaluated on a state.
type Feature struct {
	Atoms []uint32
	Root  *Node
	Coefs []Coef // empty for a hard feature
}

// NodeOp is the operator of a Node.
type NodeOp uint8

// The operators of a feature's tree.
const (
	OpLit NodeOp = iota + 1
	OpAnd
	OpOr
	OpNot
	OpIff // of two operands
)

// Node is a feature's tree.
type Node struct {
	Op   NodeOp
	Lit  Lit // of OpLit
	Kids []*Node
}

// Atoms returns the atoms of the tree, ascending.
func (n *Node) Atoms() []uint32 {
	var atoms []uint32
	var visit func(*Node)
	visit = func(n *Node) {
		if n.Op == OpLit {
			atoms = append(atoms, n.Lit.Atom())
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(n)
	slices.Sort(atoms)
	return slices.Compact(atoms)
}

// True evaluates the tree on a state.
func (n *Node) True(x []bool) bool {
	switch n.Op {
	case OpLit:
		return n.Lit.True(x)
	case OpNot:
		return !n.Kids[0].True(x)
	case OpIff:
		return n.Kids[0].True(x) == n.Kids[1].True(x)
	case OpOr:
		for _, k := range n.Kids {
			if k.True(x) {
				return true
			}
		}
		return false
	case OpAnd:
		for _, k := range n.Kids {
			if !k.True(x) {
				return false
			}
		}
		return true
	}
	panic("kernels/network: node without operator")
}
