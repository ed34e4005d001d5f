package render

import (
	"io"
	"slices"
	"strings"
)

var ends = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)

// InLine returns text with tabs and line ends written as \t, \n and \r.
func InLine(text string) string { return ends.Replace(text) }

// Rows writes rows of a fixed number of cells, each cell as [InLine] returns it, separated by tabs. On a screen, it aligns them in
// columns, with numbers flush right, and wraps a last cell that is not a number under itself.
func Rows(w io.Writer, columns int, cells []string, numbers ...int) error {
	screen := Columns(w)
	if screen == 0 {
		var b strings.Builder
		for i, c := range cells {
			b.WriteString(InLine(c))
			b.WriteByte("\t\n"[(i%columns+1)/columns])
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	widths := make([]int, columns)
	for i, c := range cells {
		if n := Width(InLine(c)); n <= screen/2 { // next to a wider one the others stay together
			widths[i%columns] = max(widths[i%columns], n)
		}
	}
	for row := range slices.Chunk(cells, columns) {
		var lead strings.Builder
		for i, c := range row {
			row[i] = InLine(c)
			pad := strings.Repeat(" ", max(0, widths[i]-Width(row[i])))
			switch {
			case slices.Contains(numbers, i):
				row[i] = pad + row[i]
			case i < columns-1:
				row[i] += pad
			}
			if i < columns-1 {
				lead.WriteString(row[i] + "  ")
			}
		}
		if err := Hang(w, lead.String(), row[columns-1]); err != nil {
			return err
		}
	}
	return nil
}
