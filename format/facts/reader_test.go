package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

func TestReader_Cases(t *testing.T) {
	t.Parallel()
	shop := &mln.Schema{
		Types: []string{"user", "item"},
		Predicates: []mln.Predicate{
			{Name: "likes", Args: []int{0, 1}, Role: mln.RoleEvidence},
			{Name: "knows", Args: []int{0, 0}, Role: mln.RoleEvidence},
			{Name: "buys", Args: []int{0, 1}, Role: mln.RoleTarget},
			{Name: "trusts", Args: []int{0, 0}, Role: mln.RoleListed},
		},
	}
	delicious := &mln.Schema{
		Types: []string{"page", "user", "tag"},
		Predicates: []mln.Predicate{
			{Name: "bkMark", Args: []int{0, 1, 2}, Role: mln.RoleEvidence},
			{Name: "bkMarkAfter", Args: []int{0, 1}, Role: mln.RoleEvidence},
			{Name: "bkMarkBefore", Args: []int{0, 1}, Role: mln.RoleEvidence},
			{Name: "bkMarkSameDay", Args: []int{0, 1}, Role: mln.RoleEvidence},
			{Name: "usedTag", Args: []int{2, 1}, Role: mln.RoleEvidence},
			{Name: "friends", Args: []int{1, 1}, Role: mln.RoleEvidence},
			{Name: "sameTag", Args: []int{1, 1}, Role: mln.RoleEvidence},
			{Name: "sameUrl", Args: []int{1, 1}, Role: mln.RoleEvidence},
			{Name: "cFriends", Args: []int{1}, Role: mln.RoleListed},
		},
	}
	tests := []struct {
		path   string
		schema *mln.Schema
	}{
		{"testdata/unknown-atoms.db", shop},
		{"testdata/delicious.db", delicious},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(tt.path)
			check.OK(t, err)
			var entities, subgraphs int
			got := map[string]int{}
			for _, d := range mustReadAll(t, strings.NewReader(string(text)), tt.path, tt.schema) {
				subgraphs++
				for _, names := range d.Domains {
					entities += len(names)
				}
				for key, atoms := range d.Atoms {
					got[key] += len(atoms)
				}
			}
			want, wantSubgraphs, wantEntities := countLines(string(text))
			check.Equal(t, "atoms", got, want)
			if subgraphs != wantSubgraphs || entities != wantEntities {
				t.Errorf("got %d subgraphs, %d entities, want %d, %d", subgraphs, entities, wantSubgraphs, wantEntities)
			}
		})
	}
}

// countLines counts the lines of a text that states each atom once and declares each entity.
func countLines(text string) (atoms map[string]int, subgraphs, entities int) {
	atoms = map[string]int{}
	for line := range strings.Lines(text) {
		switch words := strings.Fields(line); words[0] {
		case "@subgraph":
			subgraphs++
		case "@entity":
			entities += len(words) - 2
		default:
			key, _, _ := strings.Cut(line, "(")
			atoms[key]++
		}
	}
	return atoms, subgraphs, entities
}

func TestReader_ImpliedName(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, want string }{
		{"data/uwcse_fold1.db", "uwcse_fold1"},
		{"a.db.gz", "a"},
		{"a.db.zst", "a"},
		{"a.gz", "a"},
		{"a.db.db", "a.db"},
		{"a.txt", "a.txt"},
		{".db", ".db"},
		{"-", "stdin"},
		{"a\xff.db", "a\uFFFD"},
	}
	for _, tt := range tests {
		got := mustReadAll(t, strings.NewReader("admin(U1)"), tt.path, wiki)
		if len(got) != 1 || got[0].Name != tt.want {
			t.Errorf("%s: got %v, want one subgraph named %s", tt.path, got, tt.want)
		}
	}
}

func TestReader_Ends(t *testing.T) {
	t.Parallel()
	one := []dump{{Name: "f", Fold: -1, Domains: [][]string{{}, {"U1"}}, Atoms: map[string][]string{"admin": {`"U1"`}}}}
	none := []dump{{Name: "f", Fold: -1, Domains: [][]string{{}, {}}, Atoms: map[string][]string{}}}
	tests := []struct {
		name, text string
		want       []dump
	}{
		{"empty file", "", none},
		{"blank lines", "\n \r\n\t", none},
		{"a comment alone", "// none", none},
		{"byte order mark alone", "\ufeff", none},
		{"no newline at the end", "admin(U1)", one},
		{"newline", "admin(U1)\n", one},
		{"carriage return", "admin(U1)\r\n", one},
		{"carriage return at the end", "admin(U1)\r", one},
		{"byte order mark", "\ufeffadmin(U1)", one},
		{"closed comment", "admin(U1)/*\n*/", one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, "result", mustReadAll(t, strings.NewReader(tt.text), "f.db", wiki), tt.want)
		})
	}
}

// TestReader_LongLines puts the end of a line on and around the borders of the buffer.
func TestReader_LongLines(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 64<<10 - 12, 64<<10 - 11, 64<<10 - 10, 64<<10 - 9, 64 << 10, 128 << 10, 1 << 20} {
		name := strings.Repeat("U", size)
		text := fmt.Sprintf("admin(%s)\n\nadmin(U1) // %s\r\n@entity user %s U2\n", name, name, name)
		got := mustReadAll(t, strings.NewReader(text), "f.db", wiki)
		want := []string{name, "U1", "U2"}
		if size == 1 {
			want = []string{"U", "U1", "U2"}
		}
		if diff := cmp.Diff(got[0].Domains[1], want); diff != "" {
			t.Errorf("size %d: wrong names", size)
		}
	}
}

// endless is a text without end.
type endless struct{ of []byte }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.of), nil }

func TestReader_LineBound(t *testing.T) {
	t.Parallel()
	const bound = 200 << 10
	comment := endless{of: bytes.Repeat([]byte("/"), 1000)}
	for _, tt := range []struct {
		name    string
		length  int64
		end     string
		tooLong bool
	}{
		{"at the bound", bound, "\nadmin(U1)", false},
		{"at the bound with a carriage return", bound, "\r\nadmin(U1)", false},
		{"at the bound and the end of the file", bound, "", false},
		{"longer by a byte", bound + 1, "\nadmin(U1)", true},
		{"longer by a byte at the end of the file", bound + 1, "", true},
		{"endless", 1 << 62, "", true},
	} {
		text := io.MultiReader(strings.NewReader("\n"), io.LimitReader(comment, tt.length), strings.NewReader(tt.end))
		r, err := facts.NewReader(text, "f.db", wiki)
		check.OK(t, err)
		facts.SetMaxLine(r, bound)
		_, err = r.Next()
		syntax, ok := errors.AsType[facts.InputError](err)
		if ok != tt.tooLong || err != nil && (syntax.Msg != "a line of more than 204800 bytes" || syntax.Pos.Line != 2) {
			t.Errorf("%s: got error %v, want one: %v", tt.name, err, tt.tooLong)
		}
	}
}

// TestReader_LongLineError shows the neighbourhood of an error in a long line, and clips long names.
func TestReader_LongLineError(t *testing.T) {
	t.Parallel()
	text := "@entity user" + strings.Repeat(` "Élan"`, 1000) + " u1" + strings.Repeat(" U1", 1000)
	_, err := readAll(strings.NewReader(text), "f.db", wiki)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "f.db:1:7014: u1 is no constant") || len(lines[1]) > 300 {
		t.Fatalf("got %q", err)
	}
	caret := len([]rune(lines[2])) - 1
	if got := string([]rune(lines[1])[caret:][:2]); got != "u1" {
		t.Errorf("the caret stands under %q, want u1", got)
	}
	long := strings.Repeat("p", 1<<20)
	for _, text := range []string{long, long + "(A)", "É" + long, "@subgraph s1 " + long + "=1", "admin(" + long + ")"} {
		if _, err = readAll(strings.NewReader(text), "f.db", wiki); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.20s...: got no error or a long one", text)
		}
	}
}

func TestReader_OwnMemory(t *testing.T) {
	t.Parallel()
	text := "@subgraph s1\narticleEdit(A1, U1)\n@subgraph s2\narticleEdit(A2, U2)\narticleEdit(A1, U3)\n"
	r, err := facts.NewReader(strings.NewReader(text), "f.db", wiki)
	check.OK(t, err)
	first, err := r.Next()
	check.OK(t, err)
	before := dumpOf(wiki, first)
	check.OK(t, check.Err(r.Next()))
	check.Equal(t, "the first subgraph changed", dumpOf(wiki, first), before)
}

func TestReader_ErrorsStay(t *testing.T) {
	t.Parallel()
	r, err := facts.NewReader(strings.NewReader("@subgraph s1\n@subgraph s2\nadmin(u1)\n@subgraph s3\n"), "f.db", wiki)
	check.OK(t, err)
	check.OK(t, check.Err(r.Next()))
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || !errors.Is(second, first) {
		t.Errorf("got %v, then %v, want one error", first, second)
	}
}

func TestReader_UnderlyingReader(t *testing.T) {
	t.Parallel()
	text := "@subgraph s1\nadmin(U1)\n@subgraph s2\n"
	want := mustReadAll(t, strings.NewReader(text), "f.db", wiki)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with the end": iotest.DataErrReader,
	} {
		check.Equal(t, name, mustReadAll(t, wrap(strings.NewReader(text)), "f.db", wiki), want)
	}
	broken := errors.New("cable pulled")
	for _, text := range []string{"", text} {
		_, err := readAll(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), "f.db", wiki)
		if !errors.Is(err, broken) || err.Error() != "f.db: cable pulled" {
			t.Errorf("got error %v, want %v", err, broken)
		}
	}
}

// TestReader_Allocations holds that a fact about known entities allocates nothing of its own: what grows is the
// builder's columns.
func TestReader_Allocations(t *testing.T) {
	read := func(n int) float64 {
		text := strings.Repeat("articleEdit(A1, \"U1\")\n", n)
		return testing.AllocsPerRun(5, func() { mustReadAll(t, strings.NewReader(text), "f.db", wiki) })
	}
	if few, many := read(1000), read(64000); many > few+200 {
		t.Errorf("got %v allocations for 1000 facts, %v for 64000", few, many)
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"articleEdit(A1, U1)\n!modifies(A1, U1)\n?modifies(A1, U2)\n",
		"\ufeff@subgraph s1 center=\"U \\\"1\" fold=2 // end\r\n@entity user U1 U2/*\n*/\n@subgraph \"s 2\"\ncFriends(U1)",
		"admin(U1)\n!admin(U1)\n",
		"\x50\x2a\x4d\x18\x00\x00\x00\x00",
	} {
		f.Add([]byte(text))
		f.Add(archivetest.Gzip(text))
		f.Add(archivetest.Zstd(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return // a small archive of a huge text is slow, not wrong
		}
		first, err := readAll(bytes.NewReader(file), "f.db", wiki)
		if err != nil {
			var input facts.InputError
			if !errors.As(err, &input) && !errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatalf("an error of another kind: %v", err)
			}
		}
		second, again := readAll(bytes.NewReader(file), "f.db", wiki)
		if diff := cmp.Diff(first, second); diff != "" || (err == nil) != (again == nil) {
			t.Fatalf("read twice, %v and %v:\n%s", err, again, diff)
		}
	})
}
