package flink_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // what is beside
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

//go:embed pom.xml
var pom []byte

//go:embed jars.sha256
var checksums string

// fetching is how long Maven may take: a repository that does not answer is retried without end.
const fetching = 10 * time.Minute

// plugin is the goal of Maven that fetches.
const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// fetch returns the folder of the archives, which Maven fetches from the repository that it is set up for, unless they are
// there. All of them have the checksums that are written down, and no others lie beside them. Where Maven or its repository
// is not there it skips the test.
func fetch(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	check.OK(t, err)
	sum := sha256.Sum256([]byte(checksums))
	dir := filepath.Join(cache, "resolwe-flink", hex.EncodeToString(sum[:6]))
	if verify(dir) == nil {
		return dir
	}
	check.OK(t, os.RemoveAll(dir)) // what is left of an attempt
	check.OK(t, os.MkdirAll(dir, 0o750))
	project := filepath.Join(dir, "pom.xml")
	check.OK(t, os.WriteFile(project, pom, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), fetching)
	defer cancel()
	c := exec.CommandContext(ctx, "mvn", "-B", "-q", "-f", project, plugin, "-DincludeScope=runtime", "-DoutputDirectory="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("mvn (Maven) could not fetch Flink to this machine: %v: %s", err, firstError(out))
	}
	check.OK(t, verify(dir))
	return dir
}

// verify compares the archives of a folder with their checksums.
func verify(dir string) error {
	want := strings.Fields(checksums) // sums and names
	for i := 0; i < len(want); i += 2 {
		data, err := os.ReadFile(filepath.Join(dir, want[i+1]))
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != want[i] {
			return fmt.Errorf("%s: SHA-256 %s, want %s", want[i+1], got, want[i])
		}
	}
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err == nil && 2*len(jars) != len(want) {
		err = fmt.Errorf("%s: %d archives, want %d", dir, len(jars), len(want)/2)
	}
	return err
}

// firstError returns the first line in which Maven speaks of an error.
func firstError(out []byte) string {
	for line := range bytes.Lines(out) {
		if _, text, ok := bytes.Cut(line, []byte("ERROR] ")); ok {
			return string(bytes.TrimSpace(text))
		}
	}
	return string(bytes.TrimSpace(out))
}
