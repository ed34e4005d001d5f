package network

// Lit is a literal of a query atom: 2*atom, plus 1 where it is negated.
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

// Negated reports whether the literal is true where its atom is false.
func (l Lit) Negated() bool { return l&1 == 1 }

// True reports whether the literal holds in a state.
func (l Lit) True(x []bool) bool { return x[l>>1] != (l&1 == 1) }

// Coef says how many true groundings a formula has where a factor is true, or for each unit of the factor's value.
type Coef struct {
	Formula uint32
	Mult    int64 // multiplicity, not 0, and negative where the factor takes groundings away
}

// Unit is what 1 of a Mult or Constant is worth for a formula with a shape (mln.Shape): its coefficients, which are real
// numbers, are rounded to multiples of it, so that sums of them are exact and any order gives the same. It is a power of 2:
// scaling by it rounds nothing.
const Unit = 1.0 / PerUnit

// PerUnit is how many units are 1: enough for the share of an atom with thousands of groundings, and few enough for the sum
// over millions of atoms.
const PerUnit = 1 << 40

// Network is the factor graph over the free query atoms: those that nothing fixes. The number of true groundings of
// formula i in a state x is
//
//	n_i(x) = Constant[i] + sum of Mult over the factors that are true in x and have a Coef of formula i
//	       + sum of Mult times the value in x of the bilinear factors that have a Coef of formula i.
//
// Every ground formula is written as a sum of conjunctions, so that equal ones merge whatever formula they come from:
// factors of one atom are that atom un-negated, those of two atoms are the product of both un-negated (m ^ !n is m - m^n),
// longer ones are conjunctions of literals as they arose. What has no short sum of conjunctions is a Feature.
// A Network is read-only once built and may be used by several chains at once.
type Network struct {
	NumAtoms int
	// Scale is by formula what its counts are multiplied with: 1, or [Unit] where it has a shape. nil where all are 1.
	Scale []float64
	// Constant is by formula, soft and hard alike. Where the builder lets one beyond 2^63 - 1 pass, it is 0: it makes no
	// state more probable.
	Constant []int64

	// Unary[UnaryStart[a]:UnaryStart[a+1]] are the coefficients of atom a on its own, in order of formulas.
	UnaryStart []uint32
	Unary      []Coef

	// Pairs are the pairwise factors, A < B, sorted; coefficients are PairCoefs[PairStart[p]:PairStart[p+1]].
	Pairs     []Pair
	PairStart []uint32
	PairCoefs []Coef

	// Bilinears are what is left of a join that ties two atoms through a shared entity: sums over many pairs of atoms.
	// The connected component of each of their atoms has at least FactoredAtoms atoms.
	Incidences []Incidence
	Bilinears  []Bilinear
	// Replicas are the equal parts of which the incidences consist, where there are bilinear factors.
	Replicas Replicas

	// Conjunctions are the factors of three or more literals, of distinct atoms in ascending order.
	Conjunctions []Conjunction

	// Features are the ground formulas that are evaluated as they are.
	Features []Feature

	// Clauses are the hard constraints: at least one literal of each holds. Atoms of a clause are distinct, ascending.
	Clauses [][]Lit
	// HardFeatures are the hard constraints that have no short set of clauses.
	HardFeatures []Feature
}

// Pair is a factor that is true where both atoms are. A < B.
type Pair struct{ A, B uint32 }

// Incidence is the sparse matrix of which atoms have which entities that a join goes through. A row's entity stands for
// what it shares with all its atoms too; the row's value in a state is the number of its true atoms, each with its
// multiplicity.
type Incidence struct {
	Start []uint32 // Atoms[Start[e]:Start[e+1]] are those of entity e
	Atoms []uint32 // ascending within an entity
	Mult  []int64  // multiplicities, parallel to Atoms, positive; nil where all are 1
}

// Entities returns the number of rows.
func (s *Incidence) Entities() int { return len(s.Start) - 1 }

// At returns the multiplicity of the i-th of Atoms.
func (s *Incidence) At(i uint32) int64 {
	if s.Mult == nil {
		return 1
	}
	return s.Mult[i]
}

// Bilinear is a low-rank factor, whose value is the inner product of two incidences' values by entity. These have the same
// entities, may be one and may share atoms; Left <= Right.
type Bilinear struct {
	Left, Right uint32 // indices in Network.Incidences
	Coefs       []Coef
}

// FactoredAtoms is the least number of atoms of a component that has bilinear factors: in a smaller one all pairs are
// listed, so that it can be enumerated.
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
	OpIff // of two
)

// Node is a feature's tree.
type Node struct {
	Op   NodeOp
	Lit  Lit // of OpLit
	Kids []*Node
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
