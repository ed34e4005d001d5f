package derive

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// NumberError is an entity of type number in a subgraph whose name is no finite number.
type NumberError struct{ Name string }

// Error gives the name.
func (e *NumberError) Error() string {
	return fmt.Sprintf("entity %q of type number is no finite number", e.Name)
}

// Scratch is the memory in which one goroutine derives relations.
type Scratch struct {
	of        *Relations
	scratch   *join.Scratch
	sub       subgraph.Subgraph
	relations []subgraph.Relation
	domains   []subgraph.Domain
	shared    subgraph.Shared
	induced   []bool
	tables    []subgraph.Table // of the derived relations
	values    []float64        // of the numbers

	// The count at work.
	def     *count
	table   *subgraph.Table
	binding []uint32
	level   [][]uint64
}

// NewScratch returns the memory for complete relations.
func NewScratch(r *Relations) *Scratch {
	s := &Scratch{of: r, scratch: join.NewScratch(r.prog), tables: make([]subgraph.Table, len(r.schema.Predicates)-r.preds)}
	for i, p := range r.schema.Predicates[r.preds:] {
		s.tables[i].Cols = make([][]uint32, len(p.Args))
	}
	return s
}

// Stop has Extend ask now and then; an error ends it. The function may be nil.
func (s *Scratch) Stop(ask func() error) { s.scratch.Stop = ask }

// Extend returns a subgraph of the model with the derived relations: sub itself where there are none. It borrows from sub, and lives
// in the memory of s until the next call. The error is a *NumberError, join.ErrOverflow, or that of Stop.
func (s *Scratch) Extend(sub *subgraph.Subgraph) (*subgraph.Subgraph, error) {
	r := s.of
	if len(s.tables) == 0 {
		return sub, nil
	}
	s.sub = *sub
	s.relations = append(s.relations[:0], sub.Relations...)
	s.domains = append(s.domains[:0], sub.Domains...)
	if len(r.schema.Types) > r.types {
		s.domains = append(s.domains, subgraph.Domain{Size: 1, Names: single{}})
	}
	s.relations = append(s.relations, make([]subgraph.Relation, len(s.tables))...)
	s.sub.Relations, s.sub.Domains = s.relations, s.domains
	if sub.Shared != nil {
		s.share(sub.Shared)
	}
	if err := s.compare(); err != nil {
		return nil, err
	}
	s.scratch.Reset(&s.sub)
	for i := range r.counts {
		if err := s.scratch.Counting(func() error { return s.count(&r.counts[i]) }); err != nil {
			return nil, err
		}
	}
	return &s.sub, nil
}

// share says that the derived relations are not induced.
func (s *Scratch) share(sh *subgraph.Shared) {
	s.induced = append(s.induced[:0], sh.Induced...)
	s.induced = append(s.induced, make([]bool, len(s.tables))...)
	s.shared = *sh
	s.shared.Induced = s.induced
	s.sub.Shared = &s.shared
}

// single names the entity of the unit type.
type single struct{}

// Name returns the name of the only entity.
func (single) Name(uint32) string { return unit }

// Lookup knows one name.
func (single) Lookup(name string) (uint32, bool) { return 0, name == unit }

// begin returns the empty table of a derived predicate.
func (s *Scratch) begin(pred int) *subgraph.Table {
	t := &s.tables[pred-s.of.preds]
	for c := range t.Cols {
		t.Cols[c] = t.Cols[c][:0]
	}
	t.Forward.Offsets, t.Backward.Offsets = t.Forward.Offsets[:0], t.Backward.Offsets[:0]
	return t
}

// finish makes a table the relation of its predicate.
func (s *Scratch) finish(pred int, t *subgraph.Table) {
	if args := s.of.schema.Predicates[pred].Args; len(args) == 2 && t.Len() > 0 {
		t.BuildIndex(s.domains[args[0]].Size, s.domains[args[1]].Size)
	}
	s.relations[pred].True = *t
}

// compare derives the orders of numbers.
func (s *Scratch) compare() error {
	for i := range s.of.orders {
		o := &s.of.orders[i]
		d := s.domains[s.of.schema.Predicates[o.pred].Args[0]]
		if i == 0 { // all are of one type
			s.values = grow.To(s.values, d.Size)
			for id := range s.values {
				name := d.Names.Name(uint32(id))
				v, ok := mln.ParseNumber(name)
				if !ok {
					return &NumberError{Name: name}
				}
				s.values[id] = v
			}
		}
		t := s.begin(o.pred)
		for id, v := range s.values {
			if o.op.Holds(v, o.value) {
				t.Cols[0] = append(t.Cols[0], uint32(id))
			}
		}
		s.finish(o.pred, t)
	}
	return nil
}

// count derives the relation of a counting literal.
func (s *Scratch) count(n *count) error {
	s.def, s.table = n, s.begin(n.pred)
	for _, p := range n.parts {
		s.project(p)
	}
	switch q := n.query; {
	case n.never || !s.scratch.Guards(q.Conj) || n.found != nil && !s.possible(n.found):
	case !q.Reduced && n.distinct:
		s.runs()
	case !q.Reduced:
		s.scratch.Enumerate(q, true, func(binding []uint32, k int64) bool {
			s.emit(binding, k)
			return true
		})
	case n.distinct:
		s.binding = grow.Zeroed(s.binding, len(q.Outputs))
		if s.possible(q) {
			s.sets(0)
		}
	default:
		s.binding = grow.Zeroed(s.binding, len(q.Outputs))
		k := int64(1)
		for _, id := range q.Scalars {
			k = join.Mul(k, s.scratch.Count(id))
		}
		s.products(0, k)
	}
	s.finish(n.pred, s.table)
	return nil
}

// emit adds a binding of the shared variables with k bindings of the listed ones.
func (s *Scratch) emit(binding []uint32, k int64) {
	n := s.def
	if k < n.k || n.exact && k != n.k {
		return
	}
	for c := range s.table.Cols {
		id := uint32(0)
		if c < len(n.args) {
			if a := n.args[c]; a.IsVar() {
				id = binding[a]
			} else {
				id = uint32(s.scratch.Const(a)) // there: the query's guards hold
			}
		}
		s.table.Cols[c] = append(s.table.Cols[c], id)
	}
}

// runs lists the different bindings and counts those that share their first outputs.
func (s *Scratch) runs() {
	shared := s.def.shared
	s.binding = s.binding[:0]
	k := int64(0)
	s.scratch.Enumerate(s.def.query, false, func(binding []uint32, _ int64) bool {
		if k > 0 && !slices.Equal(s.binding, binding[:shared]) {
			s.emit(s.binding, k)
			k = 0
		}
		s.binding = append(s.binding[:0], binding[:shared]...)
		k++
		return true
	})
	if k > 0 {
		s.emit(s.binding, k)
	}
}

// project derives the relation of a vector or matrix.
func (s *Scratch) project(p part) {
	t := s.begin(p.pred)
	node := &s.of.prog.Nodes[p.node]
	if node.Arity == 1 {
		t.Cols[0] = bitset.AppendIDs(t.Cols[0], s.scratch.Set(p.node))
	} else {
		for x := range uint32(s.scratch.Size(node.Row)) {
			t.Cols[1] = bitset.AppendIDs(t.Cols[1], s.scratch.Row(p.node, x))
			for len(t.Cols[0]) < len(t.Cols[1]) {
				t.Cols[0] = append(t.Cols[0], x)
			}
		}
	}
	s.finish(p.pred, t)
}

// possible reports whether the conditions of a query without an output hold.
func (s *Scratch) possible(q *plan.Query) bool {
	return !slices.ContainsFunc(q.Scalars, func(id plan.NodeID) bool { return !s.scratch.Holds(id) })
}

// sets emits the bindings of the shared outputs from d on, given those before, each with the number of bindings of the others.
func (s *Scratch) sets(d int) {
	if d == s.def.shared {
		s.emit(s.binding, s.listed(d))
		return
	}
	bitset.Each(s.candidates(d), func(v uint32) bool {
		s.scratch.Step()
		s.binding[d] = v
		s.sets(d + 1)
		return true
	})
}

// listed returns the number of bindings of the outputs from d on, given those before.
func (s *Scratch) listed(d int) int64 {
	last := len(s.binding) - 1
	if d > last {
		return 1
	}
	set := s.candidates(d)
	if d == last {
		return int64(bitset.Count(set))
	}
	sum := int64(0)
	bitset.Each(set, func(v uint32) bool {
		s.scratch.Step()
		s.binding[d] = v
		sum = join.Add(sum, s.listed(d+1))
		return true
	})
	return sum
}

// candidates returns the values of output d that the query allows, given those before.
func (s *Scratch) candidates(d int) []uint64 {
	q := s.def.query
	size := s.scratch.Size(q.Conj.Types[q.Outputs[d]])
	for len(s.level) <= d {
		s.level = append(s.level, nil)
	}
	s.level[d] = grow.To(s.level[d], bitset.Words(size))
	set := s.level[d]
	bitset.Fill(set, size)
	for _, f := range q.Vectors {
		if f.Var == d {
			bitset.AndInto(set, s.scratch.Set(f.Node))
		}
	}
	for _, f := range q.Mats {
		if f.Col == d {
			bitset.AndInto(set, s.scratch.Row(f.Node, s.binding[f.Row]))
		}
	}
	return set
}

// products emits the bindings of the outputs from d on, given those before, whose factors so far multiply to k, each with the
// number of its solutions.
func (s *Scratch) products(d int, k int64) {
	q := s.def.query
	switch {
	case k == 0:
		return
	case d == len(q.Outputs):
		s.emit(s.binding, k)
		return
	}
	driver, row := -1, join.Vec{}
	for i, f := range q.Mats {
		if f.Col != d {
			continue
		}
		if r := s.scratch.CountRow(f.Node, s.binding[f.Row]); driver < 0 || len(r.IDs) < len(row.IDs) {
			driver, row = i, r
		}
	}
	if driver < 0 {
		for v := range uint32(s.scratch.Size(q.Conj.Types[q.Outputs[d]])) {
			s.product(d, v, k, driver)
		}
		return
	}
	for i, v := range row.IDs {
		s.product(d, v, join.Mul(k, row.At(i)), driver)
	}
}

// product goes on with value v of output d; the factors so far and that of the driver multiply to k.
func (s *Scratch) product(d int, v uint32, k int64, driver int) {
	s.scratch.Step()
	q := s.def.query
	for _, f := range q.Vectors {
		if f.Var == d {
			k = join.Mul(k, s.scratch.Counts(f.Node)[v])
		}
	}
	for i, f := range q.Mats {
		if f.Col != d || i == driver || k == 0 {
			continue
		}
		row := s.scratch.CountRow(f.Node, s.binding[f.Row])
		at, ok := slices.BinarySearch(row.IDs, v)
		if !ok {
			return
		}
		k = join.Mul(k, row.At(at))
	}
	s.binding[d] = v
	s.products(d+1, k)
}
