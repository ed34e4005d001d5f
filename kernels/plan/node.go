package plan

import (
	"fmt"
	"slices"
	"strings"
)

// NodeID is an index in Program.Nodes.
type NodeID int32

// None stands for no node.
const None NodeID = -1

// Op is an operator of the graph.
type Op uint8

// The operators. A node is a scalar, a vector over a type or a matrix over two types. Over the boolean semiring these are a truth value,
// a set and a binary relation; over the counting semiring they are counts.
const (
	// OpScan is a literal. The arguments of Literal say which is the row (0) and which the column (1).
	OpScan Op = iota + 1
	// OpDiffer is x != y.
	OpDiffer
	// OpDifferConst is x != c.
	OpDifferConst
	// OpAll is a type's whole domain.
	OpAll
	// OpAnd is the elementwise product of nodes of equal shape.
	OpAnd
	// OpVec is the vector x -> sum over z of A(x, z) S(z); Kids are A, the transpose of A, and S or None.
	OpVec
	// OpMul is the matrix (x, y) -> sum over z of A(x, z) S(z) B(z, y); Kids are A, S or None, and B.
	OpMul
	// OpSum is a scalar, the sum of a vector.
	OpSum
	// OpProject is a vector or scalar: the sum of a relation of three or more variables over all of them except the row, weighted by the
	// nodes in Kids over the arguments in Factors.
	OpProject
)

// Node is an operator over other nodes, which precede it.
type Node struct {
	Op       Op
	Arity    int // 0 scalar, 1 vector, 2 matrix
	Row, Col int // types of the rows and columns
	Kids     []NodeID

	// Literal, for OpScan, has arguments 0 for the row, 1 for the column, and constants. For OpProject, 0 is the row of a vector, and
	// other variables are summed out.
	Literal Literal
	// Factors, for OpProject, gives for each of Kids the arguments of Literal that are its row and column; for a vector they are equal.
	Factors [][2]Arg
	// Const is for OpDifferConst.
	Const int
}

// node interns a node.
func (p *Program) node(n Node) NodeID {
	var b strings.Builder
	fmt.Fprint(&b, n.Op, n.Arity, n.Row, n.Col, n.Kids, n.Const, n.Literal, n.Factors)
	id, ok := p.shared[b.String()]
	if !ok {
		id = NodeID(len(p.Nodes))
		p.Nodes = append(p.Nodes, n)
		p.shared[b.String()] = id
	}
	return id
}

// Scan returns the node of a literal with the given distinct variables, at most two: none for a scalar, the rows of a vector, or the rows
// and columns of a matrix. types are those of the conjunction's variables.
func (p *Program) Scan(l Literal, vars []Arg, types []int) NodeID {
	return p.node(over(OpScan, len(vars), l, vars, types))
}

// over returns the node of a literal whose variables are numbered in the given order; the first of them, as many as the arity, are not
// summed out.
func over(op Op, arity int, l Literal, vars []Arg, types []int) Node {
	l.Args = slices.Clone(l.Args)
	for i, a := range l.Args {
		if a.IsVar() {
			l.Args[i] = Arg(slices.Index(vars, a))
		}
	}
	n := Node{Op: op, Arity: arity, Literal: l}
	if arity > 0 {
		n.Row = types[vars[0]]
	}
	if arity > 1 {
		n.Col = types[vars[1]]
	}
	return n
}

// and returns the product of nodes of equal shape.
func (p *Program) and(ids []NodeID) NodeID {
	if len(ids) == 0 {
		return None
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	if len(ids) == 1 {
		return ids[0]
	}
	n := p.Nodes[ids[0]]
	return p.node(Node{Op: OpAnd, Arity: n.Arity, Row: n.Row, Col: n.Col, Kids: ids})
}

// Support returns the vector of the rows in which a matrix has an entry.
func (p *Program) Support(m NodeID) NodeID { return p.vec(m, None) }

// vec returns the vector of a matrix's row sums, weighted by s.
func (p *Program) vec(m, s NodeID) NodeID {
	n := p.Nodes[m]
	return p.node(Node{Op: OpVec, Arity: 1, Row: n.Row, Kids: []NodeID{m, p.Transpose(m), s}})
}

// mul returns the product of two matrices over a shared type, weighted by s.
func (p *Program) mul(a, s, b NodeID) NodeID {
	return p.node(Node{Op: OpMul, Arity: 2, Row: p.Nodes[a].Row, Col: p.Nodes[b].Col, Kids: []NodeID{a, s, b}})
}

// Transpose returns the transposed matrix, with the transposition pushed down to its scans. A symmetric matrix is its own transpose.
func (p *Program) Transpose(id NodeID) NodeID {
	n := p.Nodes[id]
	t := n
	t.Row, t.Col = n.Col, n.Row
	switch n.Op {
	case OpScan:
		t.Literal.Args = slices.Clone(n.Literal.Args)
		for i, a := range t.Literal.Args {
			if a.IsVar() {
				t.Literal.Args[i] = 1 - a
			}
		}
	case OpAnd:
		t.Kids = make([]NodeID, len(n.Kids))
		for i, k := range n.Kids {
			t.Kids[i] = p.Transpose(k)
		}
		slices.Sort(t.Kids)
	case OpMul:
		return p.mul(p.Transpose(n.Kids[2]), n.Kids[1], p.Transpose(n.Kids[0]))
	case OpDiffer, OpDifferConst, OpAll, OpVec, OpSum, OpProject: // their own transposes, or not matrices
	}
	return p.node(t)
}

// IsSet reports whether the counts of a node are all 0 or 1.
func (p *Program) IsSet(id NodeID) bool {
	switch n := &p.Nodes[id]; n.Op {
	case OpScan, OpAll, OpDiffer, OpDifferConst:
		return true
	case OpAnd:
		return !slices.ContainsFunc(n.Kids, func(k NodeID) bool { return !p.IsSet(k) })
	case OpVec, OpMul, OpSum, OpProject:
	}
	return false
}
