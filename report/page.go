package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// page is what the template shows. All text of the data is text here, which html/template escapes where it stands.
type page struct {
	Title, Over, Footer string
	Heading             Phrase
	Style               template.CSS
	Script              template.JS
	Policy              string
	Sections            []section
}

type section struct {
	ID, Title string
	Blocks    []block
}

// block is one of its fields, or several of them below one another, in the template's order.
type block struct {
	Heading string
	Tiles   []tile
	Text    Phrase
	Small   string
	List    []Phrase
	Terms   []term
	Code    string
	Plots   []*plot
	Table   *table
	Card    *card
	Fold    *fold
}

type (
	tile struct{ Label, Value, Note, Beside string }
	term struct{ Term, Text string }
	fold struct {
		Summary string
		Blocks  []block
	}
	card struct {
		Kind, Atom string
		Text       Phrase
		Table      *table
		Notes      []Phrase
	}
	table struct {
		Caption  string
		Sortable bool
		Stack    bool // on narrow screens a row stands below one another, each number beside its title
		Columns  []column
		Rows     []tableRow
	}
	column struct {
		Title  string
		Number bool
	}
	tableRow struct {
		Strong bool
		Cells  []cell
	}
	cell struct {
		Text       Phrase
		Code, Note string
		Sort       string // what the column is sorted by, where that is not the text
		Class      string
		Head       bool
	}
)

// newTable begins a table. Titles that begin with # are of numbers.
func newTable(caption string, titles ...string) *table {
	t := &table{Caption: caption}
	for _, title := range titles {
		text, number := strings.CutPrefix(title, "#")
		t.Columns = append(t.Columns, column{text, number})
	}
	return t
}

// row adds a row, whose first cell names it.
func (t *table) row(cells ...cell) {
	cells[0].Head = true
	for i := range cells {
		if t.Columns[i].Number {
			cells[i].Class = "number"
		}
		t.Stack = t.Stack || len(cells) > 3 && cells[i].Class != "" && cells[i].Class != "number"
	}
	t.Rows = append(t.Rows, tableRow{Cells: cells})
	t.Sortable = len(t.Rows) > 2
}

// plain is text of the page itself.
func plain(text string) Phrase { return Phrase{{Text: text}} }

// named is a name of the data, or of the model.
func named(text string) Phrase { return Phrase{{clip(text, mostName), true}} }

func text(s string) cell { return cell{Text: plain(s)} }

func whole[N int | int64](n N) cell {
	return cell{Text: plain(grouped(int64(n))), Sort: strconv.FormatInt(int64(n), 10)}
}

// number is a cell of so many digits behind the point.
func number(v float64, digits int) cell {
	if math.IsNaN(v) {
		return text("–")
	}
	return cell{Text: plain(fixed(v, digits)), Sort: strconv.FormatFloat(v, 'g', 9, 64)}
}

// withInterval is a number with its interval below.
func withInterval(v Interval) cell {
	c := number(v.Value, 3)
	c.Note = v.brackets(3)
	return c
}

// brackets prints the bounds, "" where there are none.
func (v Interval) brackets(digits int) string {
	if !v.Defined() {
		return ""
	}
	return "[" + fixed(v.Low, digits) + ", " + fixed(v.High, digits) + "]"
}

// fixed prints a number with so many digits behind the point, a dash where there is none.
func fixed(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return strings.Replace(strconv.FormatFloat(v, 'f', 0, 64), "Inf", "∞", 1)
	case math.Abs(v) >= 1e9:
		return minus(strconv.FormatFloat(v, 'g', 3, 64))
	}
	return minus(strconv.FormatFloat(v, 'f', digits, 64))
}

// signed prints a number with its sign.
func signed(v float64, digits int) string {
	if v > 0 {
		return "+" + fixed(v, digits)
	}
	return fixed(v, digits)
}

// percent prints a share.
func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fixed(100*v, 1) + "%"
}

// grouped prints a whole number with commas.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// probability prints a p-value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < .001:
		return "< 0.001"
	}
	return fixed(p, 3)
}

// count prints a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

// Write writes the page.
func (r *Report) Write(w io.Writer) error {
	sum := sha256.Sum256([]byte(pageScript))
	p := r.page()
	p.Style, p.Script = template.CSS(pageStyle), template.JS(pageScript) //nolint:gosec // both are the page's own
	p.Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}
