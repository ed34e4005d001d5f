package main_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// factSet is the atoms that a subgraph states, as p(a, b) and !p(a, b).
type factSet map[string]bool

func (f factSet) add(predicate string, args ...string) {
	f[predicate+"("+strings.Join(args, ", ")+")"] = true
}

// strata is candidates by how many other rows they have.
type strata map[int]set

func (s strata) add(n int, name string) {
	if s[n] == nil {
		s[n] = set{}
	}
	s[n][name] = true
}

// addMatched adds the sample that a cut has of those who are true and those who are not, by stratum: as many of the ones as of the others,
// as many as there are. Who is in it becomes a member.
func (f factSet) addMatched(t *testing.T, cut factSet, predicate string, truths, falsehoods strata, member set) {
	t.Helper()
	for n := range truths {
		want := min(len(truths[n]), len(falsehoods[n]))
		for sign, side := range map[string]set{"": truths[n], "!": falsehoods[n]} {
			drawn := 0
			for x := range side {
				if cut[sign+predicate+"("+x+")"] {
					drawn++
					member[x] = true
					f.add(sign+predicate, x)
				}
			}
			check.Is(t, drawn, want, "stratum %d, %s%s", n, sign, predicate)
		}
	}
}

// recipeOracle says what a recipe makes of tables, in a way that has nothing in common with how recipes are evaluated.
type recipeOracle interface {
	// centers returns the centers that form subgraphs, in the order in which the tables first mention them.
	centers() []string
	// fold returns the fold of a center, -1 where there are none.
	fold(center string) int
	// facts returns the facts of a center's subgraph. Samples are taken from what was cut, once they are seen to be fair.
	facts(t *testing.T, center string, cut factSet) factSet
}

// TestRecipes builds each recipe of the examples from small random tables, with several numbers of workers, and compares
// every subgraph with what an oracle says.
func TestRecipes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		recipe string
		tables func(t *testing.T, rng *rand.Rand, dir string) recipeOracle
	}{
		{"answers/answers", answerTables},
		{"f1/f1", f1Tables},
		{"lastfm/lastfm", lastfmTables},
		{"lastfm/candidates", candidateTables},
		{"shop/shop", shopTables},
		{"delicious/delicious", hetrecTables},
		{"delicious/generated", fanTables},
		{"wikicollabs/wikicollabs", wikicollabsTables},
		{"wikicollabs/imported", importedTables},
		{"shintowiki/shintowiki", shintowikiTables},
		{"wikichron/wikichron", wikichronTables},
	}
	var tested []string
	for _, tt := range tests {
		tested = append(tested, "../../examples/"+tt.recipe+".recipe")
		t.Run(tt.recipe, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			dir := t.TempDir()
			oracle := tt.tables(t, rand.New(rand.NewPCG(seed, 0)), dir)
			checkStream(t, buildRecipe(t, tt.recipe, dir), oracle)
		})
	}
	recipes, err := filepath.Glob("../../examples/*/*.recipe")
	slices.Sort(tested)
	if diff := cmp.Diff(tested, recipes); err != nil || diff != "" {
		t.Errorf("recipes, %v: got -, want +:\n%s", err, diff)
	}
}

// TestRecipes_Generated builds the tables that gen writes: the stream is the one that gen makes of them.
func TestRecipes_Generated(t *testing.T) {
	t.Parallel()
	for task, recipe := range map[string]string{"wikicollabs": "wikicollabs/wikicollabs", "delicious": "delicious/generated", "shop": "shop/shop", "answers": "answers/answers"} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && task == "delicious" {
				t.Skip("takes some seconds under the race detector")
			}
			dir := t.TempDir()
			stream := filepath.Join(t.TempDir(), "direct.rsg")
			args := []string{"gen", task, "--scale", "1e-6", "--seed", "5", "-o"}
			if task == "answers" {
				args = append([]string{"gen", task, "--rows", "2000"}, args[4:]...)
			}
			report := output(t, append(args, stream)...)
			if got := output(t, append(args, dir)...); got != report {
				t.Errorf("got another report with tables:\n%s\nwant, as with a stream\n%s", got, report)
			}
			if !bytes.Equal(contents(t, buildRecipe(t, recipe, dir)), contents(t, stream)) {
				t.Error("build makes another stream of the tables than gen does")
			}
		})
	}
}

// buildRecipe builds a recipe of the examples with several numbers of workers, which give the same bytes. It returns the
// stream's path.
func buildRecipe(t *testing.T, recipe, dir string) string {
	t.Helper()
	path := filepath.Join("../../examples", recipe+".recipe")
	model := filepath.Join(filepath.Dir(path), filepath.Base(filepath.Dir(path))+".mln")
	stream := filepath.Join(t.TempDir(), "1.rsg")
	for _, workers := range []string{"1", "2", "8"} {
		out := filepath.Join(filepath.Dir(stream), workers+".rsg")
		output(t, "build", path, "--model", model, "--data", dir, "--workers", workers, "-o", out)
		if !bytes.Equal(contents(t, out), contents(t, stream)) {
			t.Errorf("%s workers: got other bytes than with 1", workers)
		}
	}
	return stream
}

// checkStream compares the subgraphs of a stream with those that the oracle expects.
func checkStream(t *testing.T, path string, oracle recipeOracle) {
	t.Helper()
	f, err := rsg.OpenFile(path, rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	defer f.Close()
	var got []string
	total := 0
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(t, err)
		got = append(got, s.Name)
		if s.Center != s.Name || s.Fold != oracle.fold(s.Name) {
			t.Errorf("%s: got center %s and fold %d, want fold %d", s.Name, s.Center, s.Fold, oracle.fold(s.Name))
		}
		cut := factsOf(t, f, s)
		total += len(cut)
		check.Equal(t, s.Name, cut, oracle.facts(t, s.Name, cut))
	}
	check.Equal(t, "centers", got, oracle.centers())
	if len(got) < 2 || total < 100 {
		t.Errorf("got %d subgraphs with %d facts: these tables test little", len(got), total)
	}
}

// factsOf returns the facts of a subgraph, whose domains have to be the entities in them.
func factsOf(t *testing.T, f *rsg.File, s *subgraph.Subgraph) factSet {
	t.Helper()
	schema := f.Schema()
	facts := factSet{}
	mentioned := make([]map[uint32]bool, len(schema.Types))
	for i := range mentioned {
		mentioned[i] = map[uint32]bool{}
	}
	for i, p := range schema.Predicates {
		for sign, table := range map[string]subgraph.Table{"": s.Relations[i].True, "!": s.Relations[i].False} {
			for row := range table.Len() {
				args := make([]string, len(p.Args))
				for k, typ := range p.Args {
					id := table.Cols[k][row]
					args[k] = s.Domains[typ].Names.Name(id)
					mentioned[typ][id] = true
				}
				facts.add(sign+p.Name, args...)
			}
		}
	}
	for i, d := range s.Domains {
		if len(mentioned[i]) != d.Size {
			t.Errorf("%s: got %d of type %s, want the %d that facts mention", s.Name, d.Size, schema.Types[i], len(mentioned[i]))
		}
	}
	return facts
}

// users are the users of tables, in order of first appearance.
type users struct {
	order []string
	seen  set
}

// see notes that the tables mention a user.
func (s *users) see(user string) {
	if s.seen == nil {
		s.seen = set{}
	}
	if !s.seen[user] {
		s.seen[user] = true
		s.order = append(s.order, user)
	}
}

// set is a set of names.
type set map[string]bool

// relation is the names that go with a name.
type relation map[string]set

func (r relation) add(a, b string) {
	if r[a] == nil {
		r[a] = set{}
	}
	r[a][b] = true
}

// meets reports whether two sets have a member in common.
func (s set) meets(other set) bool {
	for x := range s {
		if other[x] {
			return true
		}
	}
	return false
}

// union returns the members of several sets.
func union(sets ...set) set {
	all := set{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

// pick returns n different numbers below limit.
func pick(rng *rand.Rand, n, limit int) []int { return rng.Perm(limit)[:n] }

// name returns PREFIXn.
func name(prefix string, n int) string { return prefix + strconv.Itoa(n) }

// writeTable writes a table with tabs. The cells of the rows are printed; its header names the columns.
func writeTable(t *testing.T, dir, file, header string, rows [][]any) {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = fmt.Sprint(c)
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	check.OK(t, os.WriteFile(filepath.Join(dir, file), []byte(b.String()), 0o600))
}

// dates returns day n of a made-up calendar as a year, a month and a day.
func dates(n int) (year, month, day int) { return 2009 + n/24, 1 + n/2%12, 14 + n%2 }

// isoDate returns day n as text.
func isoDate(n int) string {
	year, month, day := dates(n)
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}
