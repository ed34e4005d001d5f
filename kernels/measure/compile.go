package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/kernels/derive"
	"resolwe/kernels/plan"
)

// Item is an aggregate, or a number of bindings, whose value is wanted for each query atom of a target predicate. What it compares
// the value with does not matter.
type Item struct {
	Vars  []mln.Variable // of the formula it stands in
	Count *mln.Count
	Head  []mln.Term // the atom's arguments, distinct variables, among them all that the aggregate shares with the formula
}

// Program is compiled items. It is read-only and may be shared by many goroutines.
type Program struct {
	items     int
	relations *derive.Relations
	prog      *plan.Program
	groups    []*group
	index     map[string]*group
}

// group is items over the same rows: the different bindings of the query's outputs.
type group struct {
	query   *plan.Query
	shared  []shared // with the head
	bound   int      // the first outputs, which are shared
	windows []window
	columns []column // by value, then windows
	binder  *plan.Binder
	vars    []int // of the query, by number in the group's key
	outputs []int // variables of the query
}

// shared says that an argument of the head is an output, or a constant.
type shared struct {
	head int
	arg  plan.Arg
}

// window is a condition on a row: that a number of it compares with others.
type window struct {
	text   string
	number lookup
	tests  []test
}

type test struct {
	op    mln.Comparison
	bound float64
}

// lookup is a number: an output itself, or those that a relation gives for it.
type lookup struct {
	arg  plan.Arg
	node plan.NodeID // plan.None for the output itself
	typ  int         // of the number
}

// column is an item.
type column struct {
	item    int
	kind    mln.Aggregate
	value   lookup
	by      lookup // of mln.AggregateLast
	windows uint64 // all of which a row is in
	text    string
}

// mostWindows is how many a group has at most: one more begins another group.
const mostWindows = 64

// Compile compiles items over a schema.
func Compile(schema *mln.Schema, items []Item) *Program {
	p := &Program{items: len(items), relations: derive.New(schema), index: map[string]*group{}}
	p.prog = plan.NewProgram(p.relations.Schema())
	for i := range items {
		p.add(i, &items[i])
	}
	for _, g := range p.groups {
		slices.SortStableFunc(g.columns, func(a, b column) int {
			return cmp.Or(cmp.Compare(a.value.arg, b.value.arg), cmp.Compare(a.value.node, b.value.node), cmp.Compare(a.windows, b.windows))
		})
	}
	return p
}

// parts is an item taken apart.
type parts struct {
	*Item
	core    []mln.Literal
	value   *mln.Atom // that gives the number; nil where the core does
	windows []leaf
}

// leaf is an atom that gives a number of a row, with the comparisons of that.
type leaf struct {
	atom  *mln.Atom
	tests []mln.Literal
}

// add adds an item to the group that has its rows.
func (p *Program) add(at int, it *Item) {
	t := it.takeApart()
	key := t.key()
	texts := make([]string, len(t.windows))
	for i, w := range t.windows {
		texts[i] = t.text(w)
	}
	for n := 0; ; n++ {
		g := p.index[fmt.Sprint(n, key)]
		if g == nil {
			g = p.newGroup(t)
			p.groups = append(p.groups, g)
			p.index[fmt.Sprint(n, key)] = g
		}
		if g.room(texts) {
			g.add(p, at, t, texts)
			return
		}
	}
}

// room reports whether windows fit into a group.
func (g *group) room(texts []string) bool {
	n := len(g.windows)
	for _, text := range texts {
		if g.window(text) < 0 {
			n++
		}
	}
	return n <= mostWindows
}

func (g *group) window(text string) int {
	return slices.IndexFunc(g.windows, func(w window) bool { return w.text == text })
}

// literalsOf returns those of a conjunction.
func literalsOf(x mln.Expr) []mln.Literal {
	xs := []mln.Expr{x}
	if and, ok := x.(*mln.And); ok {
		xs = and.Xs
	}
	out := make([]mln.Literal, len(xs))
	for i, x := range xs {
		out[i], _ = mln.LiteralOf(x) // checked by the parser
	}
	return out
}

// takeApart takes the atoms of numbers from the conjunction where what is left has all other variables that count.
func (it *Item) takeApart() *parts {
	whole := &parts{Item: it, core: literalsOf(it.Count.X)}
	if slices.ContainsFunc(whole.core, func(l mln.Literal) bool { return l.Equal != nil }) {
		return whole
	}
	t := &parts{Item: it, core: slices.Clone(whole.core)}
	if c := it.Count; c.Kind != mln.AggregateCount && c.Kind != mln.AggregateLast {
		if f, ok := t.leaf(c.Listed[0]); ok && len(f.tests) == 0 {
			t.value = f.atom
			t.remove(f)
		}
	}
	for _, v := range it.Count.Inner {
		if f, ok := t.leaf(v); ok && len(f.tests) > 0 {
			t.windows = append(t.windows, f)
			t.remove(f)
		}
	}
	for _, v := range t.needed() {
		if !mentions(t.core, v) {
			return whole
		}
	}
	return t
}

// needed returns the variables that the core must have: those shared and listed, but for a value that is looked up, and those by
// which numbers are looked up.
func (t *parts) needed() (vars []int) {
	mln.EachTerm(t.Count.X, func(x mln.Term) {
		if x.Kind == mln.TermVariable && !slices.Contains(t.Count.Inner, x.Var) && (t.value == nil || x.Var != t.Count.Listed[0]) {
			vars = append(vars, x.Var)
		}
	})
	for _, w := range t.windows {
		vars = append(vars, w.atom.Args[0].Var)
	}
	return vars
}

func mentions(literals []mln.Literal, v int) bool {
	return slices.ContainsFunc(literals, func(l mln.Literal) bool { return l.Atom != nil && !l.Negated && occurs(l, v) > 0 })
}

func occurs(l mln.Literal, v int) (n int) {
	mln.EachTerm(l.Expr(), func(t mln.Term) {
		if t.Kind == mln.TermVariable && t.Var == v {
			n++
		}
	})
	return n
}

// leaf returns the only atom of a variable, which gives a number of a row that is listed or shared, and its comparisons.
func (t *parts) leaf(v int) (f leaf, ok bool) {
	for _, l := range t.core {
		switch n := occurs(l, v); {
		case n == 0:
		case l.Compare != nil && !l.Negated:
			f.tests = append(f.tests, l)
		case l.Atom == nil || l.Negated || f.atom != nil || n > 1 || len(l.Atom.Args) != 2 || l.Atom.Args[1].Var != v:
			return f, false
		default:
			f.atom = l.Atom
		}
	}
	if f.atom == nil {
		return f, false
	}
	row := f.atom.Args[0]
	return f, row.Kind == mln.TermVariable && f.atom.Args[1].Kind == mln.TermVariable && !slices.Contains(t.Count.Inner, row.Var)
}

// remove takes a leaf from the core.
func (t *parts) remove(f leaf) {
	t.core = slices.DeleteFunc(t.core, func(l mln.Literal) bool {
		return l.Atom == f.atom && l.Atom != nil || l.Compare != nil && slices.ContainsFunc(f.tests, func(m mln.Literal) bool { return m.Compare == l.Compare })
	})
}

// key returns what equal cores share: literals, variables by first mention, those of the head by place, and which are listed.
func (t *parts) key() string {
	var b strings.Builder
	vars := t.coreVars()
	term := func(x mln.Term) {
		switch x.Kind {
		case mln.TermVariable:
			head := slices.IndexFunc(t.Head, func(h mln.Term) bool { return h.Var == x.Var })
			fmt.Fprint(&b, " ", slices.Index(vars, x.Var), head, slices.Contains(t.Count.Inner, x.Var))
		case mln.TermConstant:
			fmt.Fprintf(&b, " %q", x.Name)
		case mln.TermCenter:
			b.WriteString(" @")
		}
	}
	for _, l := range t.core {
		fmt.Fprint(&b, ";", l.Negated)
		switch {
		case l.Atom != nil:
			fmt.Fprint(&b, "p", l.Atom.Pred)
		case l.Compare != nil:
			fmt.Fprint(&b, l.Compare.Op)
		}
		mln.EachTerm(l.Expr(), term)
	}
	return b.String()
}

// coreVars returns the variables of the core by first mention.
func (t *parts) coreVars() (vars []int) {
	for _, l := range t.core {
		mln.EachTerm(l.Expr(), func(x mln.Term) {
			if x.Kind == mln.TermVariable && !slices.Contains(vars, x.Var) {
				vars = append(vars, x.Var)
			}
		})
	}
	return vars
}

// text returns what equal windows of a group share.
func (t *parts) text(w leaf) string {
	tests := make([]string, len(w.tests))
	for i, l := range w.tests {
		tests[i] = fmt.Sprint(l.Compare.Op, l.Compare.Value.Name)
	}
	slices.Sort(tests)
	return fmt.Sprint(w.atom.Pred, slices.Index(t.coreVars(), w.atom.Args[0].Var), tests)
}
