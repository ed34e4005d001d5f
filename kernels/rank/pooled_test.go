package rank_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

func TestPool_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		atoms := randomAtoms(r, r.IntN(60))
		if seed%2 == 0 { // few ties
			for i := range atoms {
				atoms[i].P = r.Float64()
			}
		}
		got := rank.Pool(slices.Clone(atoms))
		for what, area := range map[string]float64{"AUC-ROC": got.AUCROC, "AUC-ROC of the curve": rank.CurveAUC(got.Curve)} {
			if want := oracle.AUCROC(atoms); !(math.Abs(area-want) <= 1e-13) && !(math.IsNaN(area) && math.IsNaN(want)) {
				t.Fatalf("seed %d, atoms %v: %s: got %v, want %v", seed, atoms, what, area, want)
			}
		}
		if !math.IsNaN(got.AUCPR) {
			check.MustNear(t, got.AUCPR, oracle.AUCPR(atoms), 1e-13, "seed %d, atoms %v: AUC-PR", seed, atoms)
		}
		if len(atoms) == 0 {
			check.Equal(t, "of no atoms, NaN", math.IsNaN(got.CalibrationError), true)
			continue
		}
		check.MustNear(t, got.CalibrationError, oracle.CalibrationError(atoms), 1e-13, "seed %d, atoms %v: calibration error", seed, atoms)
	}
}

// Marginals from which truths are drawn are calibrated; halved ones are not.
func TestCalibrationError_OfDraws(t *testing.T) {
	t.Parallel()
	const n, seed = 20000, 11
	r := rand.New(rand.NewPCG(seed, 0))
	right, halved := make([]rank.Scored, n), make([]rank.Scored, n)
	for i := range right {
		p := r.Float64()
		right[i] = rank.Scored{P: p, True: r.Float64() < p}
		halved[i] = rank.Scored{P: p / 2, True: right[i].True}
	}
	// A bin's share has a standard deviation of at most .5 / sqrt(n/10) = .011.
	check.AtMost(t, rank.Pool(right).CalibrationError, .02, "seed %d", seed)
	check.Near(t, rank.Pool(halved).CalibrationError, .25, .02, "seed %d: of halved marginals", seed)
}

// A curve contains every atom once, the bins of the calibration error, and an area close to that of the whole ranking; for few atoms it
// is the ranking, block by block.
func TestPool_Curve(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		atoms := make([]rank.Scored, 1+r.IntN(1+[...]int{100, 20_000}[seed%2]))
		levels := 1 + r.IntN(5000)
		for i := range atoms {
			p := float64(r.IntN(levels)) / float64(levels)
			atoms[i] = rank.Scored{P: p, True: r.Float64() < p}
		}
		whole, p := rank.Evaluate(atoms), rank.Pool(atoms)
		var all rank.Run
		halves, errors := 0.0, map[int]float64{}
		last := math.Inf(1)
		for _, run := range p.Curve {
			halves += float64(run.False) * (2*float64(all.True) + float64(run.True))
			all.P, all.True, all.False = all.P+run.P, all.True+run.True, all.False+run.False
			errors[run.Bin] += run.P - float64(run.True)
			mean := run.P / float64(run.True+run.False)
			if !(mean < last) {
				t.Errorf("seed %d: a mean of %v after one of %v", seed, mean, last)
			}
			last = mean
		}
		calibration := 0.0
		for _, e := range errors {
			calibration += math.Abs(e) / float64(len(atoms))
		}
		if all.True+all.False != len(atoms) || len(p.Curve) > 412 || math.Abs(calibration-p.CalibrationError) > 1e-9 {
			t.Errorf("seed %d: %d runs of %d atoms, calibration error %v, want %v", seed, len(p.Curve), all.True+all.False, calibration, p.CalibrationError)
		}
		tolerance := 1. / 200
		if len(atoms) <= 100 {
			tolerance = 1e-12
		}
		if auc := halves / 2 / float64(all.True) / float64(all.False); whole.Ranked && math.Abs(auc-whole.AUC) > tolerance {
			t.Errorf("seed %d: area %v, want %v", seed, auc, whole.AUC)
		}
	}
}
