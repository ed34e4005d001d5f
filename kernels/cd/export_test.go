package cd

// Gradient returns that of the objective at the best weights.
func (n *Newton) Gradient() []float64 { return n.gradient }

// LogLikelihood returns the conditional log-likelihood.
func (s *Sums) LogLikelihood() float64 { return s.likelihood.Value() }
