package cut_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/recipe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/test/check"
	"resolwe/kernels/cut"
)

const randomModel = "p(a, b)\ns(a)\nr(a, a)\nw(b, a, b)\nm(a, number)\nk(number, number)\ntarget listed q(a)\ntarget z(a, b)\n"

// author writes random recipes.
type author struct {
	*rand.Rand
	text   strings.Builder
	known  []signature
	used   map[string]bool
	vars   map[string][]string // by type: bound variables
	fresh  int
	helper int
}

type signature struct {
	name  string
	types []string
}

func (g *author) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *author, list []T) T { return list[g.IntN(len(list))] }

func (g *author) constant(typ string) string {
	switch typ {
	case "int":
		return strconv.Itoa(g.IntN(4))
	case "float":
		return fmt.Sprint(float64(g.IntN(8)) / 4)
	}
	return strings.ToUpper(typ) + strconv.Itoa(g.IntN(6))
}

// bound returns a term of a type that needs no binding any more.
func (g *author) bound(typ string) string {
	switch {
	case len(g.vars[typ]) > 0 && g.chance(.8):
		return pick(g, g.vars[typ])
	case typ == "a" && g.chance(.5):
		return "@center"
	}
	return g.constant(typ)
}

// number returns a term of a head that states a number.
func (g *author) number() string {
	vars := slices.Concat(g.vars["int"], g.vars["float"])
	switch {
	case len(vars) == 0 || g.chance(.1):
		return g.constant(pick(g, []string{"int", "float"}))
	case g.chance(.3):
		return pick(g, []string{"min", "max", "sum", "avg", "count"}) + "(" + pick(g, vars) + ")"
	case g.chance(.15):
		return pick(g, vars) + " / " + pick(g, vars)
	case g.chance(.1) && len(g.vars["a"]) > 0:
		return "count(" + pick(g, g.vars["a"]) + ")"
	}
	return pick(g, vars)
}

func (g *author) atom(s signature) string {
	var args []string
	for _, typ := range s.types {
		switch x := g.Float64(); {
		case x < .12:
			args = append(args, "_")
		case x < .18:
			args = append(args, g.constant(typ))
		case x < .28 && typ == "a":
			args = append(args, "@center")
		case x < .65 && len(g.vars[typ]) > 0:
			args = append(args, pick(g, g.vars[typ]))
		default:
			g.fresh++
			v := fmt.Sprintf("x%d", g.fresh)
			g.vars[typ] = append(g.vars[typ], v)
			args = append(args, v)
		}
	}
	g.used[s.name] = true
	return s.name + "(" + strings.Join(args, ", ") + ")"
}

func (g *author) negation(s signature) string {
	var args []string
	for _, typ := range s.types {
		args = append(args, g.bound(typ))
	}
	g.used[s.name] = true
	return "!" + s.name + "(" + strings.Join(args, ", ") + ")"
}

func (g *author) comparison() string {
	typ := pick(g, []string{"a", "b", "int", "float"})
	if len(g.vars[typ]) == 0 {
		return ""
	}
	op := pick(g, []string{"=", "!=", "!="})
	if typ == "int" || typ == "float" {
		op = pick(g, []string{"<", "<=", ">", ">=", "=", "!="})
	}
	a, b := pick(g, g.vars[typ]), g.bound(typ)
	if numbers := slices.Concat(g.vars["int"], g.vars["float"]); typ == "float" && g.chance(.3) {
		a = pick(g, numbers) + " / " + pick(g, numbers)
		if g.chance(.3) {
			b = pick(g, numbers) + " / " + pick(g, numbers)
		}
	} else if (typ == "int" || typ == "float") && g.chance(.4) {
		shifted := pick(g, []*string{&a, &b})
		*shifted += pick(g, []string{" + ", " - ", "-"}) + g.constant(typ)
	}
	if g.chance(.3) {
		a, b = b, a
	}
	return a + " " + op + " " + b
}

// body writes the literals of a rule, in any order.
func (g *author) body() string {
	g.vars, g.fresh = map[string][]string{}, 0
	var list []string
	for range 1 + g.IntN(3) {
		list = append(list, g.atom(pick(g, g.known)))
	}
	if g.chance(.4) {
		list = append(list, g.negation(pick(g, g.known)))
	}
	for range g.IntN(3) {
		if c := g.comparison(); c != "" {
			list = append(list, c)
		}
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return strings.Join(list, ", ")
}

// defineHelper writes one or two rules for a new relation.
func (g *author) defineHelper() {
	body := g.body()
	s := signature{name: fmt.Sprintf("h%d", g.helper)}
	g.helper++
	var head []string
	for range 1 + g.IntN(3) {
		typ := pick(g, []string{"a", "a", "b", "int", "float"})
		switch vars := g.vars[typ]; {
		case len(vars) == 0:
			continue
		case g.chance(.25) && (typ == "int" || typ == "float"):
			head = append(head, pick(g, []string{"min", "max", "sum"})+"("+pick(g, vars)+")")
		case g.chance(.15):
			head, typ = append(head, "count("+pick(g, vars)+")"), "int"
		case g.chance(.2) && (typ == "int" || typ == "float"):
			numbers := slices.Concat(g.vars["int"], g.vars["float"])
			head, typ = append(head, pick(g, []string{"avg(" + pick(g, vars) + ")", pick(g, vars) + " / " + pick(g, numbers)})), "float"
		default:
			head = append(head, pick(g, vars))
		}
		s.types = append(s.types, typ)
	}
	if values := slices.Concat(g.vars["int"], g.vars["float"]); len(head) > 0 && len(values) > 0 && lex.IsVariable(head[0]) && lex.IsName(head[0]) && g.chance(.4) {
		head, s.types = append(head, "rank("+pick(g, values)+" by "+head[0]+")"), append(s.types, "int")
	}
	if len(head) == 0 {
		head, s.types = []string{g.constant("a")}, []string{"a"}
	}
	fmt.Fprintf(&g.text, "%s(%s) :- %s\n", s.name, strings.Join(head, ", "), body)
	if g.chance(.3) {
		g.rule(s, "")
	}
	if g.chance(.25) && len(g.known) > 3 {
		per := pick(g, g.known[3:])
		g.used[per.name] = true
		stratified := ""
		if n, m := len(s.types), len(per.types); n > 1 && m > 0 && s.types[n-1] == per.types[m-1] {
			stratified = "stratified "
		}
		fmt.Fprintf(&g.text, "sample %s %d per %s %sseed %d\n", s.name, 1+g.IntN(3), per.name, stratified, g.IntN(5))
	}
	g.known = append(g.known, s)
	if g.chance(.1) {
		g.used[s.name] = true
		fmt.Fprintf(&g.text, "require count(%s) %s %d\n", s.name, pick(g, []string{">=", "<", "!="}), g.IntN(3))
	}
}

// rule writes a rule for a known head.
func (g *author) rule(s signature, sign string) {
	body := g.body()
	var head []string
	for _, typ := range s.types {
		if typ == "number" {
			head = append(head, g.number())
		} else {
			head = append(head, g.bound(typ))
		}
	}
	fmt.Fprintf(&g.text, "%s%s(%s) :- %s\n", sign, s.name, strings.Join(head, ", "), body)
}

func (g *author) write() string {
	optional := func(column string) string {
		if g.chance(.3) {
			return "optional " + column
		}
		return column
	}
	fmt.Fprintf(&g.text, "table t0(a, b) from \"t0.tsv\" (x, %s)\n", optional("y"))
	fmt.Fprintf(&g.text, "table t1(a, a, int) from \"t1.tsv\" (x, %s, %s)\n", optional("y"), optional("n"))
	fmt.Fprintf(&g.text, "table t2(b, float, a, int) from \"t2.tsv\" (%s, %s, %s, %s)\n", optional("x"), optional("f"), optional("y"), optional("n"))
	g.text.WriteString(`center c :- t0(c, _)
center c :- t1(_, c, n), n > 1
`)
	g.used = map[string]bool{"t0": true, "t1": true}
	g.known = []signature{{"t0", []string{"a", "b"}}, {"t1", []string{"a", "a", "int"}}, {"t2", []string{"b", "float", "a", "int"}}}
	for range 1 + g.IntN(5) {
		g.defineHelper()
	}
	facts := []signature{{"p", []string{"a", "b"}}, {"s", []string{"a"}}, {"r", []string{"a", "a"}}, {"w", []string{"b", "a", "b"}}, {"m", []string{"a", "number"}}, {"k", []string{"number", "number"}}, {"z", []string{"a", "b"}}, {"q", []string{"a"}}}
	for _, s := range facts {
		for range 1 + g.IntN(2) {
			g.rule(s, "")
		}
		if g.chance(.3) {
			inBody := slices.Clone(s.types)
			for i, typ := range inBody {
				if typ == "number" {
					inBody[i] = "float"
				}
			}
			g.known = append(g.known, signature{s.name, inBody})
		}
	}
	if g.chance(.5) {
		g.rule(facts[len(facts)-1], "!")
	}
	for _, target := range facts[len(facts)-2:] {
		if g.chance(.4) {
			g.rule(target, "?")
		}
	}
	if g.chance(.3) {
		fmt.Fprintf(&g.text, "entity b(%s) :- %s\n", "B7", g.body())
	}
	if g.chance(.3) {
		g.rule(signature{"number", []string{"number"}}, "entity ")
	}
	for _, s := range g.known {
		if !g.used[s.name] {
			fmt.Fprintf(&g.text, "s(A9) :- %s(%s)\n", s.name, strings.Join(slices.Repeat([]string{"_"}, len(s.types)), ", "))
		}
	}
	return g.text.String()
}

// randomTables fills the tables of a random recipe.
func randomTables(r *recipe.Recipe, random *rand.Rand) (*table.Universe, []*table.Table) {
	u, tables := noRows(r)
	for k, t := range tables {
		t.Rows = random.IntN(14)
		for i := range t.Columns {
			col := &t.Columns[i]
			for range t.Rows {
				if r.Tables[k].Columns[i].Optional && random.IntN(3) == 0 {
					col.AddEmpty()
					continue
				}
				switch col.Kind {
				case table.KindEntity:
					name := strings.ToUpper(r.Types[col.Type]) + strconv.Itoa(random.IntN(5))
					col.IDs = append(col.IDs, u.Dicts[col.Type].Intern([]byte(name)))
				case table.KindFloat:
					f := float64(random.IntN(8)) / 4
					if random.IntN(4) == 0 {
						f = -f // -0 is 0
					}
					col.Floats = append(col.Floats, f)
				case table.KindInt, table.KindDay, table.KindTime:
					col.Nums = append(col.Nums, int64(random.IntN(5))-1)
				}
			}
		}
	}
	return u, tables
}

// TestCutMatchesNaive holds random recipes over random tables against nested loops.
func TestCutMatchesNaive(t *testing.T) {
	t.Parallel()
	schema := modelOf(t, randomModel)
	const n = 400
	parsed, kept := 0, 0
	for seed := range n {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		text := (&author{Rand: random}).write()
		r, err := recipe.Parse("r", []byte(text), schema)
		if err != nil {
			continue // a value type where two rules disagree, or a center that reaches @center
		}
		parsed++
		u, tables := randomTables(r, random)
		plan, err := cut.Compile(r, u, tables)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		cutter := plan.NewCutter()
		for i, c := range plan.Centers() {
			kept += compareCenter(t, fmt.Sprintf("seed %d\n%s", seed, text), r, u, tables, cutter, i, c.Name)
		}
	}
	if parsed < n/2 || kept < n {
		t.Errorf("%d of %d recipes parse, %d subgraphs compared: too few", parsed, n, kept)
	}
}

// compareCenter compares one subgraph, and returns 1 where there is one.
func compareCenter(t *testing.T, what string, r *recipe.Recipe, u *table.Universe, tables []*table.Table, c *cut.Cutter, i int, center string) int {
	t.Helper()
	var got subgraph.Subgraph
	ok, err := c.Cut(&got, i)
	twin := newNaive(r, u, tables, center)
	if want := twin.run(); !want {
		if ok || err != nil {
			t.Fatalf("%s\ncenter %s: got %v, %v, want a failed requirement", what, center, ok, err)
		}
		return 0
	}
	want, conflict := twin.facts()
	if _, is := errors.AsType[*cut.UsageError](err); is || conflict {
		if !is || !conflict {
			t.Fatalf("%s\ncenter %s: got error %v, want conflict %v", what, center, err, conflict)
		}
		return 0
	}
	if !ok || err != nil {
		t.Fatalf("%s\ncenter %s: got %v, %v, want a subgraph", what, center, ok, err)
	}
	check.MustEqual(t, fmt.Sprintf("%s\ncenter %s", what, center), linesOf(r, &got), want)
	w, err := rsg.NewWriter(io.Discard, r.Schema, rsg.WriterOptions{})
	if err == nil {
		err = w.Write(&got)
	}
	check.OKf(t, err, "%s\ncenter %s", what, center)
	return 1
}
