package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/terminal"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
	"resolwe/kernels/explain"
)

// explanation is what explain prints of an atom with --json.
type explanation struct {
	Subgraph      string         `json:"subgraph"`
	Atom          string         `json:"atom"`
	Truth         *bool          `json:"truth"`
	Probability   Number         `json:"probability"`
	LogOdds       Number         `json:"log_odds"`
	Contributions []contribution `json:"contributions"`
	Sum           Number         `json:"sum"`
	Tied          bool           `json:"tied"`
	Constrained   bool           `json:"constrained"`
	Without       *without       `json:"without"`
}

// contribution is what a formula adds to the log-odds.
type contribution struct {
	Formula    string              `json:"formula"`
	Index      int                 `json:"index"` // from 1
	Weight     Number              `json:"weight"`
	Feature    Number              `json:"feature"`
	Value      Number              `json:"value"`
	Neighbours []neighbour         `json:"neighbours,omitempty"`
	Groundings []map[string]string `json:"groundings"`
}

// neighbour is what another atom brings to that.
type neighbour struct {
	Atom        string `json:"atom"`
	Probability Number `json:"probability"`
	Value       Number `json:"value"`
}

// without is evidence whose removal turns the decision.
type without struct {
	Evidence []string `json:"evidence"`
	LogOdds  Number   `json:"log_odds"`
}

func newExplanation(m *resolwe.Model, e *resolwe.Explanation) explanation {
	out := explanation{
		Subgraph: e.Subgraph, Atom: e.Atom, Probability: Number(e.Probability), LogOdds: Number(e.LogOdds), Sum: Number(e.Sum),
		Tied: e.Tied, Constrained: e.Constrained, Contributions: []contribution{},
	}
	if e.Truth != subgraph.Unknown {
		is := e.Truth == subgraph.True
		out.Truth = &is
	}
	for _, r := range e.Reasons {
		f := m.Formulas[r.Formula]
		c := contribution{
			Formula: mln.FormatFormula(f), Index: r.Formula + 1, Weight: Number(f.Weight), Feature: Number(r.Feature), Value: Number(r.Value),
			Groundings: bindings(r.Groundings),
		}
		for _, n := range r.Neighbours {
			c.Neighbours = append(c.Neighbours, neighbour{n.Atom, Number(n.Probability), Number(n.Value)})
		}
		out.Contributions = append(out.Contributions, c)
	}
	if e.Without != nil {
		out.Without = &without{e.Without, Number(e.Otherwise)}
	}
	return out
}

// bindings returns groundings as objects.
func bindings(groundings [][]explain.Binding) []map[string]string {
	out := make([]map[string]string, len(groundings))
	for i, g := range groundings {
		out[i] = map[string]string{}
		for _, b := range g {
			out[i][b.Variable] = b.Entity
		}
	}
	return out
}

// Explanations prints the explanations that walk hands over, as JSON or as text.
func Explanations(w io.Writer, asJSON bool, m *resolwe.Model, walk func(emit func(*resolwe.Explanation) error) error) error {
	if asJSON {
		return List(w, func(add func(any) error) error {
			return walk(func(e *resolwe.Explanation) error { return add(newExplanation(m, e)) })
		})
	}
	lead := ""
	return walk(func(e *resolwe.Explanation) error {
		if _, err := io.WriteString(w, lead); err != nil {
			return err
		}
		lead = "\n"
		return explanationText(w, m, e)
	})
}

// mostNeighbours is how many neighbours a reason lists as text.
const mostNeighbours = 5

func explanationText(w io.Writer, m *resolwe.Model, e *resolwe.Explanation) error {
	var b strings.Builder // which takes everything
	page, raw := terminal.Through(w, &b)
	_ = terminal.Paragraph(page, fmt.Sprintf("%s  %s: probability %v, log-odds %v; %s\n",
		printed(e.Subgraph), printed(e.Atom), Number(e.Probability), Number(e.LogOdds), truthText[e.Truth]))
	for _, r := range e.Reasons {
		f := m.Formulas[r.Formula]
		weight := short(f.Weight)
		if terminal.Columns(w) > 0 {
			weight = Number(f.Weight).String()
		}
		lead := fmt.Sprintf("%+10.4f  %s x %s  %d. ", r.Value, weight, short(r.Feature), r.Formula+1)
		_ = terminal.Hang(page, lead, printed(mln.FormatFormula(f)))
		for i, n := range r.Neighbours {
			if i == mostNeighbours {
				fmt.Fprintf(page, "%12s%d more neighbours\n", "", len(r.Neighbours)-i)
				break
			}
			_ = terminal.Hang(page, fmt.Sprintf("%12s%+.4f by ", "", n.Value), fmt.Sprintf("%s, probability %v", printed(n.Atom), Number(n.Probability)))
		}
		writeGroundings(page, r.Groundings)
	}
	fmt.Fprintf(page, "%+10.4f  sum\n", e.Sum)
	tail := ""
	if e.Tied {
		tail += "Formulas tie the atom to others: the sum is that of the others at their marginals, and not quite the log-odds.\n"
	}
	if e.Constrained {
		tail += "Hard formulas bear on the atom, beside the sum.\n"
	}
	if e.Without != nil {
		tail += fmt.Sprintf("Without %s the log-odds are %v.\n", printed(strings.Join(e.Without, ", ")), Number(e.Otherwise))
	}
	_ = terminal.Paragraph(page, tail)
	_, err := io.WriteString(raw, b.String())
	return err
}

var truthText = map[subgraph.Truth]string{
	subgraph.True: "true in the data", subgraph.False: "false in the data", subgraph.Unknown: "unknown to the data",
}

func writeGroundings(w io.Writer, groundings [][]explain.Binding) {
	for _, g := range groundings {
		parts := make([]string, len(g))
		for i, x := range g {
			parts[i] = x.Variable + " = " + printed(x.Entity)
		}
		_ = terminal.Hang(w, fmt.Sprintf("%12swith ", ""), strings.Join(parts, ", "))
	}
}

// short prints a number with at most 6 digits.
func short(v float64) string {
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// mostPrinted is how many bytes of a text are printed.
const mostPrinted = 400

// printed returns text of other people as it stands in a line: escaped, and cut where it is very long.
func printed(s string) string {
	if len(s) > mostPrinted {
		s = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(s[:mostPrinted], ""), len(s))
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable.Escape(s))
}

// firing is what explain prints of a formula with --json.
type firing struct {
	Formula  string    `json:"formula"`
	Index    int       `json:"index"` // from 1
	Weight   *Number   `json:"weight"`
	Predicts bool      `json:"predicts"`
	Atoms    int       `json:"atoms"`
	True     int       `json:"true"`
	Fires    int       `json:"fires"`
	Right    int       `json:"right"`
	RightAt  []firedAt `json:"right_at"`
	WrongAt  []firedAt `json:"wrong_at"`
}

// firedAt is an example of it.
type firedAt struct {
	Subgraph   string              `json:"subgraph"`
	Atom       string              `json:"atom"`
	Feature    Number              `json:"feature"`
	Groundings []map[string]string `json:"groundings"`
}

// Firing prints where the formula of an index fires, as JSON or as text.
func Firing(w io.Writer, asJSON bool, m *resolwe.Model, index int, f *resolwe.Firing) error {
	formula := m.Formulas[index]
	text := mln.FormatFormula(formula)
	if !asJSON {
		var b strings.Builder
		what := map[bool]string{true: "true", false: "false"}[f.Predicts]
		page, raw := terminal.Through(w, &b)
		_ = terminal.Hang(page, fmt.Sprintf("%d. ", index+1), printed(text))
		_ = terminal.Paragraph(page, fmt.Sprintf("speaks for %s. It fires at %d of %d atoms, of which %v are true, and is right at %d, %v.\n", what,
			f.Fires, f.Atoms, share(f.True, f.Atoms), f.Right, share(f.Right, f.Fires)))
		examples(page, "Right", f.RightAt)
		examples(page, "Wrong", f.WrongAt)
		_, err := io.WriteString(raw, b.String())
		return err
	}
	out := firing{
		Formula: text, Index: index + 1, Predicts: f.Predicts, Atoms: f.Atoms, True: f.True, Fires: f.Fires, Right: f.Right,
		RightAt: fired(f.RightAt), WrongAt: fired(f.WrongAt),
	}
	if formula.HasWeight {
		out.Weight = defined(formula.Weight)
	}
	return JSON(w, &out)
}

// share returns n / of, undefined where of is 0.
func share(n, of int) Number { return Number(float64(n) / float64(of)) }

func fired(list []resolwe.FiringExample) []firedAt {
	out := make([]firedAt, len(list))
	for i, e := range list {
		out[i] = firedAt{e.Subgraph, e.Atom, Number(e.Value), bindings(e.Groundings)}
	}
	return out
}

func examples(w io.Writer, what string, list []resolwe.FiringExample) {
	for _, e := range list {
		_ = terminal.Hang(w, what+" at ", fmt.Sprintf("%s  %s: %s", printed(e.Subgraph), printed(e.Atom), short(e.Value)))
		writeGroundings(w, e.Groundings)
	}
}
