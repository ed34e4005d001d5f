package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"resolwe/internal/atomicfile"
)

// profile is the file of a profile for go tool pprof, or of the trace for go tool trace, and how it is taken.
type profile struct {
	name        string
	start, stop func(io.Writer) error
}

var profiles = map[string]profile{
	"cpu":   {"cpu.pprof", pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
	"mem":   sampled("mem.pprof", "heap", func(rate int) { runtime.MemProfileRate = rate }, 4096, runtime.MemProfileRate),
	"mutex": sampled("mutex.pprof", "mutex", func(rate int) { runtime.SetMutexProfileFraction(rate) }, 1, 0),
	"block": sampled("block.pprof", "block", runtime.SetBlockProfileRate, 1, 0),
	"trace": {"trace.out", trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
}

// sampled is a profile of the runtime that it samples at a rate, and at the usual rate again after that.
func sampled(file, name string, set func(rate int), rate, usual int) profile {
	start := func(io.Writer) error { set(rate); return nil }
	return profile{file, start, func(w io.Writer) error { defer set(usual); return pprof.Lookup(name).WriteTo(w, 0) }}
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
	p := profiles[of]
	if err := p.start(file); err != nil {
		file.Abort()
		return nil, err
	}
	return func(keep bool) error {
		defer file.Abort()
		if err := p.stop(file); err != nil || !keep {
			return err
		}
		return file.Commit()
	}, nil
}
