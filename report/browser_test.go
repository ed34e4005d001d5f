package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/chromiumtest"
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
  let least = {contrast: 99, text: ""}, smallest = 99;
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
    smallest = Math.min(smallest, drawn);
  }
  let lost = 0;
  for (const table of document.querySelectorAll("table.sortable")) {
    const rows = table.tBodies[0].rows.length, text = [...table.tBodies[0].rows].map(r => r.textContent).sort().join();
    for (const button of table.querySelectorAll("thead button")) { button.click(); button.click() }
    if (table.tBodies[0].rows.length != rows || [...table.tBodies[0].rows].map(r => r.textContent).sort().join() != text) lost++;
  }
  return {wide: document.documentElement.scrollWidth - innerWidth, high: document.documentElement.scrollHeight,
    contrast: least.contrast, faintest: least.text, smallest, lost, sortable: document.querySelectorAll("table.sortable").length};
})()`

// In a browser, pages write nothing to the console, fit the window at three widths, and are readable in both colour schemes. REPORT_PAGES
// names further pages to check, as "out/*.html"; REPORT_PICTURES names a folder for pictures of all pages.
func TestPage_InBrowser(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Open(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"task": made(t, task, 24, 1, false), "model": made(t, weighted, 12, 1, false), "hostile": made(t, task, 21, 1, true),
	} {
		check.OK(t, os.WriteFile(filepath.Join(folder, name+".html"), []byte(text), 0o600))
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	check.OK(t, err)
	if more := os.Getenv("REPORT_PAGES"); more != "" {
		found, err := filepath.Glob(more)
		check.OK(t, err)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		for _, width := range []int{360, 768, 1440} {
			for _, dark := range []bool{false, true} {
				name := fmt.Sprintf("%s-%d-%s", strings.TrimSuffix(filepath.Base(page), ".html"), width, map[bool]string{false: "light", true: "dark"}[dark])
				look(t, browser, page, name, width, dark)
			}
		}
	}
}

func look(t *testing.T, browser *chromiumtest.Browser, page, name string, width int, dark bool) {
	t.Helper()
	said := browser.Visit(page, width, 900, dark)
	var seen struct {
		Wide, High, Lost, Sortable int
		Contrast, Smallest         float64
		Faintest                   string
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
	if seen.Wide > 0 || seen.Lost > 0 || seen.Contrast < 4.5 || seen.Smallest < 8.5 || seen.Sortable < 2 {
		t.Errorf("%s: %+v", name, seen)
	}
	t.Logf("%s: contrast %.2f (%q), smallest text %.1f pixels, %d pixels high", name, seen.Contrast, seen.Faintest, seen.Smallest, seen.High)
}
