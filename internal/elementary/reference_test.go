package elementary_test

import (
	"math"
	"math/big"
)

// The references work with this many bits; sums of their series end far below the last one.
const bits = 256

func num(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Add(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Quo(x, y) }

// series returns the sum of the terms first, first*next(1), first*next(1)*next(2), ...
func series(first *big.Float, next func(n int) *big.Float) *big.Float {
	sum, term := first, first
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-bits; n++ {
		term = mul(term, next(n))
		sum = add(sum, term)
	}
	return sum
}

// atanh2 returns twice the inverse hyperbolic tangent of a small x.
func atanh2(x *big.Float) *big.Float {
	x2 := mul(x, x)
	return series(add(x, x), func(n int) *big.Float { return quo(mul(x2, num(float64(2*n-1))), num(float64(2*n+1))) })
}

var ln2 = atanh2(quo(num(1), num(3)))

func bigLog(x *big.Float) *big.Float {
	z := new(big.Float)
	k := x.MantExp(z)
	if z.Cmp(num(math.Sqrt2/2)) < 0 {
		z.SetMantExp(z, 1)
		k--
	}
	return add(atanh2(quo(add(z, num(-1)), add(z, num(1)))), mul(ln2, num(float64(k))))
}

func bigLog1p(x *big.Float) *big.Float {
	if x.MantExp(nil) > -1 {
		return bigLog(add(x, num(1)))
	}
	return atanh2(quo(x, add(x, num(2))))
}

func bigExpm1(x *big.Float) *big.Float {
	if x.MantExp(nil) > -1 {
		return add(bigExp(x), num(-1))
	}
	return series(x, func(n int) *big.Float { return quo(x, num(float64(n+1))) })
}

func bigExp(x *big.Float) *big.Float {
	k, _ := quo(x, ln2).Float64()
	k = math.Round(k)
	r := add(x, mul(ln2, num(-k)))
	small := new(big.Float).SetMantExp(r, -8)
	y := series(num(1), func(n int) *big.Float { return quo(small, num(float64(n))) })
	for range 8 {
		y = mul(y, y)
	}
	return new(big.Float).SetMantExp(y, int(k))
}

// errorOf returns the difference between got and want in units in the last place.
func errorOf(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	if math.IsInf(nearest, 0) || math.IsInf(got, 0) {
		if got == nearest {
			return 0
		}
		return math.Inf(1)
	}
	unit := max(want.MantExp(nil)-53, -1074)
	e, _ := new(big.Float).SetMantExp(add(num(got), new(big.Float).Neg(want)), -unit).Float64()
	return math.Abs(e)
}
