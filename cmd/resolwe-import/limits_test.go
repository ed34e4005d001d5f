package main_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe/cmd/internal/console"
	"resolwe/internal/progress"
	"resolwe/internal/test/check"

	cmd "resolwe/cmd/resolwe-import"
)

// Whatever the size of a table, little of it is in memory.
func TestImport_Memory(t *testing.T) {
	const count, length = 200_000, 600
	address, _ := database(t, "SQLite", fmt.Sprintf(`CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO t SELECT i, hex(randomblob(%d)) FROM n;`, count, length/2))
	dir := filepath.Join(t.TempDir(), "tables")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(128 << 20)) // collects garbage in time
	most := uint64(0)
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for ctx.Err() == nil {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			time.Sleep(5 * time.Millisecond)
		}
	}()
	check.OK(t, cmd.Copy(t.Context(), address, dir, progress.Options{Mode: progress.Never}))
	cancel()
	<-watched
	info, err := os.Stat(filepath.Join(dir, "t.parquet"))
	check.OK(t, err)
	check.AtLeast(t, info.Size(), count*length/3, "bytes of the file")
	t.Logf("%d MiB of heap for %d MiB", most>>20, count*length>>20)
	check.AtMost(t, most>>20, 160, "MiB of heap") // a third of what the whole table would take
}

// Errors leave nothing behind, say what to do, and have the exit status of their kind.
func TestImport_Errors(t *testing.T) {
	t.Parallel()
	good, db := database(t, "SQLite", `CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1); CREATE VIEW wrong AS SELECT abs(-9223372036854775808) AS x;`)
	_ = db.Close()
	data, err := os.ReadFile(good)
	check.OK(t, err)
	parent := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(parent, name)
		check.OK(t, os.WriteFile(path, data, 0o600))
		return path
	}
	broken := slices.Clone(data)
	for i := 4096; i < len(broken); i++ {
		broken[i] = 0xff
	}
	text, torn := write("text", []byte("no database\n")), write("torn", broken)
	out := filepath.Join(parent, "out")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{good}, console.Usage, "missing flags: --output"},
		{[]string{filepath.Join(parent, "none"), "-o", out}, console.Usage, "there is no such SQLite file"},
		{[]string{"oracle://x/y", "-o", out}, console.Usage, "no database is called oracle://"},
		{[]string{"mysql://u:se%cret@h/d", "-o", out}, console.Usage, "the address is not a URL"},
		{[]string{"postgres://u:se%cret@h/d", "-o", out}, console.Usage, "cannot parse"},
		{[]string{"postgres://u:secret@localhost:1/d", "-o", out}, console.Failed, "connect"},
		{[]string{"mysql://u:secret@localhost:1/d", "-o", out}, console.Failed, "connect"},
		{[]string{good, "-o", parent}, console.Usage, "is not empty: name a new folder"},
		{[]string{good, "-o", text}, console.Failed, "not a directory"},
		{[]string{good, "-o", out, "--tables", "b"}, console.Usage, `there is no table "b" in main`},
		{[]string{good, "-o", out, "--schema", "other"}, console.Usage, "other has no tables"},
		{[]string{good, "-o", out, "--tables", "a,wrong"}, console.Failed, "table wrong: "},
		{[]string{text, "-o", out}, console.Damaged, text + ": "},
		{[]string{torn, "-o", out}, console.Damaged, torn + ": "},
	} {
		var stdout, stderr bytes.Buffer
		status := cmd.Run(t.Context(), tt.args, &stdout, &stderr)
		check.Is(t, status, tt.status, "status of %q: %s", tt.args, stderr.String())
		check.Contains(t, stderr.String(), tt.want, "message")
		check.Is(t, strings.Contains(stderr.String(), "cret"), false, "the password is shown: %s", stderr.String())
		check.Is(t, stdout.String(), "", "output")
	}
	var stderr bytes.Buffer
	check.Is(t, cmd.Run(cancelled, []string{good, "-o", out}, io.Discard, &stderr), console.Interrupted, "status when interrupted")
	ctx, cancel := context.WithCancel(t.Context())
	err = cmd.Copy(ctx, good, out, progress.Options{Mode: progress.Auto, Writer: io.Discard, Now: func() time.Time { // while a table is read
		cancel()
		return time.Time{}
	}})
	check.ErrorIs(t, err, context.Canceled, "interrupted")
	entries, err := os.ReadDir(parent)
	check.OK(t, err)
	check.Is(t, len(entries), 2, "files beside the output")
	empty := filepath.Join(parent, "empty")
	check.OK(t, os.Mkdir(empty, 0o700))
	check.Is(t, cmd.Run(t.Context(), []string{good, "-o", empty}, io.Discard, &stderr), console.Done, "status for an empty folder: %s", stderr.String())
	check.Is(t, len(files(t, empty)), 2, "files")
}
