package subgraph_test

import (
	"errors"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// read returns a model, as a source's or as its own.
func read(t *testing.T, text string) *mln.Model {
	t.Helper()
	m, err := mln.Parse("task.mln", []byte(text), mln.Options{})
	check.OK(t, err)
	return m
}

// A subgraph is shown with the model's predicates, in their order, and the constants of its type lines.
func TestMap_Project(t *testing.T) {
	t.Parallel()
	source := read(t, "extra(b)\nlikes(a, b)\ntarget q(a)\n")
	model := read(t, "a = {A1, New}\ntarget q(a)\nlikes(a, b)\n")
	m, err := subgraph.NewMap(subgraph.ModelSchema{Schema: &model.Schema}, "s.db", &source.Schema)
	check.OK(t, err)
	r, err := facts.NewReader(strings.NewReader("extra(B1)\nlikes(A1, B2)\nq(A2)\n"), "s.db", &source.Schema)
	check.OK(t, err)
	sub, err := r.Next()
	check.OK(t, err)
	var memory subgraph.Projection
	got, err := m.Project(&memory, sub, 7, subgraph.NewConstants(model.Constants))
	check.OK(t, err)
	var b strings.Builder
	check.OK(t, facts.Write(&b, got, &model.Schema))
	for _, want := range []string{"likes(A1, B2)", "q(A2)", "New"} {
		check.Contains(t, b.String(), want, "text")
	}
	check.Equal(t, "position", got.Index, 7)
	check.Equal(t, "entities", got.Domains[model.Schema.Type("a")].Size, 3)
}

func TestNewMap_SaysWhatDiffers(t *testing.T) {
	t.Parallel()
	model := read(t, "likes(a, b)\ntarget q(a)\n")
	for source, want := range map[string]string{
		"likes(a, b)\nq(a)\n":        "s.db does not fit the model: it has q(a), the model target q(a)",
		"like(a, b)\ntarget q(a)\n":  "s.db does not fit the model: it has no predicate likes (but like)",
		"likes(a, a)\ntarget q(a)\n": "s.db does not fit the model: it has likes(a, a), the model likes(a, b)",
	} {
		_, err := subgraph.NewMap(subgraph.ModelSchema{Schema: &model.Schema}, "s.db", &read(t, source).Schema)
		if e := (*subgraph.SchemaError)(nil); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Kinds of numbers are types of their own.
func TestNewMap_Kinds(t *testing.T) {
	t.Parallel()
	model := read(t, "number points\nhas(a, points)\n")
	for source, want := range map[string]string{
		"b(a)\nhas(a, points)\nnumber points":              "",
		"has(a, points)\n":                                 "s.db does not fit the model: it has the type points, the model number points",
		"has(a, number)\n":                                 "s.db does not fit the model: it has has(a, number), the model has(a, points)",
		"number seconds\nhas(a, seconds)\nis(a, points)\n": "s.db does not fit the model: it has has(a, seconds), the model has(a, points); it has the type points, the model number points",
	} {
		_, err := subgraph.NewMap(subgraph.ModelSchema{Schema: &model.Schema}, "s.db", &read(t, source).Schema)
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestMap_Center(t *testing.T) {
	t.Parallel()
	model := read(t, "likes(a, b)\ntarget q(a)\n")
	r, err := facts.NewReader(strings.NewReader("@subgraph s\nlikes(A1, B2)\n"), "s.db", &model.Schema)
	check.OK(t, err)
	sub, err := r.Next()
	check.OK(t, err)
	m, err := subgraph.NewMap(subgraph.ModelSchema{Schema: &model.Schema, Center: true}, "s.db", &model.Schema)
	check.OK(t, err)
	check.ErrorAs[*subgraph.CenterError](t, check.Err(m.Project(new(subgraph.Projection), sub, 0, subgraph.NewConstants(nil))), "error")
}
