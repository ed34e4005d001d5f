package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // what is beside
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed pom.xml
var pom []byte

//go:embed jars.sha256
var checksums string

// fetching is how long Maven may take: a repository that does not answer is retried without end.
const fetching = 10 * time.Minute

// plugin is the goal of Maven that fetches.
const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// errMissing says that the machine lacks something that no archive brings.
var errMissing = errors.New("not on this machine")

// fetch returns the folder of the archives, which Maven fetches from the repository that it is set up for, unless they are
// there. All of them have the checksums that are written down, and no others lie beside them.
func fetch(ctx context.Context, cache string) (string, error) {
	sum := sha256.Sum256([]byte(checksums))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:6]))
	if verify(dir) == nil {
		return dir, nil
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("mvn (Maven), which fetches Flink, is %w", errMissing)
	}
	if err := os.RemoveAll(dir); err != nil { // what is left of an attempt
		return "", err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	project := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(project, pom, 0o600); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	c := exec.CommandContext(ctx, mvn, "-B", "-q", "-f", project, plugin, "-DincludeScope=runtime", "-DoutputDirectory="+dir) //nolint:gosec // Maven
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("what mvn could not fetch is %w: %s", errMissing, firstError(out))
	}
	return dir, verify(dir)
}

// verify compares the archives of a folder with their checksums.
func verify(dir string) error {
	want := 0
	for line := range strings.Lines(checksums) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return fmt.Errorf("jars.sha256: %q", line)
		}
		want++
		got, err := hashOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if got != sum {
			return fmt.Errorf("%s: SHA-256 %s, want %s", name, got, sum)
		}
	}
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err == nil && len(jars) != want {
		err = fmt.Errorf("%s: %d archives, want %d", dir, len(jars), want)
	}
	return err
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
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
