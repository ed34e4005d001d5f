// Package profile writes profiles of a program for go tool pprof, and traces for go tool trace.
package profile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"resolwe/internal/atomicfile"
)

// kind is how a profile is taken.
type kind struct {
	name  string                // of its file
	start func(io.Writer) error // may be nil
	stop  func(io.Writer) error
}

var kinds = map[string]kind{
	"cpu": {"cpu.pprof", pprof.StartCPUProfile, func(io.Writer) error {
		pprof.StopCPUProfile()
		return nil
	}},
	"trace": {"trace.out", trace.Start, func(io.Writer) error {
		trace.Stop()
		return nil
	}},
	"mem": {"mem.pprof", nil, func(w io.Writer) error {
		runtime.GC() // what is live is as of the last collection
		return pprof.Lookup("heap").WriteTo(w, 0)
	}},
	"mutex": {"mutex.pprof", func(io.Writer) error {
		runtime.SetMutexProfileFraction(1)
		return nil
	}, func(w io.Writer) error {
		defer runtime.SetMutexProfileFraction(0)
		return pprof.Lookup("mutex").WriteTo(w, 0)
	}},
	"block": {"block.pprof", func(io.Writer) error {
		runtime.SetBlockProfileRate(1)
		return nil
	}, func(w io.Writer) error {
		defer runtime.SetBlockProfileRate(0)
		return pprof.Lookup("block").WriteTo(w, 0)
	}},
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
	kind kind
	file *atomicfile.File
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
	p := &Profile{kinds[of], file}
	if p.kind.start != nil {
		if err := p.kind.start(file); err != nil {
			file.Abort()
			return nil, err
		}
	}
	return p, nil
}

// Stop ends the profile and writes it, or nothing where keep is false.
func (p *Profile) Stop(keep bool) error {
	defer p.file.Abort()
	err := p.kind.stop(p.file)
	if !keep {
		return nil
	}
	return errors.Join(err, p.file.Commit())
}

// Discard leaves nothing of the profile, see [atomicfile.File.Discard].
func (p *Profile) Discard() { p.file.Discard() }
