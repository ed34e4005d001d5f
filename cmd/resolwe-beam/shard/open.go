package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"resolwe"
	"resolwe/format/subgraph"
)

// Open is an open shard, or a stream of them.
type Open struct {
	*resolwe.Stream
	copied []string // paths of copies
}

// MismatchError says that a shard is not the file that its manifest describes.
type MismatchError struct{ What, Got, Want string }

// Error says in what it differs.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("not the file that the manifest describes: %s %s, want %s", e.What, e.Got, e.Want)
}

// Is makes it match subgraph.ErrCorrupt.
func (e *MismatchError) Is(target error) bool { return target == subgraph.ErrCorrupt }

// Open opens a shard as a part of its stream. A remote one is copied to the folder for temporary files, until it is
// closed; the copy's checksum must be that of the manifest.
func (s Shard) Open(ctx context.Context, m *resolwe.Model, opt resolwe.StreamOptions) (*Open, error) {
	out := &Open{}
	path, err := out.fetch(ctx, s)
	if err != nil {
		return nil, err
	}
	opt.First = s.First
	if err := out.open(m, []string{path}, opt); err != nil {
		return nil, err
	}
	if s.Length >= 0 {
		out.Stream = out.Range(s.Begin, s.End)
	}
	if n := out.Len(); s.Length >= 0 && n >= 0 && n != s.Subgraphs() {
		return nil, errors.Join(mismatch("subgraphs", n, s.Subgraphs()), out.Close())
	}
	return out, nil
}

// OpenAll opens all shards of a stream, in its order, as Open opens one.
func OpenAll(ctx context.Context, m *resolwe.Model, list []Shard, opt resolwe.StreamOptions) (*Open, error) {
	out := &Open{}
	paths := make([]string, len(list))
	for i, s := range list {
		var err error
		if paths[i], err = out.fetch(ctx, s); err != nil {
			return nil, errors.Join(&Error{s, err}, out.remove())
		}
	}
	return out, out.open(m, paths, opt)
}

// open opens files, and removes copies where it cannot.
func (o *Open) open(m *resolwe.Model, paths []string, opt resolwe.StreamOptions) (err error) {
	if o.Stream, err = resolwe.OpenStream(m, paths, opt); err != nil {
		return errors.Join(err, o.remove())
	}
	return nil
}

// fetch returns the local path of a shard's file.
func (o *Open) fetch(ctx context.Context, s Shard) (string, error) {
	if !IsRemote(s.Path) {
		return s.Path, s.checkSize()
	}
	path, err := s.copy(ctx)
	if err == nil {
		o.copied = append(o.copied, path)
	}
	return path, err
}

// Close closes the stream, and removes copies.
func (o *Open) Close() error {
	return errors.Join(o.Stream.Close(), o.remove())
}

func (o *Open) remove() error {
	var err error
	for _, path := range o.copied {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func mismatch(what string, got, want any) error {
	return &MismatchError{what, fmt.Sprint(got), fmt.Sprint(want)}
}

// checkSize compares a local file's size. That of its bytes is left to the stream's own checksums.
func (s Shard) checkSize() error {
	info, err := os.Stat(s.Path)
	if err != nil {
		return &resolwe.PathError{Path: s.Path, Err: errors.Unwrap(err)}
	}
	if s.Bytes >= 0 && info.Size() != s.Bytes {
		return mismatch("bytes", info.Size(), s.Bytes)
	}
	return nil
}

// copy copies a remote file, and returns the path of the copy.
func (s Shard) copy(ctx context.Context) (path string, err error) {
	fs, err := filesystem.New(ctx, s.Path)
	if err != nil {
		return "", &resolwe.PathError{Path: s.Path, Err: err}
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, s.Path)
	if err != nil {
		return "", &resolwe.PathError{Path: s.Path, Err: err}
	}
	defer in.Close()
	out, err := os.CreateTemp("", "resolwe-shard-*.rsg")
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	limited := io.Reader(in)
	if s.Bytes >= 0 {
		limited = io.LimitReader(in, s.Bytes+1) // one more shows that it is too long
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, hash), limited)
	switch sum := hex.EncodeToString(hash.Sum(nil)); {
	case err != nil:
		return "", fmt.Errorf("copy: %w", err)
	case s.Bytes >= 0 && n != s.Bytes:
		return "", mismatch("bytes", n, s.Bytes)
	case s.SHA256 != "" && sum != s.SHA256:
		return "", mismatch("SHA-256", sum, s.SHA256)
	}
	return out.Name(), nil
}
