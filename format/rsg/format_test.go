package rsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

var update = flag.Bool("update", false, "write the files of testdata/compat anew")

var constantRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `?([^|`]+?)`? \\|")

// TestFormat_PageNamesTheConstants holds FORMAT.md against the code.
func TestFormat_PageNamesTheConstants(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("FORMAT.md")
	check.OK(t, err)
	seen := map[string]bool{}
	for _, m := range constantRow.FindAllStringSubmatch(string(page), -1) {
		name, text := m[1], m[2]
		want, ok := rsg.Constants[name]
		if !ok {
			t.Errorf("%s: the code has no such constant", name)
			continue
		}
		seen[name] = true
		got := text
		if raw, err := strconv.Unquote(`"` + text + `"`); err == nil {
			got = raw
		}
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			got = strconv.FormatInt(n, 10)
		}
		if got != fmt.Sprint(want) {
			t.Errorf("%s: the page says %q, the code %q", name, got, fmt.Sprint(want))
		}
	}
	for name := range rsg.Constants {
		if !seen[name] {
			t.Errorf("%s: the page does not name it", name)
		}
	}
}

// TestFormat_ReadsEveryVersion reads files that earlier versions wrote. Files of a released version never change.
func TestFormat_ReadsEveryVersion(t *testing.T) {
	for name, opt := range layouts {
		data, want := packed(t, name)
		current := filepath.Join("testdata", "compat", "v1.1", name)
		if *update {
			check.OK(t, os.WriteFile(current+".rsg", data, 0o600))
			check.OK(t, os.WriteFile(current+".db", text(t, want), 0o600))
		}
		readKept(t, filepath.Join("testdata", "compat", "v1", name), false)
		if kept := readKept(t, current, true); !opt.Zstd && !bytes.Equal(kept, data) {
			t.Errorf("%s: the writer gives other bytes than before", current)
		}
	}
}

// readKept reads a file of an earlier version and returns its bytes.
func readKept(t *testing.T, path string, digest bool) []byte {
	t.Helper()
	kept, err := os.ReadFile(path + ".rsg")
	check.OK(t, err)
	wantText, err := os.ReadFile(path + ".db")
	check.OK(t, err)
	for reader, read := range readers {
		list, err := read(kept, rsg.ReaderOptions{Names: true})
		if err != nil {
			t.Errorf("%s, %s: %v", path, reader, err)
		}
		check.Is(t, string(text(t, list)), string(wantText), "%s, %s", path, reader)
	}
	sum, err := rsg.Verify(bytes.NewReader(kept), path)
	check.OK(t, err)
	check.Equal(t, path+": digest", sum.Digest, digest)
	return kept
}

func text(tb testing.TB, list []*subgraph.Subgraph) []byte {
	tb.Helper()
	var out bytes.Buffer
	for _, s := range list {
		check.OK(tb, facts.Write(&out, s, social()))
	}
	return out.Bytes()
}

// TestFormat_NewerMinorVersions adds an optional frame, which is passed over with all that is in it, and a required
// one, which is refused: in reading from the front, when it is met.
func TestFormat_NewerMinorVersions(t *testing.T) {
	t.Parallel()
	whole := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	last := blocks(t, whole)[2]
	cut := last.Offset + last.Bytes
	for _, row := range []struct {
		tag  string
		want error
	}{{"hint", nil}, {"HINT", rsg.ErrVersion}} {
		extra := make([]byte, 64)
		copy(extra, row.tag)
		extra[4], extra[8] = 1, 64 // one section, of no bytes
		copy(extra[32:], "DATA")
		data := slices.Concat(whole[:cut], extra, whole[cut:])
		trailer := data[len(data)-64:]
		binary.LittleEndian.PutUint64(trailer, uint64(cut)+64)
		rsgtest.Reseal(data)
		for name, read := range readers {
			list, err := read(data, rsg.ReaderOptions{})
			if n := map[bool]int{true: 3}[err == nil || name == "pipe"]; len(list) != n || !errors.Is(err, row.want) {
				t.Errorf("%s, %s: got %d subgraphs and %v, want %d and %v", row.tag, name, len(list), err, n, row.want)
			}
		}
		check.ErrorIs(t, check.Err(rsg.Verify(bytes.NewReader(data), "x")), row.want, "%s: Verify", row.tag)
	}
	newer := bytes.Clone(whole)
	newer[8]++
	rsgtest.Reseal(newer)
	for name, read := range readers {
		check.ErrorIs(t, check.Err(read(newer, rsg.ReaderOptions{})), rsg.ErrVersion, "next major version, %s", name)
	}
}
