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

func TestAUCPR_ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		atoms []rank.Scored
		want  float64
	}{
		{"right order", []rank.Scored{{.9, true}, {.8, true}, {.1, false}}, 1},
		// One segment from the origin: precision is 1/3 throughout.
		{"all tied", []rank.Scored{{.5, true}, {.5, false}, {.5, false}}, 1. / 3},
		// From (0, 1), precision 0, to (1, 1), precision 1/2.
		{"wrong order", []rank.Scored{{.1, true}, {.9, false}}, 1. / 4},
		// (1, 0) precision 1; false atom: (1, 1) precision 1/2; (2, 1) 2/3.
		{"false atom between", []rank.Scored{{.9, true}, {.5, false}, {.1, true}}, (1 + (1./2+2./3)/2) / 2},
		// A tie of two true and four false atoms after a true one: one true
		// positive more brings two false ones. Precision 1, 1, 2/4, 3/7.
		{
			"tie that is interpolated",
			[]rank.Scored{{.9, true}, {.5, true}, {.5, true}, {.5, false}, {.5, false}, {.5, false}, {.5, false}},
			(1 + (1+2./4)/2 + (2./4+3./7)/2) / 3,
		},
		// Davis and Goadrich's own example, on the segment from 5 true and 5
		// false positives to 10 and 30, of 20 and 2000: precision .5, 6/16,
		// 7/22, 8/28, 9/34, 10/40. Before it .5 throughout, after it a tie
		// of 10 with 1970: precision falls from 10/40 to 20/2000.
		{"of the paper", paperExample(), paperArea()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := rank.Pool(tt.atoms).AUCPR; !(math.Abs(got-tt.want) <= 1e-14) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func paperExample() []rank.Scored {
	var atoms []rank.Scored
	add := func(n int, a rank.Scored) {
		for range n {
			atoms = append(atoms, a)
		}
	}
	add(5, rank.Scored{P: .9, True: true})
	add(5, rank.Scored{P: .9})
	add(5, rank.Scored{P: .8, True: true})
	add(25, rank.Scored{P: .8})
	add(10, rank.Scored{P: .1, True: true})
	add(1970, rank.Scored{P: .1})
	return atoms
}

func paperArea() float64 {
	precision := []float64{.5, .5, .5, .5, .5, .5, 6. / 16, 7. / 22, 8. / 28, 9. / 34, 10. / 40}
	for x := 1.; x <= 10; x++ {
		precision = append(precision, (10+x)/(40+198*x))
	}
	area := 0.0
	for i := 1; i < len(precision); i++ {
		area += (precision[i-1] + precision[i]) / 2 / 20
	}
	return area
}

func TestPool_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		atoms := randomAtoms(r, r.IntN(60))
		if seed%2 == 0 { // few of them tied
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
			if want := oracle.AUCPR(atoms); math.Abs(got.AUCPR-want) > 1e-13 {
				t.Fatalf("seed %d, atoms %v: AUC-PR: got %v, want %v", seed, atoms, got.AUCPR, want)
			}
		}
		if len(atoms) == 0 {
			check.Equal(t, "of no atoms, NaN", math.IsNaN(got.CalibrationError), true)
			continue
		}
		if want := oracle.CalibrationError(atoms); !(math.Abs(got.CalibrationError-want) <= 1e-13) {
			t.Fatalf("seed %d, atoms %v: calibration error: got %v, want %v", seed, atoms, got.CalibrationError, want)
		}
	}
}

func TestCalibrationError_ByHand(t *testing.T) {
	t.Parallel()
	var twenty []rank.Scored // two a bin, .0 and .05, .1 and .15, ..: of each two the first is true
	for i := range 20 {
		twenty = append(twenty, rank.Scored{P: float64(i) / 20, True: i%2 == 0})
	}
	tests := []struct {
		name  string
		atoms []rank.Scored
		want  float64
	}{
		{"all tied: one bin", []rank.Scored{{.5, true}, {.5, false}, {.5, false}, {.5, false}}, .25},
		{"each atom in a bin", []rank.Scored{{.9, true}, {.8, false}, {.1, false}}, (.1 + .8 + .1) / 3},
		{"sure and right", []rank.Scored{{1, true}, {1, true}, {0, false}}, 0},
		// The means are .025, .125, .. .925; half of each bin is true: ten distances |.025 + i/10 - .5|.
		{"two a bin", twenty, (.475 + .375 + .275 + .175 + .075 + .025 + .125 + .225 + .325 + .425) / 10},
		// Eleven atoms of .2 share a bin, though they are more than a tenth; those after them begin bin 5.
		{
			"ties fill five bins",
			append(slices.Repeat([]rank.Scored{{P: .2}}, 11), slices.Repeat([]rank.Scored{{.9, true}}, 9)...),
			(11*.2 + 9*.1) / 20,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := rank.Pool(tt.atoms).CalibrationError; !(math.Abs(got-tt.want) <= 1e-14) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Marginals from which truths are drawn are calibrated, those that are halved are not.
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
	if got := rank.Pool(right).CalibrationError; got > .02 {
		t.Errorf("seed %d: got %v, want less than .02", seed, got)
	}
	if got := rank.Pool(halved).CalibrationError; math.Abs(got-.25) > .02 {
		t.Errorf("seed %d: of halved marginals: got %v, want .25", seed, got)
	}
}

// A curve has every atom once, the bins of the calibration error, and an area near that of the whole ranking; of few atoms it is the
// ranking, block by block.
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
