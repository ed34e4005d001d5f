package report

import (
	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/render"
)

// Content is what a page says, computed and worded once: the HTML page and the JSON of a report are drawn from it, and show the same
// figures. Cases are query atoms of known truth, predicted by a model that had not seen them. Parts that there is nothing to say about are
// nil or empty, and not shown. Shares are between 0 and 1, at the rate of the population where that is known.
type Content struct {
	Title    render.Phrase // a question: "Which loans went bad?"
	Over     render.Phrase // above the title: what was read
	Nouns    render.Nouns
	Drawn    render.Phrase // how cases were drawn, if they were
	Glance   Glance
	Findings Findings
	Cases    Cases
	Quality  QualityContent
	Trust    []Check // worst first
	Course   *Course // figure E
	Data     []ColumnNote
	DataNote render.Phrase
	Again    Again
	Private  bool // names of cases and entities were left out
}

// predicted is a query atom of known truth with the probabilities of all systems, each of which had not seen its subgraph.
type predicted struct {
	tested int // of Report.Cross.Tested
	atom   int // of the subgraph, as [resolwe.Marginals] numbers them
	pred   int
	p      []float64 // by system, as Report.Cross.Systems
	truth  bool
}

// Content returns what the page says.
func (r *Report) Content() *Content {
	c := &Content{}
	r.about(c)
	r.findings(c)
	r.listCases(c)
	r.quality(c)
	r.trust(c)
	r.dictionary(c)
	r.atAGlance(c)
	if r.options.Private {
		c.hide()
	}
	return c
}

// Glance is the first section.
type Glance struct {
	Lead    render.Phrase // the verdict, at most 60 words, which ends in what must be settled first
	Tiles   []Tile        // at most four
	Systems []SystemDot   // figure A, this model first
	Measure string        // of figure A: "log-loss for each loan (lower is better)"
	Title   string        // of figure A, a statement
}

// Tile is a headline figure: "86%", "of pairs of a bad and a good loan are ranked rightly", "95% interval 76–95%; chance 50%".
type Tile struct{ Value, Text, Note string }

// SystemDot is a system's measure.
type SystemDot struct {
	Name string
	Interval
	This bool // the model that the page is about
}

// Findings is the second section.
type Findings struct {
	Lead    render.Phrase // how many, of what they are, over what intervals are
	Cards   []Finding     // established, most useful first
	Also    []render.Phrase
	Rare    []render.Phrase
	Rules   []render.Phrase // hard formulas, and what has no short reading
	Nothing render.Phrase   // instead of all others, if nothing was found
	Note    render.Phrase   // reconciles the findings with the models tested
}

// Finding is what established formulas about one quantity, or one condition, say.
type Finding struct {
	Words    render.Phrase // "Loans whose account .. went bad more often: 14 of 15, against 4.7% of the other 339."
	Small    render.Phrase // intervals, adjusted shares, odds, folds
	Overlap  render.Phrase
	Curve    *Curve
	Formulas []FormulaContent // as computed
	SQL      string           // of the first, "" if there is none
}

// FormulaContent is a formula as computed.
type FormulaContent struct {
	Formula *mln.Formula
	Weight  Interval
	Support int64
	Share   Interval // of true cases where it holds
	Other   Interval // elsewhere
	Gain    float64  // in nats a case, NaN if unknown
}

// Curve is the share of true cases by a number.
type Curve struct {
	Title  string // the quantity, with its unit
	Groups []Group
	Base   float64 // share of all cases
	Counts string  // "14 of 14 · 3 of 32 · .."
}

// Group is a group of cases: of a number up to Upper, a time, or a probability.
type Group struct {
	Label       string
	Cases, True int64
	Share       Interval
	Mean        float64 // of the probabilities; NaN where groups are not of probabilities
}

// Cases is the third section.
type Cases struct {
	Lead      render.Phrase
	Columns   []string // of the target's own rows, at most three
	Timed     bool     // cases have times
	List      []Case   // most probable first
	Total     int64    // of which List shows some
	Trues     int64
	Scale     float64 // true cases of the population for each one here, relative to that of false ones; 1 if as drawn
	Bins      []Bin   // of all cases, by rank; empty if List is whole
	Start     int     // rank at which the panel begins
	Table     []Threshold
	Undecided []Case // of unknown truth, by the final model
	Levels    bool   // probabilities are those of the population: costs can be told
}

// Case is a query atom.
type Case struct {
	Name     render.Phrase
	Subgraph string
	Time     resolwe.Time
	Values   []string // as Cases.Columns
	P        float64
	True     bool
	Fold     int
	Start    float64         // log-odds of the average case
	Reasons  []ReasonContent // largest first, for and against
	Smaller  int             // reasons that are left out
	Rest     float64         // the sum of their contributions

	shown bool // at once, so that the facts behind its reasons are listed
}

// ReasonContent is what a quantity adds to the log-odds of a case, beside the average case.
type ReasonContent struct {
	Words render.Phrase   // "lowest balance −1,450 CZK (365 days)"
	Value float64         // log-odds
	Facts []render.Phrase // rows of the data behind it, at most mostFacts

	formula *mln.Formula // that says most of it, nil if none does
}

// Bin is a run of cases in the order of their probabilities.
type Bin struct {
	Cases, True int64
	Least       float64 // probability
}

// Threshold is a line of the table that stands for the panel where scripts do not run.
type Threshold struct {
	Checked, Found int64
	Least          float64  // probability
	Precision      Interval // share of true ones among the checked
	Lift, Recall   float64
}

// QualityContent is the fourth section.
type QualityContent struct {
	Found       []Line // figure B: share of true cases found by share checked
	FoundNote   render.Phrase
	Calibration []Group // figure C
	CalibNote   render.Phrase
	Recall      []Line // figure D
	ByGroup     []GroupQuality
	GroupNote   render.Phrase
}

// Line is a curve of a system.
type Line struct {
	Name   string
	Points []point
	This   bool
}

// GroupQuality is how good the model is in a group.
type GroupQuality struct {
	Name        render.Phrase
	Cases, True int64
	AUC         float64 // NaN with fewer than 10 true or false cases
	Found       int64   // true cases among those checked at the panel's start
}

// Check is a line of the fifth section.
type Check struct {
	State CheckState
	Name  string
	Text  render.Phrase
}

// CheckState is the result of a check.
type CheckState uint8

// The results of checks, worst first.
const (
	CheckLook CheckState = iota // look at this
	CheckOpen                   // not done
	CheckPassed
)

// Course is the share of true cases over time.
type Course struct {
	Title  string
	Note   render.Phrase
	Groups []Group
}

// ColumnNote is a line of the dictionary.
type ColumnNote struct {
	Table, Column string
	Words         render.Phrase // how it reads, type and unit
	Bars          []float64     // of the distribution, at most 12, the largest 1; nil if none
	Median        string        // or the top value with its share
	Missing       float64
	Distinct      int64
	Use           render.Phrase // used, hidden, not used and why
	Alerts        []render.Phrase
}

// Again is the seventh section.
type Again struct {
	Commands []string
	Files    []Input
	Version  string
}
