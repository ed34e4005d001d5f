package report

import (
	"bytes"
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

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"identifier": identifier}).Parse(pageText))
)

// identifier reports whether a name is one for programs, or a formula.
func identifier(name string) bool { return strings.ContainsAny(name, "_(") }

// page is the data of the template. All text from the data is plain text here, which html/template escapes for its context.
type page struct {
	Title, Footer        string
	Heading, Over, Drawn render.Phrase
	Style                template.CSS
	Script, Data         template.JS
	Policy               string
	Private, Named       bool // names were left out, or there are some
	Sections             []section

	listed int // cases in Data
}

type section struct {
	ID, Title, Link string
	Blocks          []block
}

// block holds one of its fields, or several to show below one another, in the template's order.
type block struct {
	Heading  string
	Lead     render.Phrase
	Tiles    []Tile
	Ask      render.Phrase
	Text     render.Phrase
	List     []render.Phrase
	Code     string
	Plots    []*plot
	Cards    []card
	Panel    *panel
	Listed   *caseList
	Checks   []Check
	Table    *table
	Small    render.Phrase
	NoScript bool   // it is of use without scripts only
	Missed   string // of a link to the cases that are missed
	Terms    bool
	Fold     *fold
}

type (
	fold struct {
		Summary string
		Blocks  []block
	}
	card struct {
		Words, Small, Overlap render.Phrase
		Plot                  *plot
		Fold                  *fold
	}
	panel struct {
		Many, That string
		Costs      bool
		Table      *table // in place of it without scripts
	}
	caseList struct {
		One, Many, That string
		Table           *table
	}
	reason struct {
		Words   string
		Against bool
		Width   string
	}
	table struct {
		ID, Caption string
		Sortable    bool
		Stack       bool // on narrow screens, show the cells of a row below one another, each with its title
		Columns     []column
		Rows        []tableRow
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
		Notes      []render.Phrase
		Plot       *plot
		Reasons    []reason
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
		t.Stack = t.Stack || len(cells) > 3 && cells[i].Class == "words"
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

// mostBytes is the most that a page has: cases are left out first, then columns of the dictionary.
const mostBytes = 1_900_000

// Write writes the page.
func (r *Report) Write(w io.Writer) error {
	c := r.Content()
	further := []section{{"watch", "Over the stream", "Over the stream", r.watched()}, {"grow", "What to fetch", "What to fetch", r.grown()}}
	return c.write(w, further, r.specialists())
}

// write draws a content with further sections.
func (c *Content) write(w io.Writer, further []section, experts []block) error {
	sum := sha256.Sum256([]byte(pageScript))
	var out bytes.Buffer
	for room, columns := mostBytes, mostColumns; ; {
		p := draw(c, further, experts, room, columns)
		p.Style, p.Script = template.CSS(pageStyle), template.JS(pageScript) //nolint:gosec // both are the page's own
		p.Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
		out.Reset()
		if err := pageTemplate.Execute(&out, p); err != nil {
			return err
		}
		over := out.Len() - mostBytes
		switch {
		case over <= 0 || room == 0 && columns == 0:
			_, err := out.WriteTo(w)
			return err
		case room > 0:
			room = max(0, min(room, len(p.Data))-over)
		default:
			columns = 0
		}
	}
}
