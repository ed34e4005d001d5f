package naive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// TaskOptions say what RandomTask writes. The zero value asks for candidates.
type TaskOptions struct {
	General   bool // weighted formulas of any shape; else unweighted candidates
	Hard      bool // with General: some formulas are hard, with luck satisfiable
	Shapes    bool // with General: half of the formulas have a shape
	Known     bool // no atom of unknown truth
	Counts    bool // counting literals and numbers, in formulas of every kind
	Formulas  int  // number of formulas; 0: 1 to 6
	Subgraphs int  // number of subgraphs; 0: 1 to 3
	Entities  int  // the most entities of a type in the facts, at least 2; 0: 4 with General, else 5
	MaxAtoms  int  // the most query atoms in a subgraph, at least 9; 0: 9 with General, else no bound
}

// RandomTask writes a small model and its facts: predicates of one to three arguments over two types, plain and listed
// targets, constants inside and outside the domains, @center, equalities, cycles, repeated variables, quantifiers,
// entities that no fact mentions, false and unknown atoms. Equal seeds and options give equal texts.
func RandomTask(r *rand.Rand, opt TaskOptions) (model, db string) {
	if opt.Formulas == 0 {
		opt.Formulas = 1 + r.IntN(6)
	}
	if opt.Subgraphs == 0 {
		opt.Subgraphs = 1 + r.IntN(3)
	}
	if opt.Entities == 0 {
		opt.Entities = 5
		if opt.General {
			opt.Entities = 4
		}
	}
	if opt.MaxAtoms == 0 {
		opt.MaxAtoms = math.MaxInt
		if opt.General {
			opt.MaxAtoms = 9
		}
	}
	opt.MaxAtoms = max(opt.MaxAtoms, 9) // two domains of one entity and two constants of a type line
	t := &task{Rand: r, opt: opt}
	t.declare()
	for range opt.Formulas {
		fmt.Fprintln(&t.model, t.formula())
	}
	for i := range opt.Subgraphs {
		t.subgraph(fmt.Sprintf("s%d", i+1))
	}
	return t.model.String(), t.db.String()
}

// task is a random task as far as it is written.
type task struct {
	*rand.Rand
	opt       TaskOptions
	preds     []predicate // evidence first
	evidence  int         // how many are evidence
	constants [2][]int    // of the type lines, by type: numbers of entities
	model, db strings.Builder
	inner     int // variables of counting literals so far that are not listed
}

type predicate struct {
	name   string
	args   []int // types, indices of typeNames
	listed bool
}

// names of the two types, and what their entities' names begin with.
var (
	typeNames      = [2]string{"item", "user"}
	entityPrefixes = [2]string{"A", "B"}
)

// chance is true with probability p.
func (t *task) chance(p float64) bool { return t.Float64() < p }

// entity returns the name of a type's i-th entity.
func entity(typ, i int) string { return fmt.Sprintf("%s%d", entityPrefixes[typ], i) }

// declare writes the type lines and the declarations.
func (t *task) declare() {
	t.preds = []predicate{
		{name: "mark", args: t.types(1)},
		{name: "link", args: []int{0, 0}},
		{name: "edit", args: t.Perm(2)},
	}
	if t.chance(0.5) {
		t.preds = append(t.preds, predicate{name: "tag", args: t.types(3)})
	}
	t.evidence = len(t.preds)
	if t.opt.Counts {
		fmt.Fprintln(&t.model, "age(item, number)")
	}
	t.preds = append(t.preds,
		predicate{name: "act", args: t.types(1 + t.IntN(2))},
		predicate{name: "pick", args: t.types(1 + t.IntN(2)), listed: true})
	if t.chance(0.3) {
		t.preds = append(t.preds, predicate{name: "rate", args: t.types(3), listed: true})
	}
	for typ := range typeNames {
		if t.chance(0.2) {
			t.typeLine(typ)
		}
	}
	for i, p := range t.preds {
		role := ""
		switch {
		case p.listed:
			role = "target listed "
		case i >= t.evidence:
			role = "target "
		}
		args := make([]string, len(p.args))
		for k, typ := range p.args {
			args[k] = typeNames[typ]
		}
		fmt.Fprintf(&t.model, "%s%s(%s)\n", role, p.name, strings.Join(args, ", "))
	}
}

// typeLine adds an entity that most facts have anyway, and mostly another that none has.
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

// shuffle puts xs in random order.
func (t *task) shuffle(xs []string) {
	t.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
}
