package oracle

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// TaskOptions are the options of RandomTask. The zero value asks for candidates.
type TaskOptions struct {
	General bool // weighted formulas of any form; otherwise unweighted candidates
	Hard    bool // with General: some formulas are hard, though not always satisfiable
	Shapes  bool // with General: half of the formulas have a shape
	Known   bool // no atoms of unknown truth
	Counts  bool // counting literals and numbers, in all formulas
	// Aggregates, with Counts, also generates aggregates over a kind of numbers.
	Aggregates bool

	Formulas  int // number of formulas; 0 for 1 to 6
	Subgraphs int // number of subgraphs; 0 for 1 to 3
	Entities  int // maximum number of entities of a type in the facts, at least 2; 0 for 4 with General, else 5
	MaxAtoms  int // maximum number of query atoms in a subgraph, at least 9; 0 for 9 with General, else no limit
}

// RandomTask generates a small model and its facts. They include predicates of one to three arguments over two types, plain and listed
// targets, constants inside and outside the domains, @center, equalities, cycles, repeated variables, quantifiers, entities without
// facts, and false and unknown atoms. Equal seeds and options give equal texts.
func RandomTask(r *rand.Rand, opt TaskOptions) (model, db string) {
	if opt.Formulas == 0 {
		opt.Formulas = 1 + r.IntN(6)
	}
	if opt.Subgraphs == 0 {
		opt.Subgraphs = 1 + r.IntN(3)
	}
	entities, atoms := 5, math.MaxInt
	if opt.General {
		entities, atoms = 4, 9
	}
	opt.Entities, opt.MaxAtoms = cmp.Or(opt.Entities, entities), max(cmp.Or(opt.MaxAtoms, atoms), 9)
	t := &task{Rand: r, opt: opt}
	t.declare()
	for range opt.Formulas {
		fmt.Fprintln(&t.model, t.formula())
	}
	for i := range opt.Subgraphs {
		t.subgraph(i + 1)
	}
	return t.model.String(), t.db.String()
}

// task is a random task under construction.
type task struct {
	*rand.Rand
	opt       TaskOptions
	evidence  []predicate
	targets   []predicate
	constants [2][]int // in every domain, by type: indices of entities
	model, db strings.Builder
	inner     int // number of unlisted variables of counting literals so far
}

type predicate struct {
	name   string
	args   []int // types, indices of typeNames
	listed bool
}

// Names of the two types, and the prefixes of their entities' names.
var (
	typeNames      = [2]string{"item", "user"}
	entityPrefixes = [2]string{"A", "B"}
)

// chance returns true with probability p.
func (t *task) chance(p float64) bool { return t.Float64() < p }

// shuffle shuffles xs.
func (t *task) shuffle(xs []string) {
	t.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
}

// pick returns a random one of the texts.
func (t *task) pick(texts ...string) string { return texts[t.IntN(len(texts))] }

// entity returns the name of a type's i-th entity.
func entity(typ, i int) string { return fmt.Sprintf("%s%d", entityPrefixes[typ], i) }

// declare writes the type lines and the declarations.
func (t *task) declare() {
	t.evidence = []predicate{{name: "mark", args: t.types(1)}, {name: "link", args: []int{0, 0}}, {name: "edit", args: t.Perm(2)}}
	if t.chance(0.5) {
		t.evidence = append(t.evidence, predicate{name: "tag", args: t.types(3)})
	}
	if t.opt.Counts {
		fmt.Fprintln(&t.model, "age(item, number)")
	}
	if t.opt.Aggregates {
		fmt.Fprintln(&t.model, "number points\nscore(item, points)")
	}
	t.targets = []predicate{{name: "act", args: t.types(1 + t.IntN(2))}, {name: "pick", args: t.types(1 + t.IntN(2)), listed: true}}
	if t.chance(0.3) {
		t.targets = append(t.targets, predicate{name: "rate", args: t.types(3), listed: true})
	}
	for typ := range typeNames {
		if t.chance(0.2) {
			t.typeLine(typ)
		}
	}
	for i, p := range slices.Concat(t.evidence, t.targets) {
		role := ""
		switch {
		case p.listed:
			role = "target listed "
		case i >= len(t.evidence):
			role = "target "
		}
		args := make([]string, len(p.args))
		for k, typ := range p.args {
			args[k] = typeNames[typ]
		}
		fmt.Fprintf(&t.model, "%s%s(%s)\n", role, p.name, strings.Join(args, ", "))
	}
}

// typeLine adds an entity that usually occurs in the facts, and often another that never does.
func (t *task) typeLine(typ int) {
	t.constants[typ] = []int{t.IntN(2)}
	line := entity(typ, t.constants[typ][0])
	if t.chance(0.7) {
		t.constants[typ] = append(t.constants[typ], 9)
		line += ", " + entity(typ, 9)
	}
	fmt.Fprintf(&t.model, "%s = {%s}\n", typeNames[typ], line)
}

// types draws the types of n arguments.
func (t *task) types(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = t.IntN(2)
	}
	return out
}

// subgraph writes a subgraph's facts.
func (t *task) subgraph(number int) {
	sizes := [2]int{2 + t.IntN(t.opt.Entities-1), 2 + t.IntN(t.opt.Entities-1)}
	for t.atoms(sizes) > t.opt.MaxAtoms {
		sizes = [2]int{max(sizes[0]-1, 1), max(sizes[1]-1, 1)}
	}
	lines := t.entities(sizes)
	unknown := 0.15
	if t.opt.Known {
		unknown = 0
	}
	for _, p := range t.evidence {
		lines = append(lines, t.facts(p, sizes, 0.1+float64(0.5*t.Float64()), 0.02, 0)...)
	}
	left := t.opt.MaxAtoms - t.atoms(sizes)
	for _, p := range t.targets {
		if !p.listed {
			lines = append(lines, t.facts(p, sizes, 0.35, 0.15, unknown)...)
			continue
		}
		listed := t.facts(p, sizes, 0.35, 0.35, unknown)
		listed = listed[:min(len(listed), left)]
		left -= len(listed)
		lines = append(lines, listed...)
	}
	if t.opt.Counts {
		for range t.IntN(5) {
			lines = append(lines, fmt.Sprintf("age(%s, %s)", entity(0, t.IntN(sizes[0])), t.pick(spellings...)))
		}
	}
	if t.opt.Aggregates {
		for range t.IntN(6) {
			lines = append(lines, fmt.Sprintf("score(%s, %s)", entity(0, t.IntN(sizes[0])), t.pick(spellings...)))
		}
	}
	if t.chance(0.1) && len(lines) > 0 {
		lines = append(lines, lines[0]) // stated twice
	}
	t.shuffle(lines)
	// The center may be outside the domain.
	header := fmt.Sprintf("@subgraph s%d center=%s", number, entity(0, t.IntN(t.opt.Entities+1)))
	fmt.Fprintln(&t.db, strings.Join(slices.Insert(lines, 0, header), "\n"))
}

// atoms returns the number of atoms of the unlisted target over domains of these sizes plus the constants.
func (t *task) atoms(sizes [2]int) int {
	n := 1
	for _, typ := range t.targets[0].args {
		size := sizes[typ]
		for _, c := range t.constants[typ] {
			if c >= sizes[typ] {
				size++
			}
		}
		n *= size
	}
	return n
}

// entities declares the entities, except for types whose entities are left to the facts.
func (t *task) entities(sizes [2]int) []string {
	var lines []string
	for typ, size := range sizes {
		if t.chance(0.3) {
			continue
		}
		names := make([]string, size)
		for i := range names {
			names[i] = entity(typ, i)
		}
		t.shuffle(names)
		lines = append(lines, fmt.Sprintf("@entity %s %s", typeNames[typ], strings.Join(names, " ")))
	}
	return lines
}

// facts states atoms of a predicate with the given probabilities, in random order.
func (t *task) facts(p predicate, sizes [2]int, yes, no, unknown float64) []string {
	tuples := []string{""}
	for i, typ := range p.args {
		var longer []string
		for _, head := range tuples {
			for e := range sizes[typ] {
				longer = append(longer, head+[]string{"", ", "}[min(i, 1)]+entity(typ, e))
			}
		}
		tuples = longer
	}
	lines := make([]string, 0, len(tuples))
	for _, args := range tuples {
		sign := ""
		switch draw := t.Float64(); {
		case draw < yes:
		case draw < yes+no:
			sign = "!"
		case draw < yes+no+unknown:
			sign = "?"
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s%s(%s)", sign, p.name, args))
	}
	t.shuffle(lines)
	return lines
}
