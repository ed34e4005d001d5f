package resolwe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/facts"
	"resolwe/format/subgraph"
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

var errNoStream = errors.New("no .rsg or .db file")

// OpenStream opens a stream: .rsg and .db files, also .gz and .zst; globs; directories, of which it takes the .rsg and
// .db files in byte order of their names; or "-" for standard input. The sources follow one another in the order given.
// Whether each fits the model is checked before it returns: the error is then a *SchemaError, for paths without a stream
// a *PathError, and for damaged files one that matches subgraph.ErrCorrupt. The caller closes the stream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	files, err := expandPaths(paths)
	if err != nil {
		return nil, err
	}
	s := &Stream{model: m, opt: opt}
	for _, path := range files {
		src, err := s.source(path)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.sources = append(s.sources, src)
	}
	return s, nil
}

// expandPaths resolves globs and directories.
func expandPaths(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-":
			out = append(out, path)
		case err == nil && info.IsDir():
			found, err := directory(path)
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

// directory lists the streams in a folder.
func directory(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	var out []string
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".zst")
		if !e.IsDir() && (strings.HasSuffix(name, ".rsg") || strings.HasSuffix(name, ".db")) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, &PathError{Path: path, Err: errNoStream}
	}
	slices.Sort(out)
	return out, nil
}

// source opens one file or standard input.
func (s *Stream) source(path string) (source, error) {
	if path == "-" {
		return s.standardInput()
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	defer f.Close() //nolint:errcheck // only read
	r, isStream, archived, err := sniff(f, path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if isStream && !archived {
		file, err := subgraph.OpenFile(path, s.readerOptions())
		if err == nil {
			s.closers = append(s.closers, file)
			b, err := bind(s.model, path, file.Schema())
			return &mapped{file, b}, err
		}
		if !s.opt.SkipDamaged {
			return nil, err
		}
	}
	schema := s.model.Schema
	if isStream {
		probe, err := subgraph.NewReader(r, path, s.readerOptions())
		if err != nil {
			return nil, err
		}
		schema = probe.Schema()
	}
	b, err := bind(s.model, path, schema)
	open := func() (reader, io.Closer, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, &PathError{Path: path, Err: cause(err)}
		}
		r, err := s.reader(f, path, isStream)
		if err != nil {
			f.Close() //nolint:errcheck // only read
			return nil, nil, err
		}
		return r, f, nil
	}
	return &sequential{openReader: open, bind: b}, err
}

// reader starts reading a file from its beginning.
func (s *Stream) reader(f *os.File, path string, isStream bool) (reader, error) {
	if !isStream {
		return facts.NewReader(f, path, s.model.Schema)
	}
	r, _, _, err := sniff(f, path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	return subgraph.NewReader(r, path, s.readerOptions())
}

// standardInput opens the pipe at once, since its head says what it holds.
func (s *Stream) standardInput() (source, error) {
	if s.opt.Stdin == nil {
		return nil, &PathError{Path: "-", Err: errNoStream}
	}
	const path = "-"
	r, isStream, _, err := sniff(s.opt.Stdin, path)
	if err != nil {
		return nil, &PathError{Path: path, Err: err}
	}
	var rd reader
	schema := s.model.Schema
	if isStream {
		sr, err := subgraph.NewReader(r, path, s.readerOptions())
		if err != nil {
			return nil, err
		}
		rd, schema = sr, sr.Schema()
	} else if rd, err = facts.NewReader(r, path, schema); err != nil {
		return nil, err
	}
	b, err := bind(s.model, path, schema)
	open := func() (reader, io.Closer, error) { return rd, io.NopCloser(nil), nil }
	return &sequential{openReader: open, bind: b, stdin: true}, err
}

// readerOptions asks for the constants that the model names.
func (s *Stream) readerOptions() subgraph.ReaderOptions {
	opt := subgraph.ReaderOptions{Names: s.opt.Names, SkipDamaged: s.opt.SkipDamaged}
	for t, constants := range s.model.Constants {
		for _, c := range constants {
			opt.Wanted = append(opt.Wanted, subgraph.Constant{Type: s.model.Schema.Types[t], Name: c})
		}
	}
	for _, f := range s.model.Formulas {
		for _, t := range f.Constants() {
			opt.Wanted = append(opt.Wanted, subgraph.Constant{Type: s.model.Schema.Types[t.Type], Name: t.Name})
		}
	}
	return opt
}
