package elementary_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
)

func Example() {
	fmt.Println(elementary.Exp(1), elementary.Log(10), elementary.Expm1(1e-20), elementary.Log1p(1e-20))
	// Output: 2.718281828459045 2.302585092994046 1e-20 1e-20
}

// function is a function of the package, with its reference, its counterpart in package math, and the points where its method changes.
type function struct {
	name      string
	ours, gos func(float64) float64
	reference func(*big.Float) *big.Float
	most      float64 // maximum error in units in the last place
	low, high float64 // range in which it is finite
	seams     []float64
	golden    string
}

func functions() []function {
	tiny := math.SmallestNonzeroFloat64
	var steps, cells []float64
	for k := -300.5; k < 300; k++ {
		steps = append(steps, k*math.Ln2/64)
	}
	for i := range uint64(300) {
		cells = append(cells, math.Float64frombits(0x3fe<<52+1<<45+i<<46))
	}
	least := make([]float64, len(cells), len(cells)+1)
	for i, c := range cells {
		least[i] = c - 1
	}
	return []function{
		{"Exp", elementary.Exp, math.Exp, bigExp, 0.51, -745.2, 709.782712893384, append(steps, 708, -708, 709.7, -745), "46737a2072943608"},
		{"Expm1", elementary.Expm1, math.Expm1, bigExpm1, 0.55, -800, 709.782712893384, append(steps, .125, -.125, 40, -40), "26a1a39806c92823"},
		{"Log", elementary.Log, math.Log, bigLog, 0.51, tiny, math.MaxFloat64, append(cells, 0x1p-1022), "ef40f6bab7618ea0"},
		{"Log1p", elementary.Log1p, math.Log1p, bigLog1p, 0.51, -1 + 0x1p-53, math.MaxFloat64, append(least, 0x1p54), "54527a71eb4b4e6c"},
	}
}

// points returns random arguments of all sizes, from low to high, and arguments around the seams.
func (f *function) points(n int) []float64 {
	r := rand.New(rand.NewPCG(7, 7))
	var xs []float64
	for len(xs) < n {
		x := math.Float64frombits(r.Uint64())
		switch len(xs) % 4 {
		case 1:
			x = (r.Float64() - .5) * 16
		case 2:
			x = 1 + (r.Float64()-.5)/16
		case 3:
			x = math.Ldexp(r.Float64()-.5, r.IntN(64)-50)
		}
		if x >= f.low && x <= f.high {
			xs = append(xs, x)
		}
	}
	for _, s := range f.seams {
		xs = append(xs, math.Nextafter(s, -1e300), s, math.Nextafter(s, 1e300))
	}
	return append(xs, f.low, f.high)
}

func TestFunctions_Err(t *testing.T) {
	t.Parallel()
	for _, f := range functions() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			worst := 0.0
			for _, x := range f.points(10_000) {
				if x == 0 {
					continue
				}
				e := errorOf(f.ours(x), f.reference(num(x)))
				if worst = max(worst, e); !(e < f.most) {
					t.Errorf("%v: got %v, which misses by %.3f units in the last place", x, f.ours(x), e)
				}
			}
			t.Logf("at most %.4f units in the last place", worst)
		})
	}
}

func TestFunctions_Ascend(t *testing.T) {
	t.Parallel()
	for _, f := range functions() {
		for _, s := range f.seams {
			x := s
			for range 100 {
				x = math.Nextafter(x, math.Inf(-1))
			}
			for last := f.ours(x); x < s+math.Abs(s)*0x1p-46; {
				x = math.Nextafter(x, math.Inf(1))
				y := f.ours(x)
				if y < last {
					t.Errorf("%s falls at %v, from %v to %v", f.name, x, last, y)
				}
				last = y
			}
		}
	}
}

func TestFunctions_Special(t *testing.T) {
	t.Parallel()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		wanted map[float64]float64
	}{
		{"Exp", elementary.Exp, map[float64]float64{
			0: 1, zero: 1, inf: inf, -inf: 0, 1e300: inf, -1e300: 0, 709.7827128933841: inf, -745.1332191019412: 0, 1e-300: 1,
			5e-324: 1, -745.1332191019411: 5e-324,
		}},
		{"Expm1", elementary.Expm1, map[float64]float64{
			0: 0, inf: inf, -inf: -1, 1e300: inf, -1e300: -1, 5e-324: 5e-324, -1e-310: -1e-310, 709.7827128933841: inf,
		}},
		{"Log", elementary.Log, map[float64]float64{1: 0, 0: -inf, zero: -inf, inf: inf, -1: nan, -inf: nan, -5e-324: nan, math.E: 1}},
		{"Log1p", elementary.Log1p, map[float64]float64{0: 0, -1: -inf, inf: inf, -2: nan, -inf: nan, 5e-324: 5e-324, -1e-310: -1e-310}},
		{"Pow(2, x)", func(x float64) float64 { return elementary.Pow(2, x) }, map[float64]float64{
			0: 1, 10: 1024, -1074: 5e-324, 1024: inf, inf: inf, -inf: 0, .5: math.Sqrt2, nan: nan,
		}},
		{"Pow(x, 3)", func(x float64) float64 { return elementary.Pow(x, 3) }, map[float64]float64{
			0: 0, 1: 1, 3: 27, inf: inf, 1e-320: 0, 1e103: inf, -1: nan, nan: nan,
		}},
	} {
		c.wanted[nan] = nan
		for x, want := range c.wanted {
			if got := c.f(x); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%s at %v: got %v, want %v", c.name, x, got, want)
			}
		}
	}
}

func TestPow_Err(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for range 5_000 {
		x, y := math.Float64frombits(r.Uint64N(0x7fe<<52)), math.Ldexp(r.Float64()-.5, r.IntN(80)-60)
		if r.IntN(2) == 0 {
			x = 1 + (r.Float64()-.5)/4
		}
		exponent := mul(num(y), bigLog(num(x)))
		if f, _ := exponent.Float64(); math.Abs(f) > 740 {
			continue
		}
		if e := errorOf(elementary.Pow(x, y), bigExp(exponent)); !(e < 1) {
			t.Errorf("%v to the power %v: got %v, which misses by %.3f units in the last place", x, y, elementary.Pow(x, y), e)
		}
	}
}

// Every processor gives these bits.
func TestFunctions_Golden(t *testing.T) {
	t.Parallel()
	for _, f := range functions() {
		h := sha256.New()
		var b [8]byte
		for _, x := range f.points(100_000) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(f.ours(x)))
			h.Write(b[:])
		}
		check.Equal(t, f.name+": checksum", hex.EncodeToString(h.Sum(nil)[:8]), f.golden)
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	check := func(name string, i int, want, got *big.Float) {
		if d := add(want, got.Neg(got)); d.Sign() != 0 && d.MantExp(nil) > -95 {
			t.Errorf("%s %d: off by %v", name, i, d)
		}
	}
	for j, p := range elementary.Powers() {
		check("power", j, bigExp(mul(ln2, num(float64(j)/64))), mul(num(p[0]), add(num(1), num(p[1]))))
	}
	for i, v := range elementary.Inverses() {
		check("logarithm", i, bigLog(quo(num(1), num(v[0]))), add(num(v[1]), num(v[2])))
		if whole := v[1] * 0x1p42; whole != math.Trunc(whole) || v[0]*512 != math.Trunc(v[0]*512) {
			t.Errorf("cell %d: got %v and %v, want few bits", i, v[0], v[1])
		}
	}
}

func TestLog2(t *testing.T) {
	t.Parallel()
	for k := range 63 {
		if got := elementary.Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("2 to the power %d: got %v", k, got)
		}
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 5_000 {
		x := 1 + r.Float64()*math.Ldexp(1, r.IntN(40))
		if got, want := elementary.Log2(x), math.Log2(x); !(math.Abs(got-want) <= 4e-16*max(1, want)) {
			t.Errorf("%v: got %v, want %v", x, got, want)
		}
	}
}

func TestMix(t *testing.T) {
	if elementary.Mix(0) != 0xe220a8397b1dcdaf { // the first output of splitmix64 seeded with 0, from its author's program
		t.Error("mix")
	}
}

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
