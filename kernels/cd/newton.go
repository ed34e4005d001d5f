package cd

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Newton maximises a concave penalised log-likelihood by Newton steps with a line search, from sums over a whole stream: it requests the
// sums at [Newton.Weights], and [Newton.Update] moves on. For more than [MostFormulas] formulas it uses the limited-memory BFGS method (Liu
// and Nocedal, 1989), scaled by the information's diagonal.
//
// It has converged once no component of the gradient, divided by the standard deviation of its formula's count, exceeds [GradientTolerance]
// per atom, and a full step promises at most [GainTolerance] nats.
type Newton struct {
	Weights   []float64 // at which sums are requested, until Done
	Done      bool
	Converged bool
	Rounds    int // sums taken

	mean   []float64
	fixed  []bool
	lambda float64 // 1 / sigma^2

	Best        []float64 // the best weights so far: the result
	Information []float64 // at Best: F x F by rows, without the prior's; for more than MostFormulas formulas the diagonal
	Norm        float64   // of the gradient at Best, used to decide convergence
	Gain        float64   // nats promised by a full step from Best: the approximate distance of the objective from its maximum

	value    float64 // the objective at Best
	broken   bool    // the data breaks a hard formula
	atoms    int
	gradient []float64 // of the objective
	spread   []float64 // by formula: the largest variance of the count so far

	step  step
	steps []past // the last ones of the limited-memory method, the latest last
}

// step leads from the best weights to those at which sums are requested.
type step struct {
	direction []float64
	slope     float64 // of the objective along it, at the best weights
	length    float64 // 1 for a full step
}

// past is a step that was taken: the changes of the weights and of the negative gradient.
type past struct{ move, turn []float64 }

// Bounds of [Newton].
const (
	MostFormulas      = 2000
	GradientTolerance = 1e-6
	GainTolerance     = 1e-7
	mostRounds        = 500
	mostSteps         = 12 // that the limited-memory method keeps
)

// NewNewton starts at weights; mean is the prior's, sigma > 0 its standard deviation, and fixed weights are not learned.
func NewNewton(weights, mean []float64, fixed []bool, sigma float64) *Newton {
	f := len(weights)
	return &Newton{
		Weights: slices.Clone(weights), mean: mean, fixed: fixed, lambda: 1 / (sigma * sigma), Best: slices.Clone(weights),
		gradient: make([]float64, f), spread: make([]float64, f), step: step{direction: make([]float64, f)},
		value: math.NaN(), Norm: math.NaN(), Gain: math.NaN(),
	}
}

// NewSums returns empty sums for an update.
func (n *Newton) NewSums() *Sums { return NewSums(len(n.Best), len(n.Best) > MostFormulas) }

// Fits reports whether sums have the number of formulas of NewSums.
func (n *Newton) Fits(s *Sums) bool {
	f, k := len(n.Best), len(s.information)
	return len(s.gradient) == f && (k == f*(f+1)/2 && f <= MostFormulas || k == f && f > MostFormulas)
}

// Objective returns the penalised log-likelihood at the best weights, NaN before the first update.
func (n *Newton) Objective() float64 {
	if n.broken {
		return math.Inf(-1)
	}
	return n.value
}

// Update uses the sums at Weights, and sets Weights to where the next ones are requested.
func (n *Newton) Update(s *Sums) {
	n.Rounds++
	value, gradient := s.likelihood.Value(), make([]float64, len(n.Best))
	finite := true
	for i, w := range n.Weights {
		if n.fixed[i] {
			continue
		}
		d := w - n.mean[i]
		value -= float64(float64(n.lambda/2*d) * d)
		gradient[i] = s.gradient[i].Value() - float64(n.lambda*d)
		finite = finite && !math.IsNaN(gradient[i])
	}
	for i := range s.information {
		finite = finite && !s.information[i].lost
	}
	finite = finite && !math.IsNaN(value)
	if n.Rounds > 1 && !n.better(value, gradient, finite) {
		return
	}
	if !finite { // at the start: counts beyond all bounds
		n.Done = true
		return
	}
	n.accept(s, value, gradient)
}

// better reports whether the step has increased the objective. If not, it proposes a shorter one.
func (n *Newton) better(value float64, gradient []float64, finite bool) bool {
	const enough, slack = 1e-4, 1e-12
	after, rise := dot(gradient, n.step.direction), value-n.value
	if finite && (after >= 0 || rise >= float64(enough*n.step.length*n.step.slope)-float64(slack*(1+math.Abs(n.value)))) {
		return true
	}
	by := .1 // fraction of the step; the slope along it falls from step.slope to after
	if finite {
		by = max(.1, min(.6, n.step.slope/(n.step.slope-after)))
	}
	n.step.length *= by
	n.propose()
	return false
}

// propose sets the weights to which the step leads.
func (n *Newton) propose() {
	moved := false
	for i, d := range n.step.direction {
		n.Weights[i] = n.Best[i] + float64(n.step.length*d)
		moved = moved || n.Weights[i] != n.Best[i]
	}
	if !moved || n.Rounds >= mostRounds {
		n.end()
	}
}

func (n *Newton) end() {
	n.Done, n.Converged = true, n.Norm <= GradientTolerance
	copy(n.Weights, n.Best)
}

// accept makes the weights the best ones, and begins the next step.
func (n *Newton) accept(s *Sums, value float64, gradient []float64) {
	if !s.Full() && n.Rounds > 1 {
		n.remember(gradient)
	}
	copy(n.Best, n.Weights)
	n.value, n.gradient, n.broken, n.atoms = value, gradient, s.Broken > 0, s.Atoms
	n.take(s)
	n.measure()
	if s.Full() {
		n.whole()
	} else {
		copy(n.step.direction, n.gradient)
		turn(n.steps, n.step.direction, func(i int) float64 { return n.Information[i] + n.lambda })
	}
	n.step.slope = dot(n.gradient, n.step.direction)
	n.Gain, n.step.length = n.step.slope/2, 1
	switch {
	case n.Norm <= GradientTolerance && n.Gain <= GainTolerance, n.Gain <= 1e-14*(1+math.Abs(n.value)):
		n.end()
		if n.Converged && s.Full() {
			n.polish()
		}
	default:
		n.propose()
	}
}

// polish takes the last step, whose gain is so small that it needs no new sums: it squares the error of the weights.
func (n *Newton) polish() {
	elementary.Add(n.Best, n.step.direction)
	copy(n.Weights, n.Best)
	n.value += n.Gain
}

// take sets the information.
func (n *Newton) take(s *Sums) {
	f := len(n.Best)
	if !s.Full() {
		n.Information = make([]float64, f)
		for i := range s.information {
			n.Information[i] = s.information[i].Value()
			n.spread[i] = max(n.spread[i], n.Information[i])
		}
		return
	}
	n.Information = s.Gradient().Information
	for i := range f {
		n.spread[i] = max(n.spread[i], n.Information[i*f+i])
	}
}

// measure sets the norm of the gradient. Counts that never vary have no information in the data; for them it uses the prior's.
func (n *Newton) measure() {
	n.Norm = 0
	atoms := float64(max(1, n.atoms))
	for i, g := range n.gradient {
		scale := atoms
		if v := n.spread[i]; v > 0 {
			scale = math.Sqrt(v * atoms)
		}
		n.Norm = max(n.Norm, math.Abs(g)/scale)
	}
}

// whole sets the direction of a Newton step. Formulas are scaled so that the information has a unit diagonal; if rounding still prevents a
// factorisation, as with equal formulas, it is damped (Levenberg, 1944).
func (n *Newton) whole() {
	f := len(n.Best)
	scale, matrix := make([]float64, f), make([]float64, f*f)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(n.Information[i*f+i]+n.lambda)
	}
	for damping := 0.; damping < 1; damping = max(1e-15, 8*damping) {
		for i, a := range scale {
			n.step.direction[i] = n.gradient[i] * a
		}
		setScaled(matrix, n.Information, 1, scale, n.fixed, 1+damping)
		if elementary.Solve(matrix, n.step.direction) {
			for i, a := range scale {
				n.step.direction[i] *= a
			}
			return
		}
	}
	for i, a := range scale {
		n.step.direction[i] = n.gradient[i] * a * a
	}
}

// setScaled sets the lower half of a matrix to the information times n and the scales of both formulas, 0 for fixed ones, and its diagonal.
func setScaled(matrix, information []float64, n float64, scale []float64, fixed []bool, diagonal float64) {
	f := len(scale)
	for i, a := range scale {
		for j, b := range scale[:i] {
			matrix[i*f+j] = float64(n*information[i*f+j]) * a * b
			if fixed[i] || fixed[j] {
				matrix[i*f+j] = 0
			}
		}
		matrix[i*f+i] = diagonal
	}
}

// remember stores the last step and its effect on the gradient, replacing the earliest if there are many.
func (n *Newton) remember(gradient []float64) {
	move, turn := make([]float64, len(n.Best)), make([]float64, len(n.Best))
	for i, w := range n.Weights {
		move[i], turn[i] = w-n.Best[i], n.gradient[i]-gradient[i]
	}
	if !(dot(move, turn) > 0) { // lost in rounding
		return
	}
	n.steps = append(n.steps, past{move, turn})
	n.steps = n.steps[max(0, len(n.steps)-mostSteps):]
}

// turn converts a gradient to a direction, using the steps so far and an estimate of the curvature along each weight (Nocedal, 1980).
func turn(steps []past, d []float64, curvature func(int) float64) {
	along := make([]float64, len(steps))
	for k, s := range slices.Backward(steps) {
		along[k] = dot(s.move, d) / dot(s.move, s.turn)
		for i, v := range s.turn {
			d[i] -= float64(along[k] * v)
		}
	}
	for i := range d {
		d[i] /= curvature(i)
	}
	for k, s := range steps {
		back := along[k] - dot(s.turn, d)/dot(s.move, s.turn)
		for i, v := range s.move {
			d[i] += float64(back * v)
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
