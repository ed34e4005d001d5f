package cut_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/test/check"
	"resolwe/kernels/cut"
)

func modelOf(tb testing.TB, text string) *mln.Schema {
	tb.Helper()
	m, err := mln.Parse("task.mln", []byte(text), mln.Options{})
	check.OK(tb, err)
	return &m.Schema
}

// parse reads a recipe.
func parse(tb testing.TB, model, text string) *recipe.Recipe {
	tb.Helper()
	r, err := recipe.Parse("test.recipe", []byte(text), modelOf(tb, model))
	check.OK(tb, err)
	return r
}

// noRows makes a recipe's tables, in their order, without rows.
func noRows(r *recipe.Recipe) (*table.Universe, []*table.Table) {
	tables := make([]*table.Table, len(r.Tables))
	for i, spec := range r.Tables {
		tables[i] = &table.Table{Columns: make([]table.Column, len(spec.Types))}
		for c := range tables[i].Columns {
			tables[i].Columns[c] = table.Column{Kind: r.Relations[i].Columns[c].Kind, Type: max(spec.Types[c], 0)}
		}
	}
	return table.NewUniverse(r.Types), tables
}

// addRow adds a row of words; a dot stands for none.
func addRow(tb testing.TB, u *table.Universe, t *table.Table, row string) {
	tb.Helper()
	for i, word := range strings.Fields(row) {
		if word == "." {
			t.Columns[i].AddEmpty()
			continue
		}
		var err error
		switch c := &t.Columns[i]; c.Kind {
		case table.KindEntity:
			c.IDs = append(c.IDs, u.Dicts[c.Type].Intern([]byte(word)))
		case table.KindFloat:
			var f float64
			f, err = strconv.ParseFloat(word, 64)
			c.Floats = append(c.Floats, f)
		case table.KindInt, table.KindDay, table.KindTime:
			var n int64
			n, err = strconv.ParseInt(word, 10, 64)
			c.Nums = append(c.Nums, n)
		}
		check.OK(tb, err)
	}
	t.Rows++
}

// fill makes the recipe's tables, in their order, from rows between semicolons.
func fill(tb testing.TB, r *recipe.Recipe, texts ...string) (*table.Universe, []*table.Table) {
	tb.Helper()
	u, tables := noRows(r)
	for i, t := range tables {
		for row := range strings.SplitSeq(texts[i], ";") {
			if strings.TrimSpace(row) != "" {
				addRow(tb, u, t, row)
			}
		}
	}
	return u, tables
}

// compile makes the plan of a recipe over tables.
func compile(tb testing.TB, r *recipe.Recipe, u *table.Universe, tables []*table.Table) *cut.RecipePlan {
	tb.Helper()
	plan, err := cut.Compile(r, u, tables)
	check.OK(tb, err)
	return plan
}

// cutAll returns what is cut around each center of tables as fill makes them, "none" where a requirement fails.
func cutAll(tb testing.TB, r *recipe.Recipe, texts ...string) []string {
	tb.Helper()
	u, tables := fill(tb, r, texts...)
	plan := compile(tb, r, u, tables)
	c := plan.NewCutter()
	out := make([]string, len(plan.Centers()))
	for i, at := range plan.Centers() {
		var s subgraph.Subgraph
		ok, err := c.Cut(&s, i)
		check.OK(tb, err)
		out[i] = at.Name + ": none"
		if ok {
			out[i] = s.Name + ": " + strings.Join(linesOf(r, &s), " ")
		}
	}
	return out
}

// cutOne returns what is cut around the first center.
func cutOne(tb testing.TB, r *recipe.Recipe, u *table.Universe, tables []*table.Table) string {
	tb.Helper()
	var s subgraph.Subgraph
	_, err := compile(tb, r, u, tables).NewCutter().Cut(&s, 0)
	check.OK(tb, err)
	return strings.Join(linesOf(r, &s), " ")
}

// linesOf returns the facts and entities of a subgraph as sorted lines.
func linesOf(r *recipe.Recipe, s *subgraph.Subgraph) []string {
	var lines []string
	for i, p := range r.Schema.Predicates {
		for sign, t := range map[string]*subgraph.Table{"": &s.Relations[i].True, "!": &s.Relations[i].False} {
			for row := range t.Len() {
				var names []string
				for c, typ := range p.Args {
					names = append(names, s.Domains[typ].Names.Name(t.Cols[c][row]))
				}
				lines = append(lines, sign+p.Name+"("+strings.Join(names, ",")+")")
			}
		}
	}
	for t, d := range s.Domains {
		for id := range d.Size {
			lines = append(lines, "@"+r.Schema.Types[t]+" "+d.Names.Name(uint32(id)))
		}
	}
	slices.Sort(lines)
	return lines
}

// bytesOf returns a stream of one subgraph.
func bytesOf(tb testing.TB, r *recipe.Recipe, c *cut.Cutter, center int) []byte {
	tb.Helper()
	var b bytes.Buffer
	var s subgraph.Subgraph
	ok, err := c.Cut(&s, center)
	if !ok || err != nil {
		tb.Errorf("center %d: got %v, %v", center, ok, err)
		return nil
	}
	w, err := rsg.NewWriter(&b, r.Schema, rsg.WriterOptions{})
	if err == nil {
		err = w.Write(&s)
	}
	if err != nil {
		tb.Error(err)
	}
	return b.Bytes()
}
