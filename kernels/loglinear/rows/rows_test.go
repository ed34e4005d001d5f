package rows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/kernels/loglinear/rows"
)

func Example() {
	matrix := []float64{ // three rows of two replicas
		1, 10,
		2, 20,
		3, 30,
	}
	rows.Add(matrix, []float64{1, -1}, []uint32{0, 1}, []rows.Step{{Shift: 1, Scale: 0.5}}) // to rows 1 and 2
	dst := make([]float64, 2)
	rows.Sum(dst, matrix, []uint32{0, 2, 2}, 0)
	fmt.Println(matrix, dst)
	// Output: [1 10 2.5 19.5 3.5 29.5] [8 69]
}

func TestWidth(t *testing.T) {
	t.Parallel()
	for n, want := range []int{0, 1, 4, 4, 4, 8, 8, 8, 8, 12} {
		check.Equal(t, fmt.Sprintf("%d columns", n), rows.Width(n), want)
	}
}

// operands are a random matrix, a row and a list of rows.
type operands struct {
	w           int
	matrix, row []float64
	list        []uint32
	shift       uint32
	steps       []rows.Step
	classes     []uint32 // of the list
	scales      []float64
}

// randomOperands places the matrix and the row between sentinel values, which reveal out-of-range accesses.
func randomOperands(r *rand.Rand, w int) *operands {
	height := 1 + r.IntN(20)
	o := &operands{w: w, matrix: random(r, w*height), row: random(r, w), scales: random(r, 3)}
	half := uint32(height / 2)
	o.shift = half
	for range r.IntN(30) {
		o.list = append(o.list, uint32(r.IntN(height-int(half))))
	}
	if r.IntN(2) == 0 { // back to the first half
		for i := range o.list {
			o.list[i] += half
		}
		o.shift = -half
	}
	for range o.list {
		o.classes = append(o.classes, uint32(r.IntN(len(o.scales))))
	}
	for range r.IntN(5) {
		o.steps = append(o.steps, rows.Step{Shift: o.shift * uint32(r.IntN(2)), Scale: r.NormFloat64()})
	}
	for i := range o.row {
		o.row[i] *= float64(r.IntN(2))
	}
	return o
}

func random(r *rand.Rand, n int) []float64 {
	s := slices.Repeat([]float64{1e300}, n+2)
	for i := range n {
		s[i+1] = r.NormFloat64()
	}
	return s[1 : n+1]
}

func guarded(s []float64) bool {
	whole := s[:len(s)+1]
	return whole[len(s)] == 1e300
}

// want computes the results one value at a time.
func (o *operands) want() (sum, matrix []float64) {
	sum, matrix = slices.Clone(o.row), slices.Clone(o.matrix)
	for c := range o.w {
		for k, i := range o.list {
			matrix[int(i)*o.w+c] += o.row[c] * o.scales[o.classes[k]]
			sum[c] += o.matrix[int(i+o.shift)*o.w+c]
			for _, s := range o.steps {
				matrix[int(i+s.Shift)*o.w+c] += s.Scale * o.row[c]
			}
		}
	}
	return sum, matrix
}

func (o *operands) got() (sum, matrix []float64) {
	sum, matrix = append(slices.Clone(o.row), 1e300)[:o.w], append(slices.Clone(o.matrix), 1e300)[:len(o.matrix)]
	rows.Sum(sum, o.matrix, o.list, o.shift)
	rows.Add(matrix, o.row, o.list, o.steps)
	rows.AddEach(matrix, o.row, o.list, o.classes, o.scales)
	return sum, matrix
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12 })
}

func TestSumAndAdd(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 61))
		o := randomOperands(r, 1+r.IntN(30))
		restore := rows.UseGeneric()
		sum, matrix := o.got()
		restore()
		if wantSum, wantMatrix := o.want(); !near(sum, wantSum) || !near(matrix, wantMatrix) {
			t.Fatalf("seed %d: got %v and %v, want %v and %v", seed, sum, matrix, wantSum, wantMatrix)
		}
		vectorSum, vectorMatrix := o.got()
		check.MustEqual(t, fmt.Sprintf("seed %d, vector kernels", seed), [][]float64{vectorSum, vectorMatrix}, [][]float64{sum, matrix})
		if !guarded(vectorSum) || !guarded(vectorMatrix) {
			t.Fatalf("seed %d: wrote beyond the end", seed)
		}
	}
}

func TestSumAndAdd_Beyond(t *testing.T) {
	for _, w := range []int{1, 3, 4, 8, 12} {
		for n := range 6 { // positions in the list
			list := make([]uint32, 6)
			list[n] = 5
			for name, f := range map[string]func(matrix []float64){
				"sum": func(matrix []float64) { rows.Sum(make([]float64, w), matrix, list, 0) },
				"add": func(matrix []float64) { rows.Add(matrix, slices.Repeat([]float64{1}, w), list, make([]rows.Step, 1)) },
				"add twice": func(matrix []float64) {
					rows.Add(matrix, slices.Repeat([]float64{1}, w), list, make([]rows.Step, 2))
				},
				"add each": func(matrix []float64) {
					rows.AddEach(matrix, slices.Repeat([]float64{1}, w), list, make([]uint32, 6), []float64{1})
				},
			} {
				if !panics(func() { f(make([]float64, 5*w)) }) {
					t.Errorf("%s of width %d, place %d: got no panic for a row beyond the matrix", name, w, n)
				}
				if panics(func() { f(make([]float64, 6*w)) }) {
					t.Errorf("%s of width %d, place %d: got a panic for the last row", name, w, n)
				}
			}
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestAddOuter(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 63))
		n, w := r.IntN(9), 1+r.IntN(20)
		matrix, v := random(r, n*w), random(r, w)
		accs := [2][]float64{random(r, rows.Halves(n)), nil}
		clear(accs[0])
		accs[1] = append(slices.Clone(accs[0]), 1e300)[:len(accs[0])]
		restore := rows.UseGeneric()
		rows.AddOuter(accs[0], matrix, v)
		restore()
		rows.AddOuter(accs[1], matrix, v)
		if diff := cmp.Diff(accs[0], accs[1]); diff != "" || !guarded(accs[1]) {
			t.Fatalf("seed %d, vector kernels (-want +got):\n%s", seed, diff)
		}
		for i := range n {
			for j := range i + 1 {
				want := 0.0
				for c := range w {
					want += v[c] * matrix[i*w+c] * matrix[j*w+c]
				}
				check.MustNear(t, rows.Outer(accs[0], i, j), want, 1e-12, "seed %d, rows %d and %d", seed, i, j)
			}
		}
	}
}

func TestLogistic(t *testing.T) {
	t.Parallel()
	for i := range 400_001 {
		h := float64(i-200_000) / 2000
		got, want := rows.Logistic(h), 1/(1+math.Exp(-h))
		check.MustNear(t, got, want, 2e-11, "%v", h)
	}
	for h, want := range map[float64]float64{math.Inf(1): 1, math.Inf(-1): 0, 1e300: 1, -1e300: 0} {
		check.Near(t, rows.Logistic(h), want, 1e-17, "%v", h)
	}
}

func TestDraw(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 62))
		n := 1 + r.IntN(64)
		h, u := random(r, n), make([]float64, n)
		for i := range h {
			h[i] *= 20
			u[i] = r.Float64()
			if r.IntN(4) == 0 {
				u[i] = rows.Logistic(h[i]) // the boundary: u equals p
			}
		}
		p, want, bits := append(make([]float64, n), 1e300)[:n], make([]float64, n), uint64(0)
		for i := range want {
			want[i] = rows.Logistic(h[i])
			if u[i] < want[i] {
				bits |= 1 << i
			}
		}
		for _, generic := range []bool{true, false} {
			restore := func() {}
			if generic {
				restore = rows.UseGeneric()
			}
			got := rows.Draw(p, h, u)
			restore()
			if diff := cmp.Diff(want, p); diff != "" || got != bits || !guarded(p) {
				t.Fatalf("seed %d, generic %v: got %x, want %x, -want +got:\n%s", seed, generic, got, bits, diff)
			}
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	h := random(rand.New(rand.NewPCG(1, 1)), 1024)
	for b.Loop() {
		for _, x := range h {
			sink += rows.Logistic(x)
		}
	}
}

var sink float64

// One place of a network as in the paper's task: eight replicas, 28 entities.
func BenchmarkSum(b *testing.B) {
	for _, generic := range []bool{true, false} {
		b.Run(fmt.Sprintf("generic=%v", generic), func(b *testing.B) {
			if generic {
				defer rows.UseGeneric()()
			}
			r := rand.New(rand.NewPCG(1, 1))
			matrix, dst, list := random(r, 7000*8), make([]float64, 8), make([]uint32, 28)
			for b.Loop() {
				for i := range list {
					list[i] = (list[i]*5 + uint32(i)*131 + 7) % 7000
				}
				rows.Sum(dst, matrix, list, 0)
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, generic := range []bool{true, false} {
		b.Run(fmt.Sprintf("generic=%v", generic), func(b *testing.B) {
			if generic {
				defer rows.UseGeneric()()
			}
			r := rand.New(rand.NewPCG(1, 1))
			p, h, u := make([]float64, 8), random(r, 8), random(r, 8)
			for b.Loop() {
				rows.Draw(p, h, u)
			}
		})
	}
}
