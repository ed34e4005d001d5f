package main_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/chromiumtest"
)

const picture = root + "docs/report.png"

// TestDocs_Picture compares the picture of the demo's report with the figures in README.md, which TestDocs_Run compares with the program, and with DOCS=whole
// with the report itself. The picture carries the text of what it shows. With UPDATE it is drawn anew, in Chromium.
func TestDocs_Picture(t *testing.T) {
	t.Parallel()
	shown, err := os.ReadFile(picture)
	check.OK(t, err)
	if whole() {
		path := filepath.Join(t.TempDir(), "demo.html")
		out, err := exec.CommandContext(t.Context(), "resolwe", "demo", "--report", path).CombinedOutput() // #nosec G204 -- the program
		check.OKf(t, err, "%s", out)
		text := brief(t, path)
		if described(shown) != text && os.Getenv("UPDATE") != "" {
			shown = pictured(t, path, text)
			check.OK(t, os.WriteFile(picture, shown, 0o600)) // #nosec G306 -- exists
		}
		check.Equal(t, picture+": what it shows; make docs draws it anew", described(shown), text)
	}
	page, err := os.ReadFile(root + "README.md")
	check.OK(t, err)
	row := regexp.MustCompile(`(?m)^    gain +(\S+) `).FindSubmatch(page)
	measured := regexp.MustCompile(`(?:MAP|[Aa]verage precision)[^;]*? (\d\.\d+)`).FindStringSubmatch(described(shown))
	if row == nil || measured == nil {
		t.Fatalf("no figures in README.md, or none in the picture, of which the text is %q", described(shown))
	}
	want, err := strconv.ParseFloat(string(row[1]), 64)
	check.OK(t, err)
	got, err := strconv.ParseFloat(measured[1], 64)
	check.OK(t, err)
	check.Near(t, got, want, .00055, "%s against README.md: average precision", picture) // of three and of four digits
}

// brief returns the text at the top of a report, with the numbers of its figure.
func brief(t *testing.T, path string) string {
	t.Helper()
	page, err := os.ReadFile(path)
	check.OK(t, err)
	_, section, _ := strings.Cut(string(page), `<section id="glance"`)
	section, _, found := strings.Cut(section[strings.Index(section, ">")+1:], "</section>")
	check.Is(t, found, true, "a section")
	section = regexp.MustCompile(`<svg[^>]* aria-label="([^"]*)"[^>]*>`).ReplaceAllString(section, " $1 ")
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]+>`).ReplaceAllString(section, " "))), " ")
}

// A PNG ends with an empty chunk of 12 bytes; the text is in an uncompressed iTXt chunk before it: length, type, text, checksum.
const (
	lastChunk   = 12
	description = "iTXtDescription\x00\x00\x00\x00\x00"
)

// pictured returns a picture of the top of a page that carries a text.
func pictured(t *testing.T, page, text string) []byte {
	t.Helper()
	browser := chromiumtest.Open(t)
	const width, height = 1220, 890
	browser.Visit(page, width, height, false)
	path := filepath.Join(t.TempDir(), "page.png")
	browser.Screenshot(path, 0, width, height)
	image, err := os.ReadFile(path)
	check.OK(t, err)
	chunk := []byte(description + text)
	end := len(image) - lastChunk
	out := binary.BigEndian.AppendUint32(bytes.Clone(image[:end]), uint32(len(chunk)-len("iTXt"))) // #nosec G115 -- short
	out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
	return append(out, image[end:]...)
}

// described returns the text that a picture carries.
func described(image []byte) string {
	before, after, found := bytes.Cut(image, []byte(description))
	if !found || len(before) < 4 {
		return ""
	}
	n := int(binary.BigEndian.Uint32(before[len(before)-4:])) - len(description) + len("iTXt")
	return string(after[:min(n, len(after))])
}
