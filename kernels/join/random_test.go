package join_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// schema has evidence and both kinds of targets, of one to three arguments.
var schema = &mln.Schema{
	Types: []string{"item", "user"},
	Predicates: []mln.Predicate{
		{Name: "mark", Args: []int{0}, Role: mln.RoleEvidence},
		{Name: "link", Args: []int{0, 0}, Role: mln.RoleEvidence},
		{Name: "edit", Args: []int{0, 1}, Role: mln.RoleEvidence},
		{Name: "tag", Args: []int{1, 0, 1}, Role: mln.RoleEvidence},
		{Name: "act", Args: []int{0, 1}, Role: mln.RoleTarget},
		{Name: "near", Args: []int{0, 0}, Role: mln.RoleTarget},
		{Name: "sole", Args: []int{1}, Role: mln.RoleListed},
		{Name: "pick", Args: []int{1, 0}, Role: mln.RoleListed},
		{Name: "rate", Args: []int{0, 1, 0}, Role: mln.RoleListed},
	},
}

// constants: two that most subgraphs have, the center, and one that none has.
var constants = []plan.Const{{Type: 0, Name: "A1"}, {Type: 1, Name: "B0"}, {Type: 0, Center: true}, {Type: 0, Name: "A99"}}

// randomSubgraph states every atom with some probability.
func randomSubgraph(r *rand.Rand) *subgraph.Subgraph {
	b := subgraph.NewBuilder(schema)
	b.Reset("s", fmt.Sprintf("A%d", r.IntN(8)), -1)
	sizes := []int{r.IntN(7), r.IntN(5)}
	if r.IntN(20) == 0 {
		sizes = []int{60 + r.IntN(8), 3}
	}
	for typ, n := range sizes {
		for i := range n {
			b.Entity(typ, fmt.Sprintf("%c%d", 'A'+typ, i))
		}
	}
	for pred, p := range schema.Predicates {
		density := r.Float64()
		if sizes[0] > 20 {
			density /= 20
		}
		eachTuple(sizes, p.Args, func(tuple []uint32) {
			if r.Float64() > density {
				return
			}
			truth := subgraph.True
			if p.Role.IsTarget() {
				truth = subgraph.Truth(1 + r.IntN(3))
			}
			b.Add(pred, tuple, truth)
		})
	}
	s, err := b.Finish()
	if err != nil {
		panic(err) // every atom is stated once
	}
	return s
}

// eachTuple visits the tuples over domains of the given types.
func eachTuple(sizes, types []int, visit func([]uint32)) {
	tuple := make([]uint32, len(types))
	var bind func(i int)
	bind = func(i int) {
		if i == len(types) {
			visit(tuple)
			return
		}
		for id := range sizes[types[i]] {
			tuple[i] = uint32(id)
			bind(i + 1)
		}
	}
	bind(0)
}

// randomConj draws a conjunction and its outputs.
func randomConj(r *rand.Rand) (*plan.Conj, []int) {
	c := &plan.Conj{}
	for range 1 + r.IntN(5) {
		c.Types = append(c.Types, r.IntN(2))
	}
	arg := func(typ int) plan.Arg {
		var fit []plan.Arg
		for v, t := range c.Types {
			if t == typ {
				fit = append(fit, plan.Arg(v))
			}
		}
		if len(fit) > 0 && r.IntN(8) > 0 {
			return fit[r.IntN(len(fit))]
		}
		for {
			if i := r.IntN(len(constants)); constants[i].Type == typ {
				return plan.Arg(^i)
			}
		}
	}
	for range r.IntN(6) {
		l := plan.Literal{Source: plan.SourceTrue, Pred: r.IntN(len(schema.Predicates)), Negated: r.IntN(4) == 0}
		if schema.Predicates[l.Pred].Role.IsTarget() {
			l.Source = plan.Source(1 + r.IntN(3))
		}
		for _, typ := range schema.Predicates[l.Pred].Args {
			l.Args = append(l.Args, arg(typ))
		}
		c.Add(l)
	}
	for range r.IntN(3) {
		a := plan.Arg(r.IntN(len(c.Types)))
		b := arg(c.Types[a])
		if a != b && (!b.IsVar() || b > a) {
			c.Differs = append(c.Differs, plan.Differ{A: a, B: b})
		}
	}
	return c, r.Perm(len(c.Types))[:r.IntN(len(c.Types)+1)]
}

// solutions counts, by binding of the outputs in order, the bindings of the other variables that solve a conjunction,
// by trying all. Variables that it does not mention count once.
func solutions(s *join.Scratch, c *plan.Conj, outputs []int) map[string]int64 {
	out := map[string]int64{}
	if c.Never {
		return out
	}
	var vars, types, sizes []int
	for v, t := range c.Types {
		if slices.Contains(outputs, v) || c.Mentions(v) {
			vars, types = append(vars, v), append(types, t)
		}
	}
	for t := range schema.Types {
		sizes = append(sizes, s.Size(t))
	}
	binding := make([]int64, len(c.Types))
	value := func(a plan.Arg) int64 {
		if a.IsVar() {
			return binding[a]
		}
		return int64(s.Const(a))
	}
	eachTuple(sizes, types, func(tuple []uint32) {
		for i, v := range vars {
			binding[v] = int64(tuple[i])
		}
		for i := range c.Literals {
			if !literalHolds(s, &c.Literals[i], value) {
				return
			}
		}
		for _, d := range c.Differs {
			if value(d.A) == value(d.B) {
				return
			}
		}
		key := make([]uint32, len(outputs))
		for i, v := range outputs {
			key[i] = uint32(binding[v])
		}
		out[fmt.Sprint(key)]++
	})
	return out
}

func literalHolds(s *join.Scratch, l *plan.Literal, value func(plan.Arg) int64) bool {
	var tuple []uint32
	for _, a := range l.Args {
		if value(a) < 0 {
			return l.Negated
		}
		tuple = append(tuple, uint32(value(a)))
	}
	rel := &s.Sub.Relations[l.Pred]
	isTrue, isFalse, unknown := join.Contains(&rel.True, tuple), join.Contains(&rel.False, tuple), join.Contains(&rel.Unknown, tuple)
	holds := isTrue
	switch listed := schema.Predicates[l.Pred].Role == mln.RoleListed; {
	case l.Source == plan.SourceKnown && listed:
		holds = isTrue || isFalse
	case l.Source == plan.SourceKnown:
		holds = !unknown
	case l.Source == plan.SourceAll:
		holds = !listed || isTrue || isFalse || unknown
	}
	return holds != l.Negated
}
