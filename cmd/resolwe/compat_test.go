package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
	"resolwe/internal/wire"
)

// versions are the folders of testdata/compat: what was written by each version that files are read of. The files of a
// released version never change.
var versions = []string{"v1"}

// saved are the runs with checkpoints.
var saved = map[string]string{
	"learn.run":    "learn pairs.mln --stream pairs.db --passes 2 --exact never",
	"crossval.run": "crossval model.mln --stream plain.rsg --folds 2 --systems gain,base --infer=--samples=20 --select=--support=20", // 20 was the default
	"discover.run": "discover model.mln --stream plain.rsg --length 2 --support 2",
}

// inFolder returns the arguments of a command line with the paths of files in a folder.
func inFolder(dir, line string) []string {
	args := strings.Fields(line)
	for i, a := range args {
		if strings.Contains(a, ".") || a == "shards" {
			args[i] = filepath.Join(dir, a)
		}
	}
	return args
}

// TestCompat reads streams, archives, manifests and checkpoints that earlier versions wrote.
func TestCompat(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		dir := filepath.Join("testdata/compat", version)
		if os.Getenv("UPDATE") != "" && version == versions[len(versions)-1] {
			writeCompat(t, dir)
		}
		want := output(t, inFolder(dir, "counts model.mln --json --stream facts.db")...)
		for _, name := range []string{"plain.rsg", "zstd.rsg", "plain.rsg.gz", "plain.rsg.zst", "facts.db.gz", "facts.db.zst", "shards/manifest.json"} {
			check.Equal(t, fmt.Sprintf("%s, %s", version, name), output(t, inFolder(dir, "counts model.mln --json --stream "+name)...), want)
			if strings.Contains(name, "rsg") || strings.Contains(name, "manifest") {
				text := output(t, inFolder(dir, "verify "+name)...)
				if version == "v1" && strings.Contains(name, "rsg") {
					check.Contains(t, text, "no digest, as an older version wrote it", "%s, %s", version, name)
				}
			}
		}
		for name, line := range saved {
			line += " --json"
			path := filepath.Join(t.TempDir(), name)
			check.OK(t, os.WriteFile(path, contents(t, filepath.Join(dir, name)), 0o600))
			got := output(t, append(inFolder(dir, line), "--resume", "--checkpoint", path)...)
			check.Is(t, got, output(t, inFolder(dir, line)...), "%s, %s", version, name)
		}
	}
}

// writeCompat writes what TestCompat reads.
func writeCompat(t *testing.T, dir string) {
	t.Helper()
	check.OK(t, os.RemoveAll(dir))
	check.OK(t, os.MkdirAll(dir, 0o750))
	const three, collective = "testdata/cases/three-targets/", "testdata/cases/learn-collective/"
	for from, to := range map[string]string{
		three + "model.mln": "model.mln", three + "facts.db": "facts.db", collective + "model.mln": "pairs.mln", collective + "facts.db": "pairs.db",
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, to), contents(t, from), 0o600))
	}
	output(t, inFolder(dir, "pack model.mln facts.db -o plain.rsg")...)
	output(t, inFolder(dir, "pack model.mln facts.db --zstd -o zstd.rsg")...)
	output(t, inFolder(dir, "pack model.mln facts.db --shards 2 -o shards")...)
	for _, name := range []string{"plain.rsg", "facts.db"} {
		path := filepath.Join(dir, name)
		compress(t, path, path+".gz")
		check.OK(t, os.WriteFile(path+".zst", archivetest.Zstd(contents(t, path)), 0o600))
	}
	for name, line := range saved {
		output(t, append(inFolder(dir, line), "--checkpoint", filepath.Join(dir, name))...)
	}
}

// What a newer version wrote is refused with a sentence that says so.
func TestCompat_Newer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check.OK(t, os.CopyFS(dir, os.DirFS("testdata/compat/"+versions[len(versions)-1])))
	for _, test := range []struct {
		file, from, to string // what is replaced
		line, want     string
	}{
		{"shards/manifest.json", "resolwe shards 1", "resolwe shards 2", "counts model.mln --stream shards/manifest.json", "another version of this program"},
		{"shards/manifest.json", "resolwe shards 2", "resolwe shards 3", "counts model.mln --stream shards", "another version of this program"},
		{"learn.run", "CP\r\n\x02", "CP\r\n\x03", saved["learn.run"] + " --resume --checkpoint learn.run", "another version of this program"},
		{"crossval.run", "CV\x03", "CV\x04", saved["crossval.run"] + " --resume --checkpoint crossval.run", "another version of this program"},
		{"discover.run", "DI\x01", "DI\x02", saved["discover.run"] + " --resume --checkpoint discover.run", "another version of this program"},
		{"plain.rsg", "\r\n\x1a\n\x01", "\r\n\x1a\n\x02", "counts model.mln --stream plain.rsg", "written by a newer version"},
	} {
		path := filepath.Join(dir, test.file)
		data := contents(t, path)
		newer := bytes.Replace(data, []byte(test.from), []byte(test.to), 1)
		if bytes.Equal(newer, data) {
			t.Fatalf("%s has no %s", test.file, strconv.Quote(test.from))
		}
		reseal(test.file, newer)
		check.OK(t, os.WriteFile(path, newer, 0o600))
		got := resolwe(t, inFolder(dir, test.line)...)
		if got.status != 3 || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%s: got status %d and %q, want 3 and %q", test.line, got.status, got.stderr, test.want)
		}
	}
}

// reseal makes the checksums of a stream or a checkpoint right again.
func reseal(name string, data []byte) {
	switch filepath.Ext(name) {
	case ".rsg":
		rsgtest.Reseal(data)
	case ".run":
		n := len(data) - 4
		copy(data[n:], wire.Seal(data[:n])[n:])
	}
}
