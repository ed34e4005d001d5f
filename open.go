package resolwe

import (
	"errors"
	"io"
	"os"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// OpenStream opens a stream: .rsg and .db files, also .gz, .zst and .bz2; globs; manifests of shards (.json); directories, of
// which it takes the shards of manifest.json where there is one, else the .rsg and .db files in byte order of their names;
// pipes; or "-" for standard input. The sources follow one another in the order
// given. Whether each fits the model is checked before it returns: the error is then a *SchemaError, for paths without a
// stream a *PathError, and for damaged files one that matches subgraph.ErrCorrupt. Text is read later, and its errors are
// those of package facts. The caller closes the stream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	files, err := expand(paths, opt.SkipDamaged)
	if err != nil {
		return nil, err
	}
	s := &Stream{model: m, opt: opt, files: files}
	for _, path := range files {
		src, err := s.source(path)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.sources = append(s.sources, src)
	}
	return s, nil
}

// source opens one file or pipe. What it opens is closed with the stream, even where the error is not nil.
func (s *Stream) source(path string) (source, error) {
	if path == "-" {
		if s.opt.Stdin == nil {
			return nil, &PathError{Path: path, Err: errNoStream}
		}
		return s.pipe(s.opt.Stdin, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		s.closers = append(s.closers, f)
		return s.pipe(f, path)
	}
	defer f.Close()
	head := make([]byte, magicBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if subgraph.IsStream(head[:n]) {
		src, err := s.mapped(path)
		if err == nil || !s.opt.SkipDamaged || !errors.Is(err, subgraph.ErrCorrupt) {
			return src, err
		}
	}
	return s.archive(f, path)
}

// mapped opens an .rsg file with random access.
func (s *Stream) mapped(path string) (source, error) {
	file, err := subgraph.OpenFile(path, s.readerOptions())
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, file)
	b, err := bind(s.model, path, file.Schema())
	if err != nil {
		return nil, err
	}
	return &mapped{file, b}, nil
}

// archive opens a file that has to be read from its beginning: text, an archive, or a damaged .rsg file.
func (s *Stream) archive(f *os.File, path string) (source, error) {
	_, schema, err := s.newReader(f, path)
	if err != nil {
		return nil, err
	}
	b, err := bind(s.model, path, schema)
	if err != nil {
		return nil, err
	}
	open := func() (reader, io.Closer, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, &PathError{Path: path, Err: cause(err)}
		}
		r, _, err := s.newReader(f, path)
		if err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
		return r, f, nil
	}
	return &sequential{openReader: open, bind: b, skip: s.opt.SkipDamaged}, nil
}

// pipe opens a pipe at once, since its head says what it holds.
func (s *Stream) pipe(in io.Reader, path string) (source, error) {
	r, schema, err := s.newReader(in, path)
	if err != nil {
		return nil, err
	}
	b, err := bind(s.model, path, schema)
	if err != nil {
		return nil, err
	}
	open := func() (reader, io.Closer, error) { return r, io.NopCloser(nil), nil }
	return &sequential{openReader: open, bind: b, pipe: true, skip: s.opt.SkipDamaged}, nil
}

// newReader begins to read an .rsg stream, its archive, or text, and returns its schema: for text the model's.
func (s *Stream) newReader(in io.Reader, path string) (reader, *mln.Schema, error) {
	r, isStream, err := sniff(in, path)
	if err != nil {
		return nil, nil, &PathError{Path: path, Err: cause(err)}
	}
	if !isStream {
		text, err := facts.NewReader(r, path, s.model.Schema)
		return text, s.model.Schema, err
	}
	records, err := subgraph.NewReader(r, path, s.readerOptions())
	if err != nil {
		return nil, nil, err
	}
	return records, records.Schema(), nil
}

// readerOptions asks for the constants that the model names. Workers complete the subgraphs where they have to.
func (s *Stream) readerOptions() subgraph.ReaderOptions {
	opt := subgraph.ReaderOptions{Names: s.opt.Names, SkipDamaged: s.opt.SkipDamaged, Shared: true}
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
