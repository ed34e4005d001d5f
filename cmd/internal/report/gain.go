package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"resolwe"
	"resolwe/cmd/internal/terminal"
	"resolwe/format/mln"
)

// Gain is what select prints with --json of a target predicate, by gain.
type Gain struct {
	Target    string     `json:"target"`
	Subgraphs int        `json:"subgraphs"`
	Atoms     int        `json:"atoms"`
	Sampled   bool       `json:"sampled,omitempty"`
	BaseRate  Number     `json:"base_rate"`
	Family    string     `json:"family"`
	Shrink    Number     `json:"shrink"`
	Bias      Number     `json:"bias"`
	HeldOut   HeldOut    `json:"held_out"`
	Base      HeldOut    `json:"held_out_base"`
	Formulas  int        `json:"formulas"` // of the path, from its beginning, that are selected
	Path      []GainStep `json:"path"`
	Tied      []GainStep `json:"tied,omitempty"` // of several target literals, all of them selected
}

// HeldOut is how well held-out atoms are predicted.
type HeldOut struct {
	CLL Number `json:"cll"`
	MAP Number `json:"map"`
	AUC Number `json:"auc_roc"`
}

// GainStep is a formula of a path.
type GainStep struct {
	Formula   string   `json:"formula"`
	Weight    *Number  `json:"weight,omitempty"` // where it is selected
	Gain      Number   `json:"gain"`
	Support   int64    `json:"support"`
	TrueRate  Number   `json:"p"`
	HeldOut   HeldOut  `json:"held_out"`
	Redundant []string `json:"redundant,omitempty"`
}

func newHeldOut(f resolwe.HeldOut) HeldOut {
	return HeldOut{Number(f.CLL), Number(f.MAP), Number(f.AUC)}
}

func newGain(g *resolwe.GainSelection) Gain {
	out := Gain{
		Target: g.Target, Subgraphs: g.Subgraphs, Atoms: g.Atoms, Sampled: g.Sampled, BaseRate: Number(g.BaseRate), Family: g.Family,
		Shrink: Number(g.Shrink), Bias: Number(g.Bias), HeldOut: newHeldOut(g.HeldOut()), Base: newHeldOut(g.Base), Formulas: g.Size,
		Path: []GainStep{},
	}
	for i := range g.Path {
		out.Path = append(out.Path, newGainStep(&g.Path[i]))
	}
	for i := range g.Tied {
		out.Tied = append(out.Tied, newGainStep(&g.Tied[i]))
	}
	return out
}

func newGainStep(s *resolwe.GainStep) GainStep {
	out := GainStep{
		Formula: formulaText(s.Formula), Gain: Number(s.Gain), Support: s.Support, TrueRate: Number(s.TrueRate), HeldOut: newHeldOut(s.After),
		Redundant: Texts(s.Redundant),
	}
	if s.Formula.HasWeight {
		w := Number(s.Formula.Weight)
		out.Weight = &w
	}
	return out
}

// formulaText prints a formula with its shape, without its weight.
func formulaText(f *mln.Formula) string {
	g := *f
	g.HasWeight = false
	return mln.FormatRule(&g)
}

// gainText prints what was selected by gain, and what comes of it.
func gainText(w io.Writer, sel *resolwe.Selection, seconds float64) error {
	for i := range sel.Gain {
		g := &sel.Gain[i]
		of := ""
		if g.Sampled {
			of = ", a sample"
		}
		head := fmt.Sprintf("%s: %d atoms of %d subgraphs%s; base rate %.4g\n", g.Target, g.Atoms, g.Subgraphs, of, g.BaseRate)
		if err := terminal.Paragraph(w, head); err != nil {
			return err
		}
		t := NewTable("rrrrrrrl", "weight", "gain", "support", "P(Q|it)", "CLL", "MAP", "AUC", "formula")
		t.Row(Number(g.Bias), "", g.Atoms, Number(g.BaseRate), Number(g.Base.CLL), Number(g.Base.MAP), Number(g.Base.AUC), "(base rate)")
		for _, steps := range [][]resolwe.GainStep{g.Path[:g.Size], g.Tied} {
			for k := range steps {
				s := &steps[k]
				t.Row(Number(s.Formula.Weight), Number(s.Gain), s.Support, Number(s.TrueRate), Number(s.After.CLL), Number(s.After.MAP),
					Number(s.After.AUC), formulaText(s.Formula))
			}
		}
		if err := t.Write(w); err != nil {
			return err
		}
		tail := fmt.Sprintf("%d formulas of a path of %d, from %s, shrinkage %v", g.Size, len(g.Path), g.Family, g.Shrink)
		if n := len(g.Tied); n > 0 {
			tail += fmt.Sprintf("; %d of several target literals", n)
		}
		if err := terminal.Paragraph(w, tail+"\n\n"); err != nil {
			return err
		}
	}
	return terminal.Paragraph(w, fmt.Sprintf(`formulas stand in the order in which they were taken; gain is in nats an atom
support is the atoms that the formula says something of, P(Q|it) the share of true ones among these
CLL, MAP and AUC are those of held-out atoms once the formula is there
%d formulas selected on %d subgraphs; %.3f seconds
`, len(sel.Selected), sel.Subgraphs, seconds))
}

// WritePath writes the paths of a selection by gain as CSV, then the formulas of several target literals that follow what is
// selected of a path.
func WritePath(w io.Writer, sel *resolwe.Selection) error {
	out := csv.NewWriter(w)
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	err := out.Write([]string{"target", "formulas", "selected", "weight", "gain", "support", "p", "cll", "map", "auc_roc", "formula"})
	for i := range sel.Gain {
		g := &sel.Gain[i]
		line := func(size int, selected bool, s *resolwe.GainStep, after *resolwe.HeldOut) {
			row := []string{g.Target, strconv.Itoa(size), strconv.FormatBool(selected), "", "", "", "", text(after.CLL), text(after.MAP), text(after.AUC), ""}
			if s != nil {
				if selected {
					row[3] = text(s.Formula.Weight)
				}
				row[4], row[5], row[6], row[10] = text(s.Gain), strconv.FormatInt(s.Support, 10), text(s.TrueRate), formulaText(s.Formula)
			}
			err = cmp.Or(err, out.Write(row))
		}
		line(0, true, nil, &g.Base)
		for k := range g.Path {
			line(k+1, k < g.Size, &g.Path[k], &g.Path[k].After)
		}
		for k := range g.Tied {
			line(g.Size+k+1, true, &g.Tied[k], &g.Tied[k].After)
		}
	}
	out.Flush()
	if err != nil {
		return err
	}
	return out.Error()
}
