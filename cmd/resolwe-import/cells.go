package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"resolwe/format/tableschema"
	"resolwe/format/tablewrite"
)

// kind is how the values of a column are read and written.
type kind uint8

const (
	whole   kind = iota + 1
	float        // numbers
	decimal      // numbers, exactly, as texts
	truth
	text
	day
	local  // times without a zone, as texts: a recipe says of which zone they are
	moment // of UTC
	binary // left out, but in keys, where they are texts of hexadecimal digits
)

var kinds = [...]struct {
	written  tablewrite.Kind
	declared tableschema.Type
}{
	whole: {tablewrite.Whole, tableschema.Integer}, float: {tablewrite.Real, tableschema.Number}, decimal: {tablewrite.Text, tableschema.Number},
	truth: {tablewrite.Truth, tableschema.Boolean}, text: {tablewrite.Text, tableschema.Text}, day: {tablewrite.Day, tableschema.Date},
	local: {tablewrite.Text, tableschema.Timestamp}, moment: {tablewrite.Moment, tableschema.Timestamp}, binary: {tablewrite.Text, tableschema.Text},
}

// as sets how a column is read.
func (c *column) as(k kind) { c.kind, c.declared = k, kinds[k].declared }

// clock is how databases write times.
const clock = "2006-01-02 15:04:05.999999999"

// What may happen to values.
const (
	noDate = "read as null: not a date of the years 1 to 9999"
	noText = "read with other bytes replaced: not UTF-8"
)

// cell reads a value.
func (c *column) cell(value any) (tablewrite.Cell, error) {
	if value == nil {
		return tablewrite.Cell{}, nil
	}
	s := textOf(value)
	switch c.kind {
	case whole:
		n, err := strconv.ParseInt(s, 10, 64)
		return tablewrite.WholeCell(n), err
	case float:
		v, err := strconv.ParseFloat(s, 64)
		return tablewrite.RealCell(v), err
	case decimal:
		return tablewrite.TextCell(c.decimals(value, s)), nil
	case truth:
		if s == "\x00" || s == "\x01" { // a bit
			s = strconv.Itoa(int(s[0]))
		}
		is, err := strconv.ParseBool(s)
		return tablewrite.TruthCell(is), err
	case day, local, moment:
		return c.time(s), nil
	case binary:
		s = hex.EncodeToString([]byte(s))
	case text:
		if !utf8.ValidString(s) {
			c.odd[noText]++
		}
	}
	return tablewrite.TextCell(s), nil
}

// time reads a date or a time.
func (c *column) time(s string) tablewrite.Cell {
	layout := clock
	if c.kind == day {
		layout = time.DateOnly
	}
	at, err := time.Parse(layout, strings.TrimSuffix(s, "+00"))
	switch {
	case err != nil || at.Year() < 1: // infinity, 0000-00-00, years before Christ or of five digits
		c.odd[noDate]++
		return tablewrite.Cell{}
	case c.kind == day:
		return tablewrite.DayCell(int32(at.Unix() / (24 * 60 * 60)))
	case c.kind == moment:
		return tablewrite.MomentCell(at)
	}
	return tablewrite.TextCell(at.Format(clock))
}

// decimals writes a number with the decimals of its column, unless it has others.
func (c *column) decimals(value any, s string) string {
	switch v := value.(type) {
	case int64:
		if c.scale > 0 {
			return s + "." + strings.Repeat("0", c.scale)
		}
	case float64:
		fixed := strconv.FormatFloat(v, 'f', c.scale, 64)
		if back, err := strconv.ParseFloat(fixed, 64); err == nil && back == v || math.IsInf(v, 0) {
			return fixed
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}

// textOf returns a value as the database writes it.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	}
	return fmt.Sprint(value)
}
