package report_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/cmd/internal/report"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

// What is appended is what encoding/json prints.
func TestAppend(t *testing.T) {
	t.Parallel()
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, .1, 1e-6, 9.999e-7, 1e-9, 1e21, 9.99e20, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(-1)}
	for range 1000 {
		numbers = append(numbers, r.Float64(), math.Float64frombits(r.Uint64()))
	}
	for _, v := range numbers {
		want, err := json.Marshal(render.Number(v))
		check.OK(t, err)
		if got := report.AppendNumber(render.Number(v), []byte("x")); string(got) != "x"+string(want) {
			t.Errorf("%v: got %s, want x%s (seed %d)", v, got, want, seed)
		}
	}
	texts := []string{"", "p(A, B)", `a"b`, `a\b`, "<&>", "tab\t", "\x7f", "é", "\xff", "\u2028", "~ !"}
	for range 1000 {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		want, err := json.Marshal(text)
		check.OK(t, err)
		if got := report.AppendText([]byte("x"), []byte(text)); string(got) != "x"+string(want) {
			t.Errorf("%q: got %s, want x%s (seed %d)", text, got, want, seed)
		}
	}
}
