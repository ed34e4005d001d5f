package learning

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms // nil if no error can name one
	state []bool        // of its persistent chain
}

// bytes estimates the memory of an example, whose atoms retain the subgraph.
func (ex *example) bytes() int {
	n := ex.Net.Bytes() + len(ex.Data)
	if ex.atoms != nil {
		n += ex.atoms.Bytes() + 4*ex.atoms.Sub.Words()
	}
	return n
}

// lasting returns the part of an example to keep. It drops the subgraph, which is needed to name atoms in errors, if no hard
// formula can fail; and it copies a network with independent atoms, without spare memory.
func (ex *example) lasting() *example {
	net := ex.Net
	if len(net.Clauses)+len(net.HardFeatures) > 0 {
		return ex
	}
	out := &example{name: strings.Clone(ex.name), index: ex.index}
	if len(net.Pairs)+len(net.Bilinears)+len(net.Conjunctions)+len(net.Features) > 0 {
		out.Net, out.Data = net, ex.Data
		return out
	}
	out.Net = &network.Network{
		NumAtoms: net.NumAtoms, Scale: net.Scale, Constant: slices.Clone(net.Constant),
		UnaryStart: slices.Clone(net.UnaryStart), Unary: slices.Clone(net.Unary), PairStart: slices.Clone(net.PairStart),
	}
	out.Data = slices.Clone(ex.Data)
	return out
}

// networks grounds the subgraphs of a stream, and keeps the networks of the first ones, as many as fit.
type networks struct {
	task     *Task
	stream   *run.Stream
	limit    int  // bytes of networks to keep; negative for none
	used     int  // bytes used; above the limit once a network did not fit
	prepared bool // prepare each for its own gradient, while earlier gradients are computed
	pseudo   bool // for components that are too large, use the pseudo-likelihood's networks

	kept   []kept
	bare   bool         // only the networks in current use are kept
	end    int          // position after the last one kept
	whole  bool         // all of them are kept
	room   atomic.Int64 // bytes for preparing kept networks
	spares sync.Pool    // of *cd.Prepared
}

// kept is a ground subgraph and, if its pseudo-likelihood is the likelihood of a conditioned network, that network.
type kept struct{ network, conditioned *example }

// wanted returns the one of the two that is learned from.
func (k *kept) wanted() *example {
	if k.conditioned != nil {
		return k.conditioned
	}
	return k.network
}

// bytes estimates the memory of both.
func (k *kept) bytes() (n int) {
	for _, ex := range [...]*example{k.network, k.conditioned} {
		if ex != nil {
			n += ex.bytes()
		}
	}
	return n
}

// once returns the networks of a stream, without keeping any.
func (t *Task) once(s *run.Stream) *networks {
	return &networks{task: t, stream: s, limit: -1}
}

// want says whether to learn from the pseudo-likelihood. Kept examples stay if they have the needed networks.
func (n *networks) want(pseudo bool) {
	switch {
	case n.pseudo == pseudo:
	case pseudo || n.bare:
		n.kept, n.bare, n.end, n.whole, n.used = nil, false, 0, false, 0
		n.room.Store(0)
	default:
		n.used = 0
		for i := range n.kept {
			k := &n.kept[i]
			k.conditioned = nil
			n.used += k.network.bytes()
			k.network.Room = &n.room
		}
		n.room.Store(int64(n.limit - n.used))
	}
	n.pseudo = pseudo
}

// each visits the ground subgraphs from a position on, in stream order. For a pipe, which cannot be read again, it also grounds
// those before the position.
func (n *networks) each(ctx context.Context, how *run.Run, from int, visit func(*example) error) error {
	if err := n.eachKept(ctx, how, from, visit); err != nil || n.whole {
		return err
	}
	start := max(from, n.end)
	if n.stream.ReadOnce() {
		start = n.end
	}
	keeps := n.used <= n.limit && start == n.end // no gap
	newGrounder := func() *grounder { return &grounder{Grounder: how.TracedGrounder(ctx, n.task.program, n.task.trace)} }
	err := run.Process(ctx, n.stream.Range(start, math.MaxInt), how, newGrounder, n.ground, func(k kept) error {
		if keeps {
			keeps = n.keep(k)
		}
		if k.wanted().index < from {
			return nil
		}
		return visit(k.wanted())
	})
	if n.whole = err == nil && keeps; n.whole {
		n.room.Store(int64(n.limit - n.used))
	}
	return err
}

// eachKept does the same for the kept examples.
func (n *networks) eachKept(ctx context.Context, how *run.Run, from int, visit func(*example) error) error {
	for i := range n.kept {
		ex := n.kept[i].wanted()
		if ex.index < from {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := visit(ex); err != nil {
			return err
		}
		how.Advance(1)
	}
	return nil
}

// grounder grounds subgraphs in one goroutine.
type grounder struct {
	*ground.Grounder
	conditioner cd.Conditioner
}

func (g *grounder) StopWith(ask func() error) { g.Stop = ask }

func (n *networks) ground(g *grounder, sub *subgraph.Subgraph) (kept, error) {
	net, atoms, err := g.Ground(sub)
	if err != nil {
		return kept{}, err
	}
	if err := g.Stop(); err != nil {
		return kept{}, err
	}
	ex := &example{Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms}
	if cd.Breaks(net, ex.Data) { // no weights make these data possible: nothing is to be learned from them
		ex.Example = cd.Example{Net: &network.Network{
			Scale: net.Scale, Constant: make([]int64, len(net.Constant)), UnaryStart: []uint32{0}, PairStart: []uint32{0},
		}}
	}
	if n.pseudo {
		if other := g.conditioner.Example(&ex.Example, n.task.gradients.MaxExact); other != nil {
			return kept{ex, &example{Example: *other, name: ex.name, index: ex.index}}, nil
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
	return kept{network: ex}, nil
}

// keep keeps a ground subgraph if it fits, if necessary by dropping networks that are not needed now.
func (n *networks) keep(k kept) bool {
	if n.bare && k.conditioned != nil {
		k.network = nil
	} else {
		k.network = k.network.lasting()
	}
	if n.used += k.bytes(); n.used > n.limit && n.pseudo && !n.bare {
		n.strip()
		return n.keep(k)
	}
	if n.used > n.limit {
		return false
	}
	k.wanted().Room = &n.room
	n.kept, n.end = append(n.kept, k), k.wanted().index+1
	return true
}

// strip drops the networks that are not needed now.
func (n *networks) strip() {
	n.bare, n.used = true, 0
	for i := range n.kept {
		if n.kept[i].conditioned != nil {
			n.kept[i].network = nil
		}
		n.used += n.kept[i].bytes()
	}
}

// release recycles the preparation of a visited example, unless it is kept.
func (n *networks) release(ex *example) {
	if ex.Prepared != nil && ex.Room == nil {
		n.spares.Put(ex.Prepared)
		ex.Prepared = nil
	}
}
