package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/chromiumtest"
	"resolwe/report"
)

// readable returns the text of a page for all readers, without code, names from the data and the section for specialists; what of it they
// see before they open anything; and the number of elements.
func readable(t *testing.T, page string) (all, closed string, elements int) {
	t.Helper()
	var every, visible strings.Builder
	skip, fold := 0, 0
	d := xml.NewDecoder(strings.NewReader(withoutScript(page)))
	var within []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		check.OK(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			elements++
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "id" && a.Value == "experts" {
					name = "experts"
				}
				if a.Name.Local == "aria-label" && skip == 0 {
					every.WriteString(strings.ReplaceAll(a.Value, ";", ".\n") + "\n")
				}
			}
			within = append(within, name)
			switch name {
			case "script", "style", "code", "bdi", "experts":
				skip++
			case "details":
				fold++
			case "p", "li", "h1", "h2", "h3", "td", "th", "text", "figcaption", "dd", "summary", "caption", "title":
				every.WriteString("\n")
			}
			if name == "title" {
				fold++ // seen on a pointer alone
			}
		case xml.EndElement:
			switch within[len(within)-1] {
			case "script", "style", "code", "bdi", "experts":
				skip--
			case "details", "title":
				fold--
			}
			within = within[:len(within)-1]
		case xml.CharData:
			if skip == 0 {
				every.Write(e)
				if fold == 0 {
					visible.Write(e)
					visible.WriteString(" ")
				}
			}
		}
	}
	return every.String(), visible.String(), elements
}

// withoutScript returns a page without its script, which is not XML.
func withoutScript(page string) string {
	before, rest, _ := strings.Cut(page, "<script>")
	_, after, _ := strings.Cut(rest, "</script>")
	return before + "<script></script>" + after
}

var (
	private = regexp.MustCompile(`(?i)\b(atoms?|subgraphs?|gain|groundings?|log-odds|support|predicates?)\b`)
	causal  = regexp.MustCompile(`(?i)\b(because|causes?|effects?|affects?|impacts?|drives?|leads? to|due to|thanks to|raises?|lowers|reduces?|protects?|risk factors?)\b`)
	jargon  = regexp.MustCompile(`_|\b[a-z]\d\b|\b[a-z]\b \b(=|relates)\b`)
)

// wrong returns what a page says that its readers should not have to know, and what it must not claim.
func wrong(text string) (out []string) {
	for _, r := range []*regexp.Regexp{private, causal, jargon} {
		for _, at := range r.FindAllStringIndex(text, -1) {
			out = append(out, text[max(0, at[0]-30):min(len(text), at[1]+30)])
		}
	}
	return out
}

// Pages use no private word, variable or name with an underscore, say nothing about causes, and are short. REPORT_PAGES names further ones.
func TestPage_Words(t *testing.T) {
	t.Parallel()
	check.Equal(t, "what is wrong with a bad text", len(wrong("The atom x1 of trans_days drives it")), 4)
	pages := map[string]string{"bank": written(t, bank(t, 1, 354)), "empty": written(t, &report.Content{}), "task": made(t, task, 12, 1, false)}
	for _, path := range furtherPages(t) {
		page, err := os.ReadFile(path) // #nosec G304 -- named by who runs the test
		check.OK(t, err)
		pages[filepath.Base(path)] = string(page)
	}
	for name, page := range pages {
		text, closed, elements := readable(t, page)
		check.Equal(t, name+": what is wrong", wrong(text), []string(nil))
		words := len(strings.Fields(closed))
		t.Logf("%s: %d words, %d elements, %d bytes", name, words, elements, len(page))
		check.AtMost(t, words, 2200, "%s: words", name)
		check.AtMost(t, elements, 1500+25*20, "%s: elements", name)
		for _, sentence := range regexp.MustCompile(`[.!?]\s|\n`).Split(text, -1) {
			check.AtMost(t, len(strings.Fields(sentence)), 30, "%s: words of %q", name, sentence)
		}
	}
	check.AtMost(t, len(pages["bank"]), 250_000, "bytes")
}

// The sections follow one another in their order, and those that have nothing to say are left out.
func TestPage_Sections(t *testing.T) {
	t.Parallel()
	sections := func(page string) (ids []string) {
		for _, m := range regexp.MustCompile(`<section id="(\w+)"`).FindAllStringSubmatch(page, -1) {
			ids = append(ids, m[1])
		}
		return ids
	}
	page := written(t, bank(t, 1, 354))
	checkPage(t, page)
	check.Slices(t, sections(page), []string{"glance", "findings", "cases", "quality", "trust", "data", "again"}, "sections")
	check.Is(t, strings.Count(page, `<tr role="row">`)-strings.Count(page, `<thead role="rowgroup">`), 20+40, "rows of cases and columns without scripts")
	check.Contains(t, page, "10 more columns", "the dictionary")
	check.Contains(t, page, "SELECT loan_id\nFROM loan\n    WHERE bad", "SQL has its lines")
	for _, alt := range []string{
		"log-loss for each loan (lower is better): This model, 0.176 [0.106,\u00a00.247]; One finding", "Overdraft interest, times charged: never: 16 of 339; once: 4 of 4;",
		"this model, 65% at 10%", "predicted 0.2%, 1 of 59 went bad;",
	} {
		check.Contains(t, page, `aria-label="`, "a figure")
		check.Contains(t, page, alt, "the numbers of a figure")
	}

	page = written(t, &report.Content{})
	checkPage(t, page)
	check.Empty(t, sections(page), "sections of nothing")
	nothing := &report.Content{}
	nothing.Findings.Nothing, nothing.Findings.Cards = told("Nothing was found."), bank(t, 1, 20).Findings.Cards
	page = written(t, nothing)
	check.Contains(t, page, "Nothing was found.", "page")
	check.Is(t, strings.Count(page, "<article"), 0, "findings of a page on which nothing was found")

	page = written(t, hostilePage(t))
	checkPage(t, page)
	check.Is(t, strings.ContainsAny(page, "\u202e\x00"), false, "marks of direction")
	check.Is(t, strings.Count(page, "<script"), 2, "scripts")
}

// A page of many cases stays below 2 MB: it lists fewer, and says how many.
func TestPage_Size(t *testing.T) {
	t.Parallel()
	c := many(t)
	page := written(t, c)
	checkPage(t, page)
	check.AtMost(t, len(page), 1_900_000, "bytes")
	check.AtLeast(t, len(page), 1_800_000, "bytes")
	check.Is(t, regexp.MustCompile(`[\d,]+ of 1,000,000 can be listed here`).MatchString(page), true, "says how many are listed")
	c.Data = nil
	for i := range 4000 {
		c.Data = append(c.Data, report.ColumnNote{Column: strconv.Itoa(i), Words: told(strings.Repeat("long ", 4000))})
	}
	page = written(t, c)
	check.AtMost(t, len(page), 1_900_000, "bytes beside a long dictionary")
	check.Contains(t, page, "4,000 more columns are left out here.", "page")
}

// panelWords returns what the panel says about the first cases, by counting.
func panelWords(c *report.Content, n int) string {
	x := threshold(c.Cases.List, n, float64(c.Cases.Trues))
	percent := func(v float64) string {
		if v < .1 && v > 0 {
			return fmt.Sprintf("%.1f%%", float64(int(1000*v+.5))/10)
		}
		return fmt.Sprintf("%d%%", int(100*v+.5))
	}
	return fmt.Sprintf("Check the %d most probable loans (predicted %s or more). %d of them went bad: %s [%s, %s], %.1f times the average. That finds %d of the %d that went bad (%s) and leaves %d unseen.",
		n, percent(x.Least), x.Found, percent(x.Precision.Value), percent(x.Precision.Low), percent(x.Precision.High), x.Lift, x.Found, c.Cases.Trues, percent(x.Recall), c.Cases.Trues-x.Found)
}

// The panel, the list, the search and the filter say what is counted here, driven by keys and without a pointer.
func TestPage_Panel(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Open(t)
	c := bank(t, 3, 354)
	list := c.Cases.List
	path := filepath.Join(t.TempDir(), "page.html")
	check.OK(t, os.WriteFile(path, []byte(written(t, c)), 0o600))
	check.Empty(t, browser.Visit(path, 1280, 900, false), "on the console")
	said := func() (text string) {
		browser.Eval(`new Promise(r => setTimeout(() => r(document.getElementById("said").textContent), 400))`, &text)
		return text
	}
	put := func(id, value string) {
		browser.Eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("input")); e.dispatchEvent(new Event("change")); })()`, id, value), nil)
	}
	press := func(key string) {
		for _, kind := range []string{"keyDown", "keyUp"} {
			code := map[string]int{"PageUp": 33, "ArrowRight": 39, "Tab": 9, "Enter": 13}[key]
			browser.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": map[string]string{"Enter": "\r"}[key]}, nil)
		}
	}
	check.Is(t, said(), panelWords(c, 30), "at the start")
	chosen := func() (at float64) {
		browser.Eval(`+document.querySelector(".chosen").getAttribute("cx")`, &at)
		return at
	}
	check.Contains(t, written(t, c), fmt.Sprintf(`<circle class="dot chosen" cx="%.1f"`, 54+266*30./354), "the point on the curve as it is written")
	check.Near(t, chosen(), 54+266*30./354, .06, "the point on the curve")
	for _, n := range []int{1, 7, 50, 353, 354} {
		put("checked", strconv.Itoa(n))
		check.Is(t, said(), panelWords(c, n), "slider at %d", n)
		check.Near(t, chosen(), 54+266*float64(n)/354, .06, "the point on the curve")
		put("number", strconv.Itoa(n))
		check.Is(t, said(), panelWords(c, n), "number %d", n)
	}
	put("checked", "40")
	browser.Eval(`document.getElementById("checked").focus()`, nil)
	press("PageUp")
	press("ArrowRight")
	check.Is(t, said(), panelWords(c, 51), "ten and one step on")

	// Costs: the least of all is at the number that is found by trying each.
	put("cost", "3")
	put("loss", "40")
	cost, best := func(n int) int64 {
		missed := c.Cases.Trues
		if n > 0 {
			missed -= threshold(list, n, 1).Found
		}
		return int64(3*n) + 40*missed
	}, 0
	for n := range 355 {
		if cost(n) < cost(best) {
			best = n
		}
	}
	var text string
	browser.Eval(`document.getElementById("costs").textContent`, &text)
	check.Is(t, strings.ReplaceAll(text, ",", ""), fmt.Sprintf("At these costs: %d here; %d with no checks; the least %d with %d checked.", cost(51), cost(0), cost(best), best), "costs")

	// The list has a line at the threshold, filters and finds.
	put("checked", "5")
	said()
	var edge int
	browser.Eval(`[...document.getElementById("list").tBodies[0].rows].findIndex(r => r.className == "edge")`, &edge)
	check.Is(t, edge, 5, "rows above the line")
	missed := 0
	for _, x := range list[5:] {
		if x.True {
			missed++
		}
	}
	browser.Eval(`document.getElementById("missed").click()`, nil)
	count := func() (text string) { browser.Eval(`document.getElementById("count").textContent`, &text); return text }
	check.Is(t, count(), fmt.Sprintf("%d of %d loans shown", min(20, missed), missed), "those missed")
	put("which", "all")
	put("find", list[9].Name.String())
	check.Contains(t, count(), "of 1 loans shown", "found")
	put("find", "")
	var rows int
	browser.Eval(`(() => { for (let i = 0; i < 9; i++) document.getElementById("more").click(); return document.getElementById("list").tBodies[0].rows.length })()`, &rows)
	check.Is(t, rows, 300, "most rows")

	// By keys alone: heads sort, rows open.
	var order []string
	browser.Eval(`document.querySelector("#list thead button").focus()`, nil)
	press("Enter")
	browser.Eval(`[...document.getElementById("list").tHead.rows[0].cells].map(h => h.getAttribute("aria-sort") ?? "")`, &order)
	check.Slices(t, order, []string{"ascending", "", "", "", "", ""}, "order")
	var first, opened string
	browser.Eval(`document.getElementById("list").tBodies[0].rows[0].cells[0].textContent`, &first)
	least := list[0].Name.String()
	for _, x := range list {
		if name := x.Name.String(); len(name) < len(least) || len(name) == len(least) && name < least {
			least = name
		}
	}
	check.Is(t, first, least, "the least of all numbers")
	browser.Eval(`document.querySelector("#list summary").focus()`, nil)
	press("Enter")
	browser.Eval(`new Promise(r => setTimeout(() => r(document.querySelector("#list details").textContent), 50))`, &opened)
	check.Contains(t, opened, "the average loan−2.40", "an opened row")
	check.Contains(t, opened, "sum, which stands for", "an opened row")
	check.Empty(t, browser.Visit(path, 1280, 900, false), "on the console")
}

// Of many cases, the panel counts by their bins, at the rate of the population.
func TestPage_Bins(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Open(t)
	c := many(t)
	path := filepath.Join(t.TempDir(), "page.html")
	check.OK(t, os.WriteFile(path, []byte(written(t, c)), 0o600))
	check.Empty(t, browser.Visit(path, 1280, 900, false), "on the console")
	var said string
	browser.Eval(`(() => { const e = document.getElementById("number"); e.value = 2500; e.dispatchEvent(new Event("input")); return new Promise(r => setTimeout(() => r(document.getElementById("said").textContent), 400)) })()`, &said)
	found := c.Cases.Bins[0].True + c.Cases.Bins[1].True + c.Cases.Bins[2].True
	share := .25 * float64(found) / (.25*float64(found) + 3000 - float64(found))
	check.Contains(t, said, "Check the 3,000 most probable loans", "panel")
	check.Contains(t, said, fmt.Sprintf(" went bad: %.0f%% [", 100*share), "panel")
}

// Without scripts and in print, what the scripts would show is there as tables, and controls are not.
func TestPage_WithoutScripts(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Open(t)
	path := filepath.Join(t.TempDir(), "page.html")
	check.OK(t, os.WriteFile(path, []byte(written(t, bank(t, 1, 354))), 0o600))
	const see = `[document.querySelectorAll(".panel, .tools, #more"), document.querySelectorAll(".noscript table, .noscript"), document.querySelectorAll("#list tbody tr")].map(l => [...l].filter(e => e.checkVisibility()).length)`
	var seen []int
	browser.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	browser.Visit(path, 1280, 900, false)
	browser.Eval(see, &seen)
	check.Slices(t, seen, []int{0, 3, 20}, "controls, what stands for them, cases")
	browser.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
	browser.Visit(path, 1280, 900, false)
	browser.Call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	browser.Eval(`dispatchEvent(new Event("beforeprint"))`, nil)
	browser.Eval(`[document.querySelectorAll(".tools, #more, nav, .panel input"), document.querySelectorAll("#said"), document.querySelectorAll("details:not([open])")].map(l => [...l].filter(e => e.checkVisibility()).length)`, &seen)
	check.Slices(t, seen, []int{0, 1, 0}, "in print: controls, the sentence, closed folds")
	browser.Visit(path, 320, 256, false) // 1,280 pixels, enlarged four times
	var wide int
	browser.Eval(`document.documentElement.scrollWidth - innerWidth`, &wide)
	check.AtMost(t, wide, 0, "overflow when enlarged")
}
