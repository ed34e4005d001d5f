package examples_test

import (
	"os"
	"strings"
	"testing"

	"resolwe"
	"resolwe/bench/shop"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// TestShop goes from the shop's tables to formulas: the planted causes are among the first ten.
func TestShop(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	dir := t.TempDir()
	_, err := shop.Generate(t.Context(), dir, shop.Options{Scale: .2, Seed: 1})
	check.OK(t, err)
	m := read(t, "shop/shop.mln")
	src, err := os.ReadFile("shop/shop.recipe")
	check.OK(t, err)
	var subgraphs []*subgraph.Subgraph
	_, err = resolwe.Build(t.Context(), m, "shop.recipe", src, resolwe.BuildOptions{Dir: dir}, func(s *subgraph.Subgraph) error {
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
	for _, cause := range []string{"lastVisit(", "lastOrder(", "returned(", "boughtLately("} {
		if !strings.Contains(text.String(), cause) {
			t.Errorf("got no formula with %s among the first:\n%s", cause, text.String())
		}
	}
}
