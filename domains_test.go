package resolwe_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
)

// Models and facts as written for Alchemy, with the probabilities that its semantics gives: computed by hand over the constants of facts and
// formulas. The second is the example of Richardson and Domingos (Markov logic networks, 2006, section 4), of one constant.
func TestInfer_FormulaConstants(t *testing.T) {
	t.Parallel()
	sigma := func(w float64) float64 { return 1 / (1 + math.Exp(-w)) }
	e := math.Exp(1.5)
	const shooting = "happens(event, time)\nHolds(fluent, time)\n2 happens(Shoot, t) => Holds(Dead, t)\n-1 Holds(f, t)\n"
	for name, test := range map[string]struct {
		model, db, targets string
		want               map[string]float64
	}{
		"an atom that no fact mentions": {
			shooting, "happens(Shoot, 1)\nhappens(Load, 2)\n", "Holds",
			map[string]float64{"Holds(Dead, 1)": sigma(1), "Holds(Dead, 2)": sigma(-1)},
		},
		"one constant": {
			"R(a)\nS(a)\n1.5 R(A) => S(A)\n", "", "R,S",
			map[string]float64{"R(A)": (1 + e) / (1 + 3*e), "S(A)": 2 * e / (1 + 3*e)},
		},
		"a hard formula": {
			"R(a)\nS(a)\nR(A) => S(A).\n0.7 R(x)\n", "", "R,S",
			map[string]float64{"R(A)": math.Exp(.7) / (2 + math.Exp(.7)), "S(A)": (1 + math.Exp(.7)) / (2 + math.Exp(.7))},
		},
		"under a negation": {
			"Kind(x, k)\nGood(x)\n0.9 !Kind(x, Bad) => Good(x)\n0.4 Kind(x, k) ^ Good(x)\n", "Kind(A, Fine)\n", "Good",
			map[string]float64{"Good(A)": sigma(1.3)},
		},
		"a variable that ranges over it": { // 0.5 for each of k = Fine, Bad that is not the kind
			"Kind(x, k)\nGood(x)\n0.5 !Kind(x, k) ^ Good(x)\n0 Kind(x, Bad) ^ Good(x)\n", "Kind(A, Fine)\n", "Good",
			map[string]float64{"Good(A)": sigma(.5)},
		},
		"in a comparison": { // k = Bad is one of two groundings
			"Kind(x, k)\nOne(k)\nGood(x)\n0.5 !Kind(x, k) ^ k = Bad ^ Good(x)\n", "Kind(A, Fine)\n", "Good",
			map[string]float64{"Good(A)": sigma(.5)},
		},
		"under EXIST": {
			"Kind(x, k)\nGood(x)\n0.5 (EXIST k !Kind(x, k)) ^ Good(x)\n0 Kind(x, Bad) ^ Good(x)\n", "Kind(A, Fine)\n", "Good",
			map[string]float64{"Good(A)": sigma(.5)},
		},
		"in braces": {
			"Kind(x, k)\nGood(x)\n0.5 !Kind(x, k) ^ Good(x)\n0.2 #{y: Kind(y, Bad)} < 1 ^ Good(x)\n", "Kind(A, Fine)\n", "Good",
			map[string]float64{"Good(A)": sigma(.7)},
		},
		"numbers of evidence are values": { // !Age(x, n) for no n
			"Age(x, number)\nGood(x)\n0.5 !Age(x, n) ^ Good(x)\n0.1 !Age(x, 40) ^ Good(x)\n0.3 Age(x, n) ^ n >= 20 ^ n != 7 ^ Good(x)\n", "Age(A, 30)\n", "Good",
			map[string]float64{"Good(A)": sigma(.4)},
		},
		"a number of a target's atom": {
			"Is(x)\nAge(x, number)\n0.5 Is(x) => Age(x, 40)\n-1 Age(x, n)\n", "Is(A)\n", "Age",
			map[string]float64{"Age(A, 40)": sigma(-.5)},
		},
		"primes and hyphens": {
			"Friend(person, person)\nin-love(person)\n1 Friend(x, x') ^ x != x' ^ !Friend(x', x) => in-love(x')\n", "Friend(A-1, O'Hara)\n", "in-love",
			map[string]float64{`in-love("A-1")`: .5, `in-love("O'Hara")`: sigma(1)},
		},
	} {
		m, err := resolwe.ParseModel("a.mln", []byte(test.model), resolwe.ModelOptions{Targets: strings.Split(test.targets, ",")})
		check.OKf(t, err, "%s", name)
		subs := subgraphs(t, m, test.db+"\n")
		if len(subs) == 0 {
			subs = subgraphs(t, m, "@subgraph s\n")
		}
		path := file(t, "", "s.rsg", pack(t, m.Schema, subs, rsg.WriterOptions{}))
		for i, s := range []*resolwe.Stream{resolwe.NewStream(m, subs), open(t, m, resolwe.StreamOptions{Names: true}, path), open(t, m, resolwe.StreamOptions{}, path)} {
			got, sum, want := map[string]float64{}, 0.0, 0.0
			err := inferring.Infer(t.Context(), m, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
				for k, p := range r.P {
					sum += p
					if i < 2 { // names are known
						got[r.Atom(k)] = p
					}
				}
				return nil
			})
			check.OKf(t, err, "%s", name)
			for atom, p := range test.want {
				want += p
				if v, ok := got[atom]; i < 2 && (!ok || math.Abs(v-p) > 1e-12) {
					t.Errorf("%s: P(%s) = %v, want %v", name, atom, v, p)
				}
			}
			check.Near(t, sum, want, 1e-12, "%s: sum over all atoms", name)
		}
	}
}

// What is offered to selection changes no count; what is selected and written belongs to the model. All systems of a stage over candidates see the
// same atoms.
func TestSelect_CandidateConstants(t *testing.T) {
	t.Parallel()
	const declared = "e(a)\nis(a, b)\ntarget q(b)\ntarget listed w(a)\n"
	const db = "@subgraph s1\ne(A1)\nis(A1, B1)\nq(B1)\nw(A1)\n@subgraph s2\ne(A2)\nis(A2, B2)\n!w(A2)\nq(B2)\n"
	counts := func(text string, offered bool) string {
		m := parse(t, declared+text)
		s := inMemory(t, m, db)
		if offered {
			sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Criterion: resolwe.Paper, Threshold: new(0.1)})
			check.OK(t, err)
			return fmt.Sprintf("%+v %v", sel.Candidates[0].Totals, rules(sel.Selected))
		}
		var out strings.Builder
		check.OK(t, inferring.Counts(t.Context(), m, s, resolwe.Run{}, func(name string, counts []resolwe.Count) error {
			fmt.Fprint(&out, name, counts[0], " ")
			return nil
		}))
		return out.String()
	}
	const free, named = "e(x) => q(y)\n", "is(x, B9) ^ e(x) => w(x)\n"
	check.Equal(t, "totals beside another candidate", counts(free+named, true), counts(free, true))
	if got, want := counts(free+"1 "+named, true), counts(free, true); got == want {
		t.Error("the constant of a weighted formula changes no count of a candidate")
	}
	// e(x) => q(y) holds for the one entity of each subgraph, and for B9, of which it is false, it does not.
	check.Equal(t, "counts without the constant", counts(free, false), "s11 s21 ")
	check.Equal(t, "counts with it", counts("1 e(x) => !q(y)\n1 "+named, false), "s11 s21 ")

	m := parse(t, declared+free+named)
	s := inMemory(t, m, db)
	atoms := func(m *resolwe.Model, s *resolwe.Stream) (n int) {
		check.OK(t, inferring.Infer(t.Context(), m, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			n += r.Len()
			return nil
		}))
		return n
	}
	check.Is(t, atoms(m, s), 6, "atoms of inference with all formulas")
	check.Is(t, atoms(m.With(m.Formulas[:1]), s), 4, "atoms of inference with the first")
	check.Is(t, atoms(m, s.WithoutCandidates()), 4, "atoms where formulas are candidates")
	texts, err := contents(t, m, s.AsStored())
	check.OK(t, err)
	check.Is(t, strings.Contains(strings.Join(texts, ""), "B9"), false, "constants of formulas in what is packed")
}

// The domains that belong to formulas are the same for every kind of stage and export.
func TestDomains(t *testing.T) {
	t.Parallel()
	m := parse(t, "number days\nb = {B1}\nis(a, b)\nsince(a, days)\ntarget q(a)\n"+
		"1 is(x, B2) ^ y != A3 ^ is(y, B1) => q(x)\n#{y: is(y, B2) ^ is(y, \"b 4\")} >= 2 ^ q(A5)\n2 since(x, n) ^ n >= 3 ^ n != 4.0 ^ since(x, 5) ^ q(x)\n")
	check.Equal(t, "of all formulas", fmt.Sprint(m.Schema.Domains(m.Constants, m.Formulas)), "[[] [B1 B2 b 4] [A3 A5]]")
	check.Equal(t, "of those that are no candidates", fmt.Sprint(m.Schema.Domains(m.Constants, mln.Given(m.Formulas))), "[[] [B1 B2] [A3]]")
	check.Equal(t, "type lines stay", fmt.Sprint(m.Constants), "[[] [B1] []]")
}
