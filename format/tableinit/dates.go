package tableinit

import (
	"slices"
	"strconv"
	"time"

	"resolwe/internal/isotime"
)

// datesOf returns a column for each year, month and day of a table that stand in columns of their own, as in start_year,
// start_month and start_day.
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

// addDate takes in the date of a row.
func (c *column) addDate(cells [][]byte) {
	var parts [3]int64
	for i, p := range c.parts {
		cell := cells[p.position-1]
		if len(cell) == 0 {
			c.add(nil)
			return
		}
		n, err := strconv.ParseInt(string(cell), 10, 64)
		c.invalid = c.invalid || err != nil
		parts[i] = n
	}
	day, ok := isotime.DayOf(parts[0], parts[1], parts[2])
	if c.invalid = c.invalid || !ok; !c.invalid {
		c.add(time.Unix(day*isotime.SecondsOfDay, 0).UTC().AppendFormat(nil, time.DateOnly))
	}
}
