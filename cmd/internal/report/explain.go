package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/explain"
)

// Explanations prints the explanations that walk emits, as JSON or as text.
func Explanations(w io.Writer, asJSON bool, m *resolwe.Model, walk func(emit func(*resolwe.Explanation) error) error) error {
	var lead render.Page
	return list(w, asJSON, walk, func(dst []byte, e *resolwe.Explanation) ([]byte, error) {
		return appendJSON(dst, explanation(m, e))
	}, func(e *resolwe.Explanation) error {
		if err := lead.Write(w); err != nil {
			return err
		}
		lead = render.Page{render.Plain("\n")}
		return explanationPage(m, e, render.Columns(w) > 0).Write(w)
	})
}

func explanation(m *resolwe.Model, e *resolwe.Explanation) render.Object {
	var truth, without any = render.Null, render.Null
	if e.Truth != subgraph.Unknown {
		truth = e.Truth == subgraph.True
	}
	if e.Without != nil {
		without = render.Object{"evidence", e.Without, "log_odds", e.Otherwise}
	}
	return render.Object{
		"subgraph", e.Subgraph, "atom", e.Atom, "truth", truth, "probability", e.Probability, "log_odds", e.LogOdds,
		"contributions", render.Objects(e.Reasons, func(r *explain.Reason) render.Object {
			f := m.Formulas[r.Formula]
			neighbours := render.Objects(r.Neighbours, func(n *explain.Neighbour) render.Object {
				return render.Object{"atom", n.Atom, "probability", n.Probability, "value", n.Value}
			})
			return render.Object{
				"formula", mln.FormatFormula(f), "words", render.InWords(m.Schema, f).String(), "established", established(f), "index", r.Formula + 1, "weight", f.Weight, "feature", r.Feature, "value", r.Value,
				"neighbours", render.ListOrNothing(neighbours), "groundings", bindings(r.Groundings),
			}
		}), "sum", e.Sum, "tied", e.Tied, "constrained", e.Constrained, "without", without,
	}
}

// established says for an object whether a formula is, or nothing if it was not selected by gain.
func established(f *mln.Formula) any {
	if f.Standing == mln.StandingNone {
		return nil
	}
	return f.Standing == mln.StandingEstablished
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

// mostNeighbours is the maximum number of neighbours that a reason lists in text.
const mostNeighbours = 5

// explanationPage explains an atom; on a screen, weights have 4 digits.
func explanationPage(m *resolwe.Model, e *resolwe.Explanation, onScreen bool) render.Page {
	out := render.Page{fmt.Sprintf("%s  %s: probability %v, log-odds %v; %s\n",
		printed(e.Subgraph), printed(e.Atom), render.Number(e.Probability), render.Number(e.LogOdds), truthText[e.Truth])}
	block := "findings" // in a model that was selected by gain
	if !slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Standing != mln.StandingNone }) {
		block = ""
	}
	also := func(r explain.Reason) bool { return m.Formulas[r.Formula].Standing == mln.StandingAlso }
	findings := slices.DeleteFunc(slices.Clone(e.Reasons), also)
	rest := slices.DeleteFunc(slices.Clone(e.Reasons), func(r explain.Reason) bool { return !also(r) })
	for i, r := range slices.Concat(findings, rest) {
		if i == len(findings) {
			block = mln.StandingAlso.String()
		}
		if block != "" {
			out, block = append(out, block+":\n"), ""
		}
		f := m.Formulas[r.Formula]
		weight := short(f.Weight)
		if onScreen {
			weight = render.Number(f.Weight).String()
		}
		lead := fmt.Sprintf("%+10.4f  %s x %s  %d. ", r.Value, weight, short(r.Feature), r.Formula+1)
		out = append(out, render.Hanging{Lead: lead, Text: printed(mln.FormatFormula(f))}, inWords(m, f))
		for i, n := range r.Neighbours {
			if i == mostNeighbours {
				out = append(out, render.Plain(fmt.Sprintf("%12s%d more neighbours\n", "", len(r.Neighbours)-i)))
				break
			}
			out = append(out, render.Hanging{Lead: fmt.Sprintf("%12s%+.4f by ", "", n.Value), Text: fmt.Sprintf("%s, probability %v", printed(n.Atom), render.Number(n.Probability))})
		}
		out = append(out, groundings(r.Groundings)...)
	}
	tail := ""
	if e.Tied {
		tail += "Formulas tie the atom to others: the sum, with those at their marginals, is not quite the log-odds.\n"
	}
	if e.Constrained {
		tail += "Hard formulas also restrict the atom; the sum does not include them.\n"
	}
	if e.Without != nil {
		tail += fmt.Sprintf("Without %s the log-odds are %v.\n", printed(strings.Join(e.Without, ", ")), render.Number(e.Otherwise))
	}
	return append(out, render.Plain(fmt.Sprintf("%+10.4f  sum\n", e.Sum)), tail)
}

// inWords adds a formula in words, below it.
func inWords(m *resolwe.Model, f *mln.Formula) render.Hanging {
	return render.Hanging{Lead: fmt.Sprintf("%12s", ""), Text: printed(render.InWords(m.Schema, f).String())}
}

var truthText = map[subgraph.Truth]string{
	subgraph.True: "true in the data", subgraph.False: "false in the data", subgraph.Unknown: "unknown to the data",
}

func groundings(list [][]explain.Binding) (out render.Page) {
	for _, g := range list {
		parts := make([]string, len(g))
		for i, x := range g {
			parts[i] = printed(shortened(x.Variable)) + " = " + printed(x.Entity)
		}
		out = append(out, render.Hanging{Lead: fmt.Sprintf("%12swith ", ""), Text: strings.Join(parts, ", ")})
	}
	return out
}

// shortened removes from a count what is counted, which the formula says.
func shortened(name string) string {
	if before, _, ok := strings.Cut(name, ": "); ok {
		return before + ": ..}"
	}
	return name
}

// short prints a number with at most 6 digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// mostPrinted is the maximum number of bytes of a text to print.
const mostPrinted = 400

// printed returns untrusted text for use in a line: escaped, and cut if it is very long.
func printed(s string) string {
	if len(s) > mostPrinted {
		s = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(s[:mostPrinted], ""), len(s))
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable.Escape(s))
}

// Firing presents where the formula of an index fires.
func Firing(m *resolwe.Model, index int, f *inferring.Firing) *render.Document {
	formula := m.Formulas[index]
	text := mln.FormatFormula(formula)
	var weight any = render.Null
	if formula.HasWeight {
		weight = formula.Weight
	}
	share := func(n, of int) render.Number { return render.Number(float64(n) / float64(of)) }
	out := &render.Document{Page: render.Page{render.Hanging{Lead: fmt.Sprintf("%d. ", index+1), Text: printed(text)}, inWords(m, formula), fmt.Sprintf(
		"speaks for %t. It fires at %d of %d atoms, of which %v are true, and is right at %d, %v.\n",
		f.Predicts, f.Fires, f.Atoms, share(f.True, f.Atoms), f.Right, share(f.Right, f.Fires))}}
	examples := func(what string, list []inferring.FiringExample) []render.Object {
		return render.Objects(list, func(e *inferring.FiringExample) render.Object {
			out.Page = append(out.Page, render.Hanging{Lead: what + " at ", Text: fmt.Sprintf("%s  %s: %s", printed(e.Subgraph), printed(e.Atom), short(e.Value))})
			out.Page = append(out.Page, groundings(e.Groundings)...)
			return render.Object{"subgraph", e.Subgraph, "atom", e.Atom, "feature", e.Value, "groundings", bindings(e.Groundings)}
		})
	}
	out.Data = render.Object{
		"formula", text, "words", render.InWords(m.Schema, formula).String(), "established", established(formula), "index", index + 1, "weight", weight, "predicts", f.Predicts, "atoms", f.Atoms, "true", f.True, "fires", f.Fires,
		"right", f.Right, "right_at", examples("Right", f.RightAt), "wrong_at", examples("Wrong", f.WrongAt),
	}
	return out
}
