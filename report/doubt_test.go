package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

// TestDoubts checks that doubts about a result are among the diagnostics and the null stream is in the table of systems, and that neither
// appears without cause.
func TestDoubts(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "f(a)\ne(a)\ntarget listed q(a)\nf(x) => q(x)\ne(x) => q(x)\n")
	stream := func(subgraphs, leak int) *resolwe.Stream {
		var b strings.Builder
		for s := range subgraphs {
			fmt.Fprintf(&b, "@subgraph s%d\n", s)
			for i := range 8 {
				truth := i < 3
				fmt.Fprintf(&b, "%sq(A%d)\n", map[bool]string{false: "!"}[truth], i)
				if i < leak || i == 4 && leak == 0 && s%2 == 0 {
					fmt.Fprintf(&b, "f(A%d)\n", i)
				}
				if (i+s)%3 == 0 {
					fmt.Fprintf(&b, "e(A%d)\n", i)
				}
			}
		}
		return streamtest.InMemory(t, m, b.String())
	}
	said := func(s, null *resolwe.Stream) (notes, page string) {
		opt := report.Options{}
		opt.Cross.Systems, opt.Cross.Null = streamtest.Try(crossval.Named("gain", "base")), null
		r, err := report.Make(t.Context(), m, s, opt)
		check.OK(t, err)
		var out bytes.Buffer
		check.OK(t, r.Write(&out))
		_, diagnostics, _ := strings.Cut(out.String(), "How marginals were computed")
		return regexp.MustCompile(`(?s)<ul.*?</ul>`).FindString(diagnostics), out.String()
	}
	text, page := said(stream(20, 2), stream(20, 2))
	for _, want := range []string{"is stated only for true atoms, ", "it may be the answer in disguise", "How candidates were drawn tells true from false"} {
		check.Contains(t, text, want, "text")
	}
	if !strings.Contains(page, "what comes from how candidates were drawn") || strings.Contains(page, "too coarse") {
		t.Error("the null stream is no row, or 20 subgraphs are too few")
	}
	text, page = said(stream(8, 0), nil)
	if strings.Contains(text, "disguise") || strings.Contains(page, "on the null stream") {
		t.Errorf("got %s, want no doubt", text)
	}
	if !strings.Contains(page, "the unit is too coarse for tests") || strings.Contains(page, "at the 5% level") {
		t.Error("8 subgraphs are not said to be too few")
	}
}
