package grow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"resolwe/format/mln"
	"resolwe/kernels/grow"
)

// version is the version of the policy file format.
const version = 1

// PolicyError reports a malformed policy file.
type PolicyError struct{ Path, Reason string }

// Error gives the path and the reason.
func (e *PolicyError) Error() string { return e.Path + ": " + e.Reason }

// IsUsage reports that the user must give another file.
func (*PolicyError) IsUsage() bool { return true }

// The file is a JSON object whose lists have one element a line.
type (
	filePolicy struct {
		fileHead
		fileList
	}
	fileHead struct {
		Format       string     `json:"format"`
		Version      int        `json:"version"`
		Declarations []string   `json:"declarations"`
		Centers      []string   `json:"center_types"`
		Costs        []fileCost `json:"costs"`
		Loss         string     `json:"loss"`
		Keep         float64    `json:"keep"`
		Budget       float64    `json:"budget"`
		Seed         uint64     `json:"seed"`
		Subgraphs    int        `json:"subgraphs"`
		Chosen       int        `json:"chosen"`
		Promise      fileFigure `json:"promise"`
	}
	fileList struct {
		Prefixes []fileFigure `json:"prefixes"`
		Order    []fileStage  `json:"order"`
		Random   []fileStage  `json:"random"`
		Rules    []fileRule   `json:"rules"`
	}
	fileCost struct {
		Relation string  `json:"relation"`
		Bound    int     `json:"argument"` // counted from 1
		Call     float64 `json:"call"`
		Fact     float64 `json:"fact"`
	}
	fileFigure struct {
		Cost float64  `json:"cost"`
		MAP  *float64 `json:"map"`
		CLL  float64  `json:"cll"`
	}
	fileStage struct {
		Probes   []fileProbe `json:"probes"`
		Formulas []string    `json:"formulas"`
	}
	fileProbe struct {
		Relation string   `json:"relation"`
		Pattern  []string `json:"pattern"`
		Hop      int      `json:"hop"`
	}
	fileRule struct {
		Lambda float64     `json:"lambda"`
		Trees  []*fileTree `json:"trees"`
	}
	fileTree struct {
		Leaf    *float64  `json:"leaf,omitempty"`
		Feature string    `json:"feature,omitempty"`
		At      float64   `json:"at,omitempty"`
		Below   *fileTree `json:"below,omitempty"`
		Above   *fileTree `json:"above,omitempty"`
	}
)

const format = "resolwe grow policy"

var losses = []string{grow.LossAP: "average precision", grow.LossCLL: "log-likelihood"}

// Write writes a policy as a readable file. As for models, formulas that do not read back are an *mln.ReadBackError.
func (p *Policy) Write(w io.Writer) error {
	var declarations strings.Builder
	if err := cmp.Or(p.model.With(nil).Write(&declarations, nil), p.Model().Write(io.Discard, nil)); err != nil {
		return err
	}
	head := fileHead{
		Format: format, Version: version, Declarations: strings.Split(strings.TrimSpace(declarations.String()), "\n"), Centers: []string{}, Costs: []fileCost{},
		Loss: losses[p.Loss], Keep: p.Keep, Budget: p.Budget, Seed: p.Seed, Subgraphs: p.Learned.Subgraphs, Chosen: p.Chosen, Promise: figure(p.Learned.Chosen),
	}
	for typ, is := range p.Centers {
		if is {
			head.Centers = append(head.Centers, p.Schema.Types[typ])
		}
	}
	for pred, list := range p.Costs {
		for at, c := range list {
			if c != (grow.Cost{Call: 1}) && !math.IsInf(c.Call, 1) {
				head.Costs = append(head.Costs, fileCost{p.Schema.Predicates[pred].Name, at + 1, c.Call, c.Fact})
			}
		}
	}
	var b bytes.Buffer
	if err := encode(&b, head); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // drop the brace: lists follow
	err := errors.Join(
		lines(&b, "prefixes", p.Learned.Prefixes, figure), lines(&b, "order", p.Order, p.stage), lines(&b, "random", p.Random, p.stage),
		lines(&b, "rules", p.Rules, func(r *grow.Rule) (out fileRule) {
			out.Lambda = r.Lambda
			for _, t := range r.Trees {
				out.Trees = append(out.Trees, treeOf(t))
			}
			return out
		}),
	)
	b.WriteString("\n}\n")
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// encode writes a value on one line, without escaping HTML.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	b.Truncate(max(b.Len()-1, 0))
	return err
}

// lines writes a list as a member of an object, one element a line.
func lines[T, F any](b *bytes.Buffer, name string, list []T, of func(T) F) (err error) {
	fmt.Fprintf(b, ",\n%q: [", name)
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		err = errors.Join(err, encode(b, of(v)))
	}
	b.WriteByte(']')
	return err
}

func figure(f Figures) fileFigure {
	out := fileFigure{Cost: f.Cost, CLL: f.CLL}
	if !math.IsNaN(f.MAP) {
		out.MAP = &f.MAP
	}
	return out
}

func (f *fileFigure) figures() Figures {
	out := Figures{f.Cost, math.NaN(), f.CLL}
	if f.MAP != nil {
		out.MAP = *f.MAP
	}
	return out
}

func (p *Policy) stage(s Stage) fileStage {
	out := fileStage{Probes: []fileProbe{}, Formulas: []string{}}
	for _, probe := range s.Step {
		out.Probes = append(out.Probes, fileProbe{p.Schema.Predicates[probe.Pred].Name, probe.Pattern(p.Schema), probe.Hop})
	}
	for _, f := range s.Formulas {
		out.Formulas = append(out.Formulas, mln.FormatRule(f))
	}
	return out
}

func treeOf(t *grow.Tree) *fileTree {
	if t.Below == nil {
		return &fileTree{Leaf: &t.Leaf}
	}
	return &fileTree{Feature: grow.FeatureNames[t.Feature], At: t.At, Below: treeOf(t.Below), Above: treeOf(t.Above)}
}
