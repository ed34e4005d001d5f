package subgraph_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/test/check"
)

// schema has every role and arities one to three.
var schema = &mln.Schema{
	Types: []string{"person", "thing"},
	Predicates: []mln.Predicate{
		{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence},
		{Name: "bought", Args: []int{0, 1, 0}, Role: mln.RoleEvidence},
		{Name: "smokes", Args: []int{0}, Role: mln.RoleTarget},
		{Name: "likes", Args: []int{0, 1}, Role: mln.RoleListed},
	},
}

// TestBuilder_SortsAndIndexes compares tables and indexes with sets of tuples.
func TestBuilder_SortsAndIndexes(t *testing.T) {
	t.Parallel()
	b, rng := subgraph.NewBuilder(schema), rand.New(rand.NewPCG(5, 0))
	for round := range 50 {
		b.Reset("s", "", -1)
		want := make(map[string][][]uint32)
		for range round {
			pred := rng.IntN(len(schema.Predicates))
			p := schema.Predicates[pred]
			args := make([]uint32, len(p.Args))
			for c, typ := range p.Args {
				args[c] = b.Entity(typ, fmt.Sprint("E", rng.IntN(8)))
			}
			b.Add(pred, args, subgraph.True)
			want[p.Name] = append(want[p.Name], args)
		}
		s, err := b.Finish()
		check.OK(t, err)
		for i, p := range schema.Predicates {
			rows := want[p.Name]
			slices.SortFunc(rows, slices.Compare)
			rows = slices.CompactFunc(rows, slices.Equal)
			table := &s.Relations[i].True
			check.MustEqual(t, fmt.Sprintf("seed 5, round %d, %s", round, p.Name), tuplesOf(table), rows)
			if len(p.Args) == 2 {
				checkIndex(t, &table.Forward, rows, 0, s.Domains[p.Args[0]].Size)
				checkIndex(t, &table.Backward, rows, 1, s.Domains[p.Args[1]].Size)
			}
		}
	}
}

func tuplesOf(t *subgraph.Table) (rows [][]uint32) {
	for i := range t.Len() {
		var row []uint32
		for _, c := range t.Cols {
			row = append(row, c[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// checkIndex compares an index by one column with the pairs that are sorted by the first.
func checkIndex(t *testing.T, x *subgraph.Index, pairs [][]uint32, by, size int) {
	t.Helper()
	for id := range uint32(size) + 2 {
		var want []uint32
		for _, p := range pairs {
			if p[by] == id {
				want = append(want, p[1-by])
			}
		}
		check.MustSlices(t, x.Row(id), want, "column %d, id %d", by, id)
	}
}

func TestBuilder_Conflicts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		first, second subgraph.Truth
		want          string
	}{
		{"twice the same", subgraph.True, subgraph.True, ""},
		{"true and false", subgraph.True, subgraph.False, "likes[Anna Tea] is stated both true and false"},
		{"unknown and true", subgraph.Unknown, subgraph.True, "likes[Anna Tea] is stated both unknown and true"},
	} {
		b := subgraph.NewBuilder(schema)
		b.Reset("s", "", -1)
		b.Add(2, []uint32{b.Entity(0, "Bob")}, subgraph.True)
		for _, truth := range []subgraph.Truth{row.first, row.second} {
			b.Add(3, []uint32{b.Entity(0, "Anna"), b.Entity(1, "Tea")}, truth)
		}
		_, err := b.Finish()
		var c *subgraph.ConflictError
		if !errors.As(err, &c) {
			if row.want != "" || err != nil {
				t.Errorf("%s: got %v, want %q", row.name, err, row.want)
			}
			continue
		}
		if err.Error() != row.want || c.First != 1 || c.Second != 2 {
			t.Errorf("%s: got %v, statements %d and %d, want %q, 1 and 2", row.name, err, c.First, c.Second, row.want)
		}
	}
}

// TestBuilder_Domain states domains by a dictionary, and compares with entities that are stated one by one.
func TestBuilder_Domain(t *testing.T) {
	t.Parallel()
	var dict table.Dict
	for _, name := range []string{"Tea", "Anna", "Bob", "Carl"} {
		dict.Intern([]byte(name))
	}
	b := subgraph.NewBuilder(schema)
	var subs [2]*subgraph.Subgraph
	for i := range subs {
		b.Reset("s", "Bob", -1)
		if i == 0 {
			b.Domain(0, &subgraph.DictNames{Dict: &dict, IDs: []uint32{3, 1, 2}})
			b.Domain(1, &subgraph.DictNames{Dict: &dict, IDs: []uint32{0}})
		} else {
			for _, name := range []string{"Carl", "Anna", "Bob"} {
				b.Entity(0, name)
			}
			b.Entity(1, "Tea")
		}
		b.Add(0, []uint32{2, 0}, subgraph.True)
		b.Add(1, []uint32{1, 0, 2}, subgraph.True)
		s, err := b.Finish()
		check.OK(t, err)
		subs[i] = s
	}
	for typ, d := range subs[0].Domains {
		check.Is(t, d.Size, subs[1].Domains[typ].Size, "size")
		for id := range uint32(d.Size) {
			check.Equal(t, "Name", d.Names.Name(id), subs[1].Domains[typ].Names.Name(id))
		}
		for _, name := range []string{"Tea", "Anna", "Bob", "Carl", "Dora", ""} {
			got, ok := d.Names.Lookup(name)
			want, has := subs[1].Domains[typ].Names.Lookup(name)
			if got != want || ok != has {
				t.Errorf("Lookup(%q) is %d, %v; want %d, %v", name, got, ok, want, has)
			}
		}
	}
	for i := range subs[0].Relations {
		check.MustEqual(t, "tuples", tuplesOf(&subs[0].Relations[i].True), tuplesOf(&subs[1].Relations[i].True))
	}
}

// Wrong use of a builder is an error of Finish, and no panic.
func TestBuilder_Misuse(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(b *subgraph.Builder){
		"a subgraph begins with Builder.Reset":   nil,
		"type 9, but there are":                  func(b *subgraph.Builder) { b.Entity(9, "x") },
		"type -1, but there are":                 func(b *subgraph.Builder) { b.Entity(-1, "x") },
		"domain of type 9 comes late":            func(b *subgraph.Builder) { b.Domain(9, &subgraph.DictNames{}) },
		"domain of type 0 comes late":            func(b *subgraph.Builder) { b.Entity(0, "x"); b.Domain(0, &subgraph.DictNames{}) },
		"\"x\" of type person comes after":       func(b *subgraph.Builder) { b.Domain(0, &subgraph.DictNames{}); b.Entity(0, "x") },
		"predicate -1, but there are":            func(b *subgraph.Builder) { b.Add(-1, nil, subgraph.True) },
		"predicate 99, but there are":            func(b *subgraph.Builder) { b.Add(99, nil, subgraph.True) },
		"has 2 arguments: it was stated with 1":  func(b *subgraph.Builder) { b.Add(0, []uint32{b.Entity(0, "x")}, subgraph.True) },
		"entity 0 of type":                       func(b *subgraph.Builder) { b.Add(0, []uint32{0, 0}, subgraph.True) },
		"was stated without a truth value":       func(b *subgraph.Builder) { b.Add(0, []uint32{0, 0}, 0) },
		"no predicate \"edit\"":                  func(b *subgraph.Builder) { b.Fact("edit", subgraph.True) },
		"has 2 arguments: it was stated with 3":  func(b *subgraph.Builder) { b.Fact(schema.Predicates[0].Name, subgraph.True, "x", "y", "z") },
		"has 2 arguments: it was stated with 0 ": func(b *subgraph.Builder) { b.Fact(schema.Predicates[0].Name, subgraph.True) },
	} {
		b := subgraph.NewBuilder(schema)
		if use != nil {
			b.Reset("monday", "", -1)
			use(b)
		} else {
			b.At(subgraph.Time{})
			b.Fact(schema.Predicates[0].Name, subgraph.True, "x", "y")
		}
		_, err := b.Finish()
		if err == nil || !strings.Contains(err.Error()+" ", name) {
			t.Errorf("got %v, want %q", err, name)
		}
		b.Reset("tuesday", "", -1)
		b.Fact(schema.Predicates[0].Name, subgraph.True, "x", "y")
		sub, err := b.Finish()
		check.OK(t, err)
		check.Is(t, sub.Relations[0].True.Len(), 1, "%s, then another subgraph", name)
	}
}
