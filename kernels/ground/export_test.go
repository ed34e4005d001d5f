package ground

// Cube is a product of literals with a coefficient.
type TestCube struct {
	N    int64
	Lits []Lit
}

// Polynomial rewrites a tree as a sum of cubes.
func Polynomial(n *Node) ([]TestCube, bool) {
	p, ok := polynomial(n)
	var out []TestCube
	for _, c := range p {
		out = append(out, TestCube{c.n, c.lits})
	}
	return out, ok
}

// Clausal rewrites a tree as clauses.
func Clausal(n *Node) ([][]Lit, bool) { return clausal(n, false) }

// MaxCubes is the most cubes or clauses of a tree.
const MaxCubes = maxCubes

// ForceFactoring makes a program keep every product that it can, in components of any size.
func ForceFactoring(p *Program) { p.Factoring, p.least = FactorAlways, 0 }

// ForceBinding makes a program bind the outputs of each formula one by one.
func ForceBinding(p *Program) {
	for _, c := range p.formulas {
		c.direct = nil
	}
}

// Direct returns how many formulas have a direct route.
func Direct(p *Program) int {
	n := 0
	for _, c := range p.formulas {
		if c.direct != nil {
			n++
		}
	}
	return n
}

// Batched returns how many rows a grounder has built together in its last subgraph.
func Batched(g *Grounder) int {
	n := 0
	for _, columns := range g.rows.columns {
		n += len(columns)
	}
	return n
}

// ForbidCopies makes a program build each of several alike parts of a network.
func ForbidCopies(p *Program) { p.alike = false }

// Copies returns how many copies of its first atoms a grounder's last network has.
func Copies(g *Grounder) int { return g.net.copies }

// LimitBaseLists sets how many words of a base's lists a grounder keeps as bytes.
func LimitBaseLists(g *Grounder, words int) { g.rows.base.limit = words }
