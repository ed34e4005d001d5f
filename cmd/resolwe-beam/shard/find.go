package shard

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"   // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"    // s3://
	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/shards"
)

var (
	errNoShards = errors.New("no shard")
	errNotUTF8  = errors.New("the name is not UTF-8, in which pipelines pass names on")
)

// IsRemote reports whether a path is on a file system whose files cannot be mapped into memory.
func IsRemote(path string) bool { return strings.Contains(path, "://") }

// MakeFolder creates a local folder and returns its absolute path, since workers may run in other folders. Remote folders are left alone.
// The error is a *resolwe.PathError.
func MakeFolder(path string) (string, error) {
	if IsRemote(path) {
		return path, nil
	}
	path, err := filepath.Abs(path)
	switch {
	case err != nil:
	case !utf8.ValidString(path):
		err = errNotUTF8
	default:
		err = os.MkdirAll(path, 0o750)
	}
	if err != nil {
		return "", &resolwe.PathError{Path: path, Err: err}
	}
	return path, nil
}

// Join returns the path of a file in a folder.
func Join(folder, name string) string {
	if IsRemote(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + name
	}
	return filepath.Join(folder, filepath.FromSlash(name))
}

// parent returns the folder of a path.
func parent(path string) string {
	if IsRemote(path) {
		return path[:strings.LastIndexByte(path, '/')]
	}
	return filepath.Dir(path)
}

// Find returns the shards of a stream, in its order: those of one manifest, given by its path or its folder's, or the files that paths and
// globs name, each glob's in byte order. The lengths of remote files without a manifest are not known. The error is a *resolwe.PathError,
// or matches subgraph.ErrCorrupt.
func Find(ctx context.Context, inputs []string) ([]Shard, error) {
	inputs = slices.Clone(inputs)
	for i, input := range inputs {
		if IsRemote(input) {
			continue
		}
		path, err := filepath.Abs(input)
		if err == nil && !utf8.ValidString(path) {
			err = errNotUTF8
		}
		if err != nil {
			return nil, &resolwe.PathError{Path: input, Err: err}
		}
		inputs[i] = path
	}
	if path := Manifest(ctx, inputs); path != "" {
		return readManifest(ctx, path)
	}
	var out []Shard
	for _, input := range inputs {
		paths, err := list(ctx, input)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if !utf8.ValidString(path) {
				return nil, &resolwe.PathError{Path: path, Err: errNotUTF8}
			}
			length, err := localLength(path)
			if err != nil {
				return nil, err
			}
			out = append(out, Shard{Path: path, Length: length, Bytes: -1})
		}
	}
	return Number(out), nil
}

// Manifest returns the path of the manifest that inputs name, directly or by its folder, "" if none.
func Manifest(ctx context.Context, inputs []string) string {
	if len(inputs) != 1 {
		return ""
	}
	input := inputs[0]
	if strings.HasSuffix(input, ".json") {
		return input
	}
	path := Join(input, shards.ManifestName)
	if strings.ContainsAny(input, "*?[") || strings.HasSuffix(input, ".rsg") || !Exists(ctx, path) {
		return ""
	}
	return path
}

// With opens the file system of a path and calls use with it.
func With(ctx context.Context, path string, use func(filesystem.Interface) error) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	return use(fs)
}

// Exists reports whether a file exists.
func Exists(ctx context.Context, path string) bool {
	return With(ctx, path, func(fs filesystem.Interface) error {
		_, err := fs.Size(ctx, path)
		return err
	}) == nil
}

// Read reads a file.
func Read(ctx context.Context, path string) (data []byte, err error) {
	err = With(ctx, path, func(fs filesystem.Interface) error {
		data, err = filesystem.Read(ctx, fs, path)
		return err
	})
	return data, err
}

func readManifest(ctx context.Context, path string) ([]Shard, error) {
	data, err := Read(ctx, path)
	var m *shards.Manifest
	if err == nil {
		m, err = shards.Read(bytes.NewReader(data))
	}
	if err != nil {
		return nil, &resolwe.PathError{Path: path, Err: err}
	}
	return fromManifest(m, parent(path)), nil
}

// list returns the files of a path or glob.
func list(ctx context.Context, input string) (paths []string, err error) {
	err = With(ctx, input, func(fs filesystem.Interface) error {
		paths, err = fs.List(ctx, input)
		return err
	})
	if err == nil && len(paths) == 0 {
		err = errNoShards
	}
	if err != nil {
		return nil, &resolwe.PathError{Path: input, Err: err}
	}
	slices.Sort(paths)
	return paths, nil
}

// localLength returns the number of subgraphs in a file, -1 for a remote one.
func localLength(path string) (int, error) {
	if IsRemote(path) {
		return -1, nil
	}
	f, err := rsg.OpenFile(path, rsg.ReaderOptions{})
	if err != nil {
		return 0, err
	}
	return f.Len(), f.Close()
}
