package ground

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/join"
)

// list lists the atoms of a listed target, which are those of its tables, with what the data says of them.
func (a *Atoms) list(p *predicateAtoms) {
	r, t := &a.Sub.Relations[p.pred], p.table
	t.Cols = slices.Grow(t.Cols[:0], len(p.sizes))[:len(p.sizes)]
	for c := range t.Cols {
		t.Cols[c] = slices.Grow(t.Cols[c][:0], p.n)
	}
	from := [...]*subgraph.Table{&r.True, &r.False, &r.Unknown}
	a.truth, a.stated = slices.Grow(a.truth, p.n), slices.Grow(a.stated, p.n)
	var at [len(from)]int
	for range p.n {
		k := firstOf(from[:], at[:])
		for c := range t.Cols {
			t.Cols[c] = append(t.Cols[c], from[k].Cols[c][at[k]])
		}
		at[k]++
		a.addListed(k)
	}
	if len(p.sizes) == 2 {
		t.BuildIndex(p.sizes[0], p.sizes[1])
		a.listFirsts(p)
	}
}

// listFirsts lists the first arguments of a listed target's atoms.
func (a *Atoms) listFirsts(p *predicateAtoms) {
	begin := len(a.firsts)
	xs := p.table.Cols[0]
	for i, x := range xs {
		if i == 0 || x != xs[i-1] {
			a.firsts = append(a.firsts, x)
		}
	}
	p.firsts = a.firsts[begin:]
}

// addListed adds an atom of a relation's tables of true, false and unknown ones.
func (a *Atoms) addListed(table int) {
	a.add([...]subgraph.Truth{subgraph.True, subgraph.False, subgraph.Unknown}[table], table < 2)
}

// add adds an atom.
func (a *Atoms) add(truth subgraph.Truth, stated bool) {
	a.truth, a.stated = append(a.truth, truth), append(a.stated, stated)
}

// firstOf returns which of some tables has the first tuple in order, of those from a position in each on.
func firstOf(from []*subgraph.Table, at []int) int {
	first := 0
	for k := 1; k < len(from); k++ {
		if at[k] < from[k].Len() && (at[first] == from[first].Len() || join.TupleLess(from[k], at[k], from[first], at[first])) {
			first = k
		}
	}
	return first
}
