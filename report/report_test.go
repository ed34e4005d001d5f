package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

const task = `e(a, b)
f(b)
target q(a)
target listed r(b)
template L(x, y) = e(x, y) | e(x, y) ^ f(y) | !f(y)
L(x, y) => q(x)
e(x, y) => r(y)
e(x, y) ^ q(x) => r(y)
`

const weighted = `e(a, b)
f(b)
target q(a)
target listed r(b)
0.5 e(x, y) ^ f(y) => q(x)
-1 f(y) => r(y)
.7 log: e(x, y) ^ q(x)
!r(y) v f(y).
`

// made returns the page of a report on a number of subgraphs, with hostile names if requested.
func made(t *testing.T, model string, subgraphs, workers int, hostile bool) string {
	t.Helper()
	m := streamtest.Parse(t, model)
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(3, subgraphs))
	for i, s := range subs {
		s.Time = resolwe.Time{Unix: int64(i) * 86400, Known: true}
		if hostile {
			s.Name = hostileNames[i%len(hostileNames)] + strconv.Itoa(i)
			for d := range s.Domains {
				s.Domains[d].Names = hostileEntities{}
			}
		}
	}
	opt := report.Options{Begin: func(string, int) resolwe.Run { return resolwe.Run{Workers: workers} }}
	opt.Cross.Select.Gain.Gate = new(0.)
	opt.Cross.Systems = streamtest.Try(crossval.Named("gain", "single", "base"))
	opt.About = report.About{Version: "v", Command: "resolwe report </pre>", Inputs: []report.Input{{Path: "<b>", Bytes: 1, SHA256: "ab"}}}
	r, err := report.Make(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	var out bytes.Buffer
	check.OK(t, r.Write(&out))
	return out.String()
}

var hostileNames = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "]]></style><b>", "a\u202eb\x00", "\xff\xfe", strings.Repeat("long ", 2000), "{{.}}",
}

// hostileEntities names entities with hostile names.
type hostileEntities struct{}

func (hostileEntities) Name(id uint32) string {
	return hostileNames[int(id)%len(hostileNames)] + strconv.FormatUint(uint64(id), 10)
}
func (hostileEntities) Lookup(string) (id uint32, ok bool) { return 0, false }

var _ subgraph.Names = hostileEntities{}

// checkPage checks that a page is well-formed, and contains the ids and names that links and labels refer to.
func checkPage(t *testing.T, page string) (elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	ids := map[string]bool{}
	var refers []string
	d := xml.NewDecoder(strings.NewReader(withoutScript(page)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		check.OK(t, err)
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements[e.Name.Local]++
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "id":
				check.Equal(t, "id "+a.Value+" is listed twice", ids[a.Value], false)
				ids[a.Value] = true
			case "href":
				check.Equal(t, "link", a.Value[:1], "#")
				refers = append(refers, a.Value[1:])
			case "aria-labelledby":
				refers = append(refers, strings.Fields(a.Value)...)
			case "src", "onclick", "onerror":
				t.Errorf("an attribute %s", a.Name.Local)
			}
		}
	}
	for _, id := range refers {
		check.Equal(t, "there is "+id, ids[id], true)
	}
	if foreign := regexp.MustCompile(`https?:|@import|url\(|//[a-z]|<(img|link|iframe|object)|eval\(|innerHTML`).FindString(page); foreign != "" {
		t.Errorf("the page has %q", foreign)
	}
	check.AtMost(t, elements["script"], 2, "scripts: the data of the cases, and one that runs")
	check.Equal(t, "at most 2 MB", len(page) <= 2<<20, true)
	return elements
}

// The page of a task has every section, and the same bytes for any number of workers.
func TestReport_Task(t *testing.T) {
	t.Parallel()
	page := made(t, task, 24, 1, false)
	elements := checkPage(t, page)
	check.Equal(t, "same bytes with three workers", made(t, task, 24, 3, false) == page, true)
	for _, id := range []string{"again", "experts"} {
		check.Equal(t, "section "+id, strings.Contains(page, `<section id="`+id+`"`), true)
	}
	check.Equal(t, "nothing was sampled", strings.Contains(page, "drawn at random"), false)
	check.Equal(t, "no times", strings.Contains(page, "Seconds of each step"), false)
	for name, least := range map[string]int{"figure": 4, "table": 5, "caption": 5, "main": 1, "nav": 1, "h1": 1, "dl": 1} {
		check.AtLeast(t, elements[name], least, "elements %s", name)
	}
	for _, want := range []string{"each of the 4 test parts", "p, adjusted", "resolwe report &lt;/pre&gt;", "&lt;b&gt;", "Path of selection"} {
		check.Equal(t, "the page says "+want, strings.Contains(page, want), true)
	}
}

// The page of a row task is headed by measures that pool its atoms, with their intervals.
func TestReport_RowTask(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "a(x)\ntarget listed q(x)\na(x) => q(x)\n")
	var db strings.Builder
	for i := range 40 {
		fmt.Fprintf(&db, "@subgraph s%d\n%sq(X)\n", i, []string{"", "a(X)\n", "!", "a(X)\n!"}[i*i%7%4])
	}
	opt := report.Options{Cross: crossval.Options{Systems: streamtest.Try(crossval.Named("gain", "base")), Test: 3}}
	r, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, db.String()), opt)
	check.OK(t, err)
	check.Is(t, len(r.Cross.Tested), 40, "subgraphs tested")
	var out bytes.Buffer
	check.OK(t, r.Write(&out))
	page := out.String()
	checkPage(t, page)
	in := r.Cross.Systems[0].Intervals.LogLoss
	for want, is := range map[string]bool{
		"a row task": true, "Log-loss": true, fmt.Sprintf("[%.3f,\u00a0%.3f]", in[0], in[1]): true, "Means over subgraphs": false,
	} {
		check.Is(t, strings.Contains(page, want), is, "the page says %s", want)
	}
}

// A model with weights is evaluated as it is, and the page says so.
func TestReport_Model(t *testing.T) {
	t.Parallel()
	page := made(t, weighted, 9, 2, false)
	checkPage(t, page)
	check.Equal(t, "path", strings.Contains(page, "Path of selection"), false)
	check.Equal(t, "what is evaluated", strings.Contains(page, "nothing was held out"), true)
	check.Equal(t, "hard formula", strings.Contains(page, ">hard<"), true)

	// Of a model that was selected, what is established is told apart, and the rest follows it.
	page = made(t, strings.NewReplacer(".7 log", "//= also used for prediction\n.7 log", "0.5 e", "//= established\n0.5 e").Replace(weighted), 9, 2, false)
	checkPage(t, page)
	check.Is(t, strings.Count(page, `<span class="note">also used for prediction</span>`), 1, "formulas used for prediction alone")
	check.Contains(t, page, "it does not allow for the choice", "intervals")
}

// Names in the data are shown as text, whatever they contain.
func TestReport_Hostile(t *testing.T) {
	t.Parallel()
	for _, model := range []string{task, "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n0.5 e(x, y) ^ f(y) => q(x)\n-1 f(y) => r(y)\n"} {
		page := made(t, model, 21, 2, true)
		checkPage(t, page)
		check.Equal(t, "marks of direction", strings.ContainsAny(page, "\u202e\x00"), false)
	}
}

func TestReport_NoTruth(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a)\ntarget listed q(a)\n1 e(x) => q(x)\n")
	s := streamtest.InMemory(t, m, "@subgraph s\ne(A)\n?q(A)\n")
	check.ErrorIs(t, check.Err(report.Make(t.Context(), m, s, report.Options{})), report.ErrNoTruth, "error")
}

// If only some subgraphs are tested, the page says so, and its figures are for these; those of formulas are for all.
func TestReport_Sample(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, task)
	s := streamtest.InMemory(t, m, streamtest.IndependentDB(3, 24))
	opt := report.Options{Cross: crossval.Options{Systems: streamtest.Try(crossval.Named("gain", "base")), Test: 4}}
	r, err := report.Make(t.Context(), m, s, opt)
	check.OK(t, err)
	check.Equal(t, "tested", len(r.Cross.Tested), 16)
	check.Equal(t, "fitted", r.Fitted, 16)
	check.Equal(t, "subgraphs with marginals", r.Quality.Subgraphs, 16)
	opt.Cross.Test = 0
	all, err := report.Make(t.Context(), m, s, opt)
	check.OK(t, err)
	for i := range r.Formulas {
		few, full := &r.Formulas[i], &all.Formulas[i]
		check.Equal(t, "shares", []any{few.Support, few.Rate, few.Elsewhere}, []any{full.Support, full.Rate, full.Elsewhere}, cmpopts.EquateNaNs())
		check.Equal(t, "there is an interval of the weight", few.Weight.Defined(), full.Weight.Defined())
	}
	var page bytes.Buffer
	check.OK(t, r.Write(&page))
	checkPage(t, page.String())
	for _, want := range []string{"drawn at random, the same for all systems: 16 of 24", "at most 4 subgraphs of a fold", "expanded to all 24", "subgraphs tested"} {
		check.Equal(t, "the page says "+want, strings.Contains(page.String(), want), true)
	}
}

// A formula whose count grows with the subgraphs is marked among the formulas.
func TestReport_Growth(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a, b)\ntarget listed q(a)\ne(x, y) => q(x)\n")
	var db strings.Builder
	for s := range 24 {
		fmt.Fprintf(&db, "@subgraph s%d\n", s)
		for a := range 10 {
			n := (1 + s/4) * (1 + a) / 5
			for b := range n {
				fmt.Fprintf(&db, "e(A%d, B%d)\n", a, b)
			}
			sign := "!"
			if (n >= 4) != (a == s%10) {
				sign = ""
			}
			fmt.Fprintf(&db, "%sq(A%d)\n", sign, a)
		}
	}
	opt := report.Options{Begin: func(string, int) resolwe.Run { return resolwe.Run{Workers: 1} }}
	opt.Cross.Systems = streamtest.Try(crossval.Named("gain", "base"))
	r, err := report.Make(t.Context(), m, resolwe.NewStream(m, streamtest.Subgraphs(t, m, db.String())), opt)
	check.OK(t, err)
	var out bytes.Buffer
	check.OK(t, r.Write(&out))
	check.Contains(t, out.String(), "in doubt: what it counts grows with the subgraph", "formulas")
	check.Contains(t, out.String(), "counts what grows with the subgraph (rank correlation", "diagnostics")
}
