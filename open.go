package resolwe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
)

// OpenStream opens a stream: .rsg and .db files, also .gz, .zst and .bz2; globs; manifests of shards (.json); directories, of
// which it takes the shards of manifest.json where there is one, else the .rsg and .db files in byte order of their names;
// pipes; or "-" for standard input. The sources follow one another in the order
// given. Whether each fits the model is checked before it returns: the error is then a *SchemaError, for paths without a
// stream a *PathError, and for damaged files and pipes without a byte one that matches subgraph.ErrCorrupt. Text is read later, and its errors are
// those of package facts. The caller closes the stream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	o := &origin{model: m, opt: opt}
	if err := o.expand(paths); err != nil {
		return nil, err
	}
	s := o.whole()
	for _, path := range o.files {
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
	if rsg.IsStream(head[:n]) {
		src, err := s.mapped(path)
		if err == nil || !s.opt.SkipDamaged || !errors.Is(err, subgraph.ErrCorrupt) {
			return src, err
		}
	}
	return s.archive(f, path)
}

// mapped opens an .rsg file with random access.
func (s *Stream) mapped(path string) (source, error) {
	file, err := rsg.OpenFile(path, s.readerOptions())
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, file)
	b, err := subgraph.NewMap(s.model.mapped(), path, file.Schema())
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
	b, err := subgraph.NewMap(s.model.mapped(), path, schema)
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
	return &sequential{openReader: open, schema: b, skip: s.opt.SkipDamaged}, nil
}

// pipe opens a pipe at once, since its head says what it holds.
func (s *Stream) pipe(pipe io.Reader, path string) (source, error) {
	in := bufio.NewReader(pipe)
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil, &PathError{Path: path, Err: errNoData}
	}
	r, schema, err := s.newReader(in, path)
	if err != nil {
		return nil, err
	}
	b, err := subgraph.NewMap(s.model.mapped(), path, schema)
	if err != nil {
		return nil, err
	}
	open := func() (reader, io.Closer, error) { return r, io.NopCloser(nil), nil }
	return &sequential{openReader: open, schema: b, pipe: true, skip: s.opt.SkipDamaged}, nil
}

// newReader begins to read an .rsg stream, its archive, or text, and returns its schema: for text the model's.
func (s *Stream) newReader(in io.Reader, path string) (reader, *mln.Schema, error) {
	r, isStream, err := sniff(in, path)
	if err != nil {
		return nil, nil, &PathError{Path: path, Err: cause(err)}
	}
	if !isStream {
		text, err := facts.NewReader(r, path, s.model.Schema)
		if err == nil && s.opt.IgnoreUnknown {
			text.IgnoreUnknown()
		}
		return text, s.model.Schema, err
	}
	records, err := rsg.NewReader(r, path, s.readerOptions())
	if err != nil {
		return nil, nil, err
	}
	return records, records.Schema(), nil
}

// readerOptions asks for the constants that the model names. Workers complete the subgraphs where they have to.
func (s *Stream) readerOptions() rsg.ReaderOptions {
	opt := rsg.ReaderOptions{Names: s.opt.Names || s.model.Schema.Type(mln.NumberType) >= 0, SkipDamaged: s.opt.SkipDamaged, Shared: true}
	for t, constants := range s.model.Constants {
		for _, c := range constants {
			opt.Wanted = append(opt.Wanted, rsg.Constant{Type: s.model.Schema.Types[t], Name: c})
		}
	}
	for _, f := range s.model.Formulas {
		for _, t := range f.Constants() {
			opt.Wanted = append(opt.Wanted, rsg.Constant{Type: s.model.Schema.Types[t.Type], Name: t.Name})
		}
	}
	return opt
}

// PathError says that a path gives no stream.
type PathError struct {
	Path string
	Err  error
}

// Error names the path.
func (e *PathError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

var (
	errNoStream = errors.New("no .rsg or .db file")
	errTwice    = errors.New("given twice")
	errNoData   = fmt.Errorf("%w: no data came; the command that writes it may have failed", subgraph.ErrCorrupt)
)

// expand resolves globs, directories and manifests.
func (o *origin) expand(paths []string) error {
	for _, path := range paths {
		found := []string{path}
		info, err := os.Stat(path)
		switch {
		case path == "-" && slices.Contains(o.files, path):
			return &PathError{Path: path, Err: errTwice}
		case path == "-" || err == nil && info.IsDir():
		case err == nil && filepath.Ext(path) == ".json":
			if found, err = o.shardsOf(path); err != nil {
				return err
			}
		case err != nil:
			matches, globErr := filepath.Glob(path)
			if globErr != nil || len(matches) == 0 {
				return &PathError{Path: path, Err: cause(err)}
			}
			slices.Sort(matches)
			found = matches
		}
		for _, path := range found {
			if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
				o.files = append(o.files, path)
				continue
			}
			inside, err := o.streamsIn(path)
			if err != nil {
				return err
			}
			o.files = append(o.files, inside...)
		}
	}
	if len(o.files) == 0 {
		return &PathError{Path: "resolwe.Stream", Err: errNoStream}
	}
	return nil
}

// cause strips the path that a file system error repeats.
func cause(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// streamsIn lists the streams in a folder, in the order of its manifest, else in byte order of their names.
func (o *origin) streamsIn(path string) ([]string, error) {
	manifest := filepath.Join(path, shards.ManifestName)
	if _, err := os.Stat(manifest); err == nil {
		found, err := o.shardsOf(manifest)
		if !errors.Is(err, shards.ErrFormat) { // else it is somebody else's
			return found, err
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && isStreamName(e.Name()) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, &PathError{Path: path, Err: errNoStream}
	}
	slices.Sort(out)
	return out, nil
}

// isStreamName reports whether a file is taken from a folder.
func isStreamName(name string) bool {
	ext := filepath.Ext(unpackedName(name))
	return ext == streamExt || ext == ".db"
}

// streamExt is how the name of a binary stream ends.
const streamExt = ".rsg"

// unpackedName returns the name of a file without that of its compression.
func unpackedName(name string) string {
	switch ext := filepath.Ext(name); ext {
	case ".gz", ".zst", ".bz2":
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// sniff tells an .rsg stream, which may be an archive, from text, and takes the name's word where there is little else. The reader that it returns begins where in did, behind
// the decompression of an archived stream; archives of text are left to package facts. path stands in errors.
func sniff(in io.Reader, path string) (r io.Reader, isStream bool, err error) {
	seen := &recorder{r: in}
	buf := bufio.NewReader(seen)
	head, err := buf.Peek(magicBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	named := filepath.Ext(unpackedName(path)) == streamExt // then it is one, or damaged
	decoded := buf
	if !rsg.IsStream(head) {
		inner, err := rsg.Unpack(buf, path)
		if err != nil {
			return seen.rewound(), false, nil //nolint:nilerr // package facts says it too, with the place
		}
		if inner != buf {
			decoded = bufio.NewReader(inner)
			head, _ = decoded.Peek(magicBytes)
		}
	}
	if rsg.IsStream(head) || named {
		seen.stop()
		return decoded, true, nil
	}
	return seen.rewound(), false, nil
}

// magicBytes is how many bytes tell what a file is.
const magicBytes = 8

// recorder keeps what is read through it until it is stopped, so that it can be read again.
type recorder struct {
	r       io.Reader
	seen    bytes.Buffer
	stopped bool
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if !r.stopped {
		r.seen.Write(p[:n])
	}
	return n, err
}

func (r *recorder) stop() {
	r.stopped = true
	r.seen = bytes.Buffer{}
}

func (r *recorder) rewound() io.Reader {
	r.stopped = true
	return io.MultiReader(&r.seen, r.r)
}

// shardsOf returns the files of the shards that a manifest lists, in its order. Unless damage is to be skipped, their sizes
// have to be those that it gives.
func (o *origin) shardsOf(path string) ([]string, error) {
	m, err := shards.ReadFile(path)
	if errors.As(err, new(*os.PathError)) {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if err != nil {
		return nil, err
	}
	files := make([]string, len(m.Shards))
	for i := range m.Shards {
		s := &m.Shards[i]
		files[i] = s.Path(path)
		info, err := os.Stat(files[i])
		if err != nil {
			return nil, &PathError{Path: files[i], Err: cause(err)}
		}
		if !o.opt.SkipDamaged {
			if err := s.CheckSize(info.Size()); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	o.lists = append(o.lists, path)
	return files, nil
}

// Files returns the paths of the stream's files, "-" for standard input.
func (s *Stream) Files() []string { return slices.Clone(s.files) }

// Manifests returns the paths of the manifests that led to files of the stream.
func (s *Stream) Manifests() []string { return slices.Clone(s.lists) }
