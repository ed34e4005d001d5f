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
	"resolwe/format/shards"
)

// Open is an open shard, or a stream of several.
type Open struct {
	*resolwe.Stream
	copied []string // paths of copies
}

// Open opens a shard as part of its stream. A remote one is copied to the folder for temporary files until it is closed; the copy must have
// the checksum in the manifest.
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

// OpenAll opens all shards of a stream, in its order, like Open.
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

// open opens files, and removes the copies if that fails.
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

// Close closes the stream and removes the copies.
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

// mismatch returns an error that says how a shard differs from the file that its manifest describes.
func mismatch(what string, got, want any) error {
	return &shards.Error{Err: fmt.Errorf("not the file that the manifest describes: %s %v, want %v", what, got, want)}
}

// checkSize compares a local file's size. The stream's own checksums verify its bytes.
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

// copy copies a remote file and returns the path of the copy.
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
		limited = io.LimitReader(in, s.Bytes+1) // one more byte to detect a file that is too long
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
