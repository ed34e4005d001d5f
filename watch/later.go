package watch

import (
	"cmp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/watch"
)

// mostAwaited is the most atoms of the blocks whose truth is awaited, unless the last block has more.
const mostAwaited = 100_000

// awaited are a block's atoms of unknown truth, which a later record may state.
type awaited struct {
	Places      []int
	Names       []string     // of the subgraphs
	Keys        [][]uint64   // by subgraph: the atoms, as in labeled
	Came        [][]int      // by subgraph: those whose truth came, each as twice its index plus its truth
	Credited    []int        // by subgraph: how many of these were learned from
	Block, Last *watch.Block // as in pending, with a row index for each atom
	Rows        [][]int32    // by subgraph and atom: the row when it was predicted
	Issued      *issued      // nil for subgraphs of the start, which are not predicted
	Since       int
	Layout      int
	Bytes       int     // with AdaptStructure, of the subgraphs
	items       []*item // with AdaptStructure
}

// Later counts truth that comes in records of its own.
type Later struct {
	Records int
	Ignored int // records that state nothing that is awaited
	GivenUp int // atoms that are awaited no more, since too many are
}

// part is the truth that came for a subgraph.
type part struct {
	*awaited

	member int
	truths []int // as in awaited.Came
}

// labels returns all truth that came for the subgraph, as in labeled.
func (p *part) labels() (out []uint64) {
	for _, t := range p.Came[p.member] {
		out = append(out, p.key(t))
	}
	return out
}

// key returns an atom with its truth, as in labeled.
func (p *part) key(truth int) uint64 { return p.Keys[p.member][truth>>1] | uint64(truth&1) }

// unknowns returns the atoms of unknown truth of some subgraphs that have their columns, nil if there are none.
func (w *watcher) unknowns(items []*item) *awaited {
	a := &awaited{Since: w.state.Since, Layout: w.state.Layout}
	var rows []*watch.Rows
	var atoms []labeled
	for _, it := range items {
		if it.unknown == nil {
			continue
		}
		rows, atoms = append(rows, it.unknown), append(atoms, it.asked...)
		keys := make([]uint64, len(it.asked))
		for i, l := range it.asked {
			keys[i] = l.Key &^ 1
		}
		a.Places, a.Names, a.Keys = append(a.Places, it.index), append(a.Names, strings.Clone(it.sub.Name)), append(a.Keys, keys)
		if w.opt.Adapt == AdaptStructure {
			a.items, a.Bytes = append(a.items, &item{index: it.index, sub: it.sub}), a.Bytes+footprint(it.sub)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	a.Came, a.Credited = make([][]int, len(rows)), make([]int, len(rows))
	a.Block = watch.NewBlock(rows)
	a.Last = w.known(a.Block, atoms, func(r *watch.Rows) *watch.Rows { return r })
	for _, m := range a.Block.Members {
		a.Rows = append(a.Rows, m.Rows)
	}
	return a
}

// await waits for later records of the unknown atoms of a block, if any. Some may have come before the block was full.
func (w *watcher) await(a *awaited) {
	if a == nil {
		return
	}
	w.state.Awaited = append(w.state.Awaited, a)
	w.expect(a)
	for _, name := range a.Names {
		for _, labels := range w.early[name] {
			w.state.Later.Ignored += w.arrive(name, labels)
		}
		delete(w.early, name)
	}
}

// expect makes the subgraphs known by their names.
func (w *watcher) expect(a *awaited) {
	for i, name := range a.Names {
		w.expected[name] = &part{awaited: a, member: i}
	}
}

// later takes a record of truth that became known later.
func (w *watcher) later(it *item) {
	name := it.sub.Name
	labels := make([]uint64, len(it.atoms))
	for i, l := range it.atoms {
		labels[i] = l.Key
	}
	if i := slices.IndexFunc(w.held, func(h *item) bool { return h.sub.Name == name }); i >= 0 && exchanged(w.held[i].sub, w.task.Schema) != nil {
		w.early[name] = append(w.early[name], labels)
		return
	}
	w.state.Later.Ignored += w.arrive(name, labels)
}

// arrive notes the truth of awaited atoms of a subgraph, the first if several are stated. It returns 1 if there is none, else 0.
func (w *watcher) arrive(name string, labels []uint64) (ignored int) {
	p := w.expected[name]
	if p == nil {
		return 1
	}
	open := map[uint64]int{} // indices of atoms
	for i, key := range p.Keys[p.member] {
		open[key] = i
	}
	for _, t := range p.Came[p.member] {
		delete(open, p.Keys[p.member][t>>1])
	}
	ignored = 1
	for _, l := range labels {
		if i, ok := open[l&^1]; ok {
			ignored = 0
			p.Came[p.member] = append(p.Came[p.member], 2*i+int(l&1))
			delete(open, l&^1)
		}
	}
	return ignored
}

// credit learns from the truth that has come for awaited atoms, and compares it with what was predicted, except while blocks before are
// waiting for their own.
func (w *watcher) credit() error {
	s := &w.state
	var parts [2][]part // of subgraphs of the start, and of predicted ones
	for _, a := range s.Awaited {
		if len(s.Waiting) > 0 && a.Places[0] >= s.Waiting[0].Places[0] {
			break
		}
		for i := range a.Places {
			truths := slices.Sorted(slices.Values(a.Came[i][a.Credited[i]:]))
			if len(truths) == 0 {
				continue
			}
			a.Credited[i] = len(a.Came[i])
			k := 1
			if a.Issued == nil {
				k = 0
			}
			parts[k] = append(parts[k], part{a, i, truths})
		}
	}
	for _, list := range parts {
		if len(list) == 0 {
			continue
		}
		p, err := w.credited(list)
		if err != nil {
			return err
		}
		if err := w.settle(p); err != nil {
			return err
		}
	}
	w.forgo()
	return nil
}

// credited returns the block of some truth that came later.
func (w *watcher) credited(parts []part) (*pending, error) {
	s := &w.state
	p := &pending{Since: s.Since, Layout: s.Layout, parts: parts}
	lasts := make([]*watch.Rows, len(parts))
	for i, of := range parts {
		lasts[i], _ = watch.Part(of.Last, of.Last.Members[of.member].Rows, of.truths)
		p.Places = append(p.Places, of.Places[of.member])
		for _, t := range of.truths {
			p.Atoms = append(p.Atoms, labeled{Key: of.key(t)})
		}
		if of.Since != s.Since {
			p.Stale++
		}
		if w.opt.Adapt == AdaptStructure {
			p.items = append(p.items, of.items[of.member])
		}
	}
	p.Last = watch.NewBlock(lasts)
	if err := w.gather(p); err != nil {
		return nil, err
	}
	if parts[0].Issued == nil {
		return p, nil
	}
	c := newComparison(w, p)
	for i, of := range parts {
		rows, at := watch.Part(nil, of.Rows[of.member], of.truths)
		_, atLast := watch.Part(of.Last, of.Last.Members[of.member].Rows, of.truths)
		c.add(i, rows.Alone(), lasts[i].Alone(), of.Issued.at(at, atLast))
	}
	p.Line = c.line(Line{Block: s.Blocks, First: s.Shown, Later: len(parts), Shares: slices.Clone(s.Shares)})
	return p, nil
}

// gather sets the block of parts, with the present columns.
func (w *watcher) gather(p *pending) error {
	rows := make([]*watch.Rows, len(p.parts))
	for i, of := range p.parts {
		if err := w.recolumn(of.awaited); err != nil {
			return err
		}
		rows[i], _ = watch.Part(of.Block, of.Block.Members[of.member].Rows, of.truths)
	}
	p.Block = watch.NewBlock(rows)
	return nil
}

// recolumn recomputes the columns of awaited atoms that were predicted with other columns.
func (w *watcher) recolumn(a *awaited) error {
	if a.Layout == w.state.Layout {
		return nil
	}
	items, err := w.filled(w.program.Load(), a.items)
	if err != nil {
		return err
	}
	rows := make([]*watch.Rows, len(items))
	for i, it := range items {
		rows[i] = it.unknown
	}
	a.Block, a.Layout = watch.NewBlock(rows), w.state.Layout
	return nil
}

// forgo drops blocks of which nothing is awaited, and the first ones while there are too many atoms.
func (w *watcher) forgo() {
	s := &w.state
	atoms, bytes := 0, 0
	for i, a := range slices.Backward(s.Awaited) {
		open := 0
		for k, keys := range a.Keys {
			open += len(keys) - a.Credited[k]
			atoms += len(keys)
		}
		if bytes += a.Bytes; open > 0 && (i == len(s.Awaited)-1 || atoms <= mostAwaited && bytes <= sampleBytes) {
			continue
		}
		s.Later.GivenUp += open
		for _, name := range a.Names {
			delete(w.expected, name)
		}
		s.Awaited = slices.Delete(s.Awaited, i, i+1)
	}
}

// exchanged returns a subgraph in which the target atoms that are true in another are unknown, and the reverse; nil if none is unknown
// there.
func exchanged(sub *subgraph.Subgraph, schema *mln.Schema) *subgraph.Subgraph {
	out, some := *sub, false
	out.Relations = slices.Clone(sub.Relations)
	for i, p := range schema.Predicates {
		if r := &out.Relations[i]; p.Role.IsTarget() {
			some = some || r.Unknown.Len() > 0
			r.True, r.Unknown = r.Unknown, r.True
		}
	}
	if !some {
		return nil
	}
	return &out
}

// stated returns a subgraph in which the truth of unknown atoms is that of labels, the first if there are several.
func stated(sub *subgraph.Subgraph, schema *mln.Schema, labels []uint64) *subgraph.Subgraph {
	if len(labels) == 0 {
		return sub
	}
	known := map[uint64]subgraph.Truth{}
	for _, l := range slices.Backward(labels) {
		if known[l&^1] = subgraph.False; l&1 == 1 {
			known[l&^1] = subgraph.True
		}
	}
	b := subgraph.NewBuilder(schema)
	b.Reset(sub.Name, sub.Center, sub.Fold)
	for t, d := range sub.Domains {
		for id := range d.Size {
			b.Entity(t, d.Names.Name(uint32(id)))
		}
	}
	out := *sub
	out.Relations = slices.Clone(sub.Relations)
	var args []uint32
	for pred, p := range schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		for k, t := range sub.Relations[pred].Tables() {
			for i := range t.Len() {
				args = args[:0]
				for _, c := range t.Cols {
					args = append(args, c[i])
				}
				truth := [...]subgraph.Truth{subgraph.True, subgraph.False, subgraph.Unknown}[k]
				if truth == subgraph.Unknown {
					truth = cmp.Or(known[label(sub, schema, pred, args, false).Key], truth)
				}
				b.Add(pred, args, truth)
			}
		}
	}
	if built, err := b.Finish(); err == nil { // no atom has two truths
		for pred, p := range schema.Predicates {
			if p.Role.IsTarget() {
				out.Relations[pred] = built.Relations[pred]
			}
		}
	}
	return &out
}
