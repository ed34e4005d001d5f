package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

// Cross-validation prints the bytes of resolwe, on its own and from checkpoints, which each of the programs takes from the
// other.
func TestCrossval(t *testing.T) {
	d := beamtest.New(t, 16, 5, 11)
	dir := t.TempDir()
	crossval := func(more ...string) []string {
		return append([]string{
			"crossval", d.Path, "--folds", "3", "--select", "--k2 4 --length 1", "--infer", "--samples 20", "--learn", "--passes 2", "--systems", "gain,base",
		}, more...)
	}
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	for _, flags := range [][]string{{"--json"}, {"--csv", "--test", "3"}, {"--json", "--discover"}} {
		_, _ = os.Remove(here), os.Remove(there)
		want := resolwe(t, crossval(append(flags, "--stream", d.Folder, "--checkpoint", here)...)...)
		check.Is(t, output(t, crossval(append(flags, "--stream", d.Glob, "--checkpoint", there)...)...), want, "%v", flags)
		check.Equal(t, "resolwe on Beam's checkpoint", resolwe(t, crossval(append(flags, "--stream", d.Folder, "--checkpoint", there, "--resume")...)...), want)
		check.Equal(t, "Beam on resolwe's checkpoint", output(t, crossval(append(flags, "--stream", d.Folder, "--checkpoint", here, "--resume")...)...), want)
	}

	// More systems than the checkpoint has are done, and no others: the model's rest is not asked for.
	one := func(systems string, more ...string) []string {
		return append([]string{"crossval", d.Path, "--select", "--k2 4", "--infer", "--samples 20", "--json", "--systems", systems}, more...)
	}
	check.OK(t, os.Remove(there))
	output(t, one("base", "--stream", d.Folder, "--checkpoint", there)...)
	check.Equal(t, "two systems", output(t, one("base,single", "--stream", d.Folder, "--checkpoint", there, "--resume")...),
		resolwe(t, one("base,single", "--stream", d.Stream)...))

	for _, test := range []struct {
		args   []string
		status int
		says   string
	}{
		{one("base", "--stream", d.Folder, "--folds", "3", "--checkpoint", there, "--resume"), 2, there + ": checkpoint: it belongs to a run that differs in --folds"},
		{one("base", "--stream", d.Folder, "--resume"), 2, "--resume needs --checkpoint FILE"},
		{one("base", "--stream", d.Folder, "--checkpoint", there), 2, there + " already exists: --resume continues from it; to begin anew, remove it"},
		{one("base", "--stream", d.Folder, "--checkpoint", d.Path), 2, d.Path + " already exists"},
		{one("base", "--stream", d.Folder, "--folds", "1"), 2, "--folds: at least 2"},
		{one("none", "--stream", d.Folder), 2, `no system "none"`},
	} {
		got := run(t, test.args...)
		if got.status != test.status || !strings.Contains(got.stderr, test.says) {
			t.Errorf("%v: exit status %d, %q; want %d, %q", test.args, got.status, got.stderr, test.status, test.says)
		}
	}

	shard := filepath.Join(d.Folder, d.Manifest.Shards[2].File)
	data, err := os.ReadFile(shard)
	check.OK(t, err)
	data[len(data)-len(data)/3] ^= 1
	check.OK(t, os.WriteFile(shard, data, 0o600))
	got := run(t, one("base", "--stream", d.Folder)...)
	if got.status != 3 || !strings.Contains(got.stderr, filepath.Base(shard)) {
		t.Errorf("a damaged shard: exit status %d, %q; want 3 and its name", got.status, got.stderr)
	}
}
