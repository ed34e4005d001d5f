package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/format/tableschema"
	"resolwe/internal/test/check"
)

// What the page shows is what the program writes; and what it says of a schema by hand can be read.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/import.md")
	check.OK(t, err)
	block := func(begin string) string {
		_, rest, _ := strings.Cut(string(page), begin)
		text, _, ok := strings.Cut(rest, "```")
		check.Is(t, ok && text != "", true, "the page has a block after %q", begin)
		return text
	}
	address, _ := database(t, "SQLite", block("```sql\n"))
	dir, _ := imported(t, address)
	written := files(t, dir)[tableschema.File]
	check.Equal(t, filepath.Join("tables", tableschema.File), block("```json\n"), written)
	_, err = tableschema.Parse("by hand", []byte(block("this says as much:\n\n```json\n")))
	check.OK(t, err)
}
