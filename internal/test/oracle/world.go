package oracle

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// World is a subgraph as seen by a model: its entities, including the model's constants, and the stated truth of every
// type-consistent atom. Atoms are numbered by predicate, then in lexicographic order of their arguments.
type World struct {
	schema *mln.Schema
	center string
	names  [][]string       // by type and local id
	ids    []map[string]int // the inverse of names, by type
	first  []int            // by predicate: its first atom
	pred   []int            // by atom
	stated []subgraph.Truth // by atom, 0 if not stated
}

// Rules determine which target atoms are query atoms, and which of these are fixed.
type Rules struct {
	// UnknownExist makes atoms of unknown truth query atoms, as in inference; otherwise they do not exist.
	UnknownExist bool
	// Given fixes the query atoms stated true or false in the data.
	Given bool
}

// Atom is a query atom.
type Atom struct {
	Pred   int
	Args   []string
	Truth  subgraph.Truth // False if nothing is stated
	Stated bool           // stated true or stated false
}

// NewWorld reads a subgraph, which must have the model's schema and names for its domains. constants are those that belong to
// every domain, by type (mln.Schema.Domains); they follow the subgraph's own entities in the order of local ids.
func NewWorld(schema *mln.Schema, constants [][]string, s *subgraph.Subgraph) *World {
	w := &World{schema: schema, center: s.Center}
	for typ, domain := range s.Domains {
		var names []string
		for id := range domain.Size {
			names = append(names, domain.Names.Name(uint32(id)))
		}
		if constants != nil {
			for _, name := range constants[typ] {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		ids := map[string]int{}
		for id, name := range names {
			ids[name] = id
		}
		w.names, w.ids = append(w.names, names), append(w.ids, ids)
	}
	for pred, p := range schema.Predicates {
		size := 1
		for _, typ := range p.Args {
			size *= len(w.names[typ])
		}
		first := len(w.stated)
		w.first, w.pred = append(w.first, first), append(w.pred, slices.Repeat([]int{pred}, size)...)
		w.stated = append(w.stated, make([]subgraph.Truth, size)...)
		truths := [3]subgraph.Truth{subgraph.True, subgraph.False, subgraph.Unknown}
		for i, t := range s.Relations[pred].Tables() {
			for row := range t.Len() {
				at := 0
				for k, typ := range p.Args {
					at = at*len(w.names[typ]) + int(t.Cols[k][row])
				}
				w.stated[first+at] = truths[i]
			}
		}
	}
	return w
}

// atom describes atom a.
func (w *World) atom(a int) Atom {
	pred, truth := w.pred[a], w.stated[a]
	types := w.schema.Predicates[pred].Args
	out := Atom{Pred: pred, Args: make([]string, len(types)), Truth: truth, Stated: truth == subgraph.True || truth == subgraph.False}
	if truth == 0 {
		out.Truth = subgraph.False
	}
	a -= w.first[pred]
	for i, typ := range slices.Backward(types) {
		names := w.names[typ]
		out.Args[i] = names[a%len(names)]
		a /= len(names)
	}
	return out
}

// QueryAtoms lists the query atoms: by predicate in schema order, then by arguments in lexicographic order of local ids. It includes
// atoms fixed by Rules.Given.
func (w *World) QueryAtoms(rules Rules) []Atom {
	queries := w.interpret(rules).queries
	out := make([]Atom, len(queries))
	for i, a := range queries {
		out[i] = w.atom(a)
	}
	return out
}

// interpretation says which atoms exist and which are true.
type interpretation struct {
	*World
	exists, holds []bool
	queries       []int // atoms that are query atoms
}

// interpret returns the interpretation of the data under the rules.
func (w *World) interpret(rules Rules) *interpretation {
	r := &interpretation{World: w, exists: make([]bool, len(w.stated)), holds: make([]bool, len(w.stated))}
	for a, truth := range w.stated {
		role := w.schema.Predicates[w.pred[a]].Role
		switch truth {
		case subgraph.True, subgraph.False:
			r.exists[a] = true
		case subgraph.Unknown:
			r.exists[a] = rules.UnknownExist
		default:
			r.exists[a] = role != mln.RoleListed
		}
		r.holds[a] = truth == subgraph.True
		if r.exists[a] && role.IsTarget() {
			r.queries = append(r.queries, a)
		}
	}
	return r
}
