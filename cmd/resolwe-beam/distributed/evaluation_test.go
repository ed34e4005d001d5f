package distributed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/rank"

	"resolwe/cmd/resolwe-beam/distributed"
)

// parts evaluates subgraphs in n parts, which are sent as bytes.
func parts(tb testing.TB, m *resolwe.Model, subs []*subgraph.Subgraph, n int, opt resolwe.InferOptions) []*distributed.EvaluationPart {
	tb.Helper()
	out := make([]*distributed.EvaluationPart, n)
	for i := range out {
		begin, end := len(subs)*i/n, len(subs)*(i+1)/n
		p, err := distributed.EvaluatePart(tb.Context(), m, resolwe.NewStream(m, subs).Range(begin, end), opt)
		check.OK(tb, err)
		data, _ := p.MarshalBinary()
		out[i] = &distributed.EvaluationPart{}
		check.OK(tb, out[i].UnmarshalBinary(data))
	}
	return out
}

// Parts add up to the evaluation of the whole, to the last bit, and their figures give the paired test of the whole.
func TestEvaluatePart(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, sharingTypes()+"0.7 read(p, u) => likes(p, u)\n-0.4 likes(p, u)\n0.3 likes(p, u) ^ likes(q, u)\n")
	flat := m.With(m.Formulas[1:2])
	subs := streamtest.Subgraphs(t, m, streamtest.SharingDB(4, 11))
	opt := resolwe.InferOptions{Samples: 50, Method: resolwe.MethodMCSAT}
	want, err := resolwe.Evaluate(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
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
	for _, n := range []int{2, 5, 13} {
		var sum distributed.EvaluationSum
		for _, p := range parts(t, m, subs, n, opt) {
			check.OK(t, sum.Add(p))
		}
		check.NoDiff(t, cmp.Diff(want, sum.Evaluation(opt.Seed)), "%d parts (-whole +parts)", n)
		check.NoDiff(t, cmp.Diff(test, paired(n)), "%d parts, paired test (-whole +parts)", n)
	}
	var sum distributed.EvaluationSum
	p := parts(t, m, subs, 2, opt)
	p[0].Skipped, p[0].Quality.Samples = 1<<33, 1<<34
	var again distributed.EvaluationPart
	data, _ := p[0].MarshalBinary()
	if err := again.UnmarshalBinary(data); err != nil || again.Skipped != 1<<33 || again.Quality != p[0].Quality {
		t.Errorf("numbers beyond 2^32: got %v, %d and %+v", err, again.Skipped, again.Quality)
	}
	check.OK(t, sum.Add(p[1]))
	check.ErrorAs[*distributed.PartError](t, sum.Add(p[0]), "out of order")
}

func FuzzEvaluationPart(f *testing.F) {
	m, subs := untied(f, 2)
	fuzzPart(f, func(_ *testing.T, p *distributed.EvaluationPart) {
		var sum distributed.EvaluationSum
		if err := sum.Add(p); err == nil {
			sum.Evaluation(1)
		}
	}, parts(f, m, subs, 1, resolwe.InferOptions{})[0])
}
