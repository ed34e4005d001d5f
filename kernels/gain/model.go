package gain

// Kind says what a column is.
type Kind uint8

// The kinds of columns.
const (
	KindRule  Kind = iota // whether all literals hold: a threshold, or several and their negations
	KindLog               // log2(1 + n)
	KindExtra             // values of its own
)

// Literal says that a candidate has at least AtLeast groundings for an atom, or, negated, that it has fewer; or of a measure that
// it is at least Bound, or at most. A negated one holds too where the measure has no value.
type Literal struct {
	Candidate int
	AtLeast   int64 // one of the thresholds; of a measure a level: the first one, or the last
	Negated   bool
	AtMost    bool
	Bound     float64
}

// holds reports whether a count or value of a level that is not 0 is one that the literal, but for its negation, asks for.
func (l *Literal) holds(lv uint8) bool {
	if l.AtMost {
		return int64(lv) <= l.AtLeast
	}
	return lv >= level(l.AtLeast)
}

// Column is a feature of a query atom.
type Column struct {
	Kind     Kind
	Literals []Literal // in the order in which they were found; a log has one, of which only the candidate counts
	Extra    int       // of that kind: which
}

// Model says that the log-odds of a row are its offset, the bias, and the sum of weights times columns.
type Model struct {
	Columns []Column
	Bias    float64   // weight of the unit clause
	Weights []float64 // by column
}

// Step is a column of a path.
type Step struct {
	Column
	Gain     float64 // nats that the score test promised, not divided by literals
	Support  int64   // rows for which it is not 0
	TrueRate float64 // share of true rows among those
	After    Figures // held out, of the paths up to this size

	// Redundant are the candidates, none of the column's own, that could have gained at least half as much before it was
	// added, by a column of theirs alone, and less than a tenth of that after it.
	Redundant []int
}

// Result is a path and what of it was selected.
type Result struct {
	Model // what is selected, fitted on all rows

	Path     []Step
	Size     int     // the first steps of the path, which are selected
	Base     Figures // held out, of none of them
	Shrink   float64
	Family   Family  // of Select
	BaseRate float64 // share of true rows, of Select

	HeldOut    []float64    // log-odds of each row, by the model of its fold
	FoldModels [Folds]Model // fitted without the rows of a fold, at the selected size; where that has none, or all, the selection

	scaled bool
	fits   [Folds + 1]*fit // of the folds' models and of the last, once they have been fitted again
}
