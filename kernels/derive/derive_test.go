package derive_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/derive"
)

// The rewritten formulas on the subgraph with the derived relations have the same counts as the original formulas on the original
// subgraph.
func TestScratch_Extend_MatchesNaive(t *testing.T) {
	t.Parallel()
	derived := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 81))
		opt := oracle.TaskOptions{General: seed%2 == 0, Counts: true, Aggregates: true, Formulas: 6, Entities: 3, Subgraphs: 2, MaxAtoms: 12}
		model, db := oracle.RandomTask(r, opt)
		task := jointest.Load(t, model, db)
		relations := derive.New(&task.Model.Schema)
		formulas := relations.Formulas(task.Model.Formulas)
		scratch := derive.NewScratch(relations)
		for i, sub := range task.Subs {
			extended, err := scratch.Extend(sub)
			check.OKf(t, err, "seed %d", seed)
			check.OKf(t, extended.Check(relations.Schema()), "seed %d", seed)
			derived += len(extended.Relations) - len(sub.Relations)
			got := oracle.NewWorld(relations.Schema(), nil, extended).Values(formulas)
			want := oracle.NewWorld(&task.Model.Schema, nil, sub).Values(task.Model.Formulas)
			check.MustNoDiff(t, cmp.Diff(got, want), "seed %d, subgraph %d (-got +want) of\n%s\n%s", seed, i, model, db)
		}
	}
	check.AtLeast(t, derived, 2000, "derived relations")
}

// Data shared by subgraphs is stored outside them; the derived relations are the same.
func TestScratch_Extend_Shared(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 82))
		model, db := oracle.RandomTask(r, oracle.TaskOptions{Counts: true, Aggregates: true, Formulas: 8, Entities: 9, Subgraphs: 1})
		task := jointest.Load(t, model, db)
		schema := &task.Model.Schema
		complete := make([]*subgraph.Subgraph, 4)
		for i := range complete {
			complete[i] = jointest.Induce(schema, r, task.Subs[0], fmt.Sprint("s", i), 0.8)
		}
		shared := jointest.Share(schema, complete, nil)
		relations := derive.New(schema)
		relations.Formulas(task.Model.Formulas)
		a, b := derive.NewScratch(relations), derive.NewScratch(relations)
		for i := range complete {
			want, err := a.Extend(complete[i])
			check.OKf(t, err, "seed %d", seed)
			got, err := b.Extend(shared[i])
			check.OKf(t, err, "seed %d", seed)
			for k := len(schema.Predicates); k < len(want.Relations); k++ {
				check.MustEqual(t, fmt.Sprintf("seed %d, %s", seed, relations.Schema().Predicates[k].Name), columns(got, k), columns(want, k))
			}
		}
	}
}

// columns returns the tuples of a relation, nil if it is empty.
func columns(s *subgraph.Subgraph, pred int) [][]uint32 {
	if t := &s.Relations[pred].True; t.Len() > 0 {
		return t.Cols
	}
	return nil
}

func TestRelations_AreShared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		formulas string
		want     int
	}{
		"nothing to derive":    {"r(x, y) ^ q(x)", 0},
		"renamed, reordered":   {"#{y: r(x, y) ^ e(y)} >= 2 ^ q(x)\n#{z: e(z) ^ r(u, z)} >= 2 ^ e(u) ^ q(u)", 1},
		"opposite":             {"#{y: r(x, y)} < 2 ^ q(x)\n#{y: r(x, y)} > 1 ^ q(x)\n!#{y: r(x, y)} <= 1 ^ e(x) ^ q(x)", 1},
		"= and !=":             {"#{y: r(x, y)} = 2 ^ q(x)\n#{y: r(x, y)} != 2 ^ q(x)", 1},
		"none and some":        {"#{y: r(x, y)} = 0 ^ q(x)\n#{y: r(x, y)} >= 1 ^ q(x)\n#{y: r(x, y)} < 1 ^ e(x) ^ q(x)", 1},
		"another number":       {"#{y: r(x, y)} >= 2 ^ q(x)\n#{y: r(x, y)} >= 3 ^ q(x)", 2},
		"inner and shared":     {"#{y: r(x, y)} >= 2 ^ q(x)\n#{y: r(x, y)} >= 2 ^ q(z)", 2},
		"inner or shared":      {"#{y: r(y, x)} >= 2 ^ q(x)\n#{y: r(y, x)} >= 2 ^ q(z)", 2},
		"of nothing shared":    {"avg{n: a(x, n)} >= 2 ^ q(x)\navg{n: a(x, n)} >= 2 ^ q(z)", 2},
		"aggregates":           {"avg{n: a(x, n)} >= 2 ^ q(x)\n!avg{m: a(z, m)} >= 2 ^ q(z)\navg{m: a(z, m)} < 2 ^ q(z)", 2},
		"another direction":    {"#{y: r(x, y)} >= 2 ^ q(x)\n#{y: r(y, x)} >= 2 ^ q(x)", 2},
		"orders of numbers":    {"a(x, n) ^ n >= 3 ^ q(x)\na(x, n) ^ n < 3.0 ^ q(x)\na(x, m) ^ m > 3 ^ q(x)", 2},
		"an order in a count":  {"#{n: a(x, n) ^ n >= 3} >= 2 ^ q(x)\na(x, n) ^ n >= 3 ^ q(x)", 2},
		"always true or false": {"#{y: r(x, y)} >= 0 ^ q(x)\n#{y: r(x, y)} < 0 ^ q(x)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := jointest.Load(t, "e(t)\nr(t, t)\na(t, number)\ntarget q(t)\n"+c.formulas+"\n", "e(A)\n")
			relations := derive.New(&task.Model.Schema)
			relations.Formulas(task.Model.Formulas)
			check.Is(t, len(relations.Schema().Predicates)-len(task.Model.Schema.Predicates), c.want, "derived relations")
		})
	}
}

// A sum beyond the largest number is an error, an average of the same numbers is not; intermediate sums do not overflow.
func TestScratch_Extend_Overflow(t *testing.T) {
	t.Parallel()
	const model = "number points\na(t, points)\ntarget q(t)\nsum{n: a(x, n)} >= 3 ^ q(x)\navg{n: a(x, n)} > 1e308 ^ q(x)\n"
	for facts, want := range map[string]string{
		"a(A, 1e308)\na(A, 1.5e308)\n":               "sum{n: a(x, n)} is beyond the largest number, 1.8e308",
		"a(A, 1e308)\na(A, 1.5e308)\na(A, -1e308)\n": "",
	} {
		task := jointest.Load(t, model, facts)
		relations := derive.New(&task.Model.Schema)
		relations.Formulas(task.Model.Formulas)
		_, err := derive.NewScratch(relations).Extend(task.Subs[0])
		if e, ok := errors.AsType[*derive.OverflowError](err); ok != (want != "") || ok && e.Error() != want {
			t.Errorf("%q: got %v, want %q", facts, err, want)
		}
	}
}

func TestScratch_Extend_NoNumber(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, "a(t, number)\ntarget q(t)\na(x, n) ^ n >= 3 ^ q(x)\n", "a(A, 3)\n")
	sub := task.Subs[0]
	sub.Domains[task.Model.Schema.Type(mln.NumberType)].Names = named("three")
	relations := derive.New(&task.Model.Schema)
	relations.Formulas(task.Model.Formulas)
	_, err := derive.NewScratch(relations).Extend(sub)
	if e, ok := errors.AsType[*derive.NumberError](err); !ok || e.Name != "three" || !strings.Contains(err.Error(), "three") {
		t.Errorf("got %v, want a NumberError", err)
	}
}

// named gives every entity the same name.
type named string

func (n named) Name(uint32) string         { return string(n) }
func (named) Lookup(string) (uint32, bool) { return 0, false }
