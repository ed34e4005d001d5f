package resolwe_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/kernels/rank"
)

// parts evaluates subgraphs in so many parts, which travel as bytes.
func parts(tb testing.TB, m *resolwe.Model, subs []*subgraph.Subgraph, n int, opt resolwe.InferOptions) []*resolwe.EvaluationPart {
	tb.Helper()
	out := make([]*resolwe.EvaluationPart, n)
	for i := range out {
		begin, end := len(subs)*i/n, len(subs)*(i+1)/n
		p, err := resolwe.EvaluatePart(tb.Context(), m, resolwe.NewStreamAt(m, subs[begin:end], begin), opt)
		if err != nil {
			tb.Fatal(err)
		}
		data, _ := p.MarshalBinary()
		out[i] = &resolwe.EvaluationPart{}
		if err := out[i].UnmarshalBinary(data); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// Parts add up to the evaluation of the whole, to the bit, and their figures give the whole's paired test.
func TestEvaluatePart(t *testing.T) {
	t.Parallel()
	m := parse(t, sharingTypes()+"0.7 read(p, u) => likes(p, u)\n-0.4 likes(p, u)\n0.3 likes(p, u) ^ likes(q, u)\n")
	flat := m.With(m.Formulas[1:2])
	subs := subgraphs(t, m, sharingDB(4, 11))
	opt := resolwe.DefaultInferOptions()
	opt.Samples, opt.Method = 50, resolwe.MethodMCSAT
	want, err := resolwe.Evaluate(t.Context(), m, resolwe.NewStream(m, subs), opt)
	if err != nil {
		t.Fatal(err)
	}
	paired := func(n int) rank.Test {
		var a, b []float64
		others := parts(t, flat, subs, n, opt)
		for i, p := range parts(t, m, subs, n, opt) {
			for k, s := range p.Subgraphs {
				a, b = append(a, s.CLL), append(b, others[i].Subgraphs[k].CLL)
			}
		}
		return rank.PairedT(a, b)
	}
	test := paired(1)
	for _, n := range []int{1, 2, 5, 11, 13} {
		var sum resolwe.EvaluationSum
		for _, p := range parts(t, m, subs, n, opt) {
			if err := sum.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, sum.Evaluation()); diff != "" {
			t.Errorf("%d parts (-whole +parts):\n%s", n, diff)
		}
		if diff := cmp.Diff(test, paired(n)); diff != "" {
			t.Errorf("%d parts, paired test (-whole +parts):\n%s", n, diff)
		}
	}
	var sum resolwe.EvaluationSum
	p := parts(t, m, subs, 2, opt)
	if err := sum.Add(p[1]); err != nil {
		t.Fatal(err)
	}
	if err := sum.Add(p[0]); !errors.As(err, new(*resolwe.EvaluationError)) {
		t.Errorf("out of order: got %v, want an *EvaluationError", err)
	}
}

// Any bytes are a part, or an error.
func FuzzEvaluationPart(f *testing.F) {
	m, subs := untied(f, 2)
	data, _ := parts(f, m, subs, 1, resolwe.DefaultInferOptions())[0].MarshalBinary()
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, resolwe.Reseal(data)} {
			var p resolwe.EvaluationPart
			if err := p.UnmarshalBinary(text); err != nil {
				if !errors.As(err, new(*resolwe.EvaluationError)) {
					t.Errorf("got %v, want an *EvaluationError", err)
				}
				continue
			}
			if again, _ := p.MarshalBinary(); !bytes.Equal(again, text) {
				t.Error("what was read is written otherwise")
			}
			var sum resolwe.EvaluationSum
			if err := sum.Add(&p); err == nil {
				sum.Evaluation()
			}
		}
	})
}
