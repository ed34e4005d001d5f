package cut_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/check"
)

const lastfmDir, lastfmTask = "../../../shared/data/lastfm-2k", "../../examples/lastfm/lastfm"

// loadLastfm reads the tables, and skips where there are none.
func loadLastfm(tb testing.TB) (*recipe.Recipe, *table.Universe, []*table.Table) {
	tb.Helper()
	if _, err := os.Stat(lastfmDir); err != nil {
		tb.Skip("no Last.fm data beside the repository")
	}
	text := func(name string) string {
		text, err := os.ReadFile(name)
		check.OK(tb, err)
		return string(text)
	}
	r := parse(tb, text(lastfmTask+".mln"), text(lastfmTask+".recipe"))
	u, tables := noRows(r)
	for i := range r.Tables {
		var err error
		if tables[i], err = new(tablefile.Reader).Load(context.Background(), u, &r.Tables[i], lastfmDir, nil); err != nil {
			tb.Fatal(err)
		}
	}
	return r, u, tables
}

// lastfm is the tables of Last.fm in maps.
type lastfm struct {
	friends map[string]map[string]bool
	marks   map[string]map[[2]string]bool   // by user: page and tag
	first   map[string]map[string]int64     // by user and page
	tags    map[string]map[string]bool      // by user
	of      func(typ int, id uint32) string // name
}

func newLastfm(u *table.Universe, tables []*table.Table) *lastfm {
	l := &lastfm{
		friends: map[string]map[string]bool{}, marks: map[string]map[[2]string]bool{},
		first: map[string]map[string]int64{}, tags: map[string]map[string]bool{},
		of: func(typ int, id uint32) string { return u.Dicts[typ].Name(id) },
	}
	name := func(t, c, row int) string { return l.of(tables[t].Columns[c].Type, tables[t].Columns[c].IDs[row]) }
	for row := range tables[0].Rows {
		put(l.friends, name(0, 0, row), name(0, 1, row), true)
	}
	for row := range tables[1].Rows {
		user, page, tag, day := name(1, 0, row), name(1, 1, row), name(1, 2, row), tables[1].Columns[3].Nums[row]
		put(l.marks, user, [2]string{page, tag}, true)
		put(l.tags, user, tag, true)
		if old, ok := l.first[user][page]; !ok || day < old {
			put(l.first, user, page, day)
		}
	}
	return l
}

func put[K comparable, V any](m map[string]map[K]V, a string, k K, v V) {
	if m[a] == nil {
		m[a] = map[K]V{}
	}
	m[a][k] = v
}

// facts returns the facts around a center whose strangers are known.
func (l *lastfm) facts(center string, strangers map[string]bool) []string {
	facts := map[string]bool{}
	add := func(predicate string, args ...string) {
		facts[predicate+"("+strings.Join(args, ",")+")"] = true
	}
	members := map[string]bool{}
	for u := range l.friends[center] {
		add("cFriends", u)
		members[u] = true
	}
	for u := range strangers {
		add("!cFriends", u)
		members[u] = true
	}
	for u := range members {
		for p, d := range l.first[u] {
			if d0, ok := l.first[center][p]; ok && d > d0 {
				add("bkMarkAfter", p, u)
			} else if ok && d < d0 {
				add("bkMarkBefore", p, u)
			} else if ok {
				add("bkMarkSameDay", p, u)
			}
		}
		for v := range members {
			if l.friends[u][v] {
				add("friends", u, v)
			}
			if u != v && meet(l.tags[u], l.tags[v]) {
				add("sameTag", u, v)
			}
			if u != v && meet(l.first[u], l.first[v]) {
				add("sameUrl", u, v)
			}
		}
	}
	members[center] = true
	for u := range members {
		for m := range l.marks[u] {
			add("bkMark", m[0], u, m[1])
			add("usedTag", m[1], u)
		}
	}
	return slices.Sorted(maps.Keys(facts))
}

// meet reports whether maps share a key.
func meet[V any](a, b map[string]V) bool {
	for k := range a {
		if _, ok := b[k]; ok {
			return true
		}
	}
	return false
}

// TestLastfm recomputes the relations of 20 subgraphs of the real data from maps.
func TestLastfm(t *testing.T) {
	t.Parallel()
	r, u, tables := loadLastfm(t)
	plan := compile(t, r, u, tables)
	l := newLastfm(u, tables)
	c := plan.NewCutter()
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(plan.Centers()))[:20] {
		center := plan.Centers()[i].Name
		var s subgraph.Subgraph
		ok, err := c.Cut(&s, i)
		check.OK(t, err)
		around := map[string]bool{}
		for f := range l.friends[center] {
			for v := range l.friends[f] {
				if v != center && !l.friends[center][v] {
					around[v] = true
				}
			}
		}
		friends := len(l.friends[center])
		if enough := min(len(around), 4*friends) >= friends; ok != enough {
			t.Fatalf("center %s: got a subgraph %v, want %v", center, ok, enough)
		}
		if !ok {
			continue
		}
		strangers := map[string]bool{}
		target := r.Schema.Predicate("cFriends")
		for _, id := range s.Relations[target].False.Cols[0] {
			name := s.Domains[r.Schema.Type("user")].Names.Name(id)
			if strangers[name] = true; !around[name] {
				t.Errorf("center %s: %s is no stranger", center, name)
			}
		}
		if want := min(len(around), 4*friends); len(strangers) != want {
			t.Errorf("center %s: got %d strangers, want %d", center, len(strangers), want)
		}
		got := slices.DeleteFunc(linesOf(r, &s), func(line string) bool { return line[0] == '@' })
		check.Equal(t, "center "+center, got, l.facts(center, strangers))
	}
}

func BenchmarkLastfm(b *testing.B) {
	r, u, tables := loadLastfm(b)
	for b.Loop() {
		plan := compile(b, r, u, tables)
		c, n := plan.NewCutter(), 0
		for i := range plan.Centers() {
			ok, err := c.Cut(new(subgraph.Subgraph), i)
			check.OK(b, err)
			if ok {
				n++
			}
		}
		if n != 1460 {
			b.Fatalf("got %d subgraphs, want 1460", n)
		}
	}
}
