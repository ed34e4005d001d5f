package resolwe

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms // nil where no error can name one
	state []bool        // of its persistent chain
	kept  bool
}

// bytes returns about how much memory an example takes. Its atoms hold on to the subgraph.
func (ex *example) bytes() int {
	n := ex.Net.Bytes() + len(ex.Data)
	if ex.atoms != nil {
		n += ex.atoms.Bytes() + int(tableBytes(ex.atoms.Sub))
	}
	return n
}

// lasting returns what is kept of an example: without the subgraph where no hard formula can fail, whose error names atoms;
// and a copy, without spare memory, where atoms are independent.
func (ex *example) lasting() *example {
	net := ex.Net
	if ex.Conditioned {
		ex.kept = true
		return ex
	}
	if len(net.Clauses)+len(net.HardFeatures) > 0 {
		return ex
	}
	out := &example{name: strings.Clone(ex.name), index: ex.index}
	if len(net.Pairs)+len(net.Bilinears)+len(net.Conjunctions)+len(net.Features) > 0 {
		out.Net, out.Data = net, ex.Data
		ex.kept = true // its memory is still in use
		return out
	}
	out.Net = &network.Network{
		NumAtoms: net.NumAtoms, Scale: net.Scale, Constant: slices.Clone(net.Constant),
		UnaryStart: slices.Clone(net.UnaryStart), Unary: slices.Clone(net.Unary), PairStart: slices.Clone(net.PairStart),
	}
	out.Data, out.Conditioned = slices.Clone(ex.Data), ex.Conditioned
	return out
}

// networks grounds the subgraphs of a stream, and keeps the first of them, as many as fit.
type networks struct {
	task     *LearnTask
	stream   *Stream
	limit    int  // bytes of those that are kept; negative for none
	used     int  // of these bytes; more once a network did not fit
	prepared bool // each for a gradient of its own, while those of the ones before it are computed
	pseudo   bool // those of too large components are wanted as their pseudo-likelihood's

	kept   []*example
	end    int       // position behind the last one kept
	whole  bool      // kept is all of them
	free   sync.Pool // of *example, whose memory the next ones take
	spares sync.Pool // of *cd.Prepared
}

// once returns the networks of a stream, none of which are kept.
func (t *LearnTask) once(s *Stream) *networks {
	return &networks{task: t, stream: s, limit: -1}
}

// each visits the ground subgraphs from a position on, in stream order. Of a pipe, which cannot be read again, it grounds
// those before the position too.
func (n *networks) each(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	if err := n.eachKept(ctx, run, from, visit); err != nil || n.whole {
		return err
	}
	start := max(from, n.end)
	if n.stream.ReadOnce() {
		start = n.end
	}
	keeps := n.used <= n.limit && start == n.end // no gap
	newGrounder := func() *grounder {
		g := &grounder{Grounder: ground.NewGrounder(n.task.program)}
		g.Trace = n.task.trace
		return g
	}
	err := Process(ctx, n.stream.Range(start, math.MaxInt), run, newGrounder, n.ground, func(ex *example) error {
		if keeps {
			keeps = n.keep(ex)
		}
		if ex.index < from {
			return nil
		}
		return visit(ex)
	})
	n.whole = err == nil && keeps
	return err
}

// eachKept is each on what has been kept.
func (n *networks) eachKept(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	for _, ex := range n.kept {
		if ex.index < from {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := visit(ex); err != nil {
			return err
		}
		run.progress(1)
	}
	return nil
}

// grounder grounds subgraphs for one goroutine.
type grounder struct {
	*ground.Grounder
	conditioner cd.Conditioner
}

func (n *networks) ground(g *grounder, sub *subgraph.Subgraph) (*example, error) {
	if old, ok := n.free.Get().(*example); ok {
		g.Recycle(old.Net, old.atoms)
	}
	net, atoms, err := g.Ground(sub)
	if err != nil {
		return nil, err
	}
	ex := &example{Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms}
	if n.pseudo {
		if other := g.conditioner.Example(&ex.Example, n.task.gradients.MaxExact); other != nil {
			n.free.Put(&example{Example: ex.Example, atoms: atoms})
			return &example{Example: *other, name: ex.name, index: ex.index}, nil
		}
	}
	if n.prepared {
		p, ok := n.spares.Get().(*cd.Prepared)
		if !ok {
			p = &cd.Prepared{}
		}
		p.Prepare(&ex.Example, n.task.gradients)
		ex.Prepared = p
	}
	return ex, nil
}

// keep keeps a ground subgraph if it fits.
func (n *networks) keep(ex *example) bool {
	lasting := ex.lasting()
	if n.used += lasting.bytes(); n.used > n.limit {
		ex.kept = false
		return false
	}
	lasting.kept = true
	n.kept, n.end = append(n.kept, lasting), ex.index+1
	return true
}

// forget forgets what was kept.
func (n *networks) forget() { n.kept, n.end, n.whole, n.used = nil, 0, false, 0 }

// release takes back what a visited example was prepared with, and unless it is kept, its network.
func (n *networks) release(ex *example) {
	if ex.Prepared != nil {
		n.spares.Put(ex.Prepared)
		ex.Prepared = nil
	}
	if !ex.kept && ex.atoms != nil {
		n.free.Put(ex)
	}
}
