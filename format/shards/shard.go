package shards

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"resolwe/format/rsg"
)

// check verifies the guarantees of Shard that do not depend on other shards.
func (s *Shard) check() error {
	switch {
	case !isLocal(s.File):
		return errors.New("not the name of a file in or below the manifest's folder")
	case s.First < 0 || s.Subgraphs < 1 || s.Bytes < 1 || s.Work < 0:
		return errors.New("no subgraphs, or a negative size")
	case !isChecksum(s.SHA256):
		return errors.New("sha256 is not 64 lower-case hex digits")
	}
	return nil
}

// isLocal reports whether a name is, on any system, a path to a file in or below the folder it is relative to.
func isLocal(file string) bool {
	return file != "." && fs.ValidPath(file) && filepath.IsLocal(filepath.FromSlash(file)) && !strings.ContainsAny(file, "\\:\x00")
}

func isChecksum(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == sha256.Size && s == strings.ToLower(s)
}

// Path returns the path of the shard, given the path of its manifest.
func (s *Shard) Path(manifest string) string {
	return filepath.Join(filepath.Dir(manifest), filepath.FromSlash(s.File))
}

// CheckSize returns an *Error if a file of that many bytes cannot be the shard.
func (s *Shard) CheckSize(bytes int64) error {
	if bytes != s.Bytes {
		return &Error{File: s.File, Err: fmt.Errorf("%d bytes, the manifest says %d", bytes, s.Bytes)}
	}
	return nil
}

// Verify reads the shard to its end. It returns an *Error if size, checksum or the number of subgraphs differs, otherwise the error of
// rsg.Verify. The path is used in errors only.
func (s *Shard) Verify(r io.Reader, path string) error {
	sum := sha256.New()
	found, err := rsg.Verify(io.TeeReader(r, sum), path)
	if err != nil {
		return err
	}
	if found.Subgraphs != s.Subgraphs {
		return &Error{File: s.File, Err: fmt.Errorf("%d subgraphs, the manifest says %d", found.Subgraphs, s.Subgraphs)}
	}
	if err := s.CheckSize(found.Bytes); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != s.SHA256 {
		return &Error{File: s.File, Err: errors.New("checksum mismatch")}
	}
	return nil
}
