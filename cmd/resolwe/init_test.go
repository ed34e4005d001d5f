package main_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"resolwe/format/rsg"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// TestInit drafts a recipe and a task for each of many odd folders. It builds what was drafted, or expects an error that says
// what to write. The comment of a case has the center, the target, and expressions that the recipe or the error matches.
func TestInit(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/init/*.txtar")
	check.OK(t, err)
	check.MustAtLeast(t, len(cases), 40, "cases")
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			check.OK(t, err)
			dir := unpack(t, archive)
			fields := map[string][]string{}
			for line := range strings.Lines(string(archive.Comment)) {
				if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
					fields[name] = append(fields[name], value)
				}
			}
			out := filepath.Join(t.TempDir(), "new", "task")
			got := resolwe(t, "init", dir, "--center", fields["center"][0], "--target", fields["target"][0], "-o", out)
			if status := fields["status"]; status != nil {
				refused(t, &got, status[0], fields["error"][0], out)
				return
			}
			if got.status != 0 {
				t.Fatalf("got status %d and %s", got.status, got.stderr)
			}
			recipe := string(contents(t, filepath.Join(out, "task.recipe")))
			for _, want := range fields["recipe"] {
				if !regexp.MustCompile(want).MatchString(recipe) {
					t.Errorf("the recipe has no %s:\n%s", want, recipe)
				}
			}
			stream := filepath.Join(out, "task.rsg")
			built := resolwe(t, "build", filepath.Join(out, "task.recipe"), "--model", filepath.Join(out, "task.mln"), "--data", dir, "-o", stream)
			if built.status != 0 || strings.HasPrefix(built.stderr, "0 subgraphs") || strings.Contains(built.stderr, "\n0 subgraphs") {
				t.Errorf("build: got status %d and %s\nof\n%s", built.status, built.stderr, recipe)
			}
		})
	}
}

// refused expects an error that leaves no file.
func refused(t *testing.T, got *outcome, status, want, out string) {
	t.Helper()
	if status != string(rune('0'+got.status)) || !regexp.MustCompile(want).MatchString(got.stderr) {
		t.Errorf("got status %d and %swant %s and %s", got.status, got.stderr, status, want)
	}
	check.Fails(t, check.Err(os.Stat(filepath.Dir(out))), "something was written")
}

// unpack writes the files of a case into a folder; behind | stands what is made of their text.
func unpack(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		name, how, _ := strings.Cut(f.Name, "|")
		content := f.Data
		switch how {
		case "gz":
			name, content = name+".gz", archivetest.Gzip(content)
		case "zst":
			name, content = name+".zst", archivetest.Zstd(content)
		case "marked":
			content = append([]byte("\ufeff"), bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))...)
		case "latin1":
			content = nil
			for _, r := range string(f.Data) {
				content = append(content, byte(r))
			}
		case "utf16", "utf16be":
			var order binary.AppendByteOrder = binary.LittleEndian
			if how == "utf16be" {
				order = binary.BigEndian
			}
			content = nil
			for _, c := range utf16.Encode([]rune("\ufeff" + string(f.Data))) {
				content = order.AppendUint16(content, c)
			}
		case "binary":
			content = bytes.Repeat([]byte{0, 1, 2, 0xff, '\n'}, 300)
		}
		check.OK(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

// TestInit_Answers drafts who answers a question, out of a dump. Nothing in a subgraph may be as late as the first answer, the
// truth is who answered, and the stream is in the order of time.
func TestInit_Answers(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir, out := t.TempDir(), t.TempDir()
	o := answerTables(t, rand.New(rand.NewPCG(seed, 0)), dir).(*answerOracle)
	output(t, "init", dir, "--center", "Posts.ParentId", "--target", "Posts(ParentId, OwnerUserId)", "-o", out)
	streams := make([][]byte, 2)
	for i, workers := range []string{"1", "8"} {
		stream := filepath.Join(out, workers+".rsg")
		output(t, "build", filepath.Join(out, "task.recipe"), "--model", filepath.Join(out, "task.mln"), "--data", dir, "--workers", workers, "-o", stream)
		streams[i] = contents(t, stream)
	}
	if !bytes.Equal(streams[0], streams[1]) {
		t.Error("the stream depends on the number of workers")
	}
	f, err := rsg.OpenFile(filepath.Join(out, "1.rsg"), rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	defer f.Close()
	times := o.times()
	last := time.Time{}
	dated, ranked, trues := 0, 0, 0
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(t, err)
		cutoff, answered := o.first(s.Center)
		if cutoff.Before(last) {
			t.Errorf("%s: of %v stands behind one of %v", s.Center, cutoff, last)
		}
		last = cutoff
		for fact := range factsOf(t, f, s) {
			name, args, _ := strings.Cut(strings.TrimSuffix(fact, ")"), "(")
			first, second, _ := strings.Cut(args, ", ")
			if name == "Posts_target" || name == "!Posts_target" {
				if answered[first] != (name == "Posts_target") {
					t.Errorf("%s: got %s", s.Center, fact)
				}
				if answered[first] {
					trues++
				}
				continue
			}
			table, _, _ := strings.Cut(name, "_")
			if name == "Comments_latest_UserId" {
				if ranked++; strconv.Itoa(latestOf(o.comments, first, cutoff)) != second {
					t.Errorf("%s, of %v: got %s, want %d", s.Center, cutoff, fact, latestOf(o.comments, first, cutoff))
				}
				continue
			}
			at, ok := times[strings.TrimSuffix(name, "_days")+" "+first]
			if !ok {
				at, ok = times[table+" "+first]
			}
			days, isDays := cutoff.Sub(at), strings.HasSuffix(name, "_days")
			if !ok || !isDays && strings.Count(name, "_") > 1 { // of rows' keys only
				continue
			}
			dated++
			if days <= 0 || table == "Votes" && days < day || isDays && strconv.Itoa(int(days/day)) != second {
				t.Errorf("%s, of %v: got %s, of %v", s.Center, cutoff, fact, at)
			}
		}
	}
	if f.Len() < 10 || dated < 1000 || ranked < 100 || trues < 10 {
		t.Errorf("got %d subgraphs with %d facts that have a time and %d ranks: these tables test little", f.Len(), dated, ranked)
	}
}

// latestOf returns how many times from that of an event on its user had one before the cutoff.
func latestOf(events []event, id string, cutoff time.Time) int {
	own := events[slices.IndexFunc(events, func(e event) bool { return e.id == id })]
	times := map[time.Time]bool{}
	for _, e := range events {
		if e.user == own.user && e.at.Before(cutoff) && !e.at.Before(own.at) {
			times[e.at] = true
		}
	}
	return len(times)
}

// times returns when each row came to be, by table and id.
func (o *answerOracle) times() map[string]time.Time {
	times := map[string]time.Time{}
	for table, events := range map[string][]event{
		"Posts": append(o.questions, o.answers...), "Comments": o.comments, "Votes": o.votes, "Badges": o.badges, "Posts_ClosedDate": o.closed,
	} {
		for _, e := range events {
			times[table+" "+e.id] = e.at
		}
	}
	for _, u := range o.joined {
		times["Users "+u.user] = u.at
	}
	return times
}

// first returns when a question was first answered, by one whom the dump names, and by whom it was ever.
func (o *answerOracle) first(question string) (at time.Time, by set) {
	by = set{}
	for _, a := range o.answers {
		if a.about != question || a.user == "" {
			continue
		}
		if by[a.user] = true; at.IsZero() || a.at.Before(at) {
			at = a.at
		}
	}
	return at, by
}
