package rank

import "resolwe/internal/wire"

// FiguresBytes is the encoded length of a subgraph's figures.
const FiguresBytes = 64

// Write appends the figures, field by field.
func (f *Figures) Write(w *wire.Writer) {
	w.Bool(f.Ranked)
	for _, v := range [...]float64{f.AUC, f.AveragePrecision, f.PrecisionAllRanks, f.TrueNegativeAllRanks} {
		w.Float(v)
	}
	w.Int(f.Atoms)
	w.Float(f.CLL)
	w.Float(f.Brier)
}

// ReadFigures reads what Write appended.
func ReadFigures(r *wire.Reader) Figures {
	return Figures{
		Ranked: r.Bool(), AUC: r.Float(), AveragePrecision: r.Float(), PrecisionAllRanks: r.Float(),
		TrueNegativeAllRanks: r.Float(), Atoms: r.Int(), CLL: r.Float(), Brier: r.Float(),
	}
}
