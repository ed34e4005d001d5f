package rank

import "resolwe/internal/wire"

// FiguresBytes is the length of the figures of a subgraph as bytes.
const FiguresBytes = 64

// Write appends the figures, its fields in their order.
func (f *Figures) Write(w *wire.Writer) {
	w.Bool(f.Ranked)
	for _, v := range [...]float64{f.AUC, f.AveragePrecision, f.PrecisionAllRanks, f.TrueNegativeAllRanks} {
		w.Float(v)
	}
	w.Int(f.Atoms)
	w.Float(f.CLL)
	w.Float(f.Brier)
}

// ReadFigures reads what Write wrote.
func ReadFigures(r *wire.Reader) Figures {
	return Figures{
		Ranked: r.Bool(), AUC: r.Float(), AveragePrecision: r.Float(), PrecisionAllRanks: r.Float(),
		TrueNegativeAllRanks: r.Float(), Atoms: r.Int(), CLL: r.Float(), Brier: r.Float(),
	}
}
