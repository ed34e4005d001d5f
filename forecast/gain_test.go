package forecast_test

import (
	"testing"

	"resolwe"
	"resolwe/forecast"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/gain"
)

// If all subgraphs are sampled, the forecast has the actual rows of selection by gain; otherwise roughly as many.
func TestRun_Gain(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.Towns)
	s := resolwe.NewStream(m, streamtest.Subgraphs(t, m, streamtest.TownsDB(3, 60)))
	sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{})
	check.OK(t, err)
	atoms := 0
	for _, g := range sel.Gain {
		atoms += g.Atoms
	}
	run := func(opt forecast.Options) *forecast.Gain {
		p, err := forecast.Run(t.Context(), m, s, opt)
		check.OK(t, err)
		if p.Gain == nil || p.Gain.Err != nil {
			t.Fatalf("got %+v", p.Gain)
		}
		return p.Gain
	}
	all := run(forecast.Options{Sample: 60})
	if all.Subgraphs != 60 || all.Atoms != float64(atoms) || all.Rows != all.Atoms || all.Candidates < 6 {
		t.Errorf("got %+v, want %d atoms of 60 subgraphs", all, atoms)
	}
	if least := float64(gain.Bytes(int64(atoms), int64(all.Counts), 0)); all.Counts == 0 || all.Bytes < least {
		t.Errorf("got %+v, want %v bytes at least", all, least)
	}
	some := run(forecast.Options{Sample: 30})
	if some.Subgraphs != 60 || some.Atoms < .7*all.Atoms || some.Atoms > 1.4*all.Atoms {
		t.Errorf("got %+v of half of the subgraphs, want about %+v", some, all)
	}
	opt := forecast.Options{Sample: 60}
	opt.Select.Gain.Rows = 100
	if few := run(opt); few.Atoms != all.Atoms || few.Rows != 200 || few.Bytes >= all.Bytes {
		t.Errorf("got %+v of 100 rows for each of two targets, want less than %+v", few, all)
	}
	opt = forecast.Options{Sample: 60}
	opt.Select.Subgraphs = 15
	if first := run(opt); first.Subgraphs != 15 || first.Atoms != all.Atoms/4 {
		t.Errorf("got %+v of the first 15, want a quarter of %+v", first, all)
	}
	opt = forecast.Options{}
	opt.Select.Criterion = resolwe.Paper
	if p, err := forecast.Run(t.Context(), m, s, opt); err != nil || p.Gain != nil {
		t.Errorf("paper: got %+v, %v, want none", p.Gain, err)
	}
}
