package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/chromiumtest"
	"resolwe/report"
)

// looks checks the layout as a reader sees it: no text wider than the window, WCAG 2 contrast of all text as painted, and sorting by a
// click without losing rows.
const looks = `(() => {
  const rgba = text => { const v = text.match(/[\d.]+/g).map(Number); return v.length < 4 ? [...v, 1] : v };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
  const luminance = c => c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = e => {
    for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] == 1) return c }
    return [255, 255, 255, 1];
  };
  let least = {contrast: 99, text: ""}, smallest = {size: 99, text: ""};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; n = walker.nextNode();) {
    const e = n.parentElement;
    if (!n.data.trim() || e.closest("script, style, title, desc") || !e.checkVisibility()) continue;
    const style = getComputedStyle(e), back = ground(e);
    const ink = over(rgba(e instanceof SVGElement ? style.fill : style.color), back);
    const [a, b] = [luminance(ink) + .05, luminance(back) + .05];
    const contrast = Math.max(a, b) / Math.min(a, b);
    if (contrast < least.contrast) least = {contrast, text: n.data.slice(0, 40)};
    const drawn = e instanceof SVGElement ? parseFloat(style.fontSize) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : parseFloat(style.fontSize);
    if (drawn < smallest.size) smallest = {size: drawn, text: n.data.slice(0, 40)};
  }
  let lost = 0;
  for (const table of document.querySelectorAll("table.sortable")) {
    const rows = table.tBodies[0].rows.length, text = [...table.tBodies[0].rows].map(r => r.textContent).sort().join();
    for (const button of table.querySelectorAll("thead button")) { button.click(); button.click() }
    if (table.tBodies[0].rows.length != rows || [...table.tBodies[0].rows].map(r => r.textContent).sort().join() != text) lost++;
  }
  const small = [...document.querySelectorAll("button, input, select, summary, nav a")].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 23.5).map(e => e.outerHTML.slice(0, 60));
  const cut = [...document.querySelectorAll("svg text")].filter(e => { const v = e.ownerSVGElement, b = e.getBoundingClientRect(), o = v.getBoundingClientRect();
    return e.checkVisibility() && (b.left < o.left - 2 || b.right > o.right + 2); }).map(e => e.textContent);
  return {wide: document.documentElement.scrollWidth - innerWidth, high: document.documentElement.scrollHeight,
    contrast: least.contrast, faintest: least.text, smallest: smallest.size, tiniest: smallest.text, lost, small, cut};
})()`

// In a browser, pages write nothing to the console, fit the window at four widths, and are readable in both colour schemes. REPORT_PAGES
// names further pages to check, as "out/*.html"; REPORT_PICTURES names a folder for pictures of all pages.
func TestPage_InBrowser(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Open(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"task": made(t, task, 24, 1, false), "hostile": written(t, hostilePage(t)), "bank": written(t, bank(t, 1, 354)), "empty": written(t, &report.Content{}),
	} {
		check.OK(t, os.WriteFile(filepath.Join(folder, name+".html"), []byte(text), 0o600))
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	check.OK(t, err)
	more := furtherPages(t)
	for _, page := range append(pages, more...) {
		whole := strings.HasSuffix(page, "bank.html") || slices.Contains(more, page) // of the others, two views
		for _, width := range []int{360, 390, 768, 1280} {
			for _, dark := range []bool{false, true} {
				if !whole && (width == 390 || width == 768 || dark != (width == 360)) {
					continue
				}
				name := fmt.Sprintf("%s-%d-%s", strings.TrimSuffix(filepath.Base(page), ".html"), width, map[bool]string{false: "light", true: "dark"}[dark])
				look(t, browser, page, name, width, dark)
			}
		}
	}
}

// furtherPages returns the pages that REPORT_PAGES names.
func furtherPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(os.Getenv("REPORT_PAGES"))
	check.OK(t, err)
	return pages
}

func look(t *testing.T, browser *chromiumtest.Browser, page, name string, width int, dark bool) {
	t.Helper()
	said := browser.Visit(page, width, 900, dark)
	var begins float64
	browser.Eval(`document.getElementById("findings")?.getBoundingClientRect().top ?? 0`, &begins)
	if most := map[int]float64{1280: 1000, 390: 1600}[width]; most > 0 && !strings.HasPrefix(name, "hostile") {
		check.AtMost(t, begins, most, "%s: where findings begin", name)
	}
	var seen struct {
		Wide, High, Lost   int
		Contrast, Smallest float64
		Faintest, Tiniest  string
		Small, Cut         []string
	}
	browser.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
	if folder := os.Getenv("REPORT_PICTURES"); folder != "" {
		var high int
		browser.Eval("document.documentElement.scrollHeight", &high)
		const part = 2000
		for top := 0; top < high; top += part {
			browser.Screenshot(filepath.Join(folder, fmt.Sprintf("%s-%02d.png", name, top/part)), top, width, min(part, high-top))
		}
	}
	browser.Eval(looks, &seen)
	check.Equal(t, name+": on the console", said, []string(nil))
	if seen.Wide > 0 || seen.Lost > 0 || seen.Contrast < 4.5 || seen.Smallest < 10 || len(seen.Small)+len(seen.Cut) > 0 {
		t.Errorf("%s: %+v", name, seen)
	}
	t.Logf("%s: contrast %.2f (%q), smallest text %.1f pixels, %d pixels high, findings at %.0f", name, seen.Contrast, seen.Faintest, seen.Smallest, seen.High, begins)
}
