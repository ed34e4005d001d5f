package report

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"resolwe/format/subgraph"
)

// cells are the cells of a row of a CSV file, by the names in its header.
type cells struct {
	what   string // what the file should be
	at     map[string]int
	record []string
	err    error // the first error
}

// text returns a cell.
func (c *cells) text(name string) string {
	i, ok := c.at[name]
	if !ok {
		c.err = cmp.Or(c.err, fmt.Errorf("no column %s: not %s", name, c.what))
		return ""
	}
	return c.record[i]
}

// number returns a cell's number, or NaN if it is empty.
func (c *cells) number(name string) float64 {
	text := c.text(name)
	if text == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 1e15 {
		c.err = cmp.Or(c.err, fmt.Errorf("column %s: want a number", name))
	}
	return v
}

// readCurve reads a CSV file written by a command, row by row. It must have at least one row. Errors name the path and match
// subgraph.ErrCorrupt.
func readCurve(path, what string, from io.Reader, row func(*cells) error) error {
	r := csv.NewReader(from)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w: not %s: %w", path, subgraph.ErrCorrupt, what, err)
	}
	c := &cells{what: what, at: map[string]int{}}
	for i, name := range header {
		c.at[name] = i
	}
	for n := 1; ; n++ {
		if c.record, err = r.Read(); errors.Is(err, io.EOF) && n > 1 {
			return nil
		}
		if err == nil {
			err = row(c)
		}
		if err = cmp.Or(c.err, err); err != nil {
			return fmt.Errorf("%s: row %d: %w: %w", path, n, subgraph.ErrCorrupt, err)
		}
	}
}
