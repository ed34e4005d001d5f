// Package ground turns a subgraph and a model into the ground Markov network over the subgraph's query atoms.
package ground

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

// Coef says that a term adds N to the count of true groundings of a formula wherever the term is true.
type Coef struct {
	Formula uint32
	N       int64
}

// Network is the ground network of one subgraph over its free query atoms: those that nothing fixes. The number of
// true groundings of formula i in a state x is
//
//	n_i(x) = Constant[i] + sum of N over the terms that are true in x and have a Coef of formula i
//	       + sum of N times the value in x of the products that have a Coef of formula i.
//
// Every ground formula is written as a sum of conjunctions, so that equal ones merge whatever formula they come from:
// terms of one atom are that atom un-negated, terms of two atoms are the product of both un-negated (m ^ !n is m - m^n),
// longer ones are conjunctions of literals as they arose. What has no short sum of conjunctions is a Feature.
// A Network is read-only once built and may be used by several chains at once.
type Network struct {
	NumAtoms int
	// Constant is by formula, soft and hard alike. Where it is beyond 2^63 - 1, but under Counting, it is 0: it makes no
	// state more probable.
	Constant []int64

	// Unary[UnaryStart[a]:UnaryStart[a+1]] are the coefficients of atom a on its own, in order of formulas.
	UnaryStart []uint32
	Unary      []Coef

	// Pairs are the terms of two atoms, A < B, sorted; its coefficients are PairCoefs[PairStart[p]:PairStart[p+1]].
	Pairs     []Pair
	PairStart []uint32
	PairCoefs []Coef

	// Products are what is left of a join in which two atoms meet in a shared entity: sums over many pairs of atoms.
	// The connected component of each of their atoms has at least FactoredAtoms atoms.
	Sides    []Side
	Products []Product

	// Cubes are the conjunctions of three or more literals, of distinct atoms in ascending order.
	Cubes []Cube

	// Features are the ground formulas that are evaluated as they are.
	Features []Feature

	// Clauses are the hard constraints: at least one literal of each holds. Atoms of a clause are distinct, ascending.
	Clauses [][]Lit
	// HardFeatures are the hard constraints that have no short set of clauses.
	HardFeatures []Feature
}

// Pair is a term that is true where both atoms are. A < B.
type Pair struct{ A, B uint32 }

// Side says which atoms meet in each hub, the entity (and what it shares with all of them) that a join goes through.
// Its value at a hub is the number of its true atoms there, each with its multiplicity.
type Side struct {
	Start []uint32 // Atoms[Start[h]:Start[h+1]] are those of hub h
	Atoms []uint32 // ascending within a hub
	Mult  []int32  // parallel to Atoms, positive; nil where all are 1
}

// Hubs returns the number of hubs.
func (s *Side) Hubs() int { return len(s.Start) - 1 }

// At returns the multiplicity of the i-th of Atoms.
func (s *Side) At(i uint32) int64 {
	if s.Mult == nil {
		return 1
	}
	return int64(s.Mult[i])
}

// Product is a term whose value is the sum over the hubs of the product of two sides' values. The sides have the same
// hubs, may be one and may share atoms; Left <= Right.
type Product struct {
	Left, Right uint32 // indices in Network.Sides
	Coefs       []Coef
}

// FactoredAtoms is the least number of atoms of a component that has products: in a smaller one all pairs are listed,
// so that it can be enumerated.
const FactoredAtoms = 32

// Cube is a conjunction of three or more literals.
type Cube struct {
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
	panic("kernels/ground: node without operator")
}
