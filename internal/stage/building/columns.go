package building

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"
	"time"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/isotime"
	"resolwe/internal/printable"
)

// Limits of what is told of a column.
const (
	mostRows   = 8192 // that are looked at, evenly spread; empty cells and distinct names are counted in all
	mostText   = 80   // bytes of a name or value
	bars       = 12
	fewValues  = 12  // of a category, however few rows there are
	manyValues = 100 // of a category
	usual      = .95 // share of a value that nearly all rows have
)

// columnsOf tells the columns that a recipe's tables were read from.
func columnsOf(r *recipe.Recipe, u *table.Universe, tables []*table.Table) (out []origin.Column) {
	type place struct{ table, name string }
	at := map[place]int{}
	columns := make([]int, len(u.Types)) // by type
	for _, t := range tables {
		for k := range t.Columns {
			if c := &t.Columns[k]; c.Kind == table.KindEntity {
				columns[c.Type]++
			}
		}
	}
	for i, t := range tables {
		spec := &r.Tables[i]
		file := path.Base(spec.Glob)
		for k := range t.Columns {
			if len(spec.Columns[k].Refs) == 0 || t.Rows == 0 {
				continue
			}
			from := &t.Columns[k]
			c := profile(u, from, t.Rows)
			if from.Kind == table.KindEntity && columns[from.Type] > 1 && c.Kind != "flag" {
				c.Kind = "identifier" // of things that other columns name too
			}
			if c.Kind == "category" && c.Distinct > manyValues {
				c.Alerts = append(c.Alerts, "many values")
			}
			c.Table, c.Name = clip(strings.TrimSuffix(file, path.Ext(file))), nameOf(&spec.Columns[k])
			c.Use = "used"
			if !reads(r, i, k) {
				c.Use, c.Reason = "not used", "no rule reads it"
			}
			known, ok := at[place{c.Table, c.Name}]
			switch {
			case !ok:
				at[place{c.Table, c.Name}] = len(out)
				out = append(out, c)
			case out[known].Use != "used":
				out[known] = c
			}
		}
	}
	return out
}

// nameOf returns the name of a column, or of those that make a date.
func nameOf(c *table.ColumnSpec) string {
	names := make([]string, len(c.Refs))
	for i, ref := range c.Refs {
		names[i] = ref.String()
	}
	return clip(strings.Join(names, ", "))
}

// reads reports whether a rule uses what is in a table's column.
func reads(r *recipe.Recipe, of, column int) bool {
	uses := func(a recipe.Atom) bool {
		rel := &r.Relations[a.Relation]
		return rel.Role == recipe.RoleTable && rel.Index == of && a.Args[column].Name != "_"
	}
	return slices.ContainsFunc(r.Rules, func(rule recipe.Rule) bool {
		return slices.ContainsFunc(rule.Positive, uses) || slices.ContainsFunc(rule.Negative, uses)
	})
}

func clip(text string) string { return printable.Clip(text, mostText) }

// profile tells what is in a column of a table with rows.
func profile(u *table.Universe, c *table.Column, rows int) (out origin.Column) {
	empty := 0
	for _, word := range c.Empty {
		empty += bits.OnesCount64(word)
	}
	out.Missing = float64(empty) / float64(rows)
	var seen []int // rows that have a value
	for i, step := 0, (rows+mostRows-1)/mostRows; i < rows; i += step {
		if !c.IsEmpty(i) {
			seen = append(seen, i)
		}
	}
	if len(seen) == 0 {
		out.Kind = "text"
		return out
	}
	if c.Kind == table.KindEntity {
		names(u.Dicts[c.Type], c, seen, rows-empty, &out)
	} else {
		numbers(c, seen, &out)
	}
	if out.Share > usual && out.Distinct > 1 {
		out.Alerts = append(out.Alerts, "one value above 95%")
	}
	return out
}

// names tells of a column of names, of which some rows are filled.
func names(d *table.Dict, c *table.Column, seen []int, filled int, out *origin.Column) {
	counts := map[uint32]int{}
	for _, row := range seen {
		counts[c.IDs[row]]++
	}
	met := make([]bool, d.Len())
	for row, id := range c.IDs {
		if !met[id] && !c.IsEmpty(row) {
			met[id] = true
			out.Distinct++
		}
	}
	most := uint32(0)
	flags := true
	for id, n := range counts {
		if k := counts[most]; n > k || n == k && d.Name(id) < d.Name(most) {
			most = id
		}
		name := d.Name(id)
		flags = flags && slices.Contains([]string{"y", "n", "yes", "no", "t", "f", "true", "false", "0", "1"}, strings.ToLower(name))
		if strings.TrimSpace(name) == "" && len(out.Alerts) == 0 {
			out.Alerts = append(out.Alerts, "a blank is a value")
		}
	}
	out.Typical, out.Share = clip(d.Name(most)), float64(counts[most])/float64(len(seen))
	switch {
	case flags && out.Distinct <= 2:
		out.Kind = "flag"
	case out.Distinct == 1 || out.Distinct < int64(filled) && (out.Distinct <= fewValues || 2*out.Distinct <= int64(filled)):
		out.Kind = "category"
	default:
		out.Kind = "identifier"
	}
}

// numbers tells of a column of numbers, days or times.
func numbers(c *table.Column, seen []int, out *origin.Column) {
	values := make([]float64, len(seen))
	for i, row := range seen {
		if c.Kind == table.KindFloat {
			values[i] = c.Floats[row]
		} else {
			values[i] = float64(c.Nums[row])
		}
	}
	slices.Sort(values)
	median := values[(len(values)-1)/2]
	same := 0
	for i, v := range values {
		if v == median {
			same++
		}
		if i == 0 || v != values[i-1] {
			out.Distinct++
		}
	}
	out.Share = float64(same) / float64(len(values))
	out.Bars = histogram(values)
	out.Kind, out.Typical = "number", mln.FormatNumber(median)
	if c.Kind == table.KindDay || c.Kind == table.KindTime {
		seconds := int64(median)
		if c.Kind == table.KindDay {
			seconds *= isotime.SecondsOfDay
		}
		out.Kind, out.Typical = "date", time.Unix(seconds, 0).UTC().Format(time.DateOnly)
		return
	}
	lo, hi := values[0], values[len(values)-1]
	if above := slices.IndexFunc(values, func(v float64) bool { return v > lo }); lo == -1 && above > 0 && values[above] >= 0 {
		out.Alerts = append(out.Alerts, "-1 may mean that there is no value")
	}
	if slices.Contains([]float64{999, 9999, 99999, 999999}, hi) {
		if below := values[max(0, slices.Index(values, hi)-1)]; 2*below < hi {
			out.Alerts = append(out.Alerts, fmt.Sprintf("%.0f may mean that there is no value", hi))
		}
	}
}

// histogram returns the heights of bars over equal spans of sorted values, the largest 1; none if the values do not differ by a finite number.
func histogram(values []float64) []float64 {
	lo, hi := values[0], values[len(values)-1]
	if span := hi - lo; !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	heights := make([]float64, bars)
	for _, v := range values {
		heights[min(int(float64((v-lo)/(hi-lo))*bars), bars-1)]++
	}
	top := slices.MaxFunc(heights, cmp.Compare[float64])
	for i := range heights {
		heights[i] = math.Round(heights[i]/top*1000) / 1000
	}
	return heights
}
