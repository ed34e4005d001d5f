package ground

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/kernels/plan"
)

// headSlot is the slot of the head in a formula with a shape and two slots.
const headSlot = 1

// factor is a way for a formula's two target atoms to be connected: by an inner variable of the selector, the shared entity. The
// multiplicity of a grounding is then the sum over the entity's values of the contributions of each atom's own variable. The query's
// outputs are those common to both atoms, which are bound first, then the left atom's own variable, then the right one's.
type factor struct {
	left, right factorAtom
	space       string      // names the entities: the range of the first outputs, and the entity's type
	entity      int         // its type
	within      plan.NodeID // counts of the entity, or plan.None
}

// factorAtom is one atom's side of a factor.
type factorAtom struct {
	key     string // equal for equal matrices in one space
	slot    int
	out     int         // its own variable
	matrix  plan.NodeID // entity by own variable
	within  plan.NodeID // a set that restricts the entities, or plan.None
	counted bool        // includes the counts of the entity and of the first outputs
	shared  bool        // includes the shares of a head
}

// factorize prepares the factored route of a simple soft formula, if it has one. It reorders the query's outputs.
func (c *compiled) factorize(prog *plan.Program, conj *plan.Conj, binder *plan.Binder) {
	if len(c.slots) != 2 || !c.query.Reduced {
		return
	}
	for _, m := range c.query.Mats {
		if prog.Nodes[m.Node].Op == plan.OpMul && c.apart(m.Row, m.Col) {
			a, b := c.query.Outputs[m.Row], c.query.Outputs[m.Col]
			others := slices.DeleteFunc(slices.Clone(c.query.Outputs), func(v int) bool { return v == a || v == b })
			c.outputs(prog, conj, binder, append(others, a, b))
			c.factor = c.newFactor(prog)
			return
		}
	}
}

// apart reports whether each of two outputs belongs to only one slot.
func (c *compiled) apart(a, b int) bool {
	has := func(slot, out int) bool { return slices.Contains(c.slots[slot].args, plan.Arg(out)) }
	return has(0, a) && has(1, b) && !has(0, b) && !has(1, a) || has(1, a) && has(0, b) && !has(1, b) && !has(0, a)
}

func (c *compiled) newFactor(prog *plan.Program) *factor {
	q := c.query
	first := len(q.Outputs) - 2
	tie := q.Mats[slices.IndexFunc(q.Mats, func(m plan.Matrix) bool { return m.Row == first })]
	mul := prog.Nodes[tie.Node]
	f := &factor{entity: prog.Nodes[mul.Kids[0]].Col, within: plan.None}
	f.left = factorAtom{out: first, matrix: prog.Transpose(mul.Kids[0]), within: plan.None}
	f.right = factorAtom{out: first + 1, matrix: mul.Kids[2], within: plan.None}
	if slices.Contains(c.slots[0].args, plan.Arg(f.right.out)) {
		f.left.slot = 1
	}
	f.right.slot = 1 - f.left.slot
	f.left.shared, f.right.shared = c.heads != nil && f.left.slot == headSlot, c.heads != nil && f.right.slot == headSlot
	switch s := mul.Kids[1]; {
	case s == plan.None:
	case prog.IsSet(s):
		f.left.within, f.right.within = s, s
	default:
		f.within, f.left.counted = s, true
	}
	c.eachFactor(first, func(v int) bool { return v < first }, func(_ int, _ plan.Arg, id plan.NodeID) {
		f.left.counted = f.left.counted || !prog.IsSet(id)
	})
	f.space = c.spaceKey(f)
	f.left.key, f.right.key = c.atomKey(f, &f.left), c.atomKey(f, &f.right)
	return f
}

// spaceKey describes the entities: the range of the first outputs.
func (c *compiled) spaceKey(f *factor) string {
	var b strings.Builder
	first := f.left.out
	fmt.Fprint(&b, "entity", f.entity)
	for _, v := range c.query.Outputs[:first] {
		fmt.Fprint(&b, " type", c.query.Conj.Types[v])
	}
	c.eachFactor(first, func(v int) bool { return v < first }, func(out int, row plan.Arg, id plan.NodeID) {
		fmt.Fprint(&b, " ", out, " ", row, " ", id)
	})
	slots := []string{c.slotKey(&f.left), c.slotKey(&f.right)}
	slices.Sort(slots)
	fmt.Fprint(&b, slots)
	return b.String()
}

func (c *compiled) atomKey(f *factor, s *factorAtom) string {
	var b strings.Builder
	b.WriteString(c.slotKey(s))
	fmt.Fprint(&b, " by ", s.matrix)
	c.eachFactor(f.left.out, func(v int) bool { return v == s.out }, func(_ int, row plan.Arg, id plan.NodeID) {
		fmt.Fprint(&b, " ", row, " ", id)
	})
	fmt.Fprint(&b, " within", s.within)
	if s.counted {
		fmt.Fprint(&b, " times", f.within)
	}
	return b.String()
}

// eachFactor visits the query's factors over one output that belongs, or over it and one of the first outputs: its row, -1 for a vector.
func (c *compiled) eachFactor(first int, belongs func(out int) bool, visit func(out int, row plan.Arg, id plan.NodeID)) {
	for _, v := range c.query.Vectors {
		if belongs(v.Var) {
			visit(v.Var, -1, v.Node)
		}
	}
	for _, m := range c.query.Mats {
		if m.Row < first && belongs(m.Col) {
			visit(m.Col, plan.Arg(m.Row), m.Node)
		}
	}
}

// slotKey describes the atom of a matrix, with one name for its own variable.
func (c *compiled) slotKey(s *factorAtom) string {
	const own = math.MaxInt32
	args := slices.Clone(c.slots[s.slot].args)
	for i, a := range args {
		if a == plan.Arg(s.out) {
			args[i] = own
		}
	}
	return fmt.Sprint(c.slots[s.slot].pred, args)
}
