package ground

import "resolwe/kernels/network"

// Term is a product of literals with a coefficient.
type TestTerm struct {
	N    int64
	Lits []network.Lit
}

// Polynomial rewrites a tree as a sum of terms.
func Polynomial(n *network.Node) ([]TestTerm, bool) {
	p, ok := polynomial(n)
	var out []TestTerm
	for _, c := range p {
		out = append(out, TestTerm{c.n, c.lits})
	}
	return out, ok
}

// Clausal rewrites a tree as clauses.
func Clausal(n *network.Node) ([][]network.Lit, bool) { return clausal(n, false) }

// MaxTerms is the most terms or clauses of a tree.
const MaxTerms = maxTerms

// ForceFactoring makes a program keep every bilinear factor that it can, in components of any size.
func ForceFactoring(p *Program) { p.Factoring, p.least = FactorAlways, 0 }

// ForceBinding makes a program bind the outputs of each formula one by one.
func ForceBinding(p *Program) {
	p.exchangeable = false
	for _, c := range p.formulas {
		c.indexed = nil
	}
}

// Indexed returns how many formulas have an index-driven route.
func Indexed(p *Program) int {
	n := 0
	for _, c := range p.formulas {
		if c.indexed != nil {
			n++
		}
	}
	return n
}

// ForbidReplicas makes a program build each of several alike parts of a network.
func ForbidReplicas(p *Program) { p.exchangeable = false }

// Replicas returns how many replicas of its first atoms a grounder's last network has.
func Replicas(g *Grounder) int { return g.net.replicas }

// SortPairs sorts pairs of n atoms as a builder does.
func SortPairs(atoms int, pairs []network.Pair) (sorted []network.Pair) {
	var p pairTerms
	for i, pair := range pairs {
		p.add(pair.A, pair.B, uint32(i), 1)
	}
	p.sort(atoms)
	for _, e := range p.list {
		sorted = append(sorted, network.Pair{A: uint32(e.key >> 32), B: uint32(e.key)})
	}
	return sorted
}
