package join

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"resolwe/format/subgraph"
	"resolwe/kernels/plan"
)

// Enumerate calls emit for each binding of a query's outputs that extends to a solution of its conjunction, in lexicographic order, until
// emit returns false. n is 1 or, with count, the number of solutions that extend the binding; count requires running under Counting. The
// binding is borrowed until emit returns. Queries that are not reduced can only be evaluated this way, by a worst-case optimal join
// (leapfrog triejoin, Veldhuizen 2014) over sorted columns.
func (s *Scratch) Enumerate(q *plan.Query, count bool, emit func(binding []uint32, n int64) bool) {
	if !s.Guards(q.Conj) {
		return
	}
	w, ok := s.walks[q]
	if !ok {
		w = newWalk(s, q)
		s.walks[q] = w
	}
	if !w.bind() {
		return
	}
	w.count, w.emit = count, emit
	for _, c := range w.checks[0] {
		if !w.holds(c) {
			return
		}
	}
	w.outputs(0)
	w.emit = nil
}

// walk is a multiway join that binds one variable after another.
type walk struct {
	s       *Scratch
	q       *plan.Query
	order   []int   // variables by level: the outputs, then the inner ones
	tries   []*trie // the positive literals
	at      [][]int // by level: the tries whose next column is that level's variable
	checks  [][]check
	binding []uint32 // by level
	level   []int    // by variable; -1 if it does not occur
	count   bool
	n       int64 // solutions of the current binding of the outputs
	emit    func([]uint32, int64) bool
	tuple   []uint32
}

// trie holds a literal's tuples sorted by the levels of its variables. lo and hi bound, by depth, the tuples that agree with the binding.
type trie struct {
	lit     plan.Literal
	slots   []int      // levels of its distinct variables, ascending
	pattern []plan.Arg // the literal's arguments: slots by position, and constants
	cols    *columns
	lo, hi  []int
}

// columns are the sorted tuples of a trie in the current subgraph; literals with the same pattern share them.
type columns struct {
	ready bool
	cols  [][]uint32
	rows  [][]uint32
}

// check is a condition tested once its variables are bound: a negated literal or a comparison.
type check struct {
	lit    *plan.Literal
	differ plan.Differ
}

func newWalk(s *Scratch, q *plan.Query) *walk {
	w := &walk{s: s, q: q, level: make([]int, len(q.Conj.Types))}
	w.order = append(w.order, q.Outputs...)
	for v := range q.Conj.Types {
		if !slices.Contains(w.order, v) && q.Conj.Mentions(v) {
			w.order = append(w.order, v)
		}
	}
	for v := range w.level {
		w.level[v] = slices.Index(w.order, v)
	}
	w.at = make([][]int, len(w.order))
	w.checks = make([][]check, len(w.order)+1)
	w.binding = make([]uint32, len(w.order))
	for i := range q.Conj.Literals {
		l := &q.Conj.Literals[i]
		_, complement := s.table(l.Pred, l.Source)
		if complement || l.Negated {
			w.addCheck(check{lit: l}, l.Args)
			continue
		}
		w.addTrie(*l)
	}
	for _, d := range q.Conj.Differs {
		w.addCheck(check{differ: d}, []plan.Arg{d.A, d.B})
	}
	return w
}

// addCheck adds a check after the level that binds the last of its variables.
func (w *walk) addCheck(c check, args []plan.Arg) {
	last := 0
	for _, a := range args {
		if a.IsVar() {
			last = max(last, w.level[a]+1)
		}
	}
	w.checks[last] = append(w.checks[last], c)
}

func (w *walk) addTrie(l plan.Literal) {
	t := &trie{lit: l}
	for _, a := range l.Args {
		if a.IsVar() && !slices.Contains(t.slots, w.level[a]) {
			t.slots = append(t.slots, w.level[a])
		}
	}
	slices.Sort(t.slots)
	t.lo, t.hi = make([]int, len(t.slots)+1), make([]int, len(t.slots)+1)
	for _, level := range t.slots {
		w.at[level] = append(w.at[level], len(w.tries))
	}
	for _, a := range l.Args {
		if a.IsVar() {
			a = plan.Arg(slices.Index(t.slots, w.level[a]))
		}
		t.pattern = append(t.pattern, a)
	}
	key := fmt.Sprint(l.Pred, l.Source, t.pattern)
	if w.s.tries[key] == nil {
		w.s.tries[key] = &columns{}
	}
	t.cols = w.s.tries[key]
	w.tries = append(w.tries, t)
}

// bind sorts the tries' tuples for the current subgraph. It returns false if a literal without variables fails.
func (w *walk) bind() bool {
	for _, t := range w.tries {
		w.s.fill(t)
		t.lo[0], t.hi[0] = 0, len(t.cols.rows)
		if len(t.slots) == 0 && t.hi[0] == 0 {
			return false
		}
	}
	return true
}

// fill sorts the tuples of a trie, unless a trie with the same pattern has done so.
func (s *Scratch) fill(t *trie) {
	if t.cols.ready {
		return
	}
	table, _ := s.table(t.lit.Pred, t.lit.Source)
	*t.cols = s.matching(*t.cols, t.pattern, len(t.slots), table)
	t.cols.ready = true
}

// matching collects the tuples that match a pattern, sorted by its slots, in the memory of c.
func (s *Scratch) matching(c columns, pattern []plan.Arg, slots int, table *subgraph.Table) columns {
	if c.cols == nil {
		c.cols = make([][]uint32, slots)
	}
	c.rows = c.rows[:0]
	row := s.ids.take(slots)
	for i := range table.Len() {
		if s.fits(pattern, table, i, row) {
			c.rows = append(c.rows, row)
			row = s.ids.take(slots)
		}
	}
	if !slices.IsSortedFunc(c.rows, slices.Compare) {
		slices.SortFunc(c.rows, slices.Compare)
	}
	for k := range c.cols {
		c.cols[k] = c.cols[k][:0]
		for _, row := range c.rows {
			c.cols[k] = append(c.cols[k], row[k])
		}
	}
	return c
}

// fits reports whether tuple i matches a pattern, and sets the slots in row.
func (s *Scratch) fits(pattern []plan.Arg, table *subgraph.Table, i int, row []uint32) bool {
	const unset = ^uint32(0)
	for k := range row {
		row[k] = unset
	}
	for c, a := range pattern {
		id := table.Cols[c][i]
		switch {
		case !a.IsVar():
			if s.Const(a) != int32(id) {
				return false
			}
		case row[a] == unset:
			row[a] = id
		case row[a] != id:
			return false
		}
	}
	return true
}

// outputs binds the outputs from level d on. It returns false to stop.
func (w *walk) outputs(d int) bool {
	if d < len(w.q.Outputs) {
		return w.extend(d)
	}
	w.n = 0
	w.inner(d)
	return w.n == 0 || w.emit(w.binding[:d], w.n)
}

// inner counts the bindings of the inner variables from level d on; without count it stops at the first.
func (w *walk) inner(d int) bool {
	if d < len(w.order) {
		return w.extend(d)
	}
	w.n = Add(w.n, 1)
	return w.count
}

// next continues after level d is bound. It returns false to stop.
func (w *walk) next(d int) bool {
	if d < len(w.q.Outputs) {
		return w.outputs(d + 1)
	}
	return w.inner(d + 1)
}

// extend continues with each value of level d's variable that all its tries contain and its checks allow.
func (w *walk) extend(d int) bool {
	at := w.at[d]
	if len(at) == 0 {
		for v := range uint32(w.s.size[w.q.Conj.Types[w.order[d]]]) {
			w.s.Step()
			w.binding[d] = v
			if w.allowed(d) && !w.next(d) {
				return false
			}
		}
		return true
	}
	narrowest := at[0]
	for _, t := range at[1:] {
		if w.width(t, d) < w.width(narrowest, d) {
			narrowest = t
		}
	}
	driver := w.tries[narrowest]
	k := slices.Index(driver.slots, d)
	col := driver.cols.cols[k]
	for i := driver.lo[k]; i < driver.hi[k]; {
		v := col[i]
		w.s.Step()
		i += upper(col[i:driver.hi[k]], v)
		w.binding[d] = v
		if w.narrow(at, d, v) && w.allowed(d) && !w.next(d) {
			return false
		}
	}
	return true
}

// width returns the number of tuples that a trie has left at level d.
func (w *walk) width(t, d int) int {
	k := slices.Index(w.tries[t].slots, d)
	return w.tries[t].hi[k] - w.tries[t].lo[k]
}

// narrow restricts the tries of level d to the value v. It returns false if one lacks it.
func (w *walk) narrow(at []int, d int, v uint32) bool {
	for _, i := range at {
		t := w.tries[i]
		k := slices.Index(t.slots, d)
		col := t.cols.cols[k][t.lo[k]:t.hi[k]]
		lo, ok := slices.BinarySearch(col, v)
		if !ok {
			return false
		}
		t.lo[k+1] = t.lo[k] + lo
		t.hi[k+1] = t.lo[k+1] + upper(col[lo:], v)
	}
	return true
}

// upper returns the number of entries of a sorted column that are at most v; its first entry is v.
func upper(col []uint32, v uint32) int {
	step := 1
	for step < len(col) && col[step] <= v {
		step *= 2
	}
	lo := step / 2
	return lo + sort.Search(min(step, len(col))-lo, func(i int) bool { return col[lo+i] > v })
}

// allowed tests the checks that level d completes.
func (w *walk) allowed(d int) bool {
	for _, c := range w.checks[d+1] {
		if !w.holds(c) {
			return false
		}
	}
	return true
}

func (w *walk) holds(c check) bool {
	if c.lit == nil {
		return w.value(c.differ.A) != w.value(c.differ.B)
	}
	table, complement := w.s.table(c.lit.Pred, c.lit.Source)
	w.tuple = w.tuple[:0]
	for _, a := range c.lit.Args {
		v := w.value(a)
		if v < 0 { // an entity that the subgraph lacks is in no table
			return c.lit.Negated
		}
		w.tuple = append(w.tuple, uint32(v))
	}
	return Contains(table, w.tuple) == (complement == c.lit.Negated)
}

func (w *walk) value(a plan.Arg) int64 {
	if a.IsVar() {
		return int64(w.binding[w.level[a]])
	}
	return int64(w.s.Const(a))
}

// Contains reports whether a table contains a tuple.
func Contains(t *subgraph.Table, tuple []uint32) bool {
	_, ok := Find(t, tuple)
	return ok
}

// Find returns the position of a tuple in a table, and whether the table contains it.
func Find(t *subgraph.Table, tuple []uint32) (int, bool) {
	return sort.Find(t.Len(), func(i int) int {
		for c, id := range tuple {
			if d := cmp.Compare(id, t.Cols[c][i]); d != 0 {
				return d
			}
		}
		return 0
	})
}
