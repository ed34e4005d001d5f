package answers_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"resolwe"
	"resolwe/bench/answers"
	"resolwe/bench/csvtables"
	"resolwe/internal/test/check"
)

var names = []string{"Posts", "Votes", "Comments", "Users", "Badges"}

// read returns a table, by column, and its bytes.
func read(t *testing.T, dir, name string) (columns map[string][]string, data []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+".csv.gz"))
	check.OK(t, err)
	in, err := gzip.NewReader(bytes.NewReader(data))
	check.OK(t, err)
	rows, err := csv.NewReader(in).ReadAll()
	check.OK(t, err)
	columns = map[string][]string{}
	for i, name := range rows[0] {
		for _, r := range rows[1:] {
			columns[name] = append(columns[name], r[i])
		}
	}
	return columns, data
}

// Keys are unique, foreign keys point to rows of before or are empty, an answer is later than its question, and the rows are as
// many as were asked for. The same seed gives the same bytes.
func TestGenerate(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir, again := t.TempDir(), t.TempDir()
	const rows = 5000
	for _, d := range []string{dir, again} {
		_, err := answers.Generate(t.Context(), d, csvtables.Options{Rows: rows, Seed: seed})
		check.OK(t, err)
	}
	keys, created, total := map[string]bool{"": true}, map[string]string{}, 0
	read := func(name string) map[string][]string {
		got, data := read(t, dir, name)
		_, same := read(t, again, name)
		check.Equal(t, name+" is the same again", bytes.Equal(data, same), true)
		total += len(got["Id"])
		for _, id := range got["Id"] {
			if keys[name+id] {
				t.Fatalf("%s: %s is not unique", name, id)
			}
			keys[name+id] = true
		}
		return got
	}
	tables := map[string]map[string][]string{}
	for _, name := range names {
		tables[name] = read(name)
	}
	if total < rows*99/100 || total > rows {
		t.Errorf("got %d rows, want about %d", total, rows)
	}
	for _, tt := range []struct{ from, column, to string }{
		{"Posts", "ParentId", "Posts"},
		{"Posts", "OwnerUserId", "Users"},
		{"Votes", "PostId", "Posts"},
		{"Votes", "UserId", "Users"},
		{"Comments", "PostId", "Posts"},
		{"Comments", "UserId", "Users"},
		{"Badges", "UserId", "Users"},
	} {
		for _, id := range tables[tt.from][tt.column] {
			if id != "" && !keys[tt.to+id] {
				t.Fatalf("%s.%s: got %s, which is not in %s", tt.from, tt.column, id, tt.to)
			}
		}
	}
	posts, gone := tables["Posts"], 0
	for i, id := range posts["Id"] {
		created[id] = posts["CreationDate"][i]
		if asked := created[posts["ParentId"][i]]; asked > created[id] {
			t.Errorf("%s: answered at %s, asked at %s", id, created[id], asked)
		}
		if posts["OwnerUserId"][i] == "" {
			gone++
		}
	}
	if share := float64(gone) / float64(len(created)); share < .05 || share > .2 {
		t.Errorf("%.2f of the posts have no owner", share)
	}
}

// TestGenerate_DumpsDay holds what the day of the dump says against the answers: the score of questions, and the last access of users.
func TestGenerate_DumpsDay(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	_, err := answers.Generate(t.Context(), dir, csvtables.Options{Rows: 20_000, Seed: seed})
	check.OK(t, err)
	posts, _ := read(t, dir, "Posts")
	users, _ := read(t, dir, "Users")
	answered, last := map[string]int{}, map[string]string{}
	for i, parent := range posts["ParentId"] {
		answered[parent]++
		if user := posts["OwnerUserId"][i]; user != "" {
			last[user] = max(last[user], posts["CreationDate"][i])
		}
	}
	for i, id := range posts["Id"] {
		score, err := strconv.Atoi(posts["Score"][i])
		check.OK(t, err)
		if grown := 5 * answered[id]; posts["PostTypeId"][i] == "1" && (score < grown-3 || score > grown+36) {
			t.Errorf("%s has %d answers and a score of %d", id, answered[id], score)
		}
	}
	for i, id := range users["Id"] {
		if seen := users["LastAccessDate"][i]; seen < last[id] || seen < users["CreationDate"][i] {
			t.Errorf("%s was last seen at %s, and posted at %s", id, seen, last[id])
		}
	}
}

func TestGenerate_Rows(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "dump")
	for _, rows := range []int{-1, answers.MinRows - 1, answers.MaxRows + 1} {
		check.ErrorAs[*resolwe.OptionError](t, check.Err(answers.Generate(t.Context(), dir, csvtables.Options{Rows: rows})), "%d rows", rows)
	}
	check.Fails(t, check.Err(os.Stat(dir)), "there is a folder")
}
