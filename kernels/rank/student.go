package rank

import (
	"math"

	"resolwe/internal/elementary"
)

// student is Student's distribution, given its degrees of freedom, at least 1.
type student int

// T returns the t whose absolute value is exceeded with probability p, above 0 and below 1, under Student's distribution with df degrees of
// freedom, at least 1.
func T(df int, p float64) float64 { return student(df).edge(p) }

// T95 returns T for a probability of 0.05.
func T95(df int) float64 { return T(df, 0.05) }

// Beyond returns the probability that the absolute value of t, at least 0, is exceeded under Student's distribution with df degrees of
// freedom, at least 1.
func Beyond(df int, t float64) float64 { return student(df).beyond(t) }

// density returns the density at t.
func (d student) density(t float64) float64 {
	nu := float64(d)
	return d.gammaRatio() / math.Sqrt(math.Pi*nu) * elementary.Exp(-(nu+1)/2*logOne(t/math.Sqrt(nu)))
}

// beyond returns the probability of a value outside [-t, t], for t >= 0. With x = nu / (nu + t^2), it is the regularised incomplete beta
// function I_x(nu/2, 1/2) = 1 - I_(1-x)(1/2, nu/2).
func (d student) beyond(t float64) float64 {
	nu := float64(d)
	a, s := float64(nu/2), t/math.Sqrt(nu)
	x, y := 1/(1+float64(s*s)), 1/(1+1/(s*s))
	front := elementary.Exp(-a*logOne(s)) * math.Sqrt(y) * d.gammaRatio() / math.SqrtPi // x^a y^(1/2) / B(a, 1/2)
	if x < (a+1)/(a+2.5) {
		return front / a * betaFraction(a, 0.5, x)
	}
	return 1 - float64(front*2*betaFraction(0.5, a, y))
}

// edge returns the t at which beyond is p. Newton's steps from below ascend, since the density decreases.
func (d student) edge(p float64) float64 {
	t := 0.
	if p <= 0.05 {
		t = 1.95 // below the result for any degrees of freedom
	}
	for {
		next := t + (d.beyond(t)-p)/(2*d.density(t))
		if !(next > t) {
			return t
		}
		t = next
	}
}

// logOne returns the logarithm of 1 + s^2.
func logOne(s float64) float64 {
	if s > 1e100 {
		return 2 * elementary.Log(s)
	}
	return elementary.Log1p(s * s)
}

// gammaRatio returns Gamma(nu/2 + 1/2) / Gamma(nu/2); for many degrees of freedom by the asymptotic series of F. G. Tricomi and A.
// Erdelyi (Pacific Journal of Mathematics 1, 1951).
func (d student) gammaRatio() float64 {
	if d >= 100 {
		n := float64(d) / 2
		sum := 0.0
		for _, c := range [...]float64{869. / (1 << 22), -399. / (1 << 18), -21. / (1 << 15), 5. / (1 << 10), 1. / (1 << 7), -1. / 8, 1} {
			sum = sum/n + c
		}
		return math.Sqrt(n) * sum
	}
	ratio := 1 / math.SqrtPi
	if d%2 == 0 {
		ratio = math.SqrtPi / 2
	}
	for nu := 2 - d%2; nu < d; nu += 2 {
		ratio *= float64(nu+1) / float64(nu)
	}
	return ratio
}

// betaFraction returns the continued fraction of I_x(a, b), by the method of W. J. Lentz (Applied Optics 15, 1976). Times x^a (1-x)^b /
// (a B(a, b)) it is I_x(a, b). It converges fast for x < (a+1) / (a+b+2).
func betaFraction(a, b, x float64) float64 {
	fraction, up, down := 1.0, 1.0, 0.0
	for n := 1.0; n < 1e6; n++ {
		m := math.Floor(n / 2)
		term := m * (b - m) * x
		if m != n/2 {
			term = -(a + m) * (a + b + m) * x
		}
		term /= (a + n - 1) * (a + n)
		up = 1 + term/up
		down = 1 / (1 + float64(term*down))
		step := float64(up * down)
		fraction *= step
		if math.Abs(step-1) < 0x1p-52 {
			break
		}
	}
	return 1 / fraction
}
