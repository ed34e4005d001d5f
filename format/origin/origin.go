// Package origin says what a stream was made of: how its query atoms were drawn, and the columns that it could tell. It travels in a frame of
// the stream, as JSON, which a reader may skip.
package origin

// Origin is what a stream was made of.
type Origin struct {
	Draws   []Draw   `json:"draws,omitempty"`   // of the targets' atoms; none if all that are eligible were kept
	Columns []Column `json:"columns,omitempty"` // of the tables, used or not
	Trusted []string `json:"trusted,omitempty"` // columns that a person vouched for
	Drafted bool     `json:"drafted,omitempty"` // the recipe says that it was drafted with rules against later evidence
}

// Draw counts the atoms of a target, of one truth, in one stratum of a draw.
type Draw struct {
	Target   string `json:"target"`
	Truth    bool   `json:"truth"`
	Stratum  string `json:"stratum,omitempty"`
	Eligible int64  `json:"eligible"`
	Kept     int64  `json:"kept"`
}

// Column is a column of a table.
type Column struct {
	Table    string    `json:"table"`
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`           // as the draft has it: number, category, identifier, date, text, flag
	Unit     string    `json:"unit,omitempty"` // where the name tells
	Bars     []float64 `json:"bars,omitempty"` // of the distribution of numbers and dates, at most 12, the largest 1
	Typical  string    `json:"typical"`        // the median, or the most frequent value
	Share    float64   `json:"share"`          // of that value
	Missing  float64   `json:"missing"`        // share of rows without a value
	Distinct int64     `json:"distinct"`
	Use      string    `json:"use"`              // used, hidden, not used
	Reason   string    `json:"reason,omitempty"` // why not
	Alerts   []string  `json:"alerts,omitempty"` // a value that means none, a blank as value, one value above 95%, ..
}

// Rate returns the share of true atoms of a target among those that were eligible, and whether any were left out.
func (o *Origin) Rate(target string) (rate float64, drawn bool) {
	var positive, all int64
	for _, d := range o.Draws {
		if d.Target != target {
			continue
		}
		all += d.Eligible
		if d.Truth {
			positive += d.Eligible
		}
		drawn = drawn || d.Kept < d.Eligible
	}
	if all == 0 {
		return 0, false
	}
	return float64(positive) / float64(all), drawn
}
