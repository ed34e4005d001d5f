package report

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"resolwe/internal/render"
)

// mostStatic is the number of cases that are listed without scripts.
const mostStatic = 20

// caseWords are the words of a page for its cases.
type caseWords struct{ one, many, Many, yes, no, that string }

// words returns the words for cases: general ones, if there are none or they are long.
func (c *Content) words() caseWords {
	n := c.Nouns
	if n.One == "" || n.Many == "" || len(strings.Fields(n.Many)) > 3 {
		n.One, n.Many = "case", "cases"
	}
	if n.True == "" || n.False == "" {
		n.True, n.False = "are true", "are not"
	}
	w := caseWords{one: render.Clip(n.One, 40), many: render.Clip(n.Many, 40), yes: render.Clip(n.True, 40), no: render.Clip(n.False, 40)}
	w.Many = capital(w.many)
	w.that = render.Either(n.Who, "who ", "that ") + w.yes
	return w
}

// capital returns a text with a capital at its start.
func capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[n:]
}

// predictedText prints the probability of a case, never as 0 or 100%.
func predictedText(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p > .9995:
		return ">99.9%"
	case p < .0005:
		return "<0.1%"
	}
	return render.Fixed(math.Floor(float64(1000*p)+.5)/10, 1) + "%"
}

// listing is the data of the case table and the panel, for the page's script. Texts are listed once, and named by their numbers.
type listing struct {
	Words   []string   `json:"words"` // one, many, what true ones do, what others do, that with true ones
	Columns int        `json:"columns"`
	Timed   bool       `json:"timed"`
	Total   int64      `json:"total"`
	Trues   int64      `json:"trues"`
	Scale   float64    `json:"scale"`
	Start   int        `json:"start"`
	Texts   []string   `json:"texts"`
	Steps   [][3]any   `json:"steps"` // runs of cases by rank: cases, true ones, the least probability in words
	Cases   [][]any    `json:"cases"` // see row
	Frame   [4]float64 `json:"frame"` // of the figure in which the panel moves a point
	numbers map[string]int
}

// text returns the number of a text.
func (l *listing) text(text string) int {
	i, known := l.numbers[text]
	if !known {
		i = len(l.Texts)
		l.numbers[text], l.Texts = i, append(l.Texts, text)
	}
	return i
}

// row describes a case: name, time, columns, predicted, truth, the rank down to which it is checked, reasons (words, value, facts), the
// start, how many reasons are left out and what they add, and what would change the answer.
func (l *listing) row(c *Case, rank int64) []any {
	values := make([]string, l.Columns)
	for i := range min(len(values), len(c.Values)) {
		values[i] = render.Clip(c.Values[i], render.MostName)
	}
	reasons := make([][]any, 0, len(c.Reasons))
	for i := range c.Reasons {
		r := &c.Reasons[i]
		facts := []int{}
		for _, f := range r.Facts {
			facts = append(facts, l.text(said(f)))
		}
		reasons = append(reasons, []any{l.text(said(r.Words)), hundredths(r.Value), facts})
	}
	truth := 0
	if c.True {
		truth = 1
	}
	return []any{nameOf(c), c.Time.String(), values, predictedText(c.P), truth, rank, reasons, hundredths(c.Start), c.Smaller, hundredths(c.Rest)}
}

// hundredths rounds what a reason adds.
func hundredths(v float64) json.Number {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return json.Number(strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64))
}

// nameOf returns the name of a case.
func nameOf(c *Case) string {
	return cmp.Or(said(c.Name), "(no name)")
}

// said returns a phrase as text.
func said(p render.Phrase) string { return render.Clip(p.String(), 300) }

// data returns the listing as JSON, of as many cases as there is room for, and their number.
func (c *Content) data(room int) (template.JS, int) {
	w, s := c.words(), &c.Cases
	l := listing{
		Words: []string{w.one, w.many, w.yes, w.no, w.that}, Columns: min(len(s.Columns), 3), Timed: s.Timed, Total: s.Total, Trues: s.Trues, Scale: s.scale(),
		Start: max(s.Start, 1), Texts: []string{}, Steps: [][3]any{}, Cases: [][]any{}, Frame: frame, numbers: map[string]int{},
	}
	steps := s.steps()
	for _, b := range steps {
		l.Steps = append(l.Steps, [3]any{b.Cases, b.True, percent(b.Least)})
	}
	before, at, size := int64(0), 0, 0
	for i := range s.List {
		rank := int64(i + 1)
		if len(s.Bins) > 0 {
			for ; at < len(steps)-1 && steps[at].Least > s.List[i].P; at++ {
				before += steps[at].Cases
			}
			rank = before + steps[at].Cases
		}
		texts := len(l.Texts)
		row := l.row(&s.List[i], rank)
		size += jsonSize(row) + jsonSize(l.Texts[texts:])
		if size > room {
			l.Texts = l.Texts[:texts]
			break
		}
		l.Cases = append(l.Cases, row)
	}
	text, _ := json.Marshal(&l)
	return template.JS(text), len(l.Cases) //nolint:gosec // JSON, in which < is \u003c
}

// jsonSize returns the length of a value of texts and finite numbers in JSON.
func jsonSize(v any) int {
	text, _ := json.Marshal(v)
	return len(text)
}

// steps returns runs of cases by rank: bins or, if all cases are listed, each case.
func (s *Cases) steps() []Bin {
	if len(s.Bins) > 0 {
		return s.Bins
	}
	steps := make([]Bin, len(s.List))
	for i := range steps {
		steps[i] = Bin{Cases: 1, Least: s.List[i].P}
		if s.List[i].True {
			steps[i].True = 1
		}
	}
	return steps
}

func (s *Cases) scale() float64 {
	if s.Scale > 0 && !math.IsInf(s.Scale, 1) {
		return s.Scale
	}
	return 1
}

// weight returns the size of a number of cases, some of them true, at the rate of the population.
func (s *Cases) weight(cases, trues int64) float64 {
	return float64(cases) + float64((s.scale()-1)*float64(trues))
}
