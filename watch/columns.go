package watch

import (
	"cmp"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/features"
	"resolwe/kernels/ground"
	"resolwe/kernels/watch"
)

// grounder computes columns for one goroutine.
type grounder struct {
	program  *ground.Program
	grounder *ground.Grounder
}

// ground computes the columns of a subgraph, if there is a model by now and the run has begun. Of truth that became known later it takes
// the atoms alone.
func (w *watcher) ground(g *grounder, sub *subgraph.Subgraph) (*item, error) {
	it := &item{index: sub.Index, sub: sub}
	if it.index < w.from {
		return it, nil
	}
	if sub.Later {
		_, atoms, err := w.rows(g, w.bare, sub, false)
		it.atoms = atoms
		return it, err
	}
	return it, w.fill(g, w.program.Load(), it)
}

// fill computes the columns of a program for a subgraph, unless it has them.
func (w *watcher) fill(g *grounder, p *ground.Program, it *item) (err error) {
	if it.program == p {
		return nil
	}
	rows := atomRows{}
	if rows.rows, rows.atoms, err = w.rows(g, p, it.sub, false); err != nil {
		return err
	}
	rows.rows = rows.rows.Merge()
	if other := exchanged(it.sub, w.task.Schema); other != nil {
		if rows.unknown, rows.asked, err = w.rows(g, p, other, true); err != nil {
			return err
		}
	}
	it.program, it.atomRows = p, rows
	return nil
}

// rows returns a row for each atom of known truth in a subgraph, or for the true ones alone, with the columns of a program.
func (w *watcher) rows(g *grounder, p *ground.Program, sub *subgraph.Subgraph, trueAlone bool) (*watch.Rows, []labeled, error) {
	if g.program != p {
		g.program, g.grounder = p, w.opt.Run.NewGrounder(w.ctx, p)
	}
	net, atoms, err := g.grounder.Ground(sub)
	if err != nil {
		return nil, nil, err
	}
	rows, data := &watch.Rows{}, atoms.Data()
	labels := make([]labeled, 0, len(data))
	var columns []int32
	var values []float64
	var args []uint32
	for a, truth := range data {
		if trueAlone && !truth {
			continue
		}
		columns, values = columns[:0], values[:0]
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			columns, values = append(columns, int32(c.Formula)), append(values, net.Groundings(c))
		}
		var target int
		target, args = atoms.Args(atoms.Query(a), args[:0])
		l := label(sub, w.task.Schema, target, args, truth)
		labels = append(labels, l)
		rows.Add(target, columns, values, int(l.Key&1))
	}
	return rows, labels, nil
}

// filled returns copies of some subgraphs with the columns of a program, which are computed if they lack them.
func (w *watcher) filled(p *ground.Program, items []*item) ([]*item, error) {
	const share = 32 // subgraphs of a task
	out, errs := make([]*item, len(items)), make([]error, (len(items)+share-1)/share)
	w.parallel(len(errs), func(k int) {
		g := &grounder{}
		for i := k * share; i < min(len(items), (k+1)*share) && errs[k] == nil; i++ {
			it := *items[i]
			if err := w.fill(g, p, &it); err != nil {
				errs[k] = &resolwe.SubgraphError{Name: it.sub.Name, Index: it.index, Err: err}
			}
			out[i] = &it
		}
	})
	return out, cmp.Or(errs...)
}

// joined returns the block of some subgraphs that have their columns, and its atoms.
func joined(items []*item) (*watch.Block, []labeled) {
	rows, atoms := make([]*watch.Rows, len(items)), make([][]labeled, len(items))
	for i, it := range items {
		rows[i], atoms[i] = it.rows, it.atoms
	}
	return watch.NewBlock(rows), slices.Concat(atoms...)
}

// join returns the block of some subgraphs with the columns of a program.
func (w *watcher) join(p *ground.Program, items []*item) (*watch.Block, error) {
	items, err := w.filled(p, items)
	if err != nil {
		return nil, err
	}
	b, _ := joined(items)
	return b, nil
}

// columnsOf returns the columns of formulas and their weights. Equal formulas share a column, with the sum of their weights.
func columnsOf(formulas []*mln.Formula) (columns []*mln.Formula, weights []float64) {
	for _, f := range formulas {
		i := place(columns, f)
		if i < 0 {
			g := *f
			g.Weight, g.HasWeight = 0, false
			i = len(columns)
			columns, weights = append(columns, &g), append(weights, 0)
		}
		weights[i] += f.Weight
	}
	return columns, weights
}

// compile compiles the columns.
func (w *watcher) compile() {
	w.program.Store(ground.Compile(w.task.Schema, w.columns, ground.Learning))
}

// mostLabels is the maximum number of atoms whose last known label is remembered.
const mostLabels = 100_000

// labelStates is the number of states of a label: unknown, false and true.
const labelStates = 3

// labeled is an atom of known truth.
type labeled struct {
	Key    uint64 // hash of its target and the names of its arguments; the lowest bit is its truth
	Target int32
}

// label returns the atom of a target with the given local ids as arguments.
func label(sub *subgraph.Subgraph, schema *mln.Schema, target int, args []uint32, truth bool) labeled {
	h := uint64(target)
	for k, id := range args {
		h = features.Hash(h, sub.Domains[schema.Predicates[target].Args[k]].Names.Name(id))
	}
	if h &^= 1; truth {
		h |= 1
	}
	return labeled{h, int32(target)}
}

// known returns a block of the same atoms whose rows are the pairs of target and last known label, after those of each subgraph were merged,
// or not.
func (w *watcher) known(b *watch.Block, atoms []labeled, merged func(*watch.Rows) *watch.Rows) *watch.Block {
	subs := make([]*watch.Rows, len(b.Members))
	for i, m := range b.Members {
		rows := &watch.Rows{}
		for _, a := range atoms[:m.Atoms] {
			rows.Add(int(a.Target)*labelStates+w.labels.State(a.Key), nil, nil, int(a.Key&1))
		}
		subs[i], atoms = merged(rows), atoms[m.Atoms:]
	}
	return watch.NewBlock(subs)
}
