// Package profile writes profiles of a program for go tool pprof, and traces for go tool trace, so that they appear whole or
// not at all.
package profile

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

// kind is how a profile is taken.
type kind struct {
	name string // of its file
	mode func(*profile.Profile)
}

var kinds = map[string]kind{
	"cpu":   {"cpu.pprof", profile.CPUProfile},
	"mem":   {"mem.pprof", profile.MemProfile},
	"mutex": {"mutex.pprof", profile.MutexProfile},
	"block": {"block.pprof", profile.BlockProfile},
	"trace": {"trace.out", profile.TraceProfile},
}

// Path returns the file in dir that a profile of a kind is written to: cpu, mem, mutex, block or trace. Of other kinds, none
// for example, there is no profile, and the path is empty.
func Path(of, dir string) string {
	if k, ok := kinds[of]; ok {
		return filepath.Join(dir, k.name)
	}
	return ""
}

// Profile is a profile that is being taken. A process takes one at a time.
type Profile struct {
	running interface{ Stop() }
	grows   string           // folder of its own, since pkg/profile replaces files and does not say when it cannot write
	taken   string           // file there
	file    *atomicfile.File // where it is to appear
}

// Start begins a profile that [Profile.Stop] puts at Path(of, dir). The folder is made where it is missing.
func Start(of, dir string) (*Profile, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(Path(of, dir))
	if err != nil {
		return nil, err
	}
	grows, err := os.MkdirTemp("", "resolwe-profile-")
	if err != nil {
		file.Abort()
		return nil, err
	}
	k := kinds[of]
	return &Profile{
		running: profile.Start(k.mode, profile.ProfilePath(grows), profile.NoShutdownHook, profile.Quiet),
		grows:   grows, taken: filepath.Join(grows, k.name), file: file,
	}, nil
}

// Stop ends the profile and writes it, or nothing where keep is false.
func (p *Profile) Stop(keep bool) (err error) {
	p.running.Stop()
	defer func() { err = errors.Join(err, os.RemoveAll(p.grows)) }()
	defer p.file.Abort()
	if !keep {
		return nil
	}
	if err := p.write(); err != nil {
		return err
	}
	return p.file.Commit()
}

// write copies what was taken. All but a trace is compressed, which shows whether a part is missing.
func (p *Profile) write() error {
	in, err := os.Open(p.taken)
	if err != nil {
		return err
	}
	defer in.Close()
	if filepath.Ext(p.taken) == ".pprof" {
		if err := whole(in); err != nil {
			return fmt.Errorf("the profile in %s was not written whole: %w", p.grows, err)
		}
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	_, err = io.Copy(p.file, in)
	return err
}

// whole reads compressed bytes to their end.
func whole(r io.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}
