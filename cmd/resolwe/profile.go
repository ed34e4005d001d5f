package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/pkg/profile"

	"resolwe/internal/atomicfile"
)

// profiles are the files of the profiles for go tool pprof and of the trace for go tool trace, and how they are taken.
var profiles = map[string]struct {
	name string
	mode func(*profile.Profile)
}{
	"cpu":   {"cpu.pprof", profile.CPUProfile},
	"mem":   {"mem.pprof", profile.MemProfile},
	"mutex": {"mutex.pprof", profile.MutexProfile},
	"block": {"block.pprof", profile.BlockProfile},
	"trace": {"trace.out", profile.TraceProfile},
}

// startProfile begins a profile. stop ends it and writes it to a path, completely or not at all; if keep is false, it writes
// nothing. A missing folder is created. A process can take one profile at a time.
func startProfile(of, path string) (stop func(keep bool) error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	grows, err := os.MkdirTemp("", "resolwe-profile-") // since pkg/profile replaces files and does not say when it cannot write
	if err != nil {
		file.Abort()
		return nil, err
	}
	running := profile.Start(profiles[of].mode, profile.ProfilePath(grows), profile.NoShutdownHook, profile.Quiet)
	return func(keep bool) (err error) {
		running.Stop()
		defer func() { err = errors.Join(err, os.RemoveAll(grows)) }()
		defer file.Abort()
		if !keep {
			return nil
		}
		if err := copyProfile(file, filepath.Join(grows, profiles[of].name)); err != nil {
			return err
		}
		return file.Commit()
	}, nil
}

// copyProfile copies a profile. Except for a trace, it is compressed, so missing parts are detected.
func copyProfile(to io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if filepath.Ext(path) == ".pprof" {
		z, err := gzip.NewReader(in)
		if err == nil {
			_, err = io.Copy(io.Discard, z)
		}
		if err != nil {
			return fmt.Errorf("the profile in %s is incomplete: %w", filepath.Dir(path), err)
		}
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	_, err = io.Copy(to, in)
	return err
}
