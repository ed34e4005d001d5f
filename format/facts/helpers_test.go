package facts_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// wiki is a schema with one predicate of each role and arity.
var wiki = &mln.Schema{
	Types: []string{"article", "user"},
	Predicates: []mln.Predicate{
		{Name: "articleEdit", Args: []int{0, 1}, Role: mln.RoleEvidence},
		{Name: "admin", Args: []int{1}, Role: mln.RoleEvidence},
		{Name: "talk", Args: []int{1, 1, 0}, Role: mln.RoleEvidence},
		{Name: "modifies", Args: []int{0, 1}, Role: mln.RoleTarget},
		{Name: "cFriends", Args: []int{1}, Role: mln.RoleListed},
	},
}

// dump is a subgraph in words, for comparison.
type dump struct {
	Index        int
	Name, Center string
	Fold         int
	Domains      [][]string          // names in order of local ids
	Atoms        map[string][]string // by predicate and truth, sorted
}

func dumpOf(schema *mln.Schema, s *subgraph.Subgraph) dump {
	d := dump{Index: s.Index, Name: s.Name, Center: s.Center, Fold: s.Fold, Atoms: map[string][]string{}}
	for _, domain := range s.Domains {
		names := make([]string, domain.Size)
		for id := range names {
			names[id] = domain.Names.Name(uint32(id))
		}
		d.Domains = append(d.Domains, names)
	}
	for i, p := range schema.Predicates {
		rel := s.Relations[i]
		for truth, t := range map[string]subgraph.Table{"": rel.True, "!": rel.False, "?": rel.Unknown} {
			var atoms []string
			for row := range t.Len() {
				args := make([]string, len(p.Args))
				for c, typ := range p.Args {
					args[c] = fmt.Sprintf("%q", d.Domains[typ][t.Cols[c][row]])
				}
				atoms = append(atoms, strings.Join(args, " "))
			}
			if len(atoms) > 0 {
				slices.Sort(atoms)
				d.Atoms[truth+p.Name] = atoms
			}
		}
	}
	return d
}

// readAll reads a text to its end or first error.
func readAll(r io.Reader, path string, schema *mln.Schema) ([]dump, error) {
	reader, err := facts.NewReader(r, path, schema)
	if err != nil {
		return nil, err
	}
	var all []dump
	for {
		s, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, dumpOf(schema, s))
	}
}

func mustReadAll(tb testing.TB, r io.Reader, path string, schema *mln.Schema) []dump {
	tb.Helper()
	all, err := readAll(r, path, schema)
	check.OK(tb, err)
	return all
}
