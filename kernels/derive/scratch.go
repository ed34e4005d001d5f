package derive

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
)

// NumberError reports an entity of a number type whose name is not a finite number.
type NumberError struct{ Name string }

// Error names the entity.
func (e *NumberError) Error() string {
	return fmt.Sprintf("entity %q is not a finite number, as its type asks for", e.Name)
}

// Scratch is the memory in which one goroutine derives relations.
type Scratch struct {
	of      *Relations
	scratch *join.Scratch
	sub     *subgraph.Subgraph
	tables  []subgraph.Table // of the derived relations
	numbers [][]float64      // by type: the values of its entities, as far as they have been read

	// The current count.
	def     *count
	table   *subgraph.Table
	binding []uint32

	measurer Measurer // of aggregates
}

// NewScratch returns the memory for complete relations.
func NewScratch(r *Relations) *Scratch {
	s := &Scratch{of: r, scratch: join.NewScratch(r.prog), tables: make([]subgraph.Table, len(r.schema.Predicates)-r.preds), numbers: make([][]float64, len(r.schema.Types))}
	s.measurer = Measurer{derive: s, join: s.scratch}
	for i, p := range r.schema.Predicates[r.preds:] {
		s.tables[i].Cols = make([][]uint32, len(p.Args))
	}
	return s
}

// Stop makes Extend call ask from time to time; an error from it ends Extend. ask may be nil.
func (s *Scratch) Stop(ask func() error) { s.scratch.Stop = ask }

// Extend returns a subgraph of the model with the derived relations: sub itself if there are none. It borrows from sub, and is valid
// until the next call. The error is a *NumberError, an *OverflowError, join.ErrOverflow, or that of Stop.
func (s *Scratch) Extend(sub *subgraph.Subgraph) (*subgraph.Subgraph, error) {
	r := s.of
	s.sub = sub // for Numbers
	for t := range s.numbers {
		s.numbers[t] = s.numbers[t][:0]
	}
	if len(s.tables) == 0 {
		return sub, nil
	}
	s.sub = sub.Extended(make([]subgraph.Relation, len(s.tables)))
	if len(r.schema.Types) > r.types {
		s.sub.Domains = append(slices.Clip(sub.Domains), subgraph.Domain{Size: 1, Names: single{}})
	}
	if err := s.compare(); err != nil {
		return nil, err
	}
	s.scratch.Reset(s.sub)
	for i := range r.counts {
		if err := s.scratch.Counting(func() error { return s.count(&r.counts[i]) }); err != nil {
			return nil, err
		}
	}
	for _, a := range r.aggregates { // shares look up counts
		if err := s.scratch.Counting(func() error { return s.aggregate(a) }); err != nil {
			return nil, err
		}
	}
	return s.sub, nil
}

// single is the names of type unit.
type single struct{}

// Name returns the name of the only entity.
func (single) Name(uint32) string { return unit }

// Lookup finds only that name.
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

// finish stores a table as the relation of its predicate.
func (s *Scratch) finish(pred int, t *subgraph.Table) {
	if args := s.of.schema.Predicates[pred].Args; len(args) == 2 && t.Len() > 0 {
		t.BuildIndex(s.sub.Domains[args[0]].Size, s.sub.Domains[args[1]].Size)
	}
	s.sub.Relations[pred].True = *t
}

// Numbers returns the values of a type's entities in the subgraph of the last Extend, or a *NumberError. Borrowed until the next.
func (s *Scratch) Numbers(typ int) ([]float64, error) {
	values, d := s.numbers[typ], &s.sub.Domains[typ]
	if len(values) == d.Size {
		return values, nil
	}
	for id := len(values); id < d.Size; id++ {
		name := d.Names.Name(uint32(id))
		v, ok := mln.ParseNumber(name)
		if !ok {
			return nil, &NumberError{Name: name}
		}
		values = append(values, v)
	}
	s.numbers[typ] = values
	return values, nil
}

// compare derives the relations of number comparisons.
func (s *Scratch) compare() error {
	for _, o := range s.of.orders {
		values, err := s.Numbers(s.of.schema.Predicates[o.pred].Args[0])
		if err != nil {
			return err
		}
		t := s.begin(o.pred)
		for id, v := range values {
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
	case n.never || !s.scratch.Guards(q.Conj) || n.found != nil && !s.scratch.Possible(n.found):
	case !q.Reduced && n.distinct:
		s.runs()
	case !q.Reduced:
		s.scratch.Enumerate(q, true, func(binding []uint32, k int64) bool {
			s.emit(binding, k)
			return true
		})
	case n.distinct && s.scratch.Possible(q):
		s.binding = grow.Zeroed(s.binding, len(q.Outputs))
		if k := s.sets(0); n.shared == 0 {
			s.emit(s.binding, k)
		}
	case !n.distinct:
		s.binding = grow.Zeroed(s.binding, len(q.Outputs))
		if k := s.scratch.Scalar(q); k > 0 {
			s.products(0, k)
		}
	}
	s.finish(n.pred, s.table)
	return nil
}

// emit adds a binding of the shared variables if its k bindings of the listed ones satisfy the count.
func (s *Scratch) emit(binding []uint32, k int64) {
	n := s.def
	if k < n.k || n.exact && k != n.k {
		return
	}
	s.append(s.table, n.args, binding)
}

// runs enumerates the distinct bindings and counts those with equal shared outputs.
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

// sets returns the number of bindings of the outputs from d on, given the earlier ones. It emits the bindings of the shared outputs, each
// with the number of bindings of the others.
func (s *Scratch) sets(d int) (sum int64) {
	if d == len(s.binding) {
		return 1
	}
	set := s.scratch.Candidates(s.def.query, d, s.binding, nil)
	if d == len(s.binding)-1 && d >= s.def.shared {
		return int64(bitset.Count(set))
	}
	bitset.Each(set, func(v uint32) bool {
		s.scratch.Step()
		s.binding[d] = v
		k := s.sets(d + 1)
		if d+1 == s.def.shared {
			s.emit(s.binding, k)
		} else {
			sum = join.Add(sum, k)
		}
		return true
	})
	return sum
}

// products emits the bindings of the outputs from d on, given the earlier ones, each with its number of solutions; k is the product of
// the factors so far.
func (s *Scratch) products(d int, k int64) {
	q := s.def.query
	if d == len(q.Outputs) {
		s.emit(s.binding, k)
		return
	}
	s.scratch.Values(q, d, d, s.binding, k, nil, func(v uint32, k int64) {
		s.binding[d] = v
		s.products(d+1, k)
	})
}
