package origin

import (
	"encoding/json"
	"fmt"
	"slices"
)

// MaxText is the most bytes that an origin takes as JSON.
const MaxText = 1 << 20

// maxCount limits counts, so that sums of them are exact.
const maxCount = 1 << 48

// maxBars limits the bars of a column.
const maxBars = 12

// ErrTooLong says that an origin takes more than MaxText bytes.
var ErrTooLong = fmt.Errorf("what the stream was made of takes more than %d bytes", MaxText)

// Text returns the origin as JSON. If it would be too long, columns are left out from the last on; if that does not suffice, the error is
// ErrTooLong.
func (o *Origin) Text() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	for short := *o; ; short.Columns = short.Columns[:len(short.Columns)/2] {
		text, err := json.Marshal(&short)
		if err != nil || len(text) <= MaxText {
			return text, err
		}
		if len(short.Columns) == 0 {
			return nil, ErrTooLong
		}
	}
}

// Parse reads an origin from JSON of any content. Fields that it does not know are ignored.
func Parse(text []byte) (*Origin, error) {
	if len(text) > MaxText {
		return nil, ErrTooLong
	}
	o := new(Origin)
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	return o, o.check()
}

// check returns an error if a count or share is out of range.
func (o *Origin) check() error {
	for i := range o.Draws {
		if d := &o.Draws[i]; d.Kept < 0 || d.Eligible < d.Kept || d.Eligible > maxCount {
			return fmt.Errorf("draw %d keeps %d atoms of %d", i, d.Kept, d.Eligible)
		}
	}
	for i := range o.Columns {
		c := &o.Columns[i]
		shares := append([]float64{c.Share, c.Missing}, c.Bars...)
		if slices.ContainsFunc(shares, func(x float64) bool { return !(x >= 0 && x <= 1) }) || c.Distinct < 0 {
			return fmt.Errorf("column %d has a share that is not from 0 to 1, or fewer than no values", i)
		}
		if len(c.Bars) > maxBars {
			return fmt.Errorf("column %d has %d bars, at most %d are allowed", i, len(c.Bars), maxBars)
		}
	}
	return nil
}

// Join returns what the streams of two origins were made of, read one after the other: counts of the same draw are added. Either may be nil.
func Join(a, b *Origin) *Origin {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := &Origin{Draws: slices.Clone(a.Draws), Columns: slices.Clone(a.Columns), Trusted: slices.Clone(a.Trusted), Drafted: a.Drafted || b.Drafted}
	at := map[Draw]int{}
	for i, d := range out.Draws {
		at[d.place()] = i
	}
	for _, d := range b.Draws {
		i, ok := at[d.place()]
		if !ok {
			i = len(out.Draws)
			at[d.place()], out.Draws = i, append(out.Draws, d.place())
		}
		sum := &out.Draws[i]
		sum.Eligible, sum.Kept = min(sum.Eligible+d.Eligible, maxCount), min(sum.Kept+d.Kept, maxCount)
	}
	type name struct{ table, column string }
	known := map[name]bool{}
	for i := range a.Columns {
		known[name{a.Columns[i].Table, a.Columns[i].Name}] = true
	}
	for i := range b.Columns {
		if !known[name{b.Columns[i].Table, b.Columns[i].Name}] {
			out.Columns = append(out.Columns, b.Columns[i])
		}
	}
	for _, t := range b.Trusted {
		if !slices.Contains(a.Trusted, t) {
			out.Trusted = append(out.Trusted, t)
		}
	}
	return out
}

// place returns the draw without its counts.
func (d Draw) place() Draw { return Draw{Target: d.Target, Truth: d.Truth, Stratum: d.Stratum} }
