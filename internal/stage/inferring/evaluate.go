package inferring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/ground"
	"resolwe/kernels/rank"
)

// Evaluation says how well marginals predict the truth. An undefined measure is NaN.
type Evaluation struct {
	MAP                  float64 // mean average precision over the ranked subgraphs
	AUCROC               float64 // mean area under the ROC curve over the ranked subgraphs
	AUCROCPooled         float64 // area under the ROC curve of the pooled atoms
	AUCPR                float64 // area under the precision-recall curve of the pooled atoms
	CLL                  float64 // mean log-probability of the truth, per subgraph, then over subgraphs
	Brier                float64 // mean squared error of the marginals, per subgraph, then over subgraphs
	CalibrationError     float64 // of the pooled atoms, see rank.Pooled
	LogLoss              float64 // of the pooled atoms, see rank.Pooled
	Accuracy             float64 // of the pooled atoms, see rank.Pooled
	Top                  Top     // of the pooled atoms
	PrecisionAllRanks    float64 // the paper's sum for MAP, over every rank
	TrueNegativeAllRanks float64 // the paper's sum for AUC-ROC, over every rank
	Subgraphs            int     // with atoms of known truth
	Ranked               int     // those with both a true and a false atom
	Single               int     // those with one atom of known truth
	Quality              Quality // of the marginals, if they were inferred

	Intervals rank.Intervals // of pooled measures; without clusters for a part of what is evaluated
}

// RowTask reports whether at least 90% of the subgraphs have one atom of known truth: pooled measures then say how good the model is, and
// means over subgraphs say nothing.
func (e *Evaluation) RowTask() bool { return e.Subgraphs > 0 && 10*e.Single >= 9*e.Subgraphs }

// Top is the precision, which is the share of true atoms among the most probable ones, and the lift, which is that share divided by
// the share among all atoms. The three values are for the first 10, the first 50 and the first 1% of the atoms; with too few atoms
// they are NaN.
type Top struct{ Precision, Lift [3]float64 }

// Figures are the measures of a subgraph.
type Figures = rank.Figures

// Pooled are the measures of the pooled atoms of a fold.
type Pooled = rank.Pooled

// Prediction is a query atom of known truth with its marginal.
type Prediction = rank.Scored

// Cases are the atoms of a fold.
type Cases = rank.Cases

// Evaluator sums the figures of subgraphs. It keeps 16 bytes for each atom. The zero value is empty.
type Evaluator struct {
	Quality Quality // of the marginals; the caller maintains it

	sum   Evaluation
	cases Cases
	folds []Pooled
}

// Add adds a subgraph's marginals.
func (e *Evaluator) Add(m *Marginals) Figures {
	e.Quality.Add(m)
	return e.addAtoms(m)
}

// addAtoms is Add without the quality of the marginals.
func (e *Evaluator) addAtoms(m *Marginals) Figures {
	atoms := m.Predictions()
	f := rank.Evaluate(atoms)
	e.AddFigures(f, atoms, e.cases.UnitsOf(m.Units))
	return f
}

// AddFigures adds a subgraph's figures, and its atoms with their units (see Cases) unless nothing pooled is asked for.
func (e *Evaluator) AddFigures(f Figures, atoms []Prediction, units []uint64) {
	e.cases.Add(atoms, units)
	if f.Atoms > 0 {
		e.sum.Subgraphs++
		e.sum.CLL += f.CLL
		e.sum.Brier += f.Brier
	}
	if f.Atoms == 1 {
		e.sum.Single++
	}
	if f.Ranked {
		e.sum.Ranked++
		e.sum.MAP += f.AveragePrecision
		e.sum.AUCROC += f.AUC
		e.sum.PrecisionAllRanks += f.PrecisionAllRanks
		e.sum.TrueNegativeAllRanks += f.TrueNegativeAllRanks
	}
}

// EndFold ends a fold and returns its atoms and their pooled measures, which are computed for each fold separately.
func (e *Evaluator) EndFold() (Cases, Pooled) {
	p, cases := rank.Pool(slices.Clone(e.cases.Atoms)), e.cases
	e.cases = Cases{}
	e.AddFold(p)
	return cases, p
}

// Whole ends the only fold, and returns the evaluation with intervals, whose draws a seed, 0 for 1, determines.
func (e *Evaluator) Whole(seed uint64) *Evaluation {
	cases, _ := e.EndFold()
	out := e.Evaluation()
	out.Intervals = rank.Bootstrap([][]Cases{{cases}}, cmp.Or(seed, 1))[0]
	return out
}

// AddFold adds the pooled measures of a fold.
func (e *Evaluator) AddFold(p Pooled) { e.folds = append(e.folds, p) }

// Evaluation returns the means over subgraphs, and the means of the pooled measures over the folds in which they are defined.
func (e *Evaluator) Evaluation() *Evaluation {
	out := e.sum
	out.Quality = e.Quality
	out.AUCROCPooled = e.meanOverFolds(func(p Pooled) float64 { return p.AUCROC })
	out.AUCPR = e.meanOverFolds(func(p Pooled) float64 { return p.AUCPR })
	out.LogLoss = e.meanOverFolds(func(p Pooled) float64 { return p.LogLoss })
	out.Accuracy = e.meanOverFolds(func(p Pooled) float64 { return p.Accuracy })
	out.CalibrationError = e.meanOverFolds(func(p Pooled) float64 { return p.CalibrationError })
	for i := range out.Top.Precision {
		out.Top.Precision[i] = e.meanOverFolds(func(p Pooled) float64 { top, _ := p.Top(); return top[i] })
		out.Top.Lift[i] = e.meanOverFolds(func(p Pooled) float64 { top, base := p.Top(); return top[i] / base })
	}
	for _, v := range []*float64{&out.MAP, &out.AUCROC, &out.PrecisionAllRanks, &out.TrueNegativeAllRanks} {
		*v /= float64(out.Ranked)
	}
	out.CLL /= float64(out.Subgraphs)
	out.Brier /= float64(out.Subgraphs)
	return &out
}

func (e *Evaluator) meanOverFolds(measure func(Pooled) float64) float64 {
	sum, n := 0.0, 0
	for _, p := range e.folds {
		if v := measure(p); !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// Predicted reports whether an atom's truth is known and was not conditioned on.
func (m *Marginals) Predicted(i int) bool { return m.Truth(i) != subgraph.Unknown && !m.Given(i) }

// Predictions returns the atoms of known truth that were not conditioned on.
func (m *Marginals) Predictions() []Prediction {
	out := make([]Prediction, 0, len(m.P))
	for i, p := range m.P {
		if m.Predicted(i) {
			out = append(out, Prediction{P: p, True: m.Truth(i) == subgraph.True})
		}
	}
	return out
}

// Units returns a hash of what each atom of Predictions is about: its first argument that is not the subgraph's center, or else the
// subgraph.
func (m *Marginals) Units() []uint64 {
	var out []uint64
	for i := range m.P {
		if !m.Predicted(i) {
			continue
		}
		sub, kind, name := m.Atoms.Sub, -1, m.Subgraph
		pred, ids := m.Atoms.Args(i, nil)
		for k, id := range slices.Backward(ids) {
			of := m.Atoms.Schema.Predicates[pred].Args[k]
			names := sub.Domains[of].Names
			if center, ok := names.Lookup(sub.Center); !ok || center != id {
				kind, name = of, names.Name(id)
			}
		}
		h := fnv.New64a()
		fmt.Fprint(h, kind, " ", name)
		out = append(out, h.Sum64())
	}
	return out
}

// Evaluate runs inference on each subgraph of a stream, as Infer does, and compares the marginals with the truth. It keeps 16 bytes
// for each atom. Subgraphs that Options.Stop skips are not counted in any figure.
func Evaluate(ctx context.Context, m *run.Model, s *run.Stream, opt Options) (*Evaluation, error) {
	var e Evaluator
	e.Quality.Watch(&opt)
	s.CheckHard(m)
	err := Infer(ctx, m, s, opt, func(r *Marginals) error {
		e.Add(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.Whole(opt.Seed), nil
}

// SavedMarginals are marginals as `infer --json` prints them: by subgraph, then by atom.
type SavedMarginals map[string]map[string]float64

// MarginalsError says what is wrong with saved marginals.
type MarginalsError struct{ Path, Reason string }

// Error gives the path and the reason.
func (e *MarginalsError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Reason) }

// ReadMarginals reads the output of `infer --json`. The atoms of the model may have other blanks, quotes or digits than printed there. Errors
// are *MarginalsError and contain path.
func ReadMarginals(m *run.Model, r io.Reader, path string) (SavedMarginals, error) {
	var list []members
	dec := json.NewDecoder(r)
	if err := dec.Decode(&list); err != nil {
		return nil, &MarginalsError{path, fmt.Sprintf("not what infer --json prints: %v", err)}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &MarginalsError{path, "something follows what infer --json prints"}
	}
	out := SavedMarginals{}
	for _, entry := range list {
		if err := out.add(m, entry); err != nil {
			return nil, &MarginalsError{path, err.Error()}
		}
	}
	return out, nil
}

// add adds the marginals of one subgraph.
func (s SavedMarginals) add(m *run.Model, entry members) error {
	var name *string
	var atoms members
	for _, e := range entry {
		var err error
		switch e.key {
		case "subgraph":
			err = json.Unmarshal(e.value, &name)
		case "marginals":
			err = json.Unmarshal(e.value, &atoms)
		}
		if err != nil {
			return fmt.Errorf("not what infer --json prints: %w", err)
		}
	}
	switch {
	case name == nil || atoms == nil:
		return errors.New("an entry without subgraph or marginals")
	case s[*name] != nil:
		return fmt.Errorf("subgraph %s is in it twice", *name)
	}
	marginals := make(map[string]float64, len(atoms))
	for _, a := range atoms {
		var p *float64
		if err := json.Unmarshal(a.value, &p); err != nil || p == nil || !(*p >= 0 && *p <= 1) {
			return fmt.Errorf("%s of subgraph %s has no probability", a.key, *name)
		}
		atom := m.Schema.Respell(a.key)
		if _, ok := marginals[atom]; ok {
			return fmt.Errorf("%s of subgraph %s is in it twice, the second time as %s", atom, *name, a.key)
		}
		marginals[atom] = *p
	}
	s[*name] = marginals
	return nil
}

// members are the members of a JSON object in their order. Its keys must differ; a map would keep one of several values.
type members []struct {
	key   string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (m *members) UnmarshalJSON(data []byte) error {
	dec, seen := json.NewDecoder(bytes.NewReader(data)), map[string]bool{}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("%.20s where an object should be", data)
	}
	for *m = (members{}); dec.More(); {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		key := fmt.Sprint(t)
		if seen[key] {
			return fmt.Errorf("an object has %q twice", key)
		}
		seen[key] = true
		*m = append(*m, struct {
			key   string
			value json.RawMessage
		}{key: key})
		if err := dec.Decode(&(*m)[len(*m)-1].value); err != nil {
			return err
		}
	}
	return nil
}

// EvaluateSaved compares saved marginals with the truth in a stream. The marginals must include each subgraph of the stream and
// each of its atoms with known truth; otherwise the error is a *SubgraphError that wraps a *MarginalsError. Further marginals are
// ignored. Of the options, Given, Seed and Run have an effect. Errors
// contain path.
func EvaluateSaved(ctx context.Context, m *run.Model, s *run.Stream, saved SavedMarginals, path string, opt Options) (*Evaluation, error) {
	var e Evaluator
	err := Fill(ctx, m, s, opt, func(r *Marginals) error {
		ps, ok := saved[r.Subgraph]
		if !ok {
			return &MarginalsError{path, "no marginals of this subgraph"}
		}
		for i := range r.P {
			p, ok := ps[r.Atom(i)]
			if !ok && !r.Given(i) && r.Truth(i) != subgraph.Unknown {
				return &MarginalsError{path, "no marginal of " + r.Atom(i)}
			}
			r.P[i] = p
		}
		return nil
	}, func(r *Marginals) error {
		e.addAtoms(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.Whole(opt.Seed), nil
}

// Fill passes the query atoms of each subgraph of a stream to fill, by several goroutines at once, which sets their probabilities, and then
// to emit, in stream order. Of the options, Given and Run have an effect. Errors are those of both, of fill in a *SubgraphError.
func Fill(ctx context.Context, m *run.Model, s *run.Stream, opt Options, fill, emit func(*Marginals) error) error {
	s, err := m.On(s)
	if err != nil {
		return err
	}
	program := ground.Compile(m.Schema, nil, opt.Mode())
	return run.Process(ctx, s, &opt.Run, func() *ground.Grounder { return ground.NewGrounder(program) },
		func(g *ground.Grounder, sub *subgraph.Subgraph) (*Marginals, error) {
			_, atoms, err := g.Ground(sub)
			if err != nil {
				return nil, err
			}
			r := &Marginals{Subgraph: sub.Name, Index: sub.Index, P: make([]float64, atoms.Len()), QueryAtoms: run.QueryAtoms{Atoms: atoms}}
			return r, fill(r)
		}, emit)
}
