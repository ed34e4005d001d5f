package resolwe

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"resolwe/format/lex"
	"resolwe/format/subgraph"
	"resolwe/kernels/explain"
	"resolwe/kernels/ground"
)

// ExplainOptions say what to explain.
type ExplainOptions struct {
	Subgraph   string       // its name
	Atom       string       // a query atom of it, as text; "" for all
	Groundings int          // maximum per formula; 0 for 3, negative for none
	NoEvidence bool         // do not look for evidence without which the log-odds would change sign
	Infer      InferOptions // of the marginals
}

// listed returns how many things to list: 3 for 0, none for a negative number.
func listed(n int) int { return max(0, cmp.Or(n, 3)) }

// Explanation says why a query atom has its probability.
type Explanation = explain.Explanation

// Explain passes explanations of the query atoms of a subgraph to emit, in order. The stream must have been opened with
// StreamOptions.Names. If there is no such subgraph, or it has no such query atom that is not given, the error is an *OptionError;
// other errors are those of Infer. An error of emit ends it.
func Explain(ctx context.Context, m *Model, s *Stream, opt ExplainOptions, emit func(*Explanation) error) error {
	if err := cmp.Or(m.check(s), needs(emit != nil)); err != nil {
		return err
	}
	newInferrer, err := opt.Infer.newInferrers(ctx, m)
	if err != nil {
		return err
	}
	var names []string // of the subgraphs, if known before reading them
	if !s.ReadOnce() {
		entries, err := s.Entries(ctx)
		if err != nil {
			return err
		}
		list := []int{}
		for _, e := range entries {
			names = append(names, e.Name)
			if e.Name == opt.Subgraph {
				list = append(list, e.Index)
			}
		}
		s = s.Pick(list)
	}
	found, near := false, ""
	err = Process(ctx, s, &opt.Infer.Run, newInferrer, func(f *inferrer, sub *subgraph.Subgraph) (*explanations, error) {
		if sub.Name != opt.Subgraph {
			return &explanations{}, nil
		}
		return f.explain(m, sub, &opt)
	}, func(r *explanations) error {
		near = cmp.Or(near, r.near)
		for _, e := range r.list {
			found = true
			if err := emit(e); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil || found:
		return err
	case opt.Atom == "":
		return &OptionError{"ExplainOptions.Subgraph", fmt.Sprintf("the stream has no subgraph %q with query atoms", opt.Subgraph) + lex.DidYouMean(opt.Subgraph, names)}
	}
	return &OptionError{"ExplainOptions.Atom", fmt.Sprintf("%q is no query atom to explain in a subgraph %q of the stream", opt.Atom, opt.Subgraph) + near}
}

// explanations are the explanations of a subgraph's query atoms.
type explanations struct {
	list []*Explanation
	near string // suggestion of another atom if there is none to explain
}

// explain explains the query atoms of a subgraph that are wanted.
func (f *inferrer) explain(m *Model, sub *subgraph.Subgraph, opt *ExplainOptions) (*explanations, error) {
	e, judging := explain.NewExplainer(m.Schema, m.Formulas, f.weights, listed(opt.Groundings)), explain.NewExplainer(m.Schema, nil, f.weights, 0)
	bind := func(e *explain.Explainer, sub *subgraph.Subgraph) (*Marginals, error) {
		r, err := f.marginals(sub)
		if err != nil {
			return nil, err
		}
		p := make([]float64, f.model.Net.NumAtoms)
		for i, v := range r.P {
			if at, ok := r.atoms.Free(i); ok {
				p[at] = v
			}
		}
		e.Bind(f.model.Net, r.atoms, p)
		return r, nil
	}
	f.helpers.Begin()
	defer f.helpers.End()
	r, err := bind(e, sub)
	if err != nil {
		return nil, err
	}
	var out []*Explanation
	for i := range r.P {
		at, free := r.atoms.Free(i)
		if !free || opt.Atom != "" && squeezed(opt.Atom) != squeezed(r.Atom(i)) {
			continue
		}
		var judge explain.Judge
		if !opt.NoEvidence {
			judge = func(sub *subgraph.Subgraph) (float64, []explain.Reason, error) {
				_, err := bind(judging, sub)
				if errors.As(err, new(*ground.ViolationError)) || errors.As(err, new(*UnsatisfiableError)) {
					return 0, nil, nil // the evidence is needed for another reason
				}
				if err != nil {
					return 0, nil, err
				}
				x := judging.Odds(uint32(at)) // #nosec G115 -- an atom's place
				return x.LogOdds, x.Reasons, nil
			}
		}
		x, err := e.Explain(i, judge)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	if len(out) > 0 || opt.Atom == "" {
		return &explanations{list: out}, nil
	}
	atoms := make([]string, len(r.P))
	for i := range atoms {
		atoms[i] = r.Atom(i)
	}
	return &explanations{near: lex.DidYouMean(opt.Atom, atoms)}, nil
}
