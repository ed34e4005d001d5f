package cd_test

import (
	"math"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
)

// Weights that approach 1 like 1/t settle once a quarter's average is within a hundredth of a standard error of the next one's,
// three times running; a state between two passes changes nothing.
func TestCourse_Settles(t *testing.T) {
	t.Parallel()
	var c cd.Course
	errs := func() []float64 { return []float64{.5, 2} }
	at := func(pass int) []float64 { return []float64{1 - 1/float64(pass), 7} }
	mean := func(begin, end int) (sum float64) {
		for p := begin; p < end; p++ {
			sum += at(p + 1)[0] / float64(end-begin)
		}
		return sum
	}
	calm, passes := 0, 0
	for calm < 3 {
		passes++
		for range 3 {
			c.Add(at(passes))
		}
		check.MustIs(t, c.EndPass(), passes, "passes")
		if passes%4 == 0 {
			drift := math.Abs(mean(passes*3/4, passes)-mean(passes/2, passes*3/4)) / .5
			if calm++; drift > .01 {
				calm = 0
			}
			c.Settled(errs)
			check.MustNear(t, c.Drift, drift, 1e-12, "pass %d, drift", passes)
		} else {
			c.Settled(errs)
		}
		check.MustIs(t, c.Calm(), calm >= 3, "pass %d, calm", passes)
		w := wire.NewWriter("")
		c.Code(w)
		r := wire.NewReader(w.Sealed(), "")
		c = cd.Course{}
		if c.Read(r, 2); !r.Done() {
			t.Fatal("a state is not read")
		}
	}
	if got := c.Result(); math.Abs(got[0]-mean(passes/2, passes)) > 1e-12 || got[1] != 7 {
		t.Errorf("got %v, want %v and 7", got, mean(passes/2, passes))
	}
	if passes < 16 || passes > 400 {
		t.Errorf("settled after %d passes", passes)
	}
}

func TestCourse_Read(t *testing.T) {
	t.Parallel()
	var c cd.Course
	c.Add([]float64{1, 2})
	c.EndPass()
	w := wire.NewWriter("")
	c.Code(w)
	r := wire.NewReader(w.Sealed(), "")
	if c.Read(r, 3); r.Done() {
		t.Error("a state of other weights was read")
	}
	var none cd.Course
	check.Equal(t, "result of no pass", none.Result(), []float64(nil))
}

// Standard errors are those of the information with the prior's.
func TestOptimizer_Errors(t *testing.T) {
	t.Parallel()
	o := cd.NewOptimizer(make([]float64, 3), []bool{false, false, true}, .5, 10, 1)
	o.Begin([]float64{1, 2, 3}, []float64{5, 2, 0, 2, 4, 0, 0, 0, 1})
	// (9 2; 2 8) has the inverse (8 -2; -2 9) / 68.
	for i, want := range []float64{math.Sqrt(8. / 68), math.Sqrt(9. / 68), 0} {
		check.Near(t, o.Errors()[i], want, 1e-9, "weight %d", i)
	}
}
