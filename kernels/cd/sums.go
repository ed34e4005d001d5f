package cd

import "resolwe/internal/wire"

// Sums are exact sums over the subgraphs of a stream, so that the order of the subgraphs and their division among workers and machines do
// not matter.
type Sums struct {
	Subgraphs int
	Atoms     int
	Broken    int // subgraphs whose data violates a hard formula, impossible under any weights

	likelihood  Sum
	gradient    []Sum // by formula
	information []Sum // the lower half by rows; or only the diagonal
}

// NewSums returns sums of no subgraph for a number of formulas. With diagonal, the information is only its diagonal.
func NewSums(formulas int, diagonal bool) *Sums {
	n := formulas
	if !diagonal {
		n = formulas * (formulas + 1) / 2
	}
	return &Sums{gradient: make([]Sum, formulas), information: make([]Sum, n)}
}

// Add adds a subgraph's gradient and information, without its likelihood, to sums that hold the whole information.
func (s *Sums) Add(g *Gradient) {
	s.Subgraphs++
	s.Atoms += g.Atoms
	f := len(s.gradient)
	at := 0
	for i, v := range g.Value {
		s.gradient[i].Add(v)
		for _, v := range g.Information[i*f:][:i+1] {
			s.information[at].Add(v)
			at++
		}
	}
}

// Merge adds the sums over other subgraphs.
func (s *Sums) Merge(o *Sums) {
	s.Subgraphs += o.Subgraphs
	s.Atoms += o.Atoms
	s.Broken += o.Broken
	s.likelihood.Merge(&o.likelihood)
	for i := range s.gradient {
		s.gradient[i].Merge(&o.gradient[i])
	}
	for i := range s.information {
		s.information[i].Merge(&o.information[i])
	}
}

// Clear resets the sums to those of no subgraph.
func (s *Sums) Clear() {
	clear(s.gradient)
	clear(s.information)
	*s = Sums{gradient: s.gradient, information: s.information}
}

// Full reports whether the sums have the whole information.
func (s *Sums) Full() bool { return len(s.information) == len(s.gradient)*(len(s.gradient)+1)/2 }

// Gradient returns the sums as the gradient of one subgraph; nil if they lack the whole information.
func (s *Sums) Gradient() *Gradient {
	if !s.Full() {
		return nil
	}
	f := len(s.gradient)
	g := &Gradient{Value: make([]float64, f), Information: make([]float64, f*f), Atoms: s.Atoms}
	at := 0
	for i := range f {
		g.Value[i] = s.gradient[i].Value()
		for j := range i + 1 {
			v := s.information[at].Value()
			g.Information[i*f+j], g.Information[j*f+i] = v, v
			at++
		}
	}
	return g
}

// Code writes or reads sums. [Newton.Fits] checks that those read are sums of its formulas.
func (s *Sums) Code(c wire.Coder) {
	c.Code(&s.Subgraphs, &s.Atoms, &s.Broken, &s.likelihood)
	for _, list := range []*[]Sum{&s.gradient, &s.information} {
		wire.Items(c, list, 32, func(v *Sum) { v.Code(c) })
	}
}
