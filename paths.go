package resolwe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/shards"
)

// PathError says that a path gives no stream.
type PathError struct {
	Path string
	Err  error
}

// Error names the path.
func (e *PathError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

var (
	errNoStream = errors.New("no .rsg or .db file")
	errTwice    = errors.New("given twice")
)

// expand resolves globs, directories and manifests.
func expand(paths []string, skipDamaged bool) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-" && slices.Contains(out, path):
			return nil, &PathError{Path: path, Err: errTwice}
		case path == "-":
			out = append(out, path)
		case err == nil && info.IsDir():
			found, err := streamsIn(path, skipDamaged)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		case err == nil && filepath.Ext(path) == ".json":
			found, err := shardsOf(path, skipDamaged)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		case err == nil:
			out = append(out, path)
		default:
			found, globErr := filepath.Glob(path)
			if globErr != nil || len(found) == 0 {
				return nil, &PathError{Path: path, Err: cause(err)}
			}
			slices.Sort(found)
			out = append(out, found...)
		}
	}
	if len(out) == 0 {
		return nil, &PathError{Path: "--stream", Err: errNoStream}
	}
	return out, nil
}

// cause strips the path that a file system error repeats.
func cause(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// streamsIn lists the streams in a folder, in the order of its manifest, else in byte order of their names.
func streamsIn(path string, skipDamaged bool) ([]string, error) {
	manifest := filepath.Join(path, shards.ManifestName)
	if _, err := os.Stat(manifest); err == nil {
		found, err := shardsOf(manifest, skipDamaged)
		if !errors.Is(err, shards.ErrFormat) { // else it is somebody else's
			return found, err
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && isStreamName(e.Name()) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, &PathError{Path: path, Err: errNoStream}
	}
	slices.Sort(out)
	return out, nil
}

// isStreamName reports whether a file is taken from a folder.
func isStreamName(name string) bool {
	switch filepath.Ext(name) {
	case ".gz", ".zst", ".bz2":
		name = name[:strings.LastIndexByte(name, '.')]
	}
	ext := filepath.Ext(name)
	return ext == ".rsg" || ext == ".db"
}
