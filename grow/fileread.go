package grow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/grow"
)

// ReadPolicy reads a policy file. The path is used in errors: a *PolicyError, or an mln.ErrorList for the formulas in it.
func ReadPolicy(path string, data []byte) (*Policy, error) {
	var in filePolicy
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, &PolicyError{path, fmt.Sprintf("not a policy that resolwe grow writes: %v", err)}
	}
	if d.More() {
		return nil, &PolicyError{path, "something follows the policy"}
	}
	r := &policyReader{in: &in, out: &Policy{
		Keep: in.Keep, Budget: in.Budget, Seed: in.Seed, Chosen: in.Chosen, Learned: Learned{Subgraphs: in.Subgraphs, Chosen: in.Promise.figures()},
	}}
	if err := r.read(path); err != nil {
		if reason := reasonError(""); errors.As(err, &reason) {
			return nil, &PolicyError{path, string(reason)}
		}
		return nil, err
	}
	return r.out, nil
}

// reasonError is a reason why a policy is invalid.
type reasonError string

func (e reasonError) Error() string { return string(e) }

func wrong(format string, args ...any) error { return reasonError(fmt.Sprintf(format, args...)) }

// policyReader checks a policy as read from a file.
type policyReader struct {
	in       *filePolicy
	out      *Policy
	formulas []*mln.Formula // of all stages
}

func (r *policyReader) read(path string) error {
	in, out := r.in, r.out
	switch {
	case in.Format != format:
		return wrong("not a policy that resolwe grow writes: its format is %q", in.Format)
	case in.Version != version:
		return wrong("version %d of policies: this program reads version %d", in.Version, version)
	case len(in.Order) < 1 || len(in.Order) > mostSteps+2 || len(in.Random) < 1 || len(in.Random) > mostSteps+2:
		return wrong("an order has 1 to %d steps", mostSteps+2)
	case len(in.Prefixes) != len(in.Order):
		return wrong("figures of %d prefixes, but %d steps", len(in.Prefixes), len(in.Order))
	case in.Chosen < 0 || in.Chosen >= len(in.Rules):
		return wrong("rule %d is chosen of %d", in.Chosen, len(in.Rules))
	case !slices.Contains(losses, in.Loss):
		return wrong("no loss %q", in.Loss)
	}
	out.Loss = grow.Loss(slices.Index(losses, in.Loss)) // #nosec G115 -- one of two
	for _, f := range in.Prefixes {
		out.Learned.Prefixes = append(out.Learned.Prefixes, f.figures())
	}
	if err := r.model(path); err != nil {
		return err
	}
	if err := r.costs(); err != nil {
		return err
	}
	if err := r.stages(); err != nil {
		return err
	}
	for _, from := range in.Rules {
		rule := &grow.Rule{Lambda: from.Lambda}
		if len(from.Trees) != len(in.Order)-1 {
			return wrong("a rule has %d trees, not %d", len(from.Trees), len(in.Order)-1)
		}
		for _, t := range from.Trees {
			tree, err := t.tree(0)
			if err != nil {
				return err
			}
			rule.Trees = append(rule.Trees, tree)
		}
		out.Rules = append(out.Rules, rule)
	}
	return nil
}

// orders returns the stages of both orders.
func (p *filePolicy) orders() []fileStage { return slices.Concat(p.Order, p.Random) }

// model parses the declarations and the formulas of all stages.
func (r *policyReader) model(path string) error {
	text := slices.Clone(r.in.Declarations)
	for _, s := range r.in.orders() {
		text = append(text, s.Formulas...)
	}
	m, err := resolwe.ParseModel(path, []byte(strings.Join(text, "\n")+"\n"), resolwe.ModelOptions{ReadFile: func(string) ([]byte, error) {
		return nil, wrong("a policy includes no files")
	}})
	if err == nil {
		err = m.Predicts()
	}
	if err != nil {
		return wrong("%v", err)
	}
	r.out.model, r.out.Schema, r.formulas = m.With(nil), m.Schema, m.Formulas
	for _, f := range m.Formulas {
		_, ok := f.Headed(m.Schema)
		outside, quantified := m.Schema.Targets(f.Body)
		if f.Hard || !f.HasWeight || !ok || len(outside)+len(quantified) != 1 {
			return wrong("%s: a policy's formulas have a weight and one target literal", mln.FormatRule(f))
		}
	}
	return nil
}

// evidence returns the index of a relation by name.
func (r *policyReader) evidence(name string) (int, error) {
	pred := r.out.Schema.Predicate(name)
	if pred < 0 || r.out.Schema.Predicates[pred].Role.IsTarget() {
		return 0, wrong("%s is not a relation that can be looked up", name)
	}
	return pred, nil
}

// costs converts the costs and the types of the center.
func (r *policyReader) costs() error {
	out := r.out
	out.Costs = grow.UnitCosts(out.Schema)
	for _, c := range r.in.Costs {
		pred, err := r.evidence(c.Relation)
		if err != nil {
			return err
		}
		if c.Bound < 1 || c.Bound > len(out.Costs[pred]) || !(c.Call >= 0 && c.Fact >= 0) {
			return wrong("a cost of %s that is none", c.Relation)
		}
		out.Costs[pred][c.Bound-1] = grow.Cost{Call: c.Call, Fact: c.Fact}
	}
	out.Centers = make([]bool, len(out.Schema.Types))
	for _, name := range r.in.Centers {
		typ := out.Schema.Type(name)
		if typ < 0 {
			return wrong("no type %s", name)
		}
		out.Centers[typ] = true
	}
	return nil
}

// stages converts the stages of both orders.
func (r *policyReader) stages() error {
	all, rest, second := []Stage{}, r.formulas, len(r.in.Order)
	for i, s := range r.in.orders() {
		n := len(s.Formulas)
		if len(rest) < n {
			return wrong("lines of formulas that are none, or several")
		}
		stage := Stage{Formulas: rest[:n:n]}
		if err := r.probes(s.Probes, &stage, i == 0 || i == second); err != nil {
			return err
		}
		all, rest = append(all, stage), rest[n:]
	}
	if len(rest) > 0 {
		return wrong("lines of formulas that are none, or several")
	}
	r.out.Order, r.out.Random = all[:second:second], all[second:]
	return nil
}

// probes converts the probes of a stage.
func (r *policyReader) probes(list []fileProbe, to *Stage, first bool) error {
	if first != (len(list) == 0) {
		return wrong("an order begins with a stage without probes, and no other is without")
	}
	for _, f := range list {
		pred, err := r.evidence(f.Relation)
		if err != nil {
			return err
		}
		p := Probe{Pred: pred, At: -1, Hop: f.Hop}
		for at, v := range f.Pattern {
			switch {
			case v == "-":
			case p.At >= 0 || v != grow.Known && v != grow.Center && !strings.HasPrefix(v, "="):
				return wrong("%s%v: a pattern binds one argument, by +, @center or = and a constant", f.Relation, f.Pattern)
			default:
				p.At, p.Bound = at, v
			}
		}
		if args := r.out.Schema.Predicates[pred].Args; p.At < 0 || len(f.Pattern) != len(args) || f.Hop < 1 || f.Hop > grow.MostHops {
			return wrong("%s%v at hop %d is not a probe", f.Relation, f.Pattern, f.Hop)
		}
		if n := len(to.Step); n > 0 && to.Step[n-1].Hop > p.Hop {
			return wrong("the probes of a step are ordered by hop")
		}
		to.Step = append(to.Step, p)
	}
	return nil
}

// deepest bounds the depth of a tree in a file.
const deepest = 16

// tree converts a tree.
func (t *fileTree) tree(depth int) (*grow.Tree, error) {
	if t == nil || depth > deepest {
		return nil, wrong("a tree without leaves, or of more than %d levels", deepest)
	}
	if t.Leaf != nil {
		return &grow.Tree{Leaf: *t.Leaf}, nil
	}
	out := &grow.Tree{Feature: slices.Index(grow.FeatureNames[:], t.Feature), At: t.At}
	if out.Feature < 0 {
		return nil, wrong("no feature %q", t.Feature)
	}
	var err error
	if out.Below, err = t.Below.tree(depth + 1); err == nil {
		out.Above, err = t.Above.tree(depth + 1)
	}
	return out, err
}
