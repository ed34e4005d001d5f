package examples_test

import (
	"os"
	"strings"
	"testing"

	"resolwe"
	"resolwe/bench/csvtables"
	"resolwe/bench/shop"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// TestShop goes from the shop's tables to formulas, by the recipe of the example and by one that a draft without windows once was: the
// planted causes are among the first ten.
func TestShop(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	dir := t.TempDir()
	_, err := shop.Generate(t.Context(), dir, csvtables.Options{Scale: .2, Seed: 1})
	check.OK(t, err)
	for task, causes := range map[string][]string{
		"shop/shop":           {"lastVisit(", "lastOrder(", "returned(", "boughtLately("},
		"shop/testdata/draft": {"visits_last_customer_id(", "orders_last_customer_id(", "returns_customer_id", "_lately("},
	} {
		first := firstFormulas(t, task, dir)
		for _, cause := range causes {
			check.Contains(t, first, cause, "%s", task)
		}
	}
}

// firstFormulas returns the first ten formulas that selection keeps of what it discovers.
func firstFormulas(t *testing.T, task, dir string) string {
	t.Helper()
	m := read(t, task+".mln")
	src, err := os.ReadFile(task + ".recipe")
	check.OK(t, err)
	var subgraphs []*subgraph.Subgraph
	_, err = resolwe.Build(t.Context(), m, task, src, resolwe.BuildOptions{Dir: dir}, func(s *subgraph.Subgraph) error {
		subgraphs = append(subgraphs, s)
		return nil
	})
	check.OK(t, err)
	s := resolwe.NewStream(m, subgraphs)
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Length: 2})
	check.OK(t, err)
	sel, err := resolwe.Select(t.Context(), found.Model, s, resolwe.SelectOptions{})
	check.OK(t, err)
	kept, _ := sel.Model(found.Model)
	var text strings.Builder
	for _, f := range kept.Formulas[:min(11, len(kept.Formulas))] { // with the unit clause
		text.WriteString(mln.FormatRule(f) + "\n")
	}
	return text.String()
}
