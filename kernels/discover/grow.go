package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// Options are the parameters of discovery.
type Options struct {
	Length  int   // maximum number of literals without the head, at least 1; one more may close an open path
	Support int64 // minimum number of query atoms with a grounding; 0 for features.LeastSupport of the true ones
	Values  int   // of each category with many names, how many of these become constants
	Max     int   // maximum number of candidates, and of patterns of one length to extend, at least 1
	Cells   int64 // maximum number of query atoms with a grounding, over all candidates and comparisons of their numbers; 0: no limit
}

// perCandidate is the maximum number of patterns of one length that are counted, per wanted candidate.
const perCandidate = 4

// Grower grows candidates. Next returns patterns to count, and Take takes their counts, until Next returns none.
type Grower struct {
	schema      *mln.Schema
	opt         Options
	symmetric   []bool
	number      []bool // by type
	functional  [][2]bool
	series      []series
	constants   []mln.Term
	small       int        // number of constants that are not names of large categories, which come first
	constantsOf [][]int32  // by type
	screening   []*Pattern // of names that may become constants
	frontier    []*Pattern
	seen        map[string]bool // keys of the patterns generated
	columns     map[column]bool // of the candidates
	kept        []*Pattern
	cells       int64    // of kept
	cut         []string // what the maximum number left out
	full        bool     // some were left out because of the limit on cells
}

// column identifies the counts of a pattern on all query atoms of a target.
type column struct {
	target int
	hash   [2]uint64
}

// NewGrower starts with the heads of the target predicates.
func NewGrower(schema *mln.Schema, seen *Observer, opt Options) *Grower {
	g := &Grower{schema: schema, opt: opt, symmetric: seen.symmetric, functional: seen.functional, series: seen.series, seen: map[string]bool{}, columns: map[column]bool{}}
	for t := range schema.Types {
		g.number = append(g.number, schema.IsNumber(t))
	}
	g.listConstants(seen)
	for pred, p := range schema.Predicates {
		if p.Role.IsTarget() {
			g.frontier = append(g.frontier, root(schema, pred))
		}
	}
	g.small = len(g.constants)
	g.screening = g.screens(seen)
	return g
}

// Next returns the patterns of the next length, each once up to renaming; none at the end. The first ones may screen constants.
func (g *Grower) Next() (out []*Pattern) {
	if g.Screens() {
		return g.screening
	}
	if len(g.kept) >= g.opt.Max || g.full {
		if !g.full && len(g.frontier) > 0 {
			g.leave("none of length %d was sought", g.frontier[0].Len()+1)
		}
		return nil
	}
	visit := func(p *Pattern) bool {
		if p.setKey(g.symmetric); !g.seen[p.key] && g.tells(p) && g.countable(p) {
			if len(out) == perCandidate*g.opt.Max {
				g.leave("of length %d, only %d that extend the best shorter ones were counted", p.Len(), len(out))
				return false
			}
			g.seen[p.key] = true
			out = append(out, p)
		}
		return true
	}
	for _, p := range g.frontier {
		if p.Len() > g.opt.Length || !g.extend(p, visit) {
			break
		}
	}
	return out
}

// Screens reports whether the next patterns screen constants.
func (g *Grower) Screens() bool { return len(g.screening) > 0 }

// tells reports whether a pattern's number, if it has one, belongs to a single entity, to which the whole pattern leads. Numbers of many
// rows are left to aggregates.
func (g *Grower) tells(p *Pattern) bool {
	if !p.numeric(g.number) {
		return true
	}
	last := p.literals[p.Len()-1]
	single := func(a int32) bool { return a < 0 || g.number[p.types[a]] || g.single(p, a) }
	if len(last.args) > 2 {
		return slices.ContainsFunc(last.args, func(a int32) bool { return a >= 0 && !g.number[p.types[a]] && single(a) })
	}
	for v := p.heads; v < len(p.parent.types); v++ {
		n := 0
		for _, l := range p.literals {
			if slices.Contains(l.args, int32(v)) {
				n++
			}
		}
		if n < 2 {
			return false
		}
	}
	return !slices.ContainsFunc(last.args, func(a int32) bool { return !single(a) })
}

// single reports whether a binding of the head determines at most one value of a variable.
func (g *Grower) single(p *Pattern, v int32) bool {
	if int(v) < p.heads {
		return true
	}
	for q := p; q.Len() > 0; q = q.parent { // the literal that introduced it
		l := q.literals[q.Len()-1]
		if !q.brings(v) {
			continue
		}
		if len(l.args) != 2 {
			return false
		}
		from := slices.IndexFunc(l.args, func(a int32) bool { return a != v })
		return from >= 0 && g.functional[l.pred][from] && (l.args[from] < 0 || g.single(q.parent, l.args[from]))
	}
	return false
}

// countable reports whether operators over vectors and matrices can count a pattern. They can except for cycles through wide relations,
// which would have to be enumerated.
func (g *Grower) countable(p *Pattern) bool {
	if len(p.literals) <= 4 && !slices.ContainsFunc(p.literals, func(l literal) bool { return len(l.args) > 2 }) {
		return true
	}
	prog := plan.NewProgram(g.schema)
	f := g.formula(p, g.own)
	var literals []mln.Literal
	for _, x := range mln.Conjuncts(f.Body.(*mln.Implies).L) {
		l, _ := mln.LiteralOf(x)
		literals = append(literals, l)
	}
	conj, _ := prog.Conjunction(f.Vars, literals)
	var outputs []int
	for v := range p.heads {
		if conj.Mentions(v) {
			outputs = append(outputs, v)
		}
	}
	return prog.Query(conj, outputs).Reduced
}

// Take takes the counts of the patterns last returned by Next. It keeps those with support, except those that have the same counts on all
// query atoms as a shorter pattern, or as one earlier in canonical order.
func (g *Grower) Take(patterns []*Pattern, t *Tally) {
	if g.Screens() {
		g.takeScreens(patterns, t)
		g.screening = nil
		return
	}
	g.frontier = g.frontier[:0]
	var kept []*Pattern
	for i, p := range patterns {
		p.stats = t.Stats[i]
		implied := !p.fresh && p.parent.Len() > 0 && p.parent.stats.Hash == p.stats.Hash
		if p.stats.Rows < g.support(p.Target, t) || implied {
			continue
		}
		p.formula = g.formula(p, g.own)
		p.text = mln.Canonical(p.formula)
		kept = append(kept, p)
		if !p.collective(g.schema) && !p.numeric(g.number) {
			g.frontier = append(g.frontier, p)
		}
	}
	slices.SortFunc(kept, func(a, b *Pattern) int { return strings.Compare(a.text, b.text) })
	kept = slices.DeleteFunc(kept, func(p *Pattern) bool {
		if p.numeric(g.number) {
			return false // its numbers may differ though the counts agree
		}
		c := column{p.Target, p.stats.Hash}
		double := g.columns[c]
		g.columns[c] = true
		return double
	})
	score := func(p *Pattern) float64 { return p.stats.gain(t.Rows[p.Target], t.True[p.Target]) }
	best := func(a, b *Pattern) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), strings.Compare(a.text, b.text))
	}
	slices.SortFunc(g.frontier, best)
	slices.SortFunc(kept, best)
	kept = g.fitting(kept)
	g.frontier = g.frontier[:min(len(g.frontier), g.opt.Max)]
	slices.SortFunc(kept, func(a, b *Pattern) int { return strings.Compare(a.text, b.text) })
	g.kept = append(g.kept, kept...)
}

// leave notes what the maximum number left out.
func (g *Grower) leave(format string, args ...any) {
	g.cut = append(g.cut, fmt.Sprintf(format, args...))
}

// fitting returns the patterns that fit the limits, in order of preference.
func (g *Grower) fitting(some []*Pattern) (fit []*Pattern) {
	for i, p := range some {
		n := p.stats.Rows
		if p.numeric(g.number) {
			n *= comparisons
		}
		switch {
		case len(g.kept)+len(fit) == g.opt.Max:
			g.leave("of length %d, the %d with the least gain were left out", p.Len(), len(some)-i)
			return fit
		case g.opt.Cells > 0 && g.cells+n > g.opt.Cells:
			g.full = true
		default:
			g.cells += n
			fit = append(fit, p)
		}
	}
	return fit
}

// comparisons is roughly how many times more cells a candidate has if selection compares its number with sixteenths: once for itself, and
// for each of the fifteen boundaries the cells at or above and those at or below it.
const comparisons = 16

// Candidate is a pattern found.
type Candidate struct {
	Formula *mln.Formula // unweighted, an implication whose head is a literal of the target
	Length  int          // literals without the head
	Support int64        // query atoms with a grounding in which the other target atom, if any, is true
}

// Candidates returns the candidates found so far, by length, then canonical text.
func (g *Grower) Candidates() []Candidate {
	out := make([]Candidate, len(g.kept))
	for i, p := range g.kept {
		out[i] = Candidate{p.formula, p.Len(), p.stats.Rows}
	}
	return out
}

// Cut returns what Options.Max left out, and whether Options.Cells left candidates out.
func (g *Grower) Cut() (byMax []string, byCells bool) { return g.cut, g.full }
