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

	"resolwe/internal/render"
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

// page is the data of the template. All text from the data is plain text here, which html/template escapes for its context.
type page struct {
	Title, Over, Footer string
	Heading             render.Phrase
	Style               template.CSS
	Script              template.JS
	Policy              string
	Sections            []section
}

type section struct {
	ID, Title string
	Blocks    []block
}

// block holds one of its fields, or several to show below one another, in the template's order.
type block struct {
	Heading string
	Tiles   []tile
	Text    render.Phrase
	Small   string
	List    []render.Phrase
	Reading bool // explains what the figures mean
	Code    string
	Plots   []*plot
	Table   *table
	Card    *card
	Fold    *fold
}

type (
	tile struct{ Label, Value, Note, Beside string }
	fold struct {
		Summary string
		Blocks  []block
	}
	card struct {
		Kind, Atom string
		Text       render.Phrase
		Table      *table
		Notes      []render.Phrase
	}
	table struct {
		Caption  string
		Sortable bool
		Stack    bool // on narrow screens, show the cells of a row below one another, each with its title
		Columns  []column
		Rows     []tableRow
	}
	column struct {
		Title  string
		Number bool
		digits int    // decimals
		format string // + for a sign, p for a p-value, g for three significant digits
	}
	tableRow struct {
		Strong bool
		Cells  []cell
	}
	cell struct {
		Text       render.Phrase
		Code, Note string
		Sort       string // sort key, if it is not the text
		Class      string
		Head       bool
	}
)

// newTable starts a table. The title of a column of numbers begins with # and ends in |3 for three decimals, |+3 for three decimals with
// a sign, |p for p-values, or |g for three significant digits.
func newTable(caption string, titles ...string) *table {
	t := &table{Caption: caption}
	for _, title := range titles {
		text, format, _ := strings.Cut(title, "|")
		text, number := strings.CutPrefix(text, "#")
		digits, _ := strconv.Atoi(format)
		t.Columns = append(t.Columns, column{text, number, digits, strings.Trim(format, "0123456789")})
	}
	return t
}

// row adds a row of cells, texts and numbers; the first names the row.
func (t *table) row(values ...any) {
	cells := make([]cell, len(values))
	for i, v := range values {
		cells[i] = t.Columns[i].cell(v)
		cells[i].Head = i == 0
		if t.Columns[i].Number {
			cells[i].Class = "number"
		}
		t.Stack = t.Stack || len(cells) > 3 && cells[i].Class != "" && cells[i].Class != "number"
	}
	t.Rows = append(t.Rows, tableRow{Cells: cells})
	t.Sortable = len(t.Rows) > 2
}

// cell prints a value in the column's format, with an interval below its number.
func (c *column) cell(v any) cell {
	switch v := v.(type) {
	case cell:
		return v
	case string:
		return text(v)
	case int:
		return whole(int64(v))
	case int64:
		return whole(v)
	case Interval:
		out := c.cell(v.Value)
		out.Note = v.brackets(c.digits)
		return out
	case float64:
		out := number(v, c.digits)
		switch c.format {
		case "+":
			out.Text = plain(render.Signed(v, c.digits))
		case "p":
			out.Text = plain(render.Probability(v))
		case "g":
			out.Text = plain(strconv.FormatFloat(v, 'g', 3, 64))
		}
		return out
	}
	panic("report: no cell")
}

// plain returns text of the page itself.
func plain(text string) render.Phrase { return render.Phrase{{Text: text}} }

// named returns a name from the data or the model.
func named(text string) render.Phrase { return render.Join(render.Name(text)) }

func text(s string) cell { return cell{Text: plain(s)} }

func whole(n int64) cell { return cell{Text: plain(render.Grouped(n)), Sort: strconv.FormatInt(n, 10)} }

// number returns a cell with a number with the given decimals.
func number(v float64, digits int) cell {
	if math.IsNaN(v) {
		return text("–")
	}
	return cell{Text: plain(render.Fixed(v, digits)), Sort: strconv.FormatFloat(v, 'g', 9, 64)}
}

// brackets prints the bounds, or "" if there are none.
func (v Interval) brackets(digits int) string {
	if !v.Defined() {
		return ""
	}
	return "[" + render.Fixed(v.Low, digits) + ",\u00a0" + render.Fixed(v.High, digits) + "]"
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
