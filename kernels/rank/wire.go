package rank

import (
	"math"

	"resolwe/internal/wire"
)

// FiguresBytes is the encoded length of a subgraph's figures.
const FiguresBytes = 64

// Code writes or reads the figures.
func (f *Figures) Code(c wire.Coder) {
	c.Code(&f.Ranked, &f.AUC, &f.AveragePrecision, &f.PrecisionAllRanks, &f.TrueNegativeAllRanks, &f.Atoms, &f.CLL, &f.Brier)
}

// Write appends the atoms, with the marginals of true ones negated, and their units.
func (c *Cases) Write(w *wire.Writer) {
	w.Int(len(c.Atoms))
	for _, a := range c.Atoms {
		if a.True {
			a.P = math.Copysign(a.P, -1)
		}
		w.Float(a.P)
	}
	w.Int(len(c.Units))
	for _, unit := range c.Units {
		w.Uint(unit)
	}
}

// ReadCases reads what Write appended, given the number of atoms of each subgraph.
func ReadCases(r *wire.Reader, sizes []int) (c Cases) {
	c.Atoms = wire.List(r, 8, func() Scored {
		v := r.Float()
		r.Refuse(!(math.Abs(v) <= 1))
		return Scored{P: math.Abs(v), True: math.Signbit(v)}
	})
	if c.Units = wire.List(r, 8, r.Uint); len(c.Units) == 0 {
		c.Units = nil
	}
	left := len(c.Atoms)
	for _, n := range sizes {
		r.Refuse(n > left)
		if left -= n; n > 0 {
			c.Sizes = append(c.Sizes, n)
		}
	}
	r.Refuse(left != 0 || len(c.Units) > 0 && len(c.Units) != len(c.Atoms) || len(c.Sizes) >= FewClusters && len(c.Units) > 0)
	return c
}
