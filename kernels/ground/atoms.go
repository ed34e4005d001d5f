package ground

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/join"
)

// Mode determines which target atoms exist and which are free.
type Mode uint8

// The modes. The zero value is none.
const (
	// Counting fixes every atom of known truth; no others exist.
	Counting Mode = iota + 1
	// Learning frees every atom of known truth; no others exist.
	Learning
	// Predicting frees every query atom.
	Predicting
	// Conditioning frees the atoms not stated in the data and fixes the others.
	Conditioning
	// Heading fixes every query atom as a possible head of formulas; other than as the head, no atom of unknown truth exists. It is for
	// counting only: see Grounder.Heads.
	Heading
	// Checking fixes every atom of known truth, as Counting; Ground fails if these violate a hard formula.
	Checking
)

// unknownExist reports whether atoms of unknown truth are query atoms.
func (m Mode) unknownExist() bool { return m == Predicting || m == Conditioning }

// fixes reports whether no atom is free.
func (m Mode) fixes() bool { return m == Counting || m == Heading || m == Checking }

// States of an atom that is not free.
const (
	fixedTrue  = -1
	fixedFalse = -2
	missing    = -3
)

// Atoms are the query atoms of a subgraph, ordered by predicate as in the schema, then by arguments.
type Atoms struct {
	Schema *mln.Schema
	Sub    *subgraph.Subgraph
	preds  []predicateAtoms
	truth  []subgraph.Truth
	stated []bool
	free   []int32 // index among the network's atoms, or the atom's state
	back   []int32 // by network atom: the query atom
}

// predicateAtoms locates the atoms of one predicate.
type predicateAtoms struct {
	pred  int
	first int
	n     int
	table *subgraph.Table // of a listed target
	sizes []int           // of the arguments' domains
	// firsts are the first arguments of binary atoms, ascending; seconds are the second ones of each if the target is not listed. Both are
	// borrowed while these are grounded.
	firsts, seconds []uint32
	// places gives, for a listed unary target, the place of the atom by its argument, plus 1; 0 for none.
	places []uint32
}

// TooManyAtomsError reports a subgraph with more query atoms than can be numbered.
type TooManyAtomsError struct{ Predicate string }

// Error names the predicate.
func (e *TooManyAtomsError) Error() string {
	return fmt.Sprintf("more than 2^31 query atoms of %s: declare it `target listed`", e.Predicate)
}

// newAtoms numbers the query atoms of a scratch's current subgraph.
func newAtoms(s *join.Scratch, mode Mode) (*Atoms, error) {
	a := &Atoms{Schema: s.Prog.Schema, Sub: s.Sub}
	for pred, p := range a.Schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		pa := predicateAtoms{pred: pred, first: len(a.truth), n: 1}
		for _, t := range p.Args {
			pa.sizes = append(pa.sizes, s.Size(t))
		}
		r := &s.Sub.Relations[pred]
		if p.Role == mln.RoleListed {
			pa.n = r.True.Len() + r.False.Len() + r.Unknown.Len()
		} else {
			for _, n := range pa.sizes {
				if pa.n *= n; pa.n > math.MaxInt32 {
					break
				}
			}
		}
		if pa.n > math.MaxInt32-len(a.truth) {
			return nil, &TooManyAtomsError{p.Name}
		}
		a.stated = append(a.stated, make([]bool, pa.n)...)
		switch {
		case p.Role == mln.RoleListed:
			a.list(&pa, s)
		case len(pa.sizes) == 2:
			pa.firsts, pa.seconds = upTo(pa.sizes[0]), upTo(pa.sizes[1])
			fallthrough
		default:
			a.state(&pa)
		}
		a.preds = append(a.preds, pa)
	}
	a.number(mode)
	return a, nil
}

// truths are the truth values of the tuples in a relation's tables.
var truths = [...]subgraph.Truth{subgraph.True, subgraph.False, subgraph.Unknown}

// upTo returns the numbers below n.
func upTo(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// list adds the atoms of a listed target, which are those in its tables.
func (a *Atoms) list(p *predicateAtoms, s *join.Scratch) {
	table, from := s.Union(p.pred, len(truths))
	p.table = table
	for i, k := range from {
		a.truth = append(a.truth, truths[k])
		a.stated[p.first+i] = truths[k] != subgraph.Unknown
	}
	if len(p.sizes) == 1 && p.sizes[0] <= 64*p.n {
		p.places = make([]uint32, p.sizes[0])
		for i, id := range table.Cols[0] {
			p.places[id] = uint32(i) + 1
		}
	}
	if len(p.sizes) == 2 {
		p.firsts = slices.Compact(slices.Clone(table.Cols[0]))
	}
}

// state adds all atoms of a target that is not listed, with the truth stated in the data.
func (a *Atoms) state(p *predicateAtoms) {
	a.truth = append(a.truth, slices.Repeat([]subgraph.Truth{subgraph.False}, p.n)...)
	tuple := make([]uint32, len(p.sizes))
	for k, t := range a.Sub.Relations[p.pred].Tables() {
		for i := range t.Len() {
			for c := range tuple {
				tuple[c] = t.Cols[c][i]
			}
			at := p.find(tuple)
			a.truth[at], a.stated[at] = truths[k], truths[k] != subgraph.Unknown
		}
	}
}

// number assigns the free atoms their places in the network.
func (a *Atoms) number(mode Mode) {
	a.free = make([]int32, len(a.truth))
	if !mode.fixes() {
		a.back = make([]int32, 0, len(a.truth))
	}
	for i, t := range a.truth {
		switch {
		case t == subgraph.Unknown && !mode.unknownExist() && mode != Heading:
			a.free[i] = missing
		case mode.fixes() || (mode == Conditioning && a.stated[i]):
			a.free[i] = fixedFalse
			if t == subgraph.True {
				a.free[i] = fixedTrue
			}
		default:
			a.free[i] = int32(len(a.back))
			a.back = append(a.back, int32(i))
		}
	}
}

// find returns the index of the atom with the given arguments, -1 if it is not a query atom.
func (p *predicateAtoms) find(tuple []uint32) int {
	i, found := 0, true
	switch {
	case p.table == nil:
		for c, id := range tuple {
			i = i*p.sizes[c] + int(id)
		}
	case p.places != nil:
		i = int(p.places[tuple[0]]) - 1
		found = i >= 0
	case len(tuple) == 2:
		ys, first := p.row(tuple[0])
		i, found = place(ys, tuple[1])
		i += first - p.first
	default:
		i, found = join.Find(p.table, tuple)
	}
	if !found {
		return -1
	}
	return p.first + i
}

// row returns the second arguments of the binary atoms with a given first argument, and the first of these atoms.
func (p *predicateAtoms) row(x uint32) (ys []uint32, first int) {
	if p.table == nil {
		return p.seconds, p.first + int(x)*len(p.seconds)
	}
	return p.table.Forward.Row(x), p.first + int(p.table.Forward.Offsets[x])
}

// rows yields row for the first arguments of the first of some replicas; for a unary target, all arguments and its first atom.
func (p *predicateAtoms) rows(replicas int) iter.Seq2[[]uint32, int] {
	return func(yield func([]uint32, int) bool) {
		switch {
		case len(p.sizes) == 2:
			for _, x := range p.firsts[:len(p.firsts)/replicas] {
				if !yield(p.row(x)) {
					return
				}
			}
		case p.table != nil:
			yield(p.table.Cols[0], p.first)
		default:
			yield(upTo(p.sizes[0]), p.first)
		}
	}
}

// place returns the position of an id in an ascending list, and whether it is there.
func place(ids []uint32, id uint32) (int, bool) {
	if i := int(id); i < len(ids) && ids[i] == id { // the list has all ids up to it
		return i, true
	}
	return slices.BinarySearch(ids, id)
}

// of returns the locations of a target predicate's atoms.
func (a *Atoms) of(pred int) *predicateAtoms {
	for i := range a.preds {
		if a.preds[i].pred == pred {
			return &a.preds[i]
		}
	}
	panic("kernels/ground: predicate is no target")
}

// own copies what is borrowed from the grounder's memory.
func (a *Atoms) own() {
	for i := range a.preds {
		p := &a.preds[i]
		if p.firsts, p.seconds, p.places = nil, nil, nil; p.table == nil {
			continue
		}
		cols := make([][]uint32, len(p.table.Cols))
		for c, col := range p.table.Cols {
			cols[c] = slices.Clone(col)
		}
		p.table = &subgraph.Table{Cols: cols}
	}
}

// Bytes returns the approximate memory of the atoms, without their subgraph.
func (a *Atoms) Bytes() int { return 10 * len(a.truth) }

// Len returns the number of query atoms, including those that do not exist in the mode.
func (a *Atoms) Len() int { return len(a.truth) }

// Free returns an atom's place in the network, and whether it is free.
func (a *Atoms) Free(i int) (int, bool) { return int(a.free[i]), a.free[i] >= 0 }

// Fixed returns the truth of an atom that the mode fixes, and whether it does.
func (a *Atoms) Fixed(i int) (truth, ok bool) {
	return a.free[i] == fixedTrue, a.free[i] == fixedTrue || a.free[i] == fixedFalse
}

// Truth returns an atom's truth in the data: false for a target atom that is neither listed nor stated.
func (a *Atoms) Truth(i int) subgraph.Truth { return a.truth[i] }

// Of returns the range of a target predicate's query atoms.
func (a *Atoms) Of(pred int) (first, end int) {
	p := a.of(pred)
	return p.first, p.first + p.n
}

// FreeOf returns the range, lo to hi, of a target predicate's free atoms in the network.
func (a *Atoms) FreeOf(pred int) (lo, hi int) {
	p := a.of(pred)
	lo, _ = slices.BinarySearch(a.back, int32(p.first))
	hi, _ = slices.BinarySearch(a.back, int32(p.first+p.n))
	return lo, hi
}

// Data returns the state of the network's atoms in the data, with atoms of unknown truth false.
func (a *Atoms) Data() []bool {
	x := make([]bool, len(a.back))
	for i, at := range a.back {
		x[i] = a.truth[at] == subgraph.True
	}
	return x
}

// Args returns the predicate and the arguments of an atom. dst is overwritten and returned.
func (a *Atoms) Args(i int, dst []uint32) (pred int, args []uint32) {
	k, _ := slices.BinarySearchFunc(a.preds, i, func(p predicateAtoms, i int) int {
		switch {
		case i < p.first:
			return 1
		case i >= p.first+p.n:
			return -1
		}
		return 0
	})
	p := &a.preds[k]
	dst = grow.To(dst, len(p.sizes))
	rest := i - p.first
	for c := len(dst) - 1; c >= 0; c-- {
		if p.table != nil {
			dst[c] = p.table.Cols[c][rest]
			continue
		}
		dst[c] = uint32(rest % p.sizes[c])
		rest /= p.sizes[c]
	}
	return p.pred, dst
}

// Columns returns the arguments of a target predicate's free atoms, by place.
func (a *Atoms) Columns(pred int) [][]uint32 {
	lo, hi := a.FreeOf(pred)
	return a.columns(pred, a.back[lo:hi])
}

// columns returns the arguments of some of a target predicate's query atoms, by place.
func (a *Atoms) columns(pred int, atoms []int32) [][]uint32 {
	columns := make([][]uint32, len(a.of(pred).sizes))
	var args []uint32
	for _, i := range atoms {
		_, args = a.Args(int(i), args)
		for i, id := range args {
			columns[i] = append(columns[i], id)
		}
	}
	return columns
}

// Name returns an atom as text.
func (a *Atoms) Name(i int) string { return string(a.AppendName(nil, i)) }

// AppendName appends an atom as text, as mln.FormatAtom prints it.
func (a *Atoms) AppendName(dst []byte, i int) []byte {
	pred, args := a.Args(i, nil)
	p := &a.Schema.Predicates[pred]
	dst = append(append(dst, p.Name...), '(')
	for c, id := range args {
		if c > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, mln.FormatConstant(a.Sub.Domains[p.Args[c]].Names.Name(id))...)
	}
	return append(dst, ')')
}

// Query returns the query atom at a place in the network.
func (a *Atoms) Query(free int) int { return int(a.back[free]) }
