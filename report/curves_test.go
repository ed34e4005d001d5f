package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
	"resolwe/watch"
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

// curve returns a curve of watch with an alarm and a takeover, in blocks of ten subgraphs.
func curve(blocks int) string {
	var b strings.Builder
	b.WriteString("block,first,subgraphs,ranked,alarms,model,weights")
	for _, s := range watch.Systems {
		fmt.Fprintf(&b, ",%[1]s_cll,%[1]s_map", s)
	}
	for i := range blocks {
		fmt.Fprintf(&b, "\n%d,%d,10,10,%d,%d,\"[{\"\"Formula\"\":\"\"<b> f(x)\"\",\"\"Weight\"\":%d,\"\"Error\"\":0.5}]\"", i+1, 10*i, 2*i/blocks, 1+3*i/blocks, i)
		b.WriteString(strings.Repeat(fmt.Sprintf(",-.%d,", 3+i%2), len(watch.Systems)))
	}
	return b.String()
}

// A curve becomes charts; those of a long one stay small. Other files are reported as damaged.
func TestReadWatched(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, weighted)
	for _, blocks := range []int{1, 30, 5000} {
		w, err := report.ReadWatched("c.csv", strings.NewReader(curve(blocks)))
		check.OK(t, err)
		r, err := report.Make(t.Context(), m, resolwe.NewStream(m, streamtest.Subgraphs(t, m, streamtest.IndependentDB(3, 6))), report.Options{Watched: w})
		check.OK(t, err)
		var out bytes.Buffer
		check.OK(t, r.Write(&out))
		page := out.String()
		checkPage(t, page)
		for _, want := range []string{"Over the stream", "&lt;b&gt; f(x)", fmt.Sprintf("model %d is in use", 1+3*(blocks-1)/blocks)} {
			check.Contains(t, page, want, "%d blocks", blocks)
		}
		check.AtMost(t, len(page), 200_000, "%d blocks, bytes", blocks)
	}
	good := curve(2)
	for name, text := range map[string]string{
		"empty": "", "header": strings.SplitN(good, "\n", 2)[0], "short row": good + "\n3,4", "word": strings.Replace(good, ",10,", ",ten,", 1),
		"order": strings.Replace(good, "2,10,", "2,0,", 1), "weights": strings.Replace(good, "[{", "[[", 1), "column": strings.Replace(good, "frozen_cll", "x", 1),
		"infinite": strings.Replace(good, "-.3", "Inf", 1),
	} {
		check.ErrorIs(t, check.Err(report.ReadWatched("c.csv", strings.NewReader(text))), subgraph.ErrCorrupt, "%s", name)
	}
}
