package gain

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// Features computes the features of formulas with several target literals, on one sampled subgraph after another. The first time it may
// keep the subgraphs' networks for later.
type Features struct {
	Program *ground.Program

	targets []*Selected
	slots   []slot // by formula of the program

	mu   sync.Mutex
	kept []grounded
	room int // bytes left for keeping networks; negative once they are too large
}

// slot is where the features of a formula are stored.
type slot struct {
	target int
	to     []float64 // by row
}

// grounded is the ground network of a subgraph.
type grounded struct {
	name  string
	net   *network.Network
	spans [][2]int // by target, the places of its atoms
}

// every returns Features for all formulas, at the predictions of the first stage.
func (y *Tying) every() *Features {
	for _, s := range y.Targets {
		s.second.first = make([][]float64, len(s.second.formulas))
		for i := range s.second.first {
			s.second.first[i] = make([]float64, s.second.sample.Rows())
		}
	}
	return y.newFeatures(-1, func(g *second, at int) []float64 { return g.first[at] })
}

// chosen returns Features for the formulas in the extensions, at their log-odds.
func (y *Tying) chosen() *Features {
	return y.newFeatures(mostKept, func(g *second, at int) []float64 {
		for _, m := range append(g.extension.FoldModels[:], g.extension.Model) {
			if slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Kind == KindExtra && c.Extra == at }) {
				g.features[at] = slices.Clone(g.first[at])
				return g.features[at]
			}
		}
		return nil
	})
}

// mostKept is the most memory for kept networks, in bytes.
const mostKept = 256 << 20

func (y *Tying) newFeatures(room int, of func(g *second, at int) []float64) *Features {
	f := &Features{targets: y.Targets, room: room}
	var formulas []*mln.Formula
	for i, s := range y.Targets {
		for at, formula := range s.second.formulas {
			if to := of(s.second, at); to != nil {
				formulas = append(formulas, formula)
				f.slots = append(f.slots, slot{i, to})
			}
		}
	}
	f.Program = ground.Compile(y.schema, formulas, ground.Learning)
	return f
}

// Kept returns the number of networks kept if all were, and 0 if features need the subgraphs again.
func (f *Features) Kept() int {
	if f.room < 0 {
		return 0
	}
	return len(f.kept)
}

// Again sets the features of the subgraph whose network was kept at a place. It may be called concurrently for different places.
func (f *Features) Again(at int) { f.set(&network.Slopes{}, &f.kept[at]) }

// NewSetter returns what sets the features of a subgraph's rows, of one subgraph after another in one goroutine, with a grounder of the
// program. Its error is that of ground.Grounder.Ground, or says that this is not the subgraph whose rows were counted.
func (f *Features) NewSetter(g *ground.Grounder) func(*subgraph.Subgraph) error {
	var slopes network.Slopes
	return func(sub *subgraph.Subgraph) error {
		net, atoms, err := g.Ground(sub)
		if err != nil {
			return err
		}
		n := &grounded{name: strings.Clone(sub.Name), net: net}
		for _, s := range f.targets {
			lo, hi := atoms.FreeOf(s.Pred)
			if _, k := s.rowsOf(sub.Name); k > 0 && k != hi-lo {
				return fmt.Errorf("it has %d atoms of %s, and had %d", hi-lo, atoms.Schema.Predicates[s.Pred].Name, k)
			}
			n.spans = append(n.spans, [2]int{lo, hi})
		}
		f.set(&slopes, n)
		f.keep(n)
		return nil
	}
}

// keep keeps a network while there is room for all.
func (f *Features) keep(n *grounded) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room < 0 {
		return
	}
	if f.room -= n.net.Bytes(); f.room < 0 {
		f.kept = nil
		return
	}
	f.kept = append(f.kept, *n)
}

// set sets the features of a subgraph's rows.
func (f *Features) set(slopes *network.Slopes, n *grounded) {
	p := make([]float64, n.net.NumAtoms)
	for i, s := range f.targets {
		first, rows := s.rowsOf(n.name)
		for k := range rows {
			z := s.Result.HeldOut[first+k]
			if first+k < len(s.second.logOdds) {
				z = s.second.logOdds[first+k]
			}
			p[n.spans[i][0]+k] = elementary.Sigmoid(z)
		}
	}
	values := make([][]float64, len(f.slots))
	for k := range values {
		values[k] = make([]float64, len(p))
	}
	slopes.Add(values, n.net, p)
	for k, slot := range f.slots {
		first, rows := f.targets[slot.target].rowsOf(n.name)
		if span := n.spans[slot.target]; first+rows <= len(slot.to) {
			copy(slot.to[first:first+rows], values[k][span[0]:span[1]])
		}
	}
}
