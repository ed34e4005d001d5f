package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/render"
)

// Bounds of what is shown at once; the rest is folded.
const (
	shownFindings = 7
	shownColumns  = 30
	mostRows      = 280
)

// draw lays out a content, with further sections after that on quality and a last one, within room bytes for the data of cases and with at
// most a number of columns in the dictionary.
func draw(c *Content, further []section, experts []block, room, columns int) *page {
	w := c.words()
	p := &page{Title: said(c.Title), Heading: c.Title, Over: c.Over, Drawn: c.Drawn, Footer: cmp.Or(render.Clip(c.Again.Version, render.MostName), "resolwe"), Private: c.Private, Named: len(c.Cases.List) > 0}
	if len(c.Cases.List) > 0 {
		p.Data, p.listed = c.data(room)
	}
	p.Sections = append([]section{
		{"glance", "At a glance", "At a glance", c.Glance.blocks()},
		{"findings", "What goes with it", "What goes with it", c.Findings.blocks(w)},
		{"cases", "The " + w.many, "The " + w.many, c.caseBlocks(p.listed)},
		{"quality", "How good is it, and where is it weak?", "How good", c.qualityBlocks()},
	}, further...)
	p.Sections = append(
		p.Sections,
		section{"trust", "Can I trust it?", "Can I trust it", c.trustBlocks()},
		section{"data", "The data", "The data", c.dataBlocks(columns)},
		section{"again", "Make it again", "Make it again", c.Again.blocks()},
		section{"experts", "For specialists", "For specialists", experts},
	)
	p.Sections = slices.DeleteFunc(p.Sections, func(s section) bool { return len(s.Blocks) == 0 })
	return p
}

// plots returns a block of those figures that there are.
func plots(list ...*plot) (out []block) {
	list = slices.DeleteFunc(list, func(p *plot) bool { return p == nil })
	if len(list) > 0 {
		out = []block{{Plots: list}}
	}
	return out
}

// phrases returns a block if there are phrases.
func phrases(heading string, list []render.Phrase) []block {
	if len(list) == 0 {
		return nil
	}
	return []block{{Heading: heading, List: list[:min(len(list), mostFindings)]}}
}

// folded returns a block that a reader opens.
func folded(summary string, blocks []block) []block {
	if len(blocks) == 0 {
		return nil
	}
	return []block{{Fold: &fold{summary, blocks}}}
}

func (g *Glance) blocks() (out []block) {
	if len(g.Lead) > 0 || len(g.Tiles) > 0 {
		out = []block{{Lead: g.Lead, Tiles: g.Tiles}}
	}
	return append(out, plots(g.systemsFigure())...)
}

func (f *Findings) blocks(w caseWords) (out []block) {
	if len(f.Nothing) > 0 {
		return append([]block{{Ask: f.Nothing}}, phrases("Rules of the model", f.Rules)...)
	}
	if len(f.Lead) > 0 {
		out = append(out, block{Ask: f.Lead})
	}
	cards := make([]card, 0, len(f.Cards))
	curves := false
	for i := range f.Cards[:min(len(f.Cards), mostFindings)] {
		cards = append(cards, f.Cards[i].card())
		curves = curves || cards[i].Plot != nil
	}
	if n := min(len(cards), shownFindings); n > 0 {
		out = append(out, block{Cards: cards[:n]})
		if rest := cards[n:]; len(rest) > 0 {
			out = append(out, folded(render.Count(len(rest), "more finding", "more findings"), []block{{Cards: rest}})...)
		}
	}
	if curves {
		out = append(out, block{Small: plain("Curves: share " + w.that + " by group, with 95% intervals and counts; a number is the upper end of its group. Dashed: all " + w.many + ".")})
	}
	out = append(out, phrases("Also used for prediction, not established", f.Also)...)
	for _, rare := range f.Rare[:min(len(f.Rare), mostFindings)] {
		out = append(out, block{Small: rare})
	}
	out = append(out, phrases("Rules of the model", f.Rules)...)
	if len(f.Note) > 0 {
		out = append(out, block{Small: f.Note})
	}
	return out
}

// card draws a finding.
func (f *Finding) card() card {
	c := card{Words: f.Words, Small: f.Small, Overlap: f.Overlap}
	if f.Curve != nil {
		c.Plot = groupsFigure(render.Clip(f.Curve.Title, render.MostName), f.Curve.Groups, f.Curve.Base, false)
	}
	var lines []string
	for _, x := range f.Formulas {
		line := render.Clip(mln.FormatFormula(x.Formula), render.MostText) + fmt.Sprintf("    weight %s %s, %s", render.Signed(x.Weight.Value, 3), x.Weight.brackets(3),
			render.Count(int(x.Support), "case", "cases"))
		if !math.IsNaN(x.Share.Value + x.Other.Value) {
			line += fmt.Sprintf(", true in %s, elsewhere in %s", percent(x.Share.Value), percent(x.Other.Value))
		}
		if !math.IsNaN(x.Gain) {
			line += fmt.Sprintf(", gain %s nats per 1,000", render.Fixed(1000*x.Gain, 3))
		}
		lines = append(lines, line)
	}
	if f.SQL != "" {
		lines = append(lines, "", clipLines(f.SQL, 4000))
	}
	var blocks []block
	if len(lines) > 0 {
		blocks = append(blocks, block{Code: strings.Join(lines, "\n")})
	}
	if c.Plot != nil {
		blocks = append(blocks, block{Table: c.Plot.Table})
	}
	if len(blocks) > 0 {
		c.Fold = &fold{"As computed", blocks}
	}
	return c
}

func (c *Content) caseBlocks(listed int) (out []block) {
	s, w := &c.Cases, c.words()
	if len(s.Lead) > 0 {
		out = append(out, block{Ask: s.Lead})
	}
	if n := len(s.Undecided); n > 0 {
		t := c.caseTable("To be decided", s.Undecided[:min(n, mostRows)], false)
		t.Caption += render.Either(n > mostRows, fmt.Sprintf(": the first %d of %s", mostRows, render.Grouped(int64(n))), "")
		if n > mostStatic {
			rest := *t
			t.Rows, rest.Rows = t.Rows[:mostStatic], t.Rows[mostStatic:]
			out = append(out, block{Table: t})
			out = append(out, folded(render.Grouped(int64(len(rest.Rows)))+" more to be decided", []block{{Table: &rest}})...)
		} else {
			out = append(out, block{Table: t})
		}
	}
	if len(s.List) == 0 {
		return out
	}
	if s.Total > 1 {
		out = append(out, block{Panel: &panel{Many: w.many, That: w.that, Costs: s.Levels, Table: s.thresholds(w)}})
	}
	t := c.caseTable("The most probable "+w.many, s.List[:min(len(s.List), mostStatic)], true)
	t.ID = "list"
	out = append(out, block{Listed: &caseList{w.one, w.many, w.that, t}})
	note := fmt.Sprintf("The %d most probable of %s are shown.", len(t.Rows), render.Grouped(s.Total))
	out = append(out, block{Small: plain(note), NoScript: true})
	if int64(listed) < s.Total {
		note = fmt.Sprintf("%s of %s can be listed here", render.Grouped(int64(listed)), render.Grouped(s.Total))
		out = append(out, block{Small: render.Join(note+"; all are in the file of ", "crossval --predictions.")})
	}
	return out
}

// thresholds lists what checking the most probable cases finds.
func (s *Cases) thresholds(w caseWords) *table {
	if len(s.Table) == 0 {
		return nil
	}
	t := newTable("If you check the most probable "+w.many, "#Checked", "#Predicted at least", "#Found", "#Share, 95% interval", "#Of all "+w.that, "#Times the average|1")
	for _, x := range s.Table {
		t.row(x.Checked, percent(x.Least), x.Found, strings.TrimSpace(percent(x.Precision.Value)+" "+between(x.Precision)), percent(x.Recall), x.Lift)
	}
	t.Sortable = false
	return t
}

// caseTable lists cases.
func (c *Content) caseTable(caption string, cases []Case, known bool) *table {
	s, w := &c.Cases, c.words()
	titles := []string{capital(w.one)}
	if s.Timed {
		titles = append(titles, "Time")
	}
	columns := s.Columns[:min(len(s.Columns), 3)]
	for _, name := range columns {
		titles = append(titles, capital(render.Clip(name, render.MostName)))
	}
	titles = append(titles, "#Predicted")
	if known {
		titles = append(titles, "Happened")
	}
	t := newTable(caption, append(titles, "Reasons")...)
	t.Stack = true
	for i := range cases {
		x := &cases[i]
		values := []any{cell{Text: render.Phrase{{Text: nameOf(x), Name: true}}}}
		if s.Timed {
			values = append(values, cell{Text: plain(x.Time.String()), Class: "date"})
		}
		for k := range columns {
			value := ""
			if k < len(x.Values) {
				value = render.Clip(x.Values[k], render.MostName)
			}
			values = append(values, cell{Text: named(value), Class: "value"})
		}
		values = append(values, predictedText(x.P))
		if known {
			values = append(values, render.Either(x.True, w.yes, w.no))
		}
		t.row(append(values, cell{Reasons: reasonsOf(x), Class: "words"})...)
	}
	t.Sortable = false
	return t
}

// reasonsOf draws the reasons for a case: at most three for it and two against, each as a bar.
func reasonsOf(c *Case) (out []reason) {
	var shown [2]int
	for _, r := range c.Reasons {
		side := 0
		if r.Value < 0 {
			side = 1
		}
		if shown[side]++; shown[side] <= 3-side {
			out = append(out, reason{said(r.Words), r.Value < 0, decimal(9 * min(4, math.Abs(r.Value)))})
		}
	}
	return out
}

func (c *Content) qualityBlocks() []block {
	q, w := &c.Quality, c.words()
	out := plots(c.foundFigure(), c.calibrationFigure())
	if p := linesFigure("Of those checked, the share "+w.that, "share found of all", "share true of those checked", q.Recall); p != nil {
		if s := &c.Cases; s.Total > 0 {
			base := s.scale() * float64(s.Trues) / s.weight(s.Total, s.Trues)
			p.line("base", point{0, base}, point{1, base})
		}
		out = append(out, folded("Precision by recall", []block{{Plots: []*plot{p}}})...)
	}
	if len(q.ByGroup) > 0 {
		t := newTable("By group of "+w.many, "Group", "#"+w.Many, "#"+capital(w.yes), "#AUC-ROC|2", "#Found among the checked")
		for _, g := range q.ByGroup[:min(len(q.ByGroup), mostGroups)] {
			t.row(cell{Text: g.Name}, g.Cases, g.True, g.AUC, render.Grouped(g.Found)+" of "+render.Grouped(g.True))
		}
		out = append(out, block{Table: t})
	}
	if len(q.GroupNote) > 0 {
		out = append(out, block{Small: q.GroupNote})
	}
	if len(out) > 0 && len(c.Cases.List) > 0 {
		out = append(out, block{Missed: "Show the " + w.many + " " + w.that + " and are not among the checked"})
	}
	return out
}

func (c *Content) trustBlocks() (out []block) {
	if len(c.Trust) > 0 {
		out = append(out, block{Checks: c.Trust})
	}
	if c.Course != nil {
		var cases, trues int64
		for _, g := range c.Course.Groups {
			cases, trues = cases+g.Cases, trues+g.True
		}
		if p := groupsFigure(render.Clip(c.Course.Title, 2*render.MostName), c.Course.Groups, float64(trues)/float64(max(cases, 1)), true); p != nil {
			p.Note = strings.TrimSpace(said(c.Course.Note) + " 95% intervals; true/all below. Dashed: all " + c.words().many + ".")
			out = append(out, plots(p)...)
		}
	}
	return out
}

func (c *Content) dataBlocks(most int) (out []block) {
	if len(c.DataNote) > 0 {
		out = append(out, block{Ask: c.DataNote})
	}
	if len(c.Data) == 0 {
		return out
	}
	fill := func(caption string, notes []ColumnNote) *table {
		t := newTable(caption, "Column", "Reads", "Distribution", "#Typical", "#Missing", "#Distinct", "Used")
		for i := range notes {
			n := &notes[i]
			name := cell{Code: render.Clip(n.Table+"."+n.Column, render.MostName), Class: "long"}
			t.row(name, cell{Text: n.Words}, cell{Plot: spark(n.Bars)}, render.Clip(n.Median, 40), percent(n.Missing), n.Distinct, cell{Text: n.Use, Notes: n.Alerts, Class: "long"})
		}
		t.Sortable, t.Stack = false, true
		return t
	}
	notes := c.Data[:min(len(c.Data), most)]
	n := min(len(notes), shownColumns)
	out = append(out, block{Table: fill("Columns of the tables", notes[:n])})
	if rest := notes[n:]; len(rest) > 0 {
		out = append(out, folded(render.Count(len(rest), "more column", "more columns"), []block{{Table: fill("More columns", rest)}})...)
	}
	if left := len(c.Data) - len(notes); left > 0 {
		out = append(out, block{Small: plain(render.Count(left, "more column is", "more columns are") + " left out here.")})
	}
	return out
}

func (a *Again) blocks() (out []block) {
	for i, command := range a.Commands {
		out = append(out, block{Ask: plain(render.Either(i == 1, "And to keep the model, and to score new data:", "")), Code: render.Clip(command, 4000)})
	}
	if len(a.Files) > 0 {
		t := newTable("Files that were read", "File", "#Bytes", "SHA-256")
		for _, in := range a.Files[:min(len(a.Files), 100)] {
			t.row(cell{Code: render.Clip(in.Path, render.MostPath), Class: "long"}, in.Bytes, cell{Code: in.SHA256, Class: "long"})
		}
		out = append(out, block{Table: t})
	}
	if len(out) > 0 {
		out = append(out, block{Small: plain("The same files give the same page, byte for byte but for times.")})
	}
	return out
}

// clipLines returns the first characters of a text of several lines.
func clipLines(text string, most int) string {
	lines := strings.Split(text[:min(len(text), most)], "\n")
	for i := range lines {
		lines[i] = render.Clip(strings.ReplaceAll(lines[i], "\t", "    "), most)
	}
	return strings.Join(lines, "\n")
}

// Text says what a check found.
func (s CheckState) Text() string { return [...]string{"Look at this", "Not done", "Passed"}[s] }

// Class is the class of a check in the page's style.
func (s CheckState) Class() string { return [...]string{"look", "open", "passed"}[s] }
