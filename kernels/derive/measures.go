package derive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// Item is an aggregate or a count of bindings whose value is computed for each query atom of a target predicate. The comparison in it is
// ignored.
type Item struct {
	Vars  []mln.Variable // of the formula that contains it
	Count *mln.Count
	Head  []mln.Term // the atom's arguments, among them all variables shared by the aggregate and the formula
}

// Measures are compiled items. They are read-only and may be shared by many goroutines.
type Measures struct {
	heads     [][]mln.Term // by item: nil if each atom matches, that is, for distinct variables
	relations *Relations
	prog      *plan.Program
	groups    []*group
	index     map[string]*group
}

// group is a set of items over the same rows: the distinct bindings of the query's outputs.
type group struct {
	query   *plan.Query
	shared  []shared // with the head
	bound   int      // number of shared outputs, which come first
	windows []window
	columns []column // by value, then windows
	binder  *plan.Binder
	vars    []int // query variables, by number in the group's key
	outputs []int // variables of the query
}

// shared maps an argument of the head to an output or a constant.
type shared struct {
	head int
	arg  plan.Arg
}

// window is a condition on a row: comparisons of one of its numbers with constants.
type window struct {
	text   string
	number lookup
	tests  []test
}

type test struct {
	op    mln.Comparison
	bound float64
}

// lookup is a number: an output itself, or the numbers that a relation gives for it; or 1 for rows in a relation, 0 for others.
type lookup struct {
	arg  plan.Arg
	node plan.NodeID // plan.None for the output itself
	typ  int         // type of the number
	in   *tuples     // nil unless it is 0 or 1
}

// tuples are those of a derived relation that rows may be in.
type tuples struct {
	pred int
	args []plan.Arg // none for a relation over unit
}

// column is an item.
type column struct {
	item    int
	kind    mln.Aggregate
	value   lookup
	by      lookup // for mln.AggregateLast and mln.AggregateTrend
	windows uint64 // windows that must all contain a row
	text    string
}

// mostWindows is the maximum number of windows of an item and of a group; one more is left in the rows, or starts another group.
const mostWindows = 64

// NewMeasures compiles items over a schema.
func NewMeasures(schema *mln.Schema, items []Item) *Measures {
	r := New(schema)
	p := &Measures{heads: make([][]mln.Term, len(items)), relations: r, prog: plan.NewProgram(r.Schema()), index: map[string]*group{}}
	for i := range items {
		if p.add(i, &items[i]); !mln.DistinctVariables(items[i].Head) {
			p.heads[i] = items[i].Head
		}
	}
	for _, g := range p.groups {
		slices.SortStableFunc(g.columns, func(a, b column) int {
			return cmp.Or(cmp.Compare(a.value.arg, b.value.arg), cmp.Compare(a.value.node, b.value.node), cmp.Compare(a.windows, b.windows))
		})
	}
	return p
}

// parts is an item split into parts.
type parts struct {
	*Item
	head    []int // variables of the head by place, -1 for a constant
	core    []mln.Literal
	value   *mln.Atom // atom that gives the number; nil if the core does
	windows []leaf
}

// leaf is an atom that gives a number of a row, with the comparisons of the number.
type leaf struct {
	atom  *mln.Atom
	tests []mln.Literal
}

// add adds an item to the group with its rows.
func (p *Measures) add(at int, it *Item) {
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

// room reports whether a group has room for windows.
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

// takeApart separates the atoms of numbers from the conjunction, if the rest still contains all other relevant variables.
func (it *Item) takeApart() *parts {
	literals, _ := it.Count.Parts()
	whole := &parts{Item: it, core: literals}
	for _, h := range it.Head {
		if h.Kind != mln.TermVariable {
			h.Var = -1
		}
		whole.head = append(whole.head, h.Var)
	}
	if slices.ContainsFunc(whole.core, func(l mln.Literal) bool { return l.Equal != nil }) {
		return whole
	}
	t := &parts{Item: it, head: whole.head, core: slices.Clone(whole.core)}
	if c := it.Count; c.Kind.Leading() == 1 {
		if f, ok := t.leaf(c.Listed[0]); ok && len(f.tests) == 0 {
			t.value = f.atom
			t.remove(f)
		}
	}
	for _, v := range it.Count.Inner {
		if f, ok := t.leaf(v); ok && len(f.tests) > 0 && len(t.windows) < mostWindows {
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

// needed returns the variables that the core must contain: the shared and listed ones, except a value that is looked up, and those by
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

// leaf returns the only atom with variable v, if it gives a number of a listed or shared row, and the comparisons of v.
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

// remove removes a leaf from the core.
func (t *parts) remove(f leaf) {
	t.core = slices.DeleteFunc(t.core, func(l mln.Literal) bool {
		return l.Atom == f.atom && l.Atom != nil || l.Compare != nil && slices.ContainsFunc(f.tests, func(m mln.Literal) bool { return m.Compare == l.Compare })
	})
}

// key returns a text that is the same for equal cores: the literals, with variables by first mention, the head's by place, and whether
// each is listed.
func (t *parts) key() string {
	var b strings.Builder
	vars := t.coreVars()
	term := func(x mln.Term) {
		switch x.Kind {
		case mln.TermVariable:
			fmt.Fprint(&b, " ", slices.Index(vars, x.Var), slices.Index(t.head, x.Var), slices.Contains(t.Count.Inner, x.Var))
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

// coreVars returns the variables of the core in order of first mention.
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

// text returns a text that is the same for equal windows of a group.
func (t *parts) text(w leaf) string {
	tests := make([]string, len(w.tests))
	for i, l := range w.tests {
		tests[i] = fmt.Sprint(l.Compare.Op, l.Compare.Value.Name)
	}
	slices.Sort(tests)
	return fmt.Sprint(w.atom.Pred, slices.Index(t.coreVars(), w.atom.Args[0].Var), tests)
}
