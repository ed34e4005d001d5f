package ground_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// rules are conjunctions that count; each stands beside the implication that has the same slope, which takes another route.
var rules = []string{
	"#{z: e(x, z)} >= 2 ^ r(x)",
	"#{z: e(x, z)} >= 2 ^ !g(x) ^ #{z: f(z, x)} < 2 ^ r(x)",
	"#{z: e(x, z) ^ f(z, x)} = 1 ^ r(x)",
	"#{z: e(x, z) ^ e(y, z)} >= 2 ^ q(x, y)",
	"#{z: e(x, z) ^ e(z, y)} < 1 ^ #{z: e(x, z)} >= 1 ^ q(x, y)",
	"#{z: f(z, y) ^ g(z)} != 2 ^ q(x, y)",
	"#{z, w: e(x, z) ^ e(w, y)} >= 3 ^ g(y) ^ q(x, y)",
	"!(g(x) ^ g(y)) ^ #{z: e(y, z)} >= 2 ^ q(x, y)",
	"#{z: e(x, z) ^ z != y} >= 2 ^ q(y, x)",
	"#{n: age(x, n) ^ n >= 3} >= 1 ^ #{z: e(x, z)} < 3 ^ r(x)",
	"#{z: e(z, z)} >= 1 ^ r(x)",
	"e(x, y) ^ #{z: e(z, y)} < 3 ^ q(x, y)",
}

// ruleTask has two times each rule, and facts of a few persons.
func ruleTask(r *rand.Rand) (model, db string) {
	var m, d strings.Builder
	listed := []string{"", "listed "}[r.IntN(2)]
	fmt.Fprintf(&m, "e(p, p)\nf(p, p)\ng(p)\nage(p, number)\ntarget listed q(p, p)\ntarget %sr(p)\n", listed)
	for _, rule := range rules {
		at := strings.LastIndex(rule, " ^ ")
		fmt.Fprintf(&m, "1 %s\n1 %s => %s\n", rule, rule[:at], rule[at+3:])
	}
	n := 2 + r.IntN(6)
	for i := range n {
		fmt.Fprintf(&d, "age(P%d, %d)\n", i, r.IntN(6))
		if r.IntN(2) == 0 {
			fmt.Fprintf(&d, "g(P%d)\n", i)
		}
		if r.IntN(3) > 0 {
			fmt.Fprintf(&d, "%sr(P%d)\n", []string{"", "!", "?"}[r.IntN(3)], i)
		}
		for k := range n {
			for _, pred := range []string{"e", "f"} {
				if r.IntN(2) == 0 {
					fmt.Fprintf(&d, "%s(P%d, P%d)\n", pred, i, k)
				}
			}
			if r.IntN(4) > 0 {
				fmt.Fprintf(&d, "%sq(P%d, P%d)\n", []string{"", "!", "?"}[r.IntN(3)], i, k)
			}
		}
	}
	return m.String(), d.String()
}

func TestGrounder_Rules(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	found := make([]int, len(rules))
	for i := range uint64(150) {
		model, db := ruleTask(rand.New(rand.NewPCG(seed, i)))
		c := jointest.Load(t, model, db)
		for _, mode := range []ground.Mode{ground.Learning, ground.Predicting, ground.Conditioning} {
			net := networkOf(t, c, mode, func(*ground.Program) {})
			slopes := make([]map[int]int64, len(c.Model.Formulas)) // by formula, then atom
			for f := range slopes {
				slopes[f] = map[int]int64{}
			}
			for a := range net.NumAtoms {
				for _, k := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
					slopes[k.Formula][a] = k.Mult
				}
			}
			for k, rule := range rules {
				found[k] += len(slopes[2*k])
				if !reflect.DeepEqual(slopes[2*k], slopes[2*k+1]) {
					t.Fatalf("task %d, mode %d: %s: got %v, want %v\n%s", i, mode, rule, slopes[2*k], slopes[2*k+1], db)
				}
			}
			wantConstants(t, net, mode)
		}
	}
	for k, n := range found {
		if n == 0 {
			t.Errorf("%s never held", rules[k])
		}
	}
}

// wantConstants compares what formulas have for sure: an implication has one more for each of its groundings whose body
// does not hold, which this does not know, so that only rules without fixed atoms are looked at.
func wantConstants(t *testing.T, net *network.Network, mode ground.Mode) {
	t.Helper()
	if mode == ground.Conditioning {
		return
	}
	for k := range rules {
		if net.Constant[2*k] != 0 {
			t.Errorf("%s: got a constant of %d where all atoms are free", rules[k], net.Constant[2*k])
		}
	}
}
