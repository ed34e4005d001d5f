package gain_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
)

// valued returns subgraphs of two candidates that are counted and, between and after them, two that have values, often none.
func valued(t *testing.T, n int) (all []*features.Subgraph, opt features.BuilderOptions) {
	t.Helper()
	r := seeded(t)
	for s := range n {
		sub := &features.Subgraph{Name: fmt.Sprint("s", s), Values: make([][]float64, 2)}
		for a := range uint32(1 + r.IntN(20)) {
			sub.Cells = append(sub.Cells, features.Cell{Atom: a, Candidate: 0, Count: r.Int64N(4)}, features.Cell{Atom: a, Candidate: 2, Count: r.Int64N(40)})
			x, y := math.NaN(), math.NaN()
			if r.IntN(3) > 0 {
				x = math.Round(10 * r.NormFloat64())
			}
			if r.IntN(10) > 0 {
				y = r.ExpFloat64()
			}
			sub.Values[0], sub.Values[1] = append(sub.Values[0], x), append(sub.Values[1], y)
			sub.Truth = append(sub.Truth, (x <= -4) != (r.IntN(8) == 0))
		}
		all = append(all, sub)
	}
	return all, features.BuilderOptions{Thresholds: []bool{true, true, true, true}, Measures: []int{1, 3}}
}

// Values in parts that went through bytes, in any order, are those that were added; damage is no rows, or others.
func TestBuilder_Values(t *testing.T) {
	r := seeded(t)
	subgraphs, opt := valued(t, 60)
	var want []byte
	var result *gain.Result
	for range 4 {
		all := features.NewBuilder(4, opt)
		for order := r.Perm(len(subgraphs)); len(order) > 0; {
			k := min(len(order), 1+r.IntN(30))
			part := features.NewBuilder(4, opt)
			for _, s := range order[:k] {
				check.OK(t, part.Add(subgraphs[s]))
			}
			order = order[k:]
			again := read(written(part))
			if again == nil {
				t.Fatal("what was written is not read")
			}
			all.Merge(again)
		}
		data := written(all)
		if want != nil && !bytes.Equal(data, want) {
			t.Fatal("other bytes")
		}
		want = data
		for i := 0; i < len(data); i += 1 + len(data)/200 {
			bad := slices.Clone(data)
			bad[i] ^= byte(1 + r.IntN(255))
			read(bad)
			read(data[:i])
		}
		m, err := gain.NewMatrix(all, nil)
		check.OK(t, err)
		got, err := m.Select(gain.Options{})
		check.OK(t, err)
		if result != nil && !reflect.DeepEqual(got.Path, result.Path) {
			t.Fatal("another path")
		}
		result = got
	}
	if first := result.Path[0].Literals[0]; first.Candidate != 1 {
		t.Errorf("got %+v first, want a literal of candidate 1", first)
	}
	short := *subgraphs[0]
	short.Values = short.Values[:1]
	check.Fails(t, features.NewBuilder(4, opt).Add(&short), "one measure is missing")
	infinite := *subgraphs[0]
	infinite.Values = [][]float64{slices.Repeat([]float64{math.Inf(1)}, len(infinite.Truth)), infinite.Values[1]}
	check.Fails(t, features.NewBuilder(4, opt).Add(&infinite), "a value is infinite")
}

// The first threshold of a path is the best of all at the boundaries, by plain loops over the values.
func TestMatrix_BestValue(t *testing.T) {
	subgraphs, opt := valued(t, 80)
	b := features.NewBuilder(4, opt)
	var values [2][]float64
	var truth []bool
	for _, s := range subgraphs {
		check.OK(t, b.Add(s))
		truth = append(truth, s.Truth...)
		for i := range values {
			values[i] = append(values[i], s.Values[i]...)
		}
	}
	m, err := gain.NewMatrix(b, nil)
	check.OK(t, err)
	columns, gains := gain.NewPath(m, gain.FamilyThresholds, false, gain.Options{Formulas: 1})
	rate := m.BaseRate()
	score := func(holds func(row int) bool) float64 {
		var r, n, h float64
		all := rate * (1 - rate)
		for i, v := range truth {
			if holds(i) {
				n++
				r -= rate
				if v {
					r++
				}
			}
		}
		rows := float64(len(truth))
		share := n / rows
		h = n*all - n*all*share + gain.Growth(len(truth))*(share-share*share)
		return r * r / (2 * h)
	}
	most := 0.0
	for i := range values {
		sorted := slices.DeleteFunc(slices.Clone(values[i]), math.IsNaN)
		slices.Sort(sorted)
		for k, v := range sorted[:len(sorted)-1] {
			first, _ := slices.BinarySearch(sorted, v)
			next := sorted[k+1]
			if v == next || first*16/len(sorted) == (k+1)*16/len(sorted) {
				continue
			}
			most = max(most, score(func(row int) bool { return values[i][row] <= v }), score(func(row int) bool { return values[i][row] >= next }))
		}
	}
	l := columns[0].Literals[0]
	if l.Candidate != 1 && l.Candidate != 3 {
		t.Fatalf("got %+v, want a measure", l)
	}
	check.Near(t, gains[0], most, 1e-2*most, "gain")
	own := score(func(row int) bool {
		v := values[l.Candidate/2][row]
		return v >= l.Bound && !l.AtMost || v <= l.Bound && l.AtMost
	})
	if math.Abs(own-most) > 1e-9*most {
		t.Errorf("the literal %+v gains %v, want %v", l, own, most)
	}
}

// Aggregates over the head's variables are measured, of some that differ in their bound alone one; others are counted.
func TestNewTask_Measures(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, `r(x, y)
n(y, number)
e(x)
target q(x)
avg{v, y: r(x, y) ^ n(y, v)} >= 2 => q(x)
avg{w, z: n(z, w) ^ r(u, z)} < 7 => q(u)
max{v, y: r(x, y) ^ n(y, v)} > 2 => q(x)
!max{v, y: r(x, y) ^ n(y, v)} > 2 => q(x)
max{v, y: r(x, y) ^ n(y, v)} = 2 => q(x)
e(x) ^ max{v, y: r(x, y) ^ n(y, v)} > 2 => q(x)
#{y: r(x, y)} > 2 => q(x)
`, "r(A, B)\nr(A, C)\nn(B, 1)\nn(C, 4)\nq(A)\ne(Z)\n")
	candidates, _, err := mln.Candidates(task.Model)
	check.OK(t, err)
	of := gain.NewTask(&task.Model.Schema, candidates, nil, false)
	check.Equal(t, "measures", of.Targets[0].Measures, []int{0, 1})
	check.Equal(t, "candidates", len(of.Targets[0].Candidates), 6)
	subs, err := of.NewCounter(ground.NewGrounder).Count(task.Subs[0])
	check.OK(t, err)
	check.Equal(t, "values of A", []float64{subs[0].Values[0][0], subs[0].Values[1][0]}, []float64{2.5, 4})
	if !math.IsNaN(subs[0].Values[0][1]) {
		t.Errorf("got %v for Z, want none", subs[0].Values[0][1])
	}
	for want, c := range map[string]gain.Column{
		"avg{v, y: r(x, y) ^ n(y, v)} >= 2.5 ^ q(x)": {Literals: []gain.Literal{{AtLeast: 3, Bound: 2.5}}},
		"max{v, y: r(x, y) ^ n(y, v)} <= 3 ^ avg{v1, y1: r(x, y1) ^ n(y1, v1)} >= 1 ^ q(x)": {Literals: []gain.Literal{
			{Candidate: 1, AtLeast: 3, AtMost: true, Bound: 3}, {AtLeast: 2, Bound: 1},
		}},
	} {
		got := mln.FormatFormula(of.Targets[0].Formula(&c))
		parsed := jointest.Load(t, "r(x, y)\nn(y, number)\ntarget q(x)\n"+got+"\n"+want+"\n", "q(A)\n").Model.Formulas
		if len(parsed) != 1 { // equal up to names
			t.Errorf("got %s, want %s", got, want)
		}
		if strings.Contains(got, "!") {
			t.Errorf("got %s", got)
		}
	}
}
