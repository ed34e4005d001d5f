package cd

import "resolwe/internal/wire"

// vectors are the data that updates of a Newton change, by formula.
func (n *Newton) vectors() []*[]float64 {
	return []*[]float64{&n.Weights, &n.Best, &n.gradient, &n.spread, &n.step.direction}
}

// Code writes or reads the data that updates change.
func (n *Newton) Code(c wire.Coder) {
	c.Code(&n.Rounds, &n.atoms, &n.Done, &n.Converged, &n.broken, &n.value, &n.Norm, &n.Gain, &n.step.slope, &n.step.length)
	for _, v := range n.vectors() {
		c.Code(v)
	}
	c.Code(&n.Information)
	wire.Items(c, &n.steps, 16, func(s *past) { c.Code(&s.move, &s.turn) })
}

// Read reads the data of a Newton with the same formulas; otherwise the reader is marked bad, and the Newton unusable.
func (n *Newton) Read(r *wire.Reader) {
	f := len(n.Best)
	n.Code(r)
	lists := n.vectors()
	for i := range n.steps {
		lists = append(lists, &n.steps[i].move, &n.steps[i].turn)
	}
	for _, v := range lists {
		r.Refuse(len(*v) != f || !finite(*v))
	}
	k := len(n.Information)
	r.Refuse(k > 0 && k != f*f && k != f || !finite(n.Information) || len(n.steps) > mostSteps)
}
