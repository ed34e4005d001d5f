package facttables_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/facttables"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// schema has each role, arities from 1 to 3, numbers, and predicates that are named like the other tables.
var schema = &mln.Schema{
	Types: []string{"user", "number", "item"},
	Predicates: []mln.Predicate{
		{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence},
		{Name: "rated", Args: []int{0, 2, 1}, Role: mln.RoleEvidence},
		{Name: "subgraphs", Args: []int{0}, Role: mln.RoleEvidence},
		{Name: "entities", Args: []int{2}, Role: mln.RoleEvidence},
		{Name: "likes", Args: []int{0, 2}, Role: mln.RoleTarget},
		{Name: "buys", Args: []int{0}, Role: mln.RoleListed},
	},
}

var (
	names   = []string{"U1", "u2", "NA", "null", "", " x ", "=1+1", "'a", "a,\"b\"", "two\nlines", "true", "é", "-0"}
	numbers = []string{"0", "-2.5", "3", "0.1", "1e-300", "123456789012345680000", "1e+300"}
)

// text writes random subgraphs as .db text.
func text(r *rand.Rand, n int) string {
	var b strings.Builder
	name := func(typ int) string {
		if typ == 1 {
			return schema.FormatEntity(1, numbers[r.IntN(len(numbers))])
		}
		return mln.FormatConstant(names[r.IntN(len(names))])
	}
	for i := range n {
		fmt.Fprintf(&b, "@subgraph %q", fmt.Sprint("s ", i*5%13))
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, " center=%s", mln.FormatConstant(names[r.IntN(4)]))
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, " fold=%d", r.IntN(3))
		}
		if r.IntN(2) == 0 {
			b.WriteString(" time=" + []string{"2010-01-31", "2009-12-31T23:59:59Z", "0000-01-01"}[r.IntN(3)])
		}
		b.WriteString("\n")
		for range r.IntN(4) {
			typ := r.IntN(3)
			fmt.Fprintf(&b, "@entity %s %s\n", schema.Types[typ], name(typ))
		}
		seen := map[string]bool{}
		for range r.IntN(30) {
			p := &schema.Predicates[r.IntN(len(schema.Predicates))]
			args := make([]string, len(p.Args))
			for k, typ := range p.Args {
				args[k] = name(typ)
			}
			atom := p.Name + "(" + strings.Join(args, ", ") + ")"
			if mark := ""; !seen[atom] {
				if p.Role.IsTarget() {
					mark = []string{"", "!", "?"}[r.IntN(3)]
				}
				b.WriteString(mark + atom + "\n")
			}
			seen[atom] = true
		}
	}
	return b.String()
}

// stream returns the stream that a text stands for.
func stream(t *testing.T, schema *mln.Schema, text string) []byte {
	t.Helper()
	r, err := facts.NewReader(strings.NewReader(text), "text.db", schema)
	check.OK(t, err)
	return streamOf(t, schema, func(yield func(*subgraph.Subgraph, error) bool) {
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(s, err) {
				return
			}
		}
	})
}

func streamOf(t *testing.T, schema *mln.Schema, all func(yield func(*subgraph.Subgraph, error) bool)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := rsg.NewWriter(&out, schema, rsg.WriterOptions{})
	check.OK(t, err)
	for s, err := range all {
		check.OK(t, err)
		check.OK(t, w.Write(s))
	}
	check.OK(t, w.Close())
	return out.Bytes()
}

// packed returns the stream that a folder of tables stands for, put together in groups of so many bytes.
func packed(t *testing.T, schema *mln.Schema, dir string, group int64) []byte {
	t.Helper()
	f, err := facttables.Read(context.Background(), dir, schema, false)
	check.OK(t, err)
	defer f.Close()
	f.Groups(group)
	return streamOf(t, schema, f.Subgraphs(context.Background()))
}

// written writes a stream as tables.
func written(t *testing.T, schema *mln.Schema, data []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	r, err := rsg.NewReader(bytes.NewReader(data), "x.rsg", rsg.ReaderOptions{Names: true, Shared: true})
	check.OK(t, err)
	w, err := facttables.NewWriter(schema, func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(dir, name)) })
	check.OK(t, err)
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check.OK(t, err)
		check.OK(t, w.Write(s))
	}
	check.OK(t, w.Close())
	return dir
}

func same(t *testing.T, got, want []byte, what string) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s: the stream of %d bytes differs from the text's, of %d", what, len(got), len(want))
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for n := range 12 {
		want := stream(t, schema, text(r, n))
		dir := written(t, schema, want)
		for _, group := range []int64{1, 500, 1 << 20} {
			same(t, packed(t, schema, dir, group), want, fmt.Sprintf("%d subgraphs in groups of %d bytes", n, group))
		}
	}
}

// TestConformance takes each case of the conformance tests through tables.
func TestConformance(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("../../cmd/resolwe/testdata/cases/*/facts.db")
	check.OK(t, err)
	check.AtLeast(t, len(cases), 20, "cases")
	for _, path := range cases {
		text, err := os.ReadFile(path)
		check.OK(t, err)
		model := filepath.Join(filepath.Dir(path), "model.mln")
		source, err := os.ReadFile(model)
		check.OK(t, err)
		m, err := mln.Parse(model, source, mln.Options{})
		check.OKf(t, err, "%s", model)
		want := stream(t, &m.Schema, string(text))
		same(t, packed(t, &m.Schema, written(t, &m.Schema, want), 1<<20), want, path)
	}
}

// TestShuffled compares CSV files of shuffled rows, which hold no positions, with the text in the order that is promised.
func TestShuffled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	var want strings.Builder
	files := map[string][][]string{}
	add := func(file string, row ...string) { files[file] = append(files[file], row) }
	for i, head := range []string{"s9", "s1", "s10", "s2"} { // untimed ones first, then by time and name
		at := []string{"", "2009-01-01", "2009-01-01", "2010-01-31T19:30:12Z"}[i]
		fmt.Fprintf(&want, "@subgraph %s fold=%d", head, i)
		if add("subgraphs.csv", head, at); at != "" {
			want.WriteString(" time=" + at)
		}
		want.WriteString("\n@entity user A B C D\n@entity number -2 3 10\n@entity item X Y\n")
		add("entities.csv", head, "user", "D")
		for k, user := range []string{"A", "B", "C"} {
			fold := []string{"", strconv.Itoa(i), ""}[k]
			score, truth := []string{"10", "-2.0", "3"}[k], []string{"", "False", "true"}[k]
			item := []string{"X", "Y", "X"}[k]
			fmt.Fprintf(&want, "friends(%s, A)\nrated(%s, %s, %s)\n%slikes(%s, %s)\n", user, user, item, score, []string{"?", "!", ""}[k], user, item)
			add("friends.csv", head, user, "A")
			add("rated.csv", head, user, item, score, fold)
			add("likes.csv", head, user, item, truth)
		}
	}
	headers := map[string]string{
		"subgraphs.csv": "subgraph,time", "entities.csv": "subgraph,type,entity", "friends.csv": "subgraph,who,whom",
		"rated.csv": "subgraph,who,what,score,fold", "likes.csv": "subgraph,who,what,truth",
	}
	plain := *schema
	plain.Predicates = slices.DeleteFunc(slices.Clone(schema.Predicates), func(p mln.Predicate) bool { return p.Name == "subgraphs" || p.Name == "entities" })
	expected := stream(t, &plain, want.String())
	for round := range 5 {
		dir := t.TempDir()
		for name, rows := range files {
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			var out bytes.Buffer
			out.WriteString(headers[name] + "\n")
			check.OK(t, csv.NewWriter(&out).WriteAll(rows))
			check.OK(t, os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600))
		}
		parts := filepath.Join(dir, "friends") // a folder of parts in place of a file
		check.OK(t, os.Mkdir(parts, 0o700))
		check.OK(t, os.Rename(filepath.Join(dir, "friends.csv"), filepath.Join(parts, "part-0.csv")))
		check.OK(t, os.WriteFile(filepath.Join(parts, "_SUCCESS"), nil, 0o600))
		check.OK(t, os.WriteFile(filepath.Join(parts, "part-1.csv"), []byte("subgraph,a,b\n"), 0o600))
		same(t, packed(t, &plain, dir, []int64{1, 200, 1 << 20}[round%3]), expected, fmt.Sprint("shuffled ", round))
	}
}

// TestOrder compares tables of more rows than are looked up together, whose names begin alike, with the text in the order of names and numbers.
func TestOrder(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	plain := &mln.Schema{Types: schema.Types, Predicates: schema.Predicates[1:2]}
	var rows []string
	facts, users, items, scores := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]map[float64]bool{}
	for range 15_000 {
		sub, user, item := fmt.Sprintf("s%d", r.IntN(3)), "user_"+strings.Repeat("x", r.IntN(12))+strconv.Itoa(r.IntN(20)), strconv.Itoa(r.IntN(200))
		score := float64(r.IntN(41)-20) / 4
		fact := fmt.Sprintf("rated(%q, %q, %v)\n", user, item, score)
		if facts[sub] == nil {
			facts[sub], users[sub], items[sub], scores[sub] = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[float64]bool{}
		}
		if !facts[sub][fact] {
			rows = append(rows, fmt.Sprintf("%s,%s,%s,%v\n", sub, user, item, score))
		}
		facts[sub][fact], users[sub][user], items[sub][item], scores[sub][score] = true, true, true, true
	}
	var want strings.Builder
	for _, sub := range slices.Sorted(maps.Keys(facts)) {
		fmt.Fprintf(&want, "@subgraph %s\n", sub)
		for _, user := range slices.Sorted(maps.Keys(users[sub])) {
			fmt.Fprintf(&want, "@entity user %q\n", user)
		}
		for _, score := range slices.Sorted(maps.Keys(scores[sub])) {
			fmt.Fprintf(&want, "@entity number %v\n", score)
		}
		for _, item := range slices.Sorted(maps.Keys(items[sub])) {
			fmt.Fprintf(&want, "@entity item %q\n", item)
		}
		want.WriteString(strings.Join(slices.Collect(maps.Keys(facts[sub])), ""))
	}
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "rated.csv"), []byte("subgraph,who,what,score\n"+strings.Join(rows, "")), 0o600))
	same(t, packed(t, plain, dir, 1<<16), stream(t, plain, want.String()), "many rows")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"friend.csv", "subgraph,a,b\n", `the model declares no predicate "friend"; did you mean "friends"?`},
		{"Friends.csv", "subgraph,a,b\n", `did you mean "friends"?`},
		{"friends.csv", "s,a,b\nS,A,B\n", `no column "subgraph"`},
		{"friends.csv", "subgraph,a\nS,A\n", `friends takes 2 arguments: with the columns ["subgraph" "center" "fold" "time" "truth"], the table has 1 more: ["a"]`},
		{"friends.csv", "subgraph,a,b,c\nS,A,B,C\n", `the table has 3 more: ["a" "b" "c"]`},
		{"friends.csv", "subgraph,a,b\nS,A,B\nS,,B\n", `friends.csv:3:3: column "a": the cell is empty; it names an entity of type user`},
		{"friends.csv", "subgraph,a,b\n,A,B\n", `friends.csv:2:1: column "subgraph": the cell is empty`},
		{"friends.csv", "subgraph,a,b\nS,A,B\nT,A,B\nS,A,B\n", `friends.csv:4:1: subgraph "S" has this fact already, at line or row 2 of`},
		{"likes.csv", "subgraph,a,b,truth\nS,A,B,1\nS,A,B,0\n", `likes.csv:3:1: subgraph "S" has this fact already`},
		{"friends.csv", "subgraph,a,b,truth\nS,A,B,\n", `column "truth": the cell is empty, but friends is an evidence predicate`},
		{"likes.csv", "subgraph,a,b,truth\nS,A,B,maybe\n", `likes.csv:2:7: column "truth": "maybe" is neither true nor false`},
		{"rated.csv", "subgraph,a,b,c\nS,A,B,many\n", `rated.csv:2:7: column "c": "many" is not a finite number`},
		{"likes.csv", "subgraph,a,b,fold\nS,A,B,1\nS,B,B,2\n", `likes.csv:3:7: column "fold": subgraph "S" has "2" here, and "1" before`},
		{"likes.csv", "subgraph,a,b,fold\nS,A,B,-1\n", `"-1" is no whole number from 0 to 2147483647`},
		{"likes.csv", "subgraph,a,b,time\nS,A,B,soon\n", `column "time": "soon" is no date`},
		{"likes.csv", "subgraph,a,b,center\nS,A,B,A\nS,B,B,B\n", `column "center": subgraph "S" has "B" here, and "A" before`},
		{"@entities.csv", "subgraph,type,entity\nS,users,A\n", `column "type": the model has no type "users"; did you mean "user"?`},
		{"@entities.csv", "subgraph,type,entity\nS,user,\n", `column "entity": the cell is empty`},
		{"@subgraphs.csv", "subgraph,folds\nS,1\n", `the table has 1 more: ["folds"]`},
	} {
		dir := t.TempDir()
		check.OK(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
		f, err := facttables.Read(context.Background(), dir, schema, false)
		if err == nil {
			for _, err = range f.Subgraphs(context.Background()) {
				if err != nil {
					break
				}
			}
			check.OK(t, f.Close())
		}
		e := check.ErrorAs[*facttables.Error](t, err, "%s: %s", c.file, c.text)
		if e != nil {
			check.Contains(t, e.Error(), c.want, "%s: %s", c.file, c.text)
		}
	}
}

// TestUnwritable expects an error for a name that a Parquet text cannot hold.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	b := subgraph.NewBuilder(schema)
	for _, name := range []string{"\xff", "a\x00b"} {
		b.Reset("S", "", -1)
		b.Fact("buys", subgraph.True, name)
		s, err := b.Finish()
		check.OK(t, err)
		w, err := facttables.NewWriter(schema, func(string) (io.WriteCloser, error) { return os.Create(filepath.Join(t.TempDir(), "x")) })
		check.OK(t, err)
		check.ErrorAs[*facttables.Error](t, w.Write(s), "%q", name)
	}
}
