package crossval

import (
	"cmp"

	"resolwe"
	"resolwe/internal/stage/inferring"
)

// Prequential compares systems on a stream in its order, each predicting a block before it learns from it (Dawid, 1984). It keeps 16
// bytes per atom and system.
type Prequential struct {
	Seed uint64 // of intervals; 0 for 1

	result  Result
	entries map[int]resolwe.Entry // by position
	evals   []inferring.Evaluator // by system
}

// NewPrequential returns an empty Prequential for a stream's entries and some systems; the first is tested against each of the others.
func NewPrequential(entries []resolwe.Entry, systems ...string) *Prequential {
	p := &Prequential{entries: make(map[int]resolwe.Entry, len(entries)), evals: make([]inferring.Evaluator, len(systems))}
	p.result = Result{Folds: 1, Finished: 1, Prequential: true, Systems: make([]Outcome, len(systems))}
	for i, name := range systems {
		p.result.Systems[i].Name = name
	}
	for _, e := range entries {
		p.entries[e.Index] = e
	}
	return p
}

// Add adds a system's result for the subgraph at a position: its figures, and the atoms of known truth. All systems must be given the
// same subgraphs in the same order. Calls for different systems may be concurrent.
func (p *Prequential) Add(place, system int, f inferring.Figures, atoms []inferring.Prediction) {
	o := &p.result.Systems[system]
	o.Figures = append(o.Figures, f)
	p.evals[system].AddFigures(f, atoms, nil)
	if system == 0 {
		p.result.Tested = append(p.result.Tested, Tested{p.entries[place], 0})
	}
}

// Result returns the result. It is to be called after all subgraphs have been added.
func (p *Prequential) Result() *Result {
	for i := range p.evals {
		o := &p.result.Systems[i]
		of, pooled := p.evals[i].EndFold()
		o.Cases, o.Pooled = []inferring.Cases{of}, []inferring.Pooled{pooled}
		o.Evaluation = *p.evals[i].Evaluation()
		o.Folds = []resolwe.Evaluation{o.Evaluation}
	}
	p.result.Compare()
	p.result.resample(cmp.Or(p.Seed, 1))
	return &p.result
}
