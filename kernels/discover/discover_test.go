package discover_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const declarations = `e(a, a)
s(a, a)
f(a, b)
target listed q(a)
target listed r(a, b)
`

// randomDB returns random facts of a few subgraphs; s is symmetric, and the center is of type a.
func randomDB(r *rand.Rand) string {
	var out strings.Builder
	for sub := range 3 {
		const as, bs = 4, 3
		fmt.Fprintf(&out, "@subgraph s%d center=A0\n@entity a A0 A1 A2 A3\n@entity b B0 B1 B2\n", sub)
		truth := func() string { return []string{"", "!"}[r.IntN(2)] }
		for x := range as {
			fmt.Fprintf(&out, "%sq(A%d)\n", truth(), x)
			for y := range as {
				if r.IntN(3) == 0 {
					fmt.Fprintf(&out, "e(A%d, A%d)\n", x, y)
				}
				if x <= y && r.IntN(3) == 0 {
					fmt.Fprintf(&out, "s(A%d, A%d)\ns(A%d, A%d)\n", x, y, y, x)
				}
			}
			for y := range bs {
				if r.IntN(2) == 0 {
					fmt.Fprintf(&out, "f(A%d, B%d)\n", x, y)
				}
				if r.IntN(2) == 0 {
					fmt.Fprintf(&out, "%sr(A%d, B%d)\n", truth(), x, y)
				}
			}
		}
	}
	return out.String()
}

// oracle lists conjunctions and counts them by enumeration.
type oracle struct {
	schema *mln.Schema
	subs   []*subgraph.Subgraph
}

// atom is a literal: its arguments are variables, in lower case, constants or @center. The head's variables are h0 and h1.
type atom struct {
	pred int
	args []string
}

func (a atom) text(s *mln.Schema) string {
	return fmt.Sprintf("%s(%s)", s.Predicates[a.pred].Name, strings.Join(a.args, ", "))
}

func isVariable(arg string) bool { return arg[0] >= 'a' && arg[0] <= 'z' }
func isFresh(arg string) bool    { return isVariable(arg) && arg[0] != 'h' }

// terms lists the terms of a type for a head: its variables, two others, the constants and the center.
func (o *oracle) terms(head, typ int) (out []string) {
	for i, t := range o.schema.Predicates[head].Args {
		if t == typ {
			out = append(out, fmt.Sprintf("h%d", i))
		}
	}
	name := o.schema.Types[typ]
	out = append(out, name+"1", name+"2")
	if name == "a" {
		return append(out, "A0", "A1", "A2", "A3", "@center")
	}
	return append(out, "B0", "B1", "B2")
}

// atoms lists the atoms of a predicate.
func (o *oracle) atoms(head, pred int) (out []atom) {
	out = []atom{{pred, nil}}
	for _, typ := range o.schema.Predicates[pred].Args {
		var next []atom
		for _, a := range out {
			for _, t := range o.terms(head, typ) {
				next = append(next, atom{pred, append(slices.Clone(a.args), t)})
			}
		}
		out = next
	}
	return out
}

// conjunctions lists the connected conjunctions of up to two literals, with the inequality of a tie, "" for none, and paths of two
// literals with a third that closes them.
func (o *oracle) conjunctions(head int, visit func(literals []atom, differ [2]string)) {
	var evidence, ties []atom
	for pred, p := range o.schema.Predicates {
		if p.Role.IsTarget() {
			ties = append(ties, o.atoms(head, pred)...)
		} else {
			evidence = append(evidence, o.atoms(head, pred)...)
		}
	}
	hangs := func(a atom) bool {
		return slices.ContainsFunc(a.args, func(x string) bool { return isVariable(x) && !isFresh(x) })
	}
	for _, a := range evidence {
		if !hangs(a) {
			continue
		}
		visit([]atom{a}, [2]string{})
		for _, b := range evidence {
			if slices.ContainsFunc(b.args, func(x string) bool { return isFresh(x) && slices.Contains(a.args, x) }) && a.text(o.schema) != b.text(o.schema) {
				visit([]atom{a, b}, [2]string{})
				for _, c := range evidence {
					if closes(a, b, c) {
						visit([]atom{a, b, c}, [2]string{})
					}
				}
			}
		}
		for _, b := range ties {
			if slices.ContainsFunc(b.args, func(x string) bool { return isFresh(x) && slices.Contains(a.args, x) }) {
				o.tie(head, []atom{a}, b, visit)
			}
		}
	}
	for _, b := range ties {
		if hangs(b) {
			o.tie(head, nil, b, visit)
		}
	}
}

// closes reports whether c leads from a variable that only b introduces to the center or a head variable, at which a does not start.
func closes(a, b, c atom) bool {
	from, to := false, false
	for _, x := range c.args {
		switch {
		case isFresh(x) && !slices.Contains(a.args, x) && !slices.Contains(b.args, x):
			return false
		case isFresh(x):
			from = from || !slices.Contains(a.args, x)
		case isVariable(x) || x == "@center":
			to = to || !slices.Contains(a.args, x)
		}
	}
	return from && to
}

// tie adds a literal of a target: for the head's predicate, one with another variable at one place; for another predicate, one over
// existing variables.
func (o *oracle) tie(head int, literals []atom, b atom, visit func([]atom, [2]string)) {
	var differ [2]string
	there := 0
	for i, x := range b.args {
		h := fmt.Sprintf("h%d", i)
		switch {
		case !isVariable(x):
			return
		case b.pred == head && x != h:
			if !isFresh(x) || differ[0] != "" {
				return
			}
			differ = [2]string{h, x}
		case !isFresh(x) || len(literals) > 0 && slices.Contains(literals[0].args, x):
			there++
		}
	}
	if b.pred == head && differ[0] == "" || b.pred != head && there < len(b.args) {
		return
	}
	visit(append(literals, b), differ)
}

// column counts, for each known atom of the head, the bindings of the other variables for which the literals hold.
func (o *oracle) column(head int, literals []atom, differ [2]string) (counts []int, support int64) {
	var vars []string
	types := map[string]int{}
	for i, t := range o.schema.Predicates[head].Args {
		vars = append(vars, fmt.Sprintf("h%d", i))
		types[vars[i]] = t
	}
	for _, l := range literals {
		for i, x := range l.args {
			if isVariable(x) && !slices.Contains(vars, x) {
				vars = append(vars, x)
				types[x] = o.schema.Predicates[l.pred].Args[i]
			}
		}
	}
	for _, sub := range o.subs {
		binding := map[string]uint32{}
		value := func(x string, typ int) uint32 {
			if x == "@center" {
				x = sub.Center
			}
			if isVariable(x) {
				return binding[x]
			}
			id, _ := sub.Domains[typ].Names.Lookup(x)
			return id
		}
		holds := func(a atom, t *subgraph.Table) bool {
			for row := range t.Len() {
				same := true
				for i, x := range a.args {
					same = same && t.Cols[i][row] == value(x, o.schema.Predicates[a.pred].Args[i])
				}
				if same {
					return true
				}
			}
			return false
		}
		var count func(i int) int
		count = func(i int) int {
			if i < len(vars) {
				n := 0
				for id := range sub.Domains[types[vars[i]]].Size {
					binding[vars[i]] = uint32(id)
					n += count(i + 1)
				}
				return n
			}
			if differ[0] != "" && binding[differ[0]] == binding[differ[1]] {
				return 0
			}
			for _, l := range literals {
				if !holds(l, &sub.Relations[l.pred].True) {
					return 0
				}
			}
			return 1
		}
		for _, t := range []*subgraph.Table{&sub.Relations[head].True, &sub.Relations[head].False} {
			for row := range t.Len() {
				for i := range t.Cols {
					binding[vars[i]] = t.Cols[i][row]
				}
				n := count(len(t.Cols))
				counts = append(counts, n)
				if n > 0 {
					support++
				}
			}
		}
	}
	return counts, support
}

// found is a conjunction listed by the oracle.
type found struct {
	length  int
	support int64
	column  string
}

// list returns all conjunctions with support, by canonical text.
func (o *oracle) list(t *testing.T, least int64) map[string]found {
	t.Helper()
	out := map[string]found{}
	for head, p := range o.schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		own := atom{head, []string{"h0", "h1"}[:len(p.Args)]}
		o.conjunctions(head, func(literals []atom, differ [2]string) {
			var texts []string
			for _, l := range literals {
				texts = append(texts, l.text(o.schema))
			}
			if differ[0] != "" {
				texts = append(texts, differ[0]+" != "+differ[1])
			}
			m, err := mln.Parse("", []byte(declarations+strings.Join(texts, " ^ ")+" => "+own.text(o.schema)), mln.Options{})
			check.OK(t, err)
			key := mln.Canonical(m.Formulas[0])
			if _, ok := out[key]; ok {
				return
			}
			counts, support := o.column(head, literals, differ)
			if support >= least {
				out[key] = found{len(literals), support, fmt.Sprint(head, counts)}
			}
		})
	}
	return out
}

// Discovery finds what enumeration finds, with the same support; a conjunction that it leaves out has the counts of one that it finds,
// which is no longer.
func TestDiscover_AgainstEnumeration(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := streamtest.Parse(t, declarations)
	db := randomDB(rand.New(rand.NewPCG(seed, 0)))
	subs := streamtest.Subgraphs(t, m, db)
	const support = 3
	want := (&oracle{m.Schema, subs}).list(t, support)
	got, err := resolwe.Discover(t.Context(), m, resolwe.NewStream(m, subs), resolwe.DiscoverOptions{Length: 2, Support: support})
	check.OK(t, err)
	t.Logf("%d candidates, %d enumerated", len(got.Candidates), len(want))
	shortest := map[string]int{}
	for _, c := range got.Candidates {
		w, ok := want[mln.Canonical(c.Formula)]
		if !ok || w.length != c.Length || w.support != c.Support {
			t.Errorf("%s: found with length %d and support %d, enumerated %+v", mln.FormatFormula(c.Formula), c.Length, c.Support, w)
		}
		if shortest[w.column] > 0 {
			t.Errorf("%s: another one has its counts", mln.FormatFormula(c.Formula))
		}
		shortest[w.column] = c.Length
	}
	for text, w := range want {
		if n := shortest[w.column]; n == 0 || n > w.length {
			t.Errorf("%s: not found, and none of its counts", text)
		}
	}
	for _, workers := range []int{1, 2, 8} {
		again, err := resolwe.Discover(t.Context(), m, resolwe.NewStream(m, subs), resolwe.DiscoverOptions{
			Length: 2, Support: support, Run: resolwe.Run{Workers: workers},
		})
		check.OK(t, err)
		check.Equal(t, "candidates", again.Candidates, got.Candidates)
	}
}
