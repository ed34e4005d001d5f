package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/selection"
)

// Select presents a selection on the first k2 subgraphs.
func Select(k2 int, sel *resolwe.Selection, seconds Seconds) *render.Document {
	crit := sel.Criterion
	data := render.Object{"k2", k2}
	if crit != resolwe.Gain {
		data = append(data, "theta", sel.Threshold)
	}
	data = append(data, "criterion", crit.String(), "subgraphs", sel.Subgraphs, "candidates",
		render.Objects(sel.Candidates, func(s *selecting.Scored) render.Object {
			conditional := make([]render.Object, len(s.Conditional))
			for k := range s.Conditional {
				conditional[k] = stat(render.Object{"literal", mln.FormatAtom(s.Candidate.Enforcer[k])}, &s.Conditional[k], crit)
			}
			return render.Object{
				"formula", mln.FormatFormula(s.Candidate.Formula), "joint", stat(nil, &s.Joint, crit), "conditional", conditional,
				"selected", Texts(s.Selected),
			}
		}), "gain", render.ListOrNothing(render.Objects(sel.Gain, path)), "selected", Texts(sel.Selected), "stopped", render.OrNothing(sel.Stopped), "seconds", seconds.Data())
	page := variantPage
	if crit == resolwe.Gain {
		page = gainPage
	}
	return &render.Document{Data: data, Page: page(sel, seconds.Taken)}
}

// Texts prints formulas without weights.
func Texts(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = mln.FormatFormula(f)
	}
	return out
}

// stat appends the figures of the paper's criterion, or those of the other criteria.
func stat(to render.Object, s *selection.Stat, crit resolwe.Criterion) render.Object {
	if crit == resolwe.Paper {
		return append(to, "mean", s.Value(crit), "defined", s.Mean.Defined())
	}
	return append(to, "value", s.Value(crit), "selected_groundings", s.Selected, "true", s.True, "expected", s.Expected.Value())
}

// variantPage shows a table of the candidates' variants, the joint and the conditional probabilities, with the largest value first
// and undefined ones last. It also says how many were selected, and why the rest were not.
func variantPage(sel *resolwe.Selection, seconds float64) render.Page {
	type variant struct {
		*selection.Stat
		formula *mln.Formula
		value   float64
	}
	var variants []variant
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		variants = append(variants, variant{&s.Joint, s.Candidate.Joint(), s.Joint.Value(sel.Criterion)})
		for k := range s.Conditional {
			variants = append(variants, variant{&s.Conditional[k], s.Candidate.Conditional(k), s.Conditional[k].Value(sel.Criterion)})
		}
	}
	slices.SortStableFunc(variants, func(a, b variant) int { return cmp.Compare(b.value, a.value) }) // NaN is less than any number
	t := render.NewTable("rrrrrll", sel.Criterion.String(), "base rate", "subgraphs", "true", "support", "", "formula")
	above, unsupported := 0, 0
	threshold := selection.NewThreshold(sel.Threshold)
	for _, v := range variants {
		mark := ""
		if v.Keep(sel.Criterion, threshold) {
			mark = "*"
			above++
		}
		if v.Selected == 0 {
			unsupported++
		}
		base := v.Expected.Value() / float64(v.Selected)
		t.Row(v.value, base, v.Mean.Defined(), v.True, v.Selected, mark, mln.FormatFormula(v.formula))
	}
	return render.Page{t, fmt.Sprintf(`
%d candidates on %d subgraphs, %d variants: %d above theta = %v (*), %d without a selected grounding
%d formulas selected, each once up to renaming; %.3f seconds
`, len(sel.Candidates), sel.Subgraphs, len(variants), above, sel.Threshold, unsupported, len(sel.Selected), seconds)}
}

// step returns a formula of a path as cells, which stepKeys names; it has a weight if it is selected.
func step(s *selecting.GainStep) []any {
	f := *s.Formula
	var weight any
	if f.HasWeight {
		weight = f.Weight
	}
	f.HasWeight = false // the shape stays
	return []any{weight, s.Gain, s.Support, s.TrueRate, s.After.CLL, s.After.MAP, s.After.AUC, mln.FormatRule(&f)}
}

var stepKeys = []any{"weight", "gain", "support", "p", "cll", "map", "auc_roc", "formula"}

// path is the path of a target predicate.
func path(g *selecting.GainSelection) render.Object {
	folds := "random"
	if g.Forward {
		folds = "forward"
	}
	steps := func(s *selecting.GainStep) render.Object {
		c := step(s)
		out := render.Object{
			"formula", c[7], "weight", c[0], "gain", c[1], "support", c[2], "p", c[3], "held_out", heldOut(s.After),
			"redundant", render.ListOrNothing(Texts(s.Redundant)),
		}
		if e := s.Established; e != nil {
			out = append(out, "established", true, "alone", e.Weight, "interval", e.Interval[:])
		}
		if g := s.Growth; g != nil {
			out = append(out, "grows", render.Object{"correlation", g.Correlation, "share", render.OrNothing(g.Share)})
		}
		return out
	}
	return render.Object{
		"target", g.Target, "subgraphs", g.Subgraphs, "atoms", g.Atoms, "sampled", render.OrNothing(g.Sampled), "base_rate", g.BaseRate,
		"folds", folds, "family", render.OrNothing(g.Family), "shrink", g.Shrink, "bias", g.Bias, "held_out", heldOut(g.HeldOut()), "held_out_base", heldOut(g.Base),
		"gate",
		render.Object{"mean", g.Gate.Mean, "error", g.Gate.Error},
		"offered", g.Offered,
		"formulas", g.Size, "path", render.Objects(g.Path, steps), "tied", render.ListOrNothing(render.Objects(g.Tied, steps)),
	}
}

// heldOut returns how well held-out atoms are predicted.
func heldOut(f selecting.HeldOut) render.Object {
	return render.Object{"cll", f.CLL, "map", f.MAP, "auc_roc", f.AUC}
}

// gainPage shows the selection by gain, and how well it predicts.
func gainPage(sel *resolwe.Selection, seconds float64) (out render.Page) {
	for i := range sel.Gain {
		g := &sel.Gain[i]
		if g.Atoms == 0 {
			out = append(out, fmt.Sprintf("%s: no atom of known truth in %s\n\n", g.Target, printable.Count(sel.Subgraphs, "subgraph")))
			continue
		}
		of := ""
		if g.Sampled {
			of = ", a sample"
		}
		t := render.NewTable("rlrrrrrrl", "weight", "alone", "gain", "support", "P(Q|E)", "CLL", "MAP", "AUC", "formula")
		t.Row(g.Bias, "", "", g.Atoms, g.BaseRate, g.Base.CLL, g.Base.MAP, g.Base.AUC, "(base rate)")
		more := render.NewTable("rrrrrrrl", "weight", "gain", "support", "P(Q|E)", "CLL", "MAP", "AUC", "formula")
		established, also := 0, 0
		for _, steps := range [][]selecting.GainStep{g.Path[:g.Size], g.Tied} {
			for k := range steps {
				row := step(&steps[k])
				switch e := steps[k].Established; {
				case e != nil:
					established++
					t.Row(slices.Insert(row, 1, any(fmt.Sprintf("%.3g [%.3g, %.3g]", e.Weight, e.Interval[0], e.Interval[1])))...)
				case steps[k].Formula.HasWeight:
					also++
					more.Row(row...)
				}
			}
		}
		tail := fmt.Sprintf("%d of %s on the path kept, family %s, shrinkage %v", g.Size, printable.Count(len(g.Path), "formula"), g.Family, g.Shrink)
		if g.Forward {
			tail += "; held-out folds go forward in time"
		}
		if n := len(g.Tied); n > 0 {
			tail += fmt.Sprintf("; %d of several target literals", n)
		}
		head := fmt.Sprintf("%s: %s of %s%s; base rate %.4g\n", g.Target, printable.Count(g.Atoms, "atom"), printable.Count(g.Subgraphs, "subgraph"), of, g.BaseRate)
		out = append(out, head, fmt.Sprintf("%d established, of %s offered:\n", established, printable.Count(g.Offered, "column")), t)
		if also > 0 {
			out = append(out, fmt.Sprintf("%d also used for prediction:\n", also), more)
		}
		out = append(out, tail+"\n\n")
	}
	if slices.ContainsFunc(sel.Gain, func(g selecting.GainSelection) bool { return g.Atoms > 0 }) {
		out = append(out, `formulas are listed in the order of selection; gain is in nats an atom
support is the number of atoms that the formula counts for, P(Q|E) the share of true ones among them
CLL, MAP and AUC are of held-out atoms, by the formulas chosen up to that one
alone is the weight in a model of the established formulas alone, with an interval that allows for their choice
`)
	}
	return append(out, fmt.Sprintf("%s selected on %s; %.3f seconds\n",
		printable.Count(len(sel.Selected), "formula"), printable.Count(sel.Subgraphs, "subgraph"), seconds))
}

// WritePath writes the paths of a selection by gain as CSV, then the formulas with several target literals, which follow the
// selected part of a path.
func WritePath(w io.Writer, sel *resolwe.Selection) error {
	line, end := render.Lines(w)
	line(append([]any{"target", "formulas", "selected"}, stepKeys...)...)
	for i := range sel.Gain {
		g := &sel.Gain[i]
		add := func(size int, selected bool, cells []any) {
			for k, c := range cells {
				if v, ok := c.(float64); ok {
					cells[k] = strconv.FormatFloat(v, 'g', -1, 64) // NaN if there is none
				}
			}
			line(append([]any{g.Target, size, selected}, cells...)...)
		}
		add(0, true, []any{nil, nil, nil, nil, g.Base.CLL, g.Base.MAP, g.Base.AUC, nil})
		for k := range g.Path {
			add(k+1, k < g.Size, step(&g.Path[k]))
		}
		for k := range g.Tied {
			add(g.Size+k+1, true, step(&g.Tied[k]))
		}
	}
	return end()
}
