package report_test

import (
	"bytes"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

const grown = `system,parameter,cost,share,calls,facts,map,map_low,map_high,cll,cll_low,cll_high
policy,1,5,0.25,12.5,40,0.6,0.5,0.7,-0.4,-0.5,-0.3
grow,2,0,0,0,0,0.3,,,-0.7,-0.8,-0.6
grow,1,5,0.25,12.5,40,0.6,0.5,0.7,-0.4,-0.5,-0.3
prefix,0,0,0,0,0,0.3,0.2,0.4,-0.7,-0.8,-0.6
prefix,1,20,1,33.3,90,0.65,0.6,0.7,-0.3,-0.4,-0.2
random,0,20,1,33.3,90,,,,-0.3,-0.4,-0.2
entropy,0,20,1,33.3,90,0.65,0.6,0.7,-0.3,-0.4,-0.2
`

// Curves of grow eval become charts. Other files are reported as damaged.
func TestReadGrown(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, weighted)
	g, err := report.ReadGrown("c.csv", strings.NewReader(grown))
	check.OK(t, err)
	r, err := report.Make(t.Context(), m, resolwe.NewStream(m, streamtest.Subgraphs(t, m, streamtest.IndependentDB(3, 6))), report.Options{Grown: g})
	check.OK(t, err)
	var out bytes.Buffer
	check.OK(t, r.Write(&out))
	page := out.String()
	checkPage(t, page)
	for _, want := range []string{"What to fetch", "The policy makes 12.5 look-ups for a subgraph, at 25.0% of the cost of everything (33.3 look-ups). It reaches MAP 0.600"} {
		check.Contains(t, page, want, "page")
	}
	for name, text := range map[string]string{
		"empty": "", "header": strings.SplitN(grown, "\n", 2)[0], "no policy": strings.Replace(grown, "\npolicy", "\ngrow", 1), "two policies": strings.Replace(grown, "\nrandom", "\npolicy", 1),
		"system": strings.Replace(grown, "\nrandom", "\nother", 1), "missing": strings.Replace(grown, "\nrandom", "\nentropy", 1), "order": strings.Replace(grown, "\nprefix,0,0,0,", "\nprefix,0,40,2,", 1),
		"word": strings.Replace(grown, ",0.25,", ",many,", 1), "column": strings.Replace(grown, "map_low", "x", 1),
	} {
		check.ErrorIs(t, check.Err(report.ReadGrown("c.csv", strings.NewReader(text))), subgraph.ErrCorrupt, "%s", name)
	}
}
