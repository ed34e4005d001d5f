package paperscale

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"resolwe/examples"
	"resolwe/format/mln"
)

// Stats describes what was generated. Its figures are counted on the rows, not taken from the plan.
type Stats struct {
	Task    string
	Scale   float64
	Seed    uint64
	Rule    string // which users are centers
	Figures []Figure
	Signals []Signal // formulas of the example's task with a role
	Noise   []string // relations that are drawn independently of the target
}

// Figure is a count or mean.
type Figure struct {
	Name      string
	Generated float64
	Paper     float64 // at scale 1; 0 if the paper does not give it
}

// Role says how a formula's selector is tied to its target.
type Role string

// The roles. The zero value is none.
const (
	Planted Role = "planted" // through a relation that the generator ties to the target
	Follows Role = "follows" // weakly, through topics, popularity or planted relations
	Noise   Role = "noise"   // not at all
)

// Signal is a formula and its role.
type Signal struct {
	Formula string
	Role    Role
}

func (s *Stats) figure(name string, generated, paper float64) {
	s.Figures = append(s.Figures, Figure{name, generated, paper})
}

// mean divides a sum by a number, which may be 0.
func mean(sum, n int) float64 { return float64(sum) / max(1, float64(n)) }

// String returns the report: the figures beside the paper's, then the formulas with their roles.
func (s *Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, scale %v, seed %d\n", s.Task, s.Scale, s.Seed)
	fmt.Fprintf(&b, "centers: %s\n\n", s.Rule)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "generated\tpaper\t \n")
	for _, f := range s.Figures {
		paper := "-"
		if f.Paper != 0 {
			paper = number(f.Paper)
		}
		fmt.Fprintf(w, "%s\t%s\t %s\n", number(f.Generated), paper, f.Name)
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&b, "\nnoise: %s\n\n", strings.Join(s.Noise, ", "))
	for _, signal := range s.Signals {
		fmt.Fprintf(&b, "%-7s  %s\n", signal.Role, signal.Formula)
	}
	return b.String()
}

// number formats a count with commas, or a mean with two decimals.
func number(x float64) string {
	if x != float64(int64(x)) {
		return fmt.Sprintf("%.2f", x)
	}
	return humanize.Comma(int64(x))
}

// assign lists the formulas of an example's task with a role.
func (s *Stats) assign(task string, role func(formula string) Role) error {
	src, err := examples.FS.ReadFile(task + "/" + task + ".mln")
	if err != nil {
		return err
	}
	m, err := mln.Parse(task+".mln", src, mln.Options{})
	if err != nil {
		return err
	}
	for _, f := range m.Formulas {
		if text := mln.FormatFormula(f); role(text) != "" {
			s.Signals = append(s.Signals, Signal{text, role(text)})
		}
	}
	return nil
}
