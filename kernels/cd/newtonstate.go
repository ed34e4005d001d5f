package cd

import "resolwe/internal/wire"

// vectors are the data that updates of a Newton change, by formula.
func (n *Newton) vectors() []*[]float64 {
	return []*[]float64{&n.Weights, &n.Best, &n.gradient, &n.spread, &n.step.direction}
}

// Write writes the data that updates change; Read reads it.
func (n *Newton) Write(w *wire.Writer) {
	w.Int(n.Rounds)
	w.Int(n.atoms)
	for _, v := range []bool{n.Done, n.Converged, n.broken} {
		w.Bool(v)
	}
	for _, v := range []float64{n.value, n.Norm, n.Gain, n.step.slope, n.step.length} {
		w.Float(v)
	}
	for _, v := range n.vectors() {
		w.Floats(*v)
	}
	w.Floats(n.Information)
	w.Int(len(n.steps.moves))
	for k := range n.steps.moves {
		w.Floats(n.steps.moves[k])
		w.Floats(n.steps.turns[k])
	}
}

// Read is described with Write. The state must come from a Newton with the same formulas; otherwise the reader is marked bad, and the
// Newton unusable.
func (n *Newton) Read(r *wire.Reader) {
	f := len(n.Best)
	n.Rounds, n.atoms = r.Int(), r.Int()
	n.Done, n.Converged, n.broken = r.Bool(), r.Bool(), r.Bool()
	for _, v := range []*float64{&n.value, &n.Norm, &n.Gain, &n.step.slope, &n.step.length} {
		*v = r.Float()
	}
	list := func() []float64 {
		v := r.Floats()
		r.Refuse(len(v) != f || !finite(v))
		return v
	}
	for _, v := range n.vectors() {
		*v = list()
	}
	n.Information = r.Floats()
	k := len(n.Information)
	r.Refuse(k > 0 && k != f*f && k != f || !finite(n.Information))
	n.steps.moves, n.steps.turns = nil, nil
	wire.List(r, 16, func() (none struct{}) {
		n.steps.moves, n.steps.turns = append(n.steps.moves, list()), append(n.steps.turns, list())
		return none
	})
	r.Refuse(len(n.steps.moves) > mostSteps)
}
