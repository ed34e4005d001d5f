package selection

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/derive"
	"resolwe/kernels/plan"
)

// maxLiterals bounds the target literals of a candidate: counts are kept for sets of them.
const maxLiterals = 6

// TooManyTargetsError reports a candidate with too many target literals to count.
type TooManyTargetsError struct {
	Formula string
	Count   int
}

// Error names the candidate.
func (e *TooManyTargetsError) Error() string {
	return fmt.Sprintf("%s: %d literals of target predicates, at most %d can be counted", e.Formula, e.Count, maxLiterals)
}

// Task is the candidates of a model, compiled for one criterion. It is read-only and may be shared by many counters.
type Task struct {
	Candidates []*mln.Candidate
	Criterion  Criterion
	derived    *derive.Relations
	prog       *plan.Program // over the schema of derived
	compiled   []*candidate
	matrices   []plan.NodeID // used to count products
}

// candidate is one compiled candidate.
type candidate struct {
	query    *plan.Query
	dense    bool     // counted by rows of bits; else by enumeration
	targets  []target // the enforcer's literals
	pairs    [][2]int // literals of the same predicate, which may become the same atom
	masks    []uint32 // the sets of literals whose groundings are counted
	product  product
	defaults [][]term // of the default distribution, by position in masks; empty if the criterion needs none
}

// target is a literal of the enforcer over the query's outputs.
type target struct {
	pred  int
	args  []plan.Arg // outputs by position, and constants
	level int        // the output that completes it, -1 if it has only constants
	other int        // its other output, -1 for none
	known plan.NodeID
	truth plan.NodeID
	some  plan.NodeID // the values of the other output with a known atom
}

// term is a signed count in an inclusion-exclusion over literals that become the same atom.
type term struct {
	sign  int64
	query *plan.Query
}

// Compile prepares candidates for counting.
func Compile(schema *mln.Schema, cands []*mln.Candidate, crit Criterion) (*Task, error) {
	t := &Task{Candidates: cands, Criterion: crit, derived: derive.New(schema)}
	t.prog = plan.NewProgram(t.derived.Schema())
	for _, c := range cands {
		if n := len(c.Enforcer); n > maxLiterals {
			return nil, &TooManyTargetsError{Formula: mln.FormatFormula(c.Formula), Count: n}
		}
		t.compiled = append(t.compiled, t.compile(c))
	}
	t.shareMatrices()
	return t, nil
}

func (t *Task) compile(c *mln.Candidate) *candidate {
	conj, binder := t.prog.Conjunction(c.Formula.Vars, t.derived.Literals(c.Formula, c.Selector))
	out := &candidate{masks: masks(len(c.Enforcer), t.Criterion)}
	var outputs []int
	args := make([][]plan.Arg, len(c.Enforcer))
	for i, a := range c.Enforcer {
		args[i] = binder.Args(a)
		for _, v := range args[i] {
			if v.IsVar() && !slices.Contains(outputs, int(v)) {
				outputs = append(outputs, int(v))
			}
		}
	}
	out.dense = true
	for i, a := range c.Enforcer {
		out.targets = append(out.targets, t.target(conj, outputs, a.Pred, args[i]))
		out.dense = out.dense && len(args[i]) <= 2
		for j := range i {
			if c.Enforcer[j].Pred == a.Pred {
				out.pairs = append(out.pairs, [2]int{j, i})
			}
		}
	}
	out.query = t.prog.Query(conj, outputs)
	if out.dense = out.dense && out.query.Reduced; !out.dense {
		for i, a := range c.Enforcer {
			conj.Add(plan.Literal{Source: plan.SourceKnown, Pred: a.Pred, Args: args[i]})
		}
	}
	out.product = out.findProduct()
	if t.Criterion != Paper {
		for _, m := range out.masks {
			out.defaults = append(out.defaults, t.terms(c, m))
		}
	}
	return out
}

// target compiles a literal of the enforcer.
func (t *Task) target(conj *plan.Conj, outputs []int, pred int, args []plan.Arg) target {
	g := target{pred: pred, level: -1, other: -1, known: plan.None, truth: plan.None, some: plan.None}
	for _, a := range args {
		if a.IsVar() {
			at := slices.Index(outputs, int(a))
			g.level = max(g.level, at)
			a = plan.Arg(at)
		}
		g.args = append(g.args, a)
	}
	for _, a := range g.args {
		if a.IsVar() && int(a) != g.level {
			g.other = int(a)
		}
	}
	if len(args) > 2 {
		return g
	}
	var vars []plan.Arg
	if g.other >= 0 {
		vars = append(vars, plan.Arg(outputs[g.other]))
	}
	if g.level >= 0 {
		vars = append(vars, plan.Arg(outputs[g.level]))
	}
	g.known = t.prog.Scan(plan.Literal{Source: plan.SourceKnown, Pred: pred, Args: args}, vars, conj.Types)
	g.truth = t.prog.Scan(plan.Literal{Source: plan.SourceTrue, Pred: pred, Args: args}, vars, conj.Types)
	if g.other >= 0 {
		g.some = t.prog.Support(g.known)
	}
	return g
}

// masks lists the sets of target literals that a criterion counts: none, all, and all but each one; kl counts every set.
func masks(l int, crit Criterion) []uint32 {
	full := uint32(1)<<l - 1
	out := []uint32{0}
	for m := uint32(1); m < full; m++ {
		if crit == KL || full&^m&(full&^m-1) == 0 {
			out = append(out, m)
		}
	}
	return append(out, full)
}

// terms expresses the number of groundings of the enforcer with distinct known atoms, those of mask true, by counts of joins. It is a sum
// over the partitions of its literals into sets that become the same atom, with the partition lattice's Moebius function as the sign.
func (t *Task) terms(c *mln.Candidate, mask uint32) []term {
	var out []term
	block := make([]int, len(c.Enforcer))
	var partition func(i, blocks int)
	partition = func(i, blocks int) {
		if i == len(block) {
			out = append(out, t.merged(c, mask, block, blocks))
			return
		}
		for b := range blocks {
			first := slices.Index(block[:i], b)
			if c.Enforcer[first].Pred == c.Enforcer[i].Pred {
				block[i] = b
				partition(i+1, blocks)
			}
		}
		block[i] = blocks
		partition(i+1, blocks+1)
	}
	partition(0, 0)
	return out
}

// merged counts the groundings in which the literals of each block are the same atom.
func (t *Task) merged(c *mln.Candidate, mask uint32, block []int, blocks int) term {
	sign := int64(1)
	var same []mln.Literal
	for b := range blocks {
		first, size := slices.Index(block, b), int64(0)
		for i, a := range c.Enforcer {
			if block[i] != b {
				continue
			}
			if size++; size > 1 {
				sign *= -(size - 1)
				for k, x := range a.Args {
					same = append(same, mln.Literal{Equal: &mln.Equal{A: c.Enforcer[first].Args[k], B: x}})
				}
			}
		}
	}
	conj, binder := t.prog.Conjunction(c.Formula.Vars, same)
	for i, a := range c.Enforcer {
		src := plan.SourceKnown
		if mask>>i&1 == 1 {
			src = plan.SourceTrue
		}
		conj.Add(plan.Literal{Source: src, Pred: a.Pred, Args: binder.Args(a)})
	}
	return term{sign: sign, query: t.prog.Query(conj, nil)}
}
