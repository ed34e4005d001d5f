package naive

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// World is a subgraph as a model sees it: its entities, with those that the model's type lines add, and what is stated
// of every type-consistent atom, one byte each, whether the data mentions it or not.
type World struct {
	schema *mln.Schema
	center string
	names  [][]string       // by type and local id
	ids    []map[string]int // the inverse of names, by type
	stated [][]subgraph.Truth
}

// Rules say which target atoms are query atoms, and which of these are fixed.
type Rules struct {
	// UnknownExist makes atoms of unknown truth query atoms, as inference does; elsewhere they do not exist.
	UnknownExist bool
	// Given fixes the query atoms that the data states true or false.
	Given bool
}

// Atom is a query atom.
type Atom struct {
	Pred   int
	Args   []string
	Truth  subgraph.Truth // where nothing is stated: False
	Stated bool           // stated true or stated false
}

// NewWorld reads a subgraph, whose schema is the model's and whose domains have names. constants are those of the
// model's type lines, by type; they follow the subgraph's own entities in the order of local ids.
func NewWorld(schema *mln.Schema, constants [][]string, s *subgraph.Subgraph) *World {
	w := &World{schema: schema, center: s.Center}
	for typ := range schema.Types {
		ids := map[string]int{}
		var names []string
		add := func(name string) {
			if _, ok := ids[name]; !ok {
				ids[name] = len(names)
				names = append(names, name)
			}
		}
		for id := range s.Domains[typ].Size {
			add(s.Domains[typ].Names.Name(uint32(id)))
		}
		if typ < len(constants) {
			for _, name := range constants[typ] {
				add(name)
			}
		}
		w.names, w.ids = append(w.names, names), append(w.ids, ids)
	}
	for pred := range schema.Predicates {
		rel := &s.Relations[pred]
		stated := make([]subgraph.Truth, w.atoms(pred))
		w.enter(pred, &rel.True, subgraph.True, stated)
		w.enter(pred, &rel.False, subgraph.False, stated)
		w.enter(pred, &rel.Unknown, subgraph.Unknown, stated)
		w.stated = append(w.stated, stated)
	}
	return w
}

// enter notes the truth of the tuples of a table.
func (w *World) enter(pred int, t *subgraph.Table, truth subgraph.Truth, stated []subgraph.Truth) {
	for row := range t.Len() {
		ids := make([]int, len(t.Cols))
		for i, col := range t.Cols {
			ids[i] = int(col[row])
		}
		stated[w.position(pred, ids)] = truth
	}
}

// atoms is the number of type-consistent atoms of a predicate.
func (w *World) atoms(pred int) int {
	n := 1
	for _, typ := range w.schema.Predicates[pred].Args {
		n *= len(w.names[typ])
	}
	return n
}

// position numbers the atoms of a predicate in lexicographic order of their arguments.
func (w *World) position(pred int, ids []int) int {
	p := 0
	for i, typ := range w.schema.Predicates[pred].Args {
		p = p*len(w.names[typ]) + ids[i]
	}
	return p
}

// args is the inverse of position, as names.
func (w *World) args(pred, position int) []string {
	types := w.schema.Predicates[pred].Args
	out := make([]string, len(types))
	for i := len(types) - 1; i >= 0; i-- {
		names := w.names[types[i]]
		out[i] = names[position%len(names)]
		position /= len(names)
	}
	return out
}

// isQuery reports whether a target atom is a query atom.
func (w *World) isQuery(pred, position int, rules Rules) bool {
	switch w.stated[pred][position] {
	case subgraph.True, subgraph.False:
		return true
	case subgraph.Unknown:
		return rules.UnknownExist
	}
	return w.schema.Predicates[pred].Role == mln.RoleTarget
}

// QueryAtoms lists the query atoms: by predicate in the schema's order, then by arguments in lexicographic order of
// local ids. Atoms that Rules.Given fixes are among them.
func (w *World) QueryAtoms(rules Rules) []Atom {
	queries := w.queries(rules)
	out := make([]Atom, len(queries))
	for i, q := range queries {
		truth := w.stated[q.pred][q.position]
		a := Atom{Pred: q.pred, Args: w.args(q.pred, q.position), Truth: truth}
		a.Stated = truth == subgraph.True || truth == subgraph.False
		if truth == 0 {
			a.Truth = subgraph.False
		}
		out[i] = a
	}
	return out
}

// query is the place of a query atom.
type query struct{ pred, position int }

func (w *World) queries(rules Rules) []query {
	var out []query
	for pred, p := range w.schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		for position := range w.stated[pred] {
			if w.isQuery(pred, position, rules) {
				out = append(out, query{pred, position})
			}
		}
	}
	return out
}
