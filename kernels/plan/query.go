package plan

import "slices"

// Query is a conjunction compiled for evaluation over some of its variables, the outputs; the others are summed out. If Reduced, it is a
// product of factors, which are vectors and matrices of shared nodes. Otherwise its hypergraph is too cyclic, or a literal too wide, for
// matrices, and package join evaluates Conj by a multiway join.
type Query struct {
	Conj    *Conj
	Outputs []int // variables of Conj, in order of evaluation
	Reduced bool
	Scalars []NodeID
	Vectors []Vector
	Mats    []Matrix
}

// Vector is a factor over one output.
type Vector struct {
	Var  int // index in Query.Outputs
	Node NodeID
}

// Matrix is a factor over two outputs, Row < Col.
type Matrix struct {
	Row, Col int // indices in Query.Outputs
	Node     NodeID
}

// Query compiles a conjunction for the given output variables, in the order in which they will be bound.
func (p *Program) Query(c *Conj, outputs []int) *Query {
	q := &Query{Conj: c, Outputs: outputs}
	e := &elimination{prog: p, types: c.Types, mats: map[[2]int][]NodeID{}, vecs: map[int][]NodeID{}}
	q.Reduced = e.load(c, outputs) && e.run(outputs, c)
	if q.Reduced {
		e.finish(q)
	}
	p.Queries = append(p.Queries, q)
	return q
}

// elimination holds the factors of a conjunction while inner variables are summed out.
type elimination struct {
	prog    *Program
	types   []int
	mats    map[[2]int][]NodeID // by row and column variable, row < column
	vecs    map[int][]NodeID
	scalars []NodeID
	summed  []Arg // variables summed out by projections
}

// load makes a factor of each literal and comparison. It returns false if a literal has more than two variables that cannot be summed out
// at once.
func (e *elimination) load(c *Conj, outputs []int) bool {
	var wide []Literal
	for _, l := range c.Literals {
		vars := l.Vars()
		if len(vars) > 2 {
			wide = append(wide, l)
			continue
		}
		id := e.prog.Scan(l, vars, c.Types)
		switch len(vars) {
		case 0:
			e.scalars = append(e.scalars, id)
		case 1:
			e.addVec(int(vars[0]), id)
		case 2:
			e.addMat(int(vars[0]), int(vars[1]), id)
		}
	}
	for _, d := range c.Differs {
		t := c.Types[d.A]
		if d.B.IsVar() {
			e.addMat(int(d.A), int(d.B), e.prog.node(Node{Op: OpDiffer, Arity: 2, Row: t, Col: c.Types[d.B]}))
		} else {
			e.addVec(int(d.A), e.prog.node(Node{Op: OpDifferConst, Arity: 1, Row: t, Const: d.B.Const()}))
		}
	}
	return !slices.ContainsFunc(wide, func(l Literal) bool { return !e.project(l, c, outputs) })
}

func (e *elimination) addVec(v int, id NodeID) {
	if !slices.Contains(e.vecs[v], id) {
		e.vecs[v] = append(e.vecs[v], id)
	}
}

func (e *elimination) addMat(row, col int, id NodeID) {
	if row > col {
		row, col, id = col, row, e.prog.Transpose(id)
	}
	k := [2]int{row, col}
	e.mats[k] = append(e.mats[k], id)
}

// matrix returns the product of the factors over two variables, with rows over the first.
func (e *elimination) matrix(row, col int) NodeID {
	if row < col {
		return e.prog.and(e.mats[[2]int{row, col}])
	}
	return e.prog.Transpose(e.prog.and(e.mats[[2]int{col, row}]))
}

// neighbours returns the variables that share a factor with v.
func (e *elimination) neighbours(v int) []int {
	var out []int
	for k := range e.mats {
		switch v {
		case k[0]:
			out = append(out, k[1])
		case k[1]:
			out = append(out, k[0])
		}
	}
	slices.Sort(out)
	return out
}

// run sums out the variables that are not outputs, those with the fewest neighbours first, and in a tie those next to the earliest
// output: few of its rows will be wanted, and its side of a chain is where they start. It returns false if all remaining variables have
// more than two neighbours.
func (e *elimination) run(outputs []int, c *Conj) bool {
	var inner []int
	for v := range c.Types {
		if !slices.Contains(outputs, v) && !slices.Contains(e.summed, Arg(v)) && c.Mentions(v) {
			inner = append(inner, v)
		}
	}
	for len(inner) > 0 {
		best, least := 0, e.rank(inner[0], outputs)
		for i, v := range inner {
			if r := e.rank(v, outputs); slices.Compare(r[:], least[:]) < 0 {
				best, least = i, r
			}
		}
		if least[0] > 2 {
			return false
		}
		e.eliminate(inner[best])
		inner = slices.Delete(inner, best, best+1)
	}
	return true
}

// rank returns the key by which variables are ordered for elimination: the number of neighbours, then the position of the earliest output
// among them.
func (e *elimination) rank(v int, outputs []int) [2]int {
	near := e.neighbours(v)
	first := len(outputs)
	for i, o := range outputs {
		if slices.Contains(near, o) {
			first = min(first, i)
		}
	}
	return [2]int{len(near), first}
}

func (e *elimination) eliminate(z int) {
	s := e.prog.and(e.vecs[z])
	delete(e.vecs, z)
	switch near := e.neighbours(z); len(near) {
	case 0:
		if s == None {
			s = e.prog.node(Node{Op: OpAll, Arity: 1, Row: e.types[z]})
		}
		e.scalars = append(e.scalars, e.prog.node(Node{Op: OpSum, Kids: []NodeID{s}}))
	case 1:
		x := near[0]
		e.addVecProduct(x, e.prog.vec(e.matrix(x, z), s))
		e.drop(x, z)
	case 2:
		x, y := near[0], near[1]
		m := e.prog.mul(e.matrix(x, z), s, e.matrix(z, y))
		e.drop(x, z)
		e.drop(y, z)
		e.addMat(x, y, m)
	}
}

// addVecProduct adds a factor that may hold counts: unlike a literal it is added even if it is already there.
func (e *elimination) addVecProduct(v int, id NodeID) { e.vecs[v] = append(e.vecs[v], id) }

func (e *elimination) drop(x, z int) { delete(e.mats, [2]int{min(x, z), max(x, z)}) }

// finish collects the factors over the outputs.
func (e *elimination) finish(q *Query) {
	q.Scalars = e.scalars
	for i, v := range q.Outputs {
		if id := e.prog.and(e.vecs[v]); id != None {
			q.Vectors = append(q.Vectors, Vector{Var: i, Node: id})
		}
		for j := i + 1; j < len(q.Outputs); j++ {
			w := q.Outputs[j]
			if len(e.mats[[2]int{min(v, w), max(v, w)}]) > 0 {
				q.Mats = append(q.Mats, Matrix{Row: i, Col: j, Node: e.matrix(v, w)})
			}
		}
	}
}

// Mentions reports whether a variable occurs in the conjunction; one that was substituted away does not.
func (c *Conj) Mentions(v int) bool {
	return slices.Contains(c.Equals, Arg(v)) || slices.ContainsFunc(c.Differs, func(d Differ) bool { return d.A == Arg(v) || d.B == Arg(v) }) ||
		slices.ContainsFunc(c.Literals, func(l Literal) bool { return slices.Contains(l.Args, Arg(v)) })
}
