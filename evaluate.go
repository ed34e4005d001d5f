package resolwe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/explain"
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
	Top                  Top     // of the pooled atoms
	PrecisionAllRanks    float64 // the paper's sum for MAP, over every rank
	TrueNegativeAllRanks float64 // the paper's sum for AUC-ROC, over every rank
	Subgraphs            int     // with atoms of known truth
	Ranked               int     // those with both a true and a false atom
	Quality              Quality // of the marginals, if they were inferred
}

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

// Evaluator sums the figures of subgraphs. It keeps 16 bytes for each atom. The zero value is empty.
type Evaluator struct {
	Quality Quality // of the marginals; the caller maintains it

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

// AddFigures adds a subgraph's figures, or the pooled atoms of one or several subgraphs, or both.
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

// EndFold ends a fold and returns its pooled measures, which are computed for each fold separately.
func (e *Evaluator) EndFold() Pooled {
	p := rank.Pool(e.pooled)
	e.pooled = e.pooled[:0]
	e.AddFold(p)
	return p
}

// AddFold adds the pooled measures of a fold.
func (e *Evaluator) AddFold(p Pooled) { e.folds = append(e.folds, p) }

// Evaluation returns the means over subgraphs, and the means of the pooled measures over the folds in which they are defined.
func (e *Evaluator) Evaluation() *Evaluation {
	out := e.sum
	out.Quality = e.Quality
	out.AUCROCPooled = e.meanOverFolds(func(p Pooled) float64 { return p.AUCROC })
	out.AUCPR = e.meanOverFolds(func(p Pooled) float64 { return p.AUCPR })
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

// Evaluate runs inference on each subgraph of a stream, as Infer does, and compares the marginals with the truth. It keeps 16 bytes
// for each atom. Subgraphs that InferOptions.Stop skips are not counted in any figure.
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

// ReadMarginals reads the output of `infer --json`. Errors are *MarginalsError and contain path.
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
			return nil, &MarginalsError{path, fmt.Sprintf("subgraph %s is in it twice", *l.Subgraph)}
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

// EvaluateSaved compares saved marginals with the truth in a stream. The marginals must include each subgraph of the stream and
// each of its atoms with known truth; otherwise the error is a *SubgraphError that wraps a *MarginalsError. Further marginals are
// ignored. With given, atoms that the data state were conditioned on, and are left out. Errors contain path.
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

// squeezed removes spaces outside quotes from an atom, so that the spacing of other tools is accepted.
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

// Firing says where a formula fires, that is, where its feature (see Features) is not 0, and how often its prediction is right
// there.
type Firing struct {
	Predicts    bool // it predicts that atoms are true, else that they are false
	Atoms, True int  // query atoms of the head's predicate with known truth, and how many are true
	Fires       int  // atoms for which it fires
	Right       int  // of these, atoms for which it is right
	// Right and wrong examples, the first in the stream.
	RightAt, WrongAt []FiringExample
}

// FiringExample is an atom for which a formula fires.
type FiringExample struct {
	Subgraph, Atom string
	Value          float64             // of the feature
	Groundings     [][]explain.Binding // the first in order of the entities
}

// FiringOptions say how many examples a Firing has. The zero value is valid.
type FiringOptions struct {
	Examples   int // maximum of each kind; 0 for 3, negative for none
	Groundings int // maximum per example; 0 for 3, negative for none
	Run        Run
}

// EvaluateFormula says where a formula of a model, given by its index, fires. If it has several target literals, the other atoms
// are set to their truth in the data. A formula with a negative weight predicts that its head is false. The error is an
// *OptionError if there is no such formula or it has no feature (see FeatureError). The stream must have been opened with
// StreamOptions.Names.
func EvaluateFormula(ctx context.Context, m *Model, s *Stream, formula int, opt FiringOptions) (*Firing, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	if formula < 0 || formula >= len(m.Formulas) {
		return nil, &OptionError{"EvaluateFormula.formula", fmt.Sprintf("0 to %d", len(m.Formulas)-1)}
	}
	f := m.Formulas[formula]
	headed, ok := f.Headed(m.Schema)
	alone := newFeatures(m.With([]*mln.Formula{f}), FeatureOptions{Others: true})
	opt.Examples, opt.Groundings = listed(opt.Examples), listed(opt.Groundings)
	switch {
	case len(alone.leftOut) > 0:
		return nil, &OptionError{"EvaluateFormula.formula", alone.leftOut[0].Reason}
	case !ok:
		return nil, &OptionError{"EvaluateFormula.formula", "it is neither a conjunction of literals nor an implication of target literals by such a one"}
	}
	_, head := headed.Head()
	out := &Firing{Predicts: head.Negated == (f.Weight < 0)}
	var enough [2]atomic.Bool // enough wrong and right examples were found, so workers need not look for more
	newWorker := func() *firingWorker {
		finder := explain.NewFinder(m.Schema, []*mln.Formula{f})
		return &firingWorker{alone.newGrounders(ctx, &opt.Run), finder, head.Atom.Pred, out.Predicts, &opt, &enough}
	}
	err := Process(ctx, s, &opt.Run, newWorker, (*firingWorker).work, func(part *Firing) error {
		out.Atoms, out.True, out.Fires, out.Right = out.Atoms+part.Atoms, out.True+part.True, out.Fires+part.Fires, out.Right+part.Right
		out.RightAt = append(out.RightAt, part.RightAt[:min(len(part.RightAt), opt.Examples-len(out.RightAt))]...)
		out.WrongAt = append(out.WrongAt, part.WrongAt[:min(len(part.WrongAt), opt.Examples-len(out.WrongAt))]...)
		enough[0].Store(len(out.WrongAt) == opt.Examples)
		enough[1].Store(len(out.RightAt) == opt.Examples)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// firingWorker is a worker's memory.
type firingWorker struct {
	features *featureGrounders
	finder   *explain.Finder
	head     int // predicate
	predicts bool
	opt      *FiringOptions
	enough   *[2]atomic.Bool
}

// work returns where the formula fires in one subgraph.
func (w *firingWorker) work(sub *subgraph.Subgraph) (*Firing, error) {
	rows, err := w.features.rows(sub)
	if err != nil {
		return nil, err
	}
	out, bound := &Firing{}, false
	var value []float64
	lo, hi := rows.atoms.Of(w.head)
	for i := lo; i < hi; i++ {
		truth := rows.Truth(i)
		if truth == subgraph.Unknown {
			continue
		}
		out.Atoms++
		if truth == subgraph.True {
			out.True++
		}
		if value = rows.Values(i, value); value[0] == 0 {
			continue
		}
		out.Fires++
		examples, enough := &out.WrongAt, &w.enough[0]
		if (truth == subgraph.True) == w.predicts {
			out.Right++
			examples, enough = &out.RightAt, &w.enough[1]
		}
		if len(*examples) == w.opt.Examples || enough.Load() {
			continue
		}
		if !bound {
			if err := w.finder.Reset(sub); err != nil {
				return nil, err
			}
			bound = true
		}
		e := FiringExample{Subgraph: strings.Clone(sub.Name), Atom: rows.Atom(i), Value: value[0]}
		pred, args := rows.atoms.Args(i, nil)
		for _, g := range w.finder.Groundings(0, explain.Atom{Pred: pred, Args: args}, w.opt.Groundings) {
			e.Groundings = append(e.Groundings, w.finder.Bindings(0, g))
		}
		*examples = append(*examples, e)
	}
	return out, nil
}
