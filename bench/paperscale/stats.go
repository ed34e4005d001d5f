package paperscale

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"resolwe/examples"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/selection"
)

// Stats says what was generated. Its figures are counted on the rows, not taken from the plan.
type Stats struct {
	Task    string
	Scale   float64
	Seed    uint64
	Rule    string // who is a center
	Figures []Figure
	Base    float64  // share of the query atoms that are true, averaged over the sampled centers
	Signals []Signal // over the sampled centers
	Noise   []string // relations that are drawn independently of the target
}

// Figure is a count or mean.
type Figure struct {
	Name      string
	Generated float64
	Paper     float64 // at scale 1; 0 where the paper does not say
}

// Role says how a formula's selector comes to be tied to its target.
type Role string

// The roles. The zero value is none.
const (
	Planted Role = "planted" // by a relation that the generator ties to the target
	Follows Role = "follows" // weakly, through topics, popularity or relations that are planted
	Noise   Role = "noise"   // not at all
)

// Signal is the strength of a formula: the value that selection compares with theta.
type Signal struct {
	Formula string
	Role    Role
	Value   float64 // mean over the sampled centers where it is defined: the joint value, or the last conditional
	Defined int     // number of those centers
}

func (s *Stats) figure(name string, generated, paper float64) {
	s.Figures = append(s.Figures, Figure{name, generated, paper})
}

// mean divides a sum by a number, which may be 0.
func mean(sum, n int) float64 { return float64(sum) / max(1, float64(n)) }

// String is the report: the figures beside the paper's, then the strength of each formula that was measured.
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
	fmt.Fprintf(&b, "\nnoise: %s\nshare of query atoms that are true: %.3f\n\n", strings.Join(s.Noise, ", "), s.Base)
	for _, signal := range s.Signals {
		value := "  -  " // its selector holds nowhere
		if signal.Defined > 0 {
			value = fmt.Sprintf("%.3f", signal.Value)
		}
		fmt.Fprintf(&b, "%s  %-7s  %s\n", value, signal.Role, signal.Formula)
	}
	return b.String()
}

// number writes a count with commas, or a mean with two decimals.
func number(x float64) string {
	if x != float64(int64(x)) {
		return fmt.Sprintf("%.2f", x)
	}
	s := strconv.FormatInt(int64(x), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// sampledCenters is over how many centers the strength of formulas is measured: k2 of the paper.
const sampledCenters = 30

// measure finds what selection would find for the formulas of an example's task that have a role, on centers at equal
// distances. cut states the facts of a center's subgraph, as far as these formulas see them.
func (g *run) measure(task string, centers []int32, role func(formula string) Role, cut func(*facts, int32)) error {
	src, err := examples.FS.ReadFile(task + "/" + task + ".mln")
	if err != nil {
		return err
	}
	m, err := mln.Parse(task+".mln", src, mln.Options{})
	if err != nil {
		return err
	}
	var candidates []*mln.Candidate
	for _, f := range m.Formulas {
		text := mln.FormatFormula(f)
		if role(text) == "" {
			continue
		}
		c, _, err := mln.Candidates(&mln.Model{Schema: m.Schema, Formulas: []*mln.Formula{f}}) // alone: none is merged with another
		if err != nil {
			return err
		}
		candidates = append(candidates, c...)
		g.Signals = append(g.Signals, Signal{Formula: text, Role: role(text)})
	}
	compiled, err := selection.Compile(&m.Schema, candidates, selection.Paper)
	if err != nil {
		return err
	}
	counter, out := selection.NewCounter(compiled), &facts{subgraph.NewBuilder(&m.Schema), &m.Schema}
	n := min(sampledCenters, len(centers))
	for i := range n {
		if err := g.stopped("statistics"); err != nil {
			return err
		}
		center := centers[i*len(centers)/n]
		out.Reset(id("S", int32(i)), id("U", center), -1)
		cut(out, center)
		sub, err := out.Finish()
		if err != nil {
			return err
		}
		for pred, p := range m.Schema.Predicates {
			if r := &sub.Relations[pred]; p.Role.IsTarget() {
				g.Base += float64(r.True.Len()) / float64(r.True.Len()+r.False.Len())
			}
		}
		if err := counter.Add(sub); err != nil {
			return err
		}
	}
	g.Base /= max(1, float64(n))
	for i := range g.Signals {
		stat := &counter.Totals[i].Joint
		if given := counter.Totals[i].Conditional; len(given) > 0 {
			stat = &given[len(given)-1]
		}
		if g.Signals[i].Defined = int(stat.Mean.Defined()); g.Signals[i].Defined > 0 {
			g.Signals[i].Value = stat.Mean.Value()
		}
	}
	return nil
}

// facts states the facts of a subgraph.
type facts struct {
	*subgraph.Builder
	schema *mln.Schema
}

// entities declares entities of a type, whose local ids ascend.
func (f *facts) entities(typ string, names []string) {
	for _, name := range names {
		f.Entity(f.schema.Type(typ), name)
	}
}

// of returns what states atoms of a predicate.
func (f *facts) of(predicate string, truth subgraph.Truth) func(args ...uint32) {
	pred := f.schema.Predicate(predicate)
	return func(args ...uint32) { f.Add(pred, args, truth) }
}
