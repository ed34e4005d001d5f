package loglinear

import (
	"math/rand/v2"

	"resolwe/internal/grow"
)

// Flips are the sets of clusters of atoms that flip together if parities are to hold: a basis of the solutions of linear equations over two
// values. A leading cluster flips alone or with clusters that follow it, each of which may follow several; no other clusters in the
// parities can flip. The zero value is ready for [Flips.Solve].
type Flips struct {
	Columns []uint32 // the clusters in the parities, by their roots

	kept   []uint32
	column []uint32 // by root: its column, plus 1
	row    []uint32 // by column: the row that is solved for it, plus 1
	eq     equations
}

// Solve finds the flips that keep parities, given by index. A state x that violates some satisfies them after [Flips.Repair]; those that
// contradict earlier ones are left out and passed to conflict. root returns the cluster of an atom, and false if that must not flip. The
// clusters that follow are random, or, without r, those of the first atoms. The result refers to kept.
func (f *Flips) Solve(
	parities []Parity, kept []uint32, x []bool, root func(a uint32) (cluster uint32, ok bool), r *rand.Rand, conflict func(parity uint32),
) {
	f.Clear()
	if f.kept = kept; len(kept) == 0 {
		return
	}
	f.column = grow.Zeroed(f.column, len(x))
	each := func(visit func(row int, cluster uint32)) {
		for row, i := range kept {
			for _, a := range parities[i].Atoms {
				if c, ok := root(a); ok {
					visit(row, c)
				}
			}
		}
	}
	each(func(_ int, c uint32) {
		if f.column[c] == 0 {
			f.Columns = append(f.Columns, c)
			f.column[c] = 1
		}
	})
	if r != nil {
		r.Shuffle(len(f.Columns), func(i, j int) { f.Columns[i], f.Columns[j] = f.Columns[j], f.Columns[i] })
	}
	for i, c := range f.Columns {
		f.column[c] = uint32(i) + 1
	}
	f.eq.reset(len(kept), len(f.Columns)+1)
	each(func(row int, c uint32) { f.eq.toggle(row, f.column[c]-1) }) // two atoms of one cluster cancel
	for row, i := range kept {
		if !parities[i].Holds(x) {
			f.eq.toggle(row, f.one())
		}
	}
	f.eq.reduce(len(kept), f.one(), func(row int) { conflict(kept[row]) })
	f.row = grow.Zeroed(f.row, len(f.Columns))
	for row, c := range f.eq.pivots {
		f.row[c] = uint32(row) + 1
	}
}

// Clear forgets all parities.
func (f *Flips) Clear() { f.kept, f.Columns, f.eq.pivots = nil, f.Columns[:0], f.eq.pivots[:0] }

// one is the unknown that says whether a parity was violated.
func (f *Flips) one() uint32 { return uint32(len(f.Columns)) }

// Repair calls flip with the clusters whose flips make the parities hold.
func (f *Flips) Repair(flip func(cluster uint32)) {
	for row, c := range f.eq.pivots {
		if f.eq.has(row, f.one()) {
			flip(f.Columns[c])
		}
	}
}

// Tied reports whether a cluster is in the parities.
func (f *Flips) Tied(cluster uint32) bool { return len(f.kept) > 0 && f.column[cluster] > 0 }

// Follows reports whether a cluster cannot flip except with leading ones.
func (f *Flips) Follows(cluster uint32) bool {
	return f.Tied(cluster) && f.row[f.column[cluster]-1] > 0
}

// Followers calls visit with the clusters that flip whenever a leading one does.
func (f *Flips) Followers(leader uint32, visit func(cluster uint32)) {
	if !f.Tied(leader) || f.Follows(leader) {
		return
	}
	for row, c := range f.eq.pivots {
		if f.eq.has(row, f.column[leader]-1) {
			visit(f.Columns[c])
		}
	}
}

// Leaders calls visit with the leading clusters that a cluster flips with.
func (f *Flips) Leaders(cluster uint32, visit func(leader uint32)) {
	if !f.Follows(cluster) {
		visit(cluster)
		return
	}
	row := int(f.row[f.column[cluster]-1]) - 1
	for i, c := range f.Columns {
		if f.row[i] == 0 && f.eq.has(row, uint32(i)) {
			visit(c)
		}
	}
}
