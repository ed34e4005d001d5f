package gain_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/wire"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// uneven returns subgraphs of many sizes.
func uneven(t *testing.T, n int) []*features.Subgraph {
	t.Helper()
	r := seeded(t)
	var all []*features.Subgraph
	for s := range n {
		sub := &features.Subgraph{Name: fmt.Sprint("s", s)}
		if s%3 == 0 {
			sub.Group = fmt.Sprint("g", s%2)
			sub.Time = second(100 * s)
		}
		for a := range uint32(1 + r.IntN(60)) {
			sub.Truth = append(sub.Truth, r.IntN(2) == 0)
			if s%4 == 0 {
				sub.Offset = append(sub.Offset, r.Float64())
			}
			for c := range uint32(5) {
				if r.IntN(2) == 0 {
					sub.Cells = append(sub.Cells, features.Cell{Atom: a, Candidate: c, Count: r.Int64() >> r.IntN(64)})
				}
			}
		}
		all = append(all, sub)
	}
	return all
}

// rows returns those of one target.
func rows(b *features.Builder) *gain.Rows { return &gain.Rows{Builders: []*features.Builder{b}} }

func written(b *features.Builder) []byte {
	w := wire.NewWriter("")
	rows(b).Write(w)
	return w.Sealed()
}

// read returns what was written, nil where it is something else.
func read(data []byte) *features.Builder {
	r := wire.NewReader(data, "")
	if rows := gain.ReadRows(r); rows != nil && len(rows.Builders) == 1 && r.Done() {
		return rows.Builders[0]
	}
	return nil
}

func built(t *testing.T, opt features.BuilderOptions, subgraphs []*features.Subgraph, order []int) *features.Builder {
	t.Helper()
	b := features.NewBuilder(5, opt)
	for _, s := range order {
		check.OK(t, b.Add(subgraphs[s]))
	}
	return b
}

// What is kept under a limit does not depend on the order, nor on how the stream was cut into parts, nor on whether the
// parts went through bytes; and a subgraph that is not wanted is not kept.
func TestBuilder_Parts(t *testing.T) {
	r := seeded(t)
	subgraphs := uneven(t, 200)
	for _, limit := range []int{0, 1, 70, 500, 1000, 10000} {
		opt := features.BuilderOptions{Seed: 9, Limit: limit, Thresholds: []bool{true, false, true, false, true}}
		var want []byte
		for try := range 5 {
			b := features.NewBuilder(5, opt)
			order := r.Perm(len(subgraphs))
			unwanted := map[string]bool{}
			for len(order) > 0 {
				n := min(1+r.IntN(len(subgraphs)), len(order))
				part := built(t, opt, subgraphs, order[:n])
				order = order[n:]
				if try%2 == 1 {
					part = read(written(part))
				}
				b.Merge(part)
				for _, s := range subgraphs {
					unwanted[s.Name] = unwanted[s.Name] || !b.Wants(s.Name)
				}
			}
			data := written(b)
			if want == nil {
				want = data
			}
			if !bytes.Equal(data, want) {
				t.Errorf("limit %d, try %d: other subgraphs", limit, try)
			}
			m, err := gain.NewMatrix(b, nil)
			check.OK(t, err)
			for _, name := range m.Names() {
				if unwanted[name] {
					t.Errorf("limit %d: %s was not wanted", limit, name)
				}
			}
			if limit == 0 && len(m.Subgraphs) != len(subgraphs) {
				t.Errorf("%d subgraphs", len(m.Subgraphs))
			}
		}
	}
}

// A matrix is the same after bytes.
func TestBuilder_RoundTrip(t *testing.T) {
	subgraphs := uneven(t, 40)
	order := make([]int, len(subgraphs))
	for i := range order {
		order[i] = i
	}
	b := built(t, features.BuilderOptions{}, subgraphs, order)
	data := written(b)
	x, err := gain.NewMatrix(b, nil)
	check.OK(t, err)
	y, err := gain.NewMatrix(read(data), nil)
	check.OK(t, err)
	if !reflect.DeepEqual(x, y) {
		t.Error("matrices differ")
	}
	for i := range data {
		wrong := bytes.Clone(data)
		wrong[i] ^= 4
		for _, d := range [][]byte{wrong, data[:i]} {
			if read(d) != nil {
				t.Fatalf("byte %d", i)
			}
		}
	}
	for _, wrong := range []*features.Builder{
		features.NewBuilder(6, features.BuilderOptions{}),
		features.NewBuilder(5, features.BuilderOptions{Seed: 1}),
		features.NewBuilder(5, features.BuilderOptions{Limit: 1}),
		features.NewBuilder(5, features.BuilderOptions{Thresholds: make([]bool, 5)}),
	} {
		if rows(wrong).Like(rows(read(data))) {
			t.Errorf("%+v is like the other", wrong)
		}
	}
}

func FuzzBuilder(f *testing.F) {
	opt := features.BuilderOptions{Limit: 20}
	b := features.NewBuilder(5, opt)
	for s := range 9 {
		check.OK(f, b.Add(&features.Subgraph{Name: strconv.Itoa(s), Truth: make([]bool, 4), Offset: []float64{1, 2, 3, float64(s)}, Cells: []features.Cell{{Atom: 1, Candidate: 3, Count: 17}, {Atom: 1, Candidate: 4, Count: 2}}}))
	}
	data := written(b)
	f.Add(data[:len(data)-4])
	measured := features.BuilderOptions{Thresholds: make([]bool, 5), Measures: []int{3}}
	b = features.NewBuilder(5, measured)
	check.OK(f, b.Add(&features.Subgraph{Name: "a", Truth: make([]bool, 3), Values: [][]float64{{1, math.NaN(), -2}}}))
	data = written(b)
	f.Add(data[:len(data)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		b := read(wire.Seal(body))
		if b == nil || !rows(b).Like(rows(features.NewBuilder(5, opt))) && !rows(b).Like(rows(features.NewBuilder(5, measured))) {
			return
		}
		if again := read(written(b)); again == nil {
			t.Fatal("not read again")
		}
		if m, err := gain.NewMatrix(b, nil); err == nil && m.Rows() > 0 {
			check.OK(t, check.Err(m.Select(gain.Options{Formulas: 3})))
		}
	})
}
