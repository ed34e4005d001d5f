package mln

import (
	"fmt"
	"slices"

	"resolwe/format/lex"
)

const (
	maxFormulas = 1_000_000 // expanded formulas of a model
	maxWork     = 1 << 21   // terms that expansion may write, intermediate ones too
)

// expansion is a formula on its way from the written form to the last.
type expansion struct {
	body    *Node
	choices []Choice
}

// choose returns the expansion with a choice made.
func (x expansion) choose(body *Node, template, text string) expansion {
	return expansion{body, append(slices.Clone(x.choices), Choice{template, text})}
}

// spend takes a formula from the budget of expansion; it reports whether there was enough left.
func (c *checker) spend(n *Node) bool {
	literals, terms := 0, 0
	n.walk(func(m *Node) bool {
		if m.Op == OpAtom || m.Op == OpEqual {
			literals++
			terms += 1 + len(m.Args)
		}
		return true
	})
	if literals > maxLiterals {
		c.errs.Add(&LimitError{c.model.sources.At(n.Pos, "a formula expands to more than %d literals", maxLiterals)})
		return false
	}
	if c.work += terms; c.spent() {
		c.errs.Add(&LimitError{c.model.sources.At(n.Pos, "the templates expand to more than %d terms", maxWork)})
		return false
	}
	return true
}

// spent reports whether the budget of expansion is used up.
func (c *checker) spent() bool { return c.work > maxWork }

// expand emits every choice of an expansion's bracket lists and template uses, the last varying fastest.
// It stops where emit returns false and then returns false.
func (c *checker) expand(x expansion, emit func(expansion) bool) bool {
	if !c.spend(x.body) {
		return false
	}
	point := c.firstChoice(x.body)
	if point == nil {
		return emit(x)
	}
	if point.plainName() == "" {
		return c.expandList(x, emit)
	}
	return c.expandUse(x, point, emit)
}

// firstChoice returns the first atom of a formula that is a template or has a bracket list, nil where there is none.
func (c *checker) firstChoice(n *Node) (point *Node) {
	n.walk(func(m *Node) bool {
		if m.Op == OpAtom {
			if name := m.plainName(); name == "" || c.templates[name] != nil {
				point = m
			}
		}
		return point == nil
	})
	return point
}

// expandList makes every choice of the first bracket list.
func (c *checker) expandList(x expansion, emit func(expansion) bool) bool {
	list, _ := firstList(x.body)
	for _, choice := range list.Choices {
		body := choose(x.body, list, choice)
		errors := c.errs.Len()
		c.checkNames(body)
		c.checkUses(body, "")
		if c.errs.Len() > errors {
			return false
		}
		if !c.expand(x.choose(body, lex.FormatName([]NamePart{list}), choice), emit) {
			return false
		}
	}
	return true
}

// expandUse makes every choice of a template use.
func (c *checker) expandUse(x expansion, use *Node, emit func(expansion) bool) bool {
	t := c.templates[use.plainName()]
	put := func(parts []*Node) bool {
		chosen := join(OpAnd, parts)
		return c.expand(x.choose(replace(x.body, use, chosen), t.Name, formatNode(chosen)), emit)
	}
	if t.Kind == TemplateExtend {
		return chains(len(t.alternatives), t.Limit, func(chain []int) bool { return put(t.chain(chain, use, x.body)) })
	}
	return subsets(len(t.alternatives), t.Limit, func(set []int) bool { return put(t.set(set, use, x.body)) })
}

// set returns some of the alternatives over the terms of a use in a formula.
func (t *template) set(chosen []int, use, formula *Node) []*Node {
	taken := variablesOf(formula)
	parts := make([]*Node, len(chosen))
	for i, k := range chosen {
		parts[i] = instantiate(t.alternatives[k], t.bind(use.Args), taken)
	}
	return parts
}

// chain returns some of the alternatives, joined from the first to the second term of a use through fresh variables.
func (t *template) chain(chosen []int, use, formula *Node) []*Node {
	taken := variablesOf(formula)
	parts := make([]*Node, len(chosen))
	from, last := use.Args[0], len(chosen)-1
	for i, k := range chosen {
		to := use.Args[1]
		if i < last {
			to = Term{Kind: TermVariable, Name: taken.fresh("z")}
		}
		parts[i] = instantiate(t.alternatives[k], t.bind([]Term{from, to}), taken)
		from = to
	}
	return parts
}

func (t *template) bind(args []Term) binding {
	b := make(binding, len(args))
	for i, p := range t.Params {
		b[p.Name] = args[i]
	}
	return b
}

// replace puts another formula in place of a node.
func replace(n, old, with *Node) *Node {
	if n == old {
		return with
	}
	if len(n.Xs) == 0 {
		return n
	}
	xs := make([]*Node, len(n.Xs))
	for i, x := range n.Xs {
		xs[i] = replace(x, old, with)
	}
	return n.with(xs)
}

// subsets calls yield with the sets of 1 to limit of the numbers below n, by size, then in order, until it returns false.
func subsets(n, limit int, yield func([]int) bool) bool {
	var set []int
	var extend func(from, size int) bool
	extend = func(from, size int) bool {
		if len(set) == size {
			return yield(set)
		}
		for k := from; k <= n-(size-len(set)); k++ {
			set = append(set, k)
			if !extend(k+1, size) {
				return false
			}
			set = set[:len(set)-1]
		}
		return true
	}
	for size := 1; size <= min(n, limit); size++ {
		if !extend(0, size) {
			return false
		}
	}
	return true
}

// chains calls yield with the sequences of 1 to limit numbers below n, by length, then in order, until it returns false.
func chains(n, limit int, yield func([]int) bool) bool {
	for size := 1; size <= limit; size++ {
		chain := make([]int, size)
		for more := true; more; more = increment(chain, n) {
			if !yield(chain) {
				return false
			}
		}
	}
	return true
}

// increment moves to the next number of the same digits in base n; it returns false after the last.
func increment(digits []int, n int) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i]++; digits[i] < n {
			return true
		}
		digits[i] = 0
	}
	return false
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
