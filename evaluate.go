package resolwe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/rank"
)

// Evaluation says how well marginals predict the truth. A measure that is undefined is NaN.
type Evaluation struct {
	MAP                  float64 // mean average precision over the ranked subgraphs
	AUCROC               float64 // mean area under the ROC curve over the ranked subgraphs
	AUCPR                float64 // area under the precision-recall curve of the pooled atoms
	CLL                  float64 // mean log-probability of the truth, per subgraph, then over subgraphs
	Brier                float64 // mean squared error of the marginals, per subgraph, then over subgraphs
	CalibrationError     float64 // of the pooled atoms, see rank.Pooled
	PrecisionAllRanks    float64 // the paper's sum for MAP, over every rank
	TrueNegativeAllRanks float64 // the paper's sum for AUC-ROC, over every rank
	Subgraphs            int     // with atoms of known truth
	Ranked               int     // those of them that have both a true and a false atom
	Quality              Quality // of the marginals, where they were inferred
}

// Figures are the measures of a subgraph.
type Figures = rank.Figures

// Pooled are the measures of the pooled atoms of a fold.
type Pooled = rank.Pooled

// Prediction is a query atom of known truth with its marginal.
type Prediction = rank.Scored

// Evaluator sums the figures of subgraphs. It keeps 16 bytes for each atom. The zero value is that of none.
type Evaluator struct {
	Quality Quality // of the marginals; what adds figures keeps it

	sum    Evaluation
	pooled []Prediction
	folds  []Pooled
}

// Add adds a subgraph's marginals.
func (e *Evaluator) Add(m *Marginals) Figures {
	atoms := m.Predictions()
	f := rank.Evaluate(atoms)
	e.Quality.Add(m)
	e.AddFigures(f, atoms)
	return f
}

// AddFigures adds a subgraph's figures, or the atoms of one or several, or both.
func (e *Evaluator) AddFigures(f Figures, atoms []Prediction) {
	e.pooled = append(e.pooled, atoms...)
	if f.Atoms > 0 {
		e.sum.Subgraphs++
		e.sum.CLL += f.CLL
		e.sum.Brier += f.Brier
	}
	if f.Ranked {
		e.sum.Ranked++
		e.sum.MAP += f.AveragePrecision
		e.sum.AUCROC += f.AUC
		e.sum.PrecisionAllRanks += f.PrecisionAllRanks
		e.sum.TrueNegativeAllRanks += f.TrueNegativeAllRanks
	}
}

// EndFold ends a fold, whose pooled measures it returns: they are taken of each fold by itself.
func (e *Evaluator) EndFold() Pooled {
	p := rank.Pool(e.pooled)
	e.pooled = e.pooled[:0]
	e.AddFold(p)
	return p
}

// AddFold adds the pooled measures of a fold.
func (e *Evaluator) AddFold(p Pooled) { e.folds = append(e.folds, p) }

// Evaluation returns the means over subgraphs, and of the pooled measures over the folds where they are defined.
func (e *Evaluator) Evaluation() *Evaluation {
	out := e.sum
	out.Quality = e.Quality
	out.AUCPR = e.meanOverFolds(func(p Pooled) float64 { return p.AUCPR })
	out.CalibrationError = e.meanOverFolds(func(p Pooled) float64 { return p.CalibrationError })
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

// Predictions returns the atoms of known truth that were not conditioned on.
func (m *Marginals) Predictions() []Prediction {
	out := make([]Prediction, 0, len(m.P))
	for i, p := range m.P {
		if t := m.Truth(i); t != subgraph.Unknown && !m.Given(i) {
			out = append(out, Prediction{P: p, True: t == subgraph.True})
		}
	}
	return out
}

// Evaluate infers on each subgraph of a stream, as Infer does, and compares the marginals with the truth. It keeps 16 bytes
// for each atom. Subgraphs that InferOptions.Stop skips are in no figure.
func Evaluate(ctx context.Context, m *Model, s *Stream, opt InferOptions) (*Evaluation, error) {
	var e Evaluator
	e.Quality.Watch(&opt)
	err := Infer(ctx, m, s, opt, func(r *Marginals) error {
		e.Add(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.EndFold()
	return e.Evaluation(), nil
}

// SavedMarginals are marginals as `infer --json` prints them: by subgraph, then by atom without spaces outside quotes.
type SavedMarginals map[string]map[string]float64

// MarginalsError says what is wrong with saved marginals.
type MarginalsError struct{ Path, Reason string }

// Error gives the path and the reason.
func (e *MarginalsError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Reason) }

// ReadMarginals reads what `infer --json` printed. path stands in errors, which are *MarginalsError.
func ReadMarginals(r io.Reader, path string) (SavedMarginals, error) {
	var list []struct {
		Subgraph  *string             `json:"subgraph"`
		Marginals map[string]*float64 `json:"marginals"`
	}
	dec := json.NewDecoder(r)
	if err := dec.Decode(&list); err != nil {
		return nil, &MarginalsError{path, fmt.Sprintf("not what infer --json prints: %v", err)}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &MarginalsError{path, "something follows what infer --json prints"}
	}
	out := SavedMarginals{}
	for _, l := range list {
		switch {
		case l.Subgraph == nil || l.Marginals == nil:
			return nil, &MarginalsError{path, "an entry without subgraph or marginals"}
		case out[*l.Subgraph] != nil:
			return nil, &MarginalsError{path, fmt.Sprintf("subgraph %s stands in it twice", *l.Subgraph)}
		}
		marginals := make(map[string]float64, len(l.Marginals))
		for atom, p := range l.Marginals {
			if p == nil || !(*p >= 0 && *p <= 1) {
				return nil, &MarginalsError{path, fmt.Sprintf("%s of subgraph %s has no probability", atom, *l.Subgraph)}
			}
			marginals[squeezed(atom)] = *p
		}
		out[*l.Subgraph] = marginals
	}
	return out, nil
}

// EvaluateSaved compares saved marginals with the truth that a stream states. Each of its subgraphs, and each atom of known
// truth in it, must be among them: else the error is a *SubgraphError that wraps a *MarginalsError. What else is saved plays
// no part. With given, atoms that the data states were conditioned on and are left out. path stands in errors.
func EvaluateSaved(ctx context.Context, m *Model, s *Stream, saved SavedMarginals, path string, given bool, run Run) (*Evaluation, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	program := ground.Compile(m.Schema, nil, (&InferOptions{Given: given}).Mode())
	var e Evaluator
	err := Process(ctx, s, &run, func() *ground.Grounder { return ground.NewGrounder(program) },
		func(g *ground.Grounder, sub *subgraph.Subgraph) ([]Prediction, error) {
			_, atoms, err := g.Ground(sub)
			if err != nil {
				return nil, err
			}
			ps, ok := saved[sub.Name]
			if !ok {
				return nil, &MarginalsError{path, "no marginals of this subgraph"}
			}
			r := &Marginals{P: make([]float64, atoms.Len()), queryAtoms: queryAtoms{atoms}}
			for i := range r.P {
				p, ok := ps[squeezed(atoms.Name(i))]
				if !ok && !r.Given(i) && r.Truth(i) != subgraph.Unknown {
					return nil, &MarginalsError{path, "no marginal of " + atoms.Name(i)}
				}
				r.P[i] = p
			}
			return r.Predictions(), nil
		},
		func(atoms []Prediction) error {
			e.AddFigures(rank.Evaluate(atoms), atoms)
			return nil
		})
	if err != nil {
		return nil, err
	}
	e.EndFold()
	return e.Evaluation(), nil
}

// squeezed drops the spaces of an atom that stand outside quotes, so that other tools' spacing is read too.
func squeezed(atom string) string {
	out := make([]byte, 0, len(atom))
	quoted, escaped := false, false
	for i := range len(atom) {
		c := atom[i]
		if c == ' ' && !quoted {
			continue
		}
		quoted = quoted != (c == '"' && !escaped)
		escaped = c == '\\' && !escaped
		out = append(out, c)
	}
	return string(out)
}
