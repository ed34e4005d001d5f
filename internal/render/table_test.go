package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

// shown is a table of formulas on a screen of a number of columns, as it is in a file for 0.
func shown(t *testing.T, columns int) string {
	t.Helper()
	table := render.NewTable("rrl", "weight", "support", "formula")
	table.Row(render.Number(1.25), 1200, "friends(u, w) ^ used(w, t) => used(u, t)")
	table.Row(render.Number(-0.5), 7, "used(u, t)")
	var b bytes.Buffer
	if columns == 0 {
		check.OK(t, table.Write(&b))
		return b.String()
	}
	check.OK(t, table.Write(render.NewScreen(&b, columns, false)))
	for line := range strings.Lines(b.String()) {
		if got := render.Width(strings.TrimSuffix(line, "\n")); got > columns {
			t.Errorf("%d columns: a line has %d: %s", columns, got, line)
		}
	}
	return b.String()
}

func TestTable_Widths(t *testing.T) {
	t.Parallel()
	whole := ` weight  support  formula
 1.2500     1200  friends(u, w) ^ used(w, t) => used(u, t)
-0.5000        7  used(u, t)
`
	for columns, want := range map[int]string{
		0:   whole,
		120: whole,
		58:  whole,
		50: ` weight  support  formula
 1.2500     1200  friends(u, w) ^ used(w, t) =>
                  used(u, t)
-0.5000        7  used(u, t)
`,
		40: ` weight  support
    formula
 1.2500     1200
    friends(u, w) ^ used(w, t) =>
    used(u, t)
-0.5000        7
    used(u, t)
`,
	} {
		check.Equal(t, fmt.Sprint(columns, " columns"), shown(t, columns), want)
	}
}

func TestTable_NarrowerThanItsNumbers(t *testing.T) {
	t.Parallel()
	table := render.NewTable("lrrr", "system", "MAP", "AUC-ROC", "CLL")
	table.Row("gain", "0.9000", "0.8000", "-0.1000")
	table.Row("paper", "0.7000", "0.6000", "")
	var b bytes.Buffer
	check.OK(t, table.Write(render.NewScreen(&b, 20, false)))
	check.Equal(t, "text", b.String(), `system   gain
MAP      0.9000
AUC-ROC  0.8000
CLL      -0.1000

system   paper
MAP      0.7000
AUC-ROC  0.6000
`)
}

// The header alone is bold, and other people's names are escaped before columns are made for them.
func TestTable_Colours(t *testing.T) {
	t.Parallel()
	table := render.NewTable("lr", "type", "n")
	table.Row("a\x1b[2J", 1)
	table.Row("漢字", 2)
	var b bytes.Buffer
	check.OK(t, table.Write(render.NewScreen(&b, 80, true)))
	check.Equal(t, "text", b.String(), "\x1b[1mtype      n\x1b[0m\na\\x1b[2J  1\n漢字      2\n")
}
