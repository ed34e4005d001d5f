package ground

import (
	"errors"
	"slices"
)

// Where the lists of a listed target's atoms p(x, y) have the same y for each x, and no formula tells one x from
// another but in terms of single atoms, the network is that of the first x many times over, terms of single atoms
// aside: it is built once and then repeated.

// errUnlike ends the grounding of replicas that differ.
var errUnlike = errors.New("the atoms of one entity are not a replica of those of another")

// replicas returns into how many replicas of the first of them the free atoms fall.
func (a *Atoms) replicas() int {
	if len(a.preds) != 1 || a.preds[0].table == nil || len(a.preds[0].sizes) != 2 {
		return 1
	}
	p := &a.preds[0]
	if len(p.firsts) == 0 || len(a.back) != len(a.truth) {
		return 1
	}
	ys := p.table.Forward.Row(p.firsts[0])
	for _, x := range p.firsts[1:] {
		if !slices.Equal(ys, p.table.Forward.Row(x)) {
			return 1
		}
	}
	return len(p.firsts)
}
