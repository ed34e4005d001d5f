package tableinit

import (
	"slices"
	"strconv"
	"time"

	"resolwe/internal/isotime"
)

// datesOf returns a column for each date that a table splits into a year, a month and a day, as in start_year, start_month and start_day.
func datesOf(t *tabular) (dates []*column) {
	find := func(prefix []string, word string) *column {
		want := append(slices.Clone(prefix), word)
		for _, c := range t.columns {
			if slices.Equal(c.words, want) {
				return c
			}
		}
		return nil
	}
	for _, year := range t.columns {
		n := len(year.words) - 1
		if n < 0 || year.words[n] != "year" {
			continue
		}
		month, day := find(year.words[:n], "month"), find(year.words[:n], "day")
		if month == nil || day == nil {
			continue
		}
		words := append(slices.Clone(year.words[:n]), "date")
		c := &column{profile: newProfile(), table: t, position: year.position, words: words, parts: []*column{year, month, day}}
		c.header = year.title() + ", " + month.title() + ", " + day.title()
		dates = append(dates, c)
	}
	return dates
}

// addDate adds the date of a row.
func (c *column) addDate(cells [][]byte) {
	if slices.ContainsFunc(c.parts, func(p *column) bool { return len(p.cell(cells)) == 0 }) {
		c.add(nil)
		return
	}
	at, ok := c.at(cells)
	if c.invalid = c.invalid || !ok; !c.invalid {
		c.add(time.Unix(at, 0).UTC().AppendFormat(nil, time.DateOnly))
	}
}

// at returns the time of a row in seconds since 1970.
func (c *column) at(cells [][]byte) (int64, bool) {
	if len(c.parts) == 0 {
		return isotime.Form(c.form).ParseTime(c.cell(cells))
	}
	var parts [3]int64
	for i, p := range c.parts {
		n, err := strconv.ParseInt(string(p.cell(cells)), 10, 64)
		if err != nil {
			return 0, false
		}
		parts[i] = n
	}
	day, ok := isotime.DayOf(parts[0], parts[1], parts[2])
	return day * isotime.SecondsOfDay, ok
}
