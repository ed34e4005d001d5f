package source

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
	"resolwe/internal/input"
)

// Task is what of a model, and of the options, sources are opened by.
type Task struct {
	Model  subgraph.ModelSchema
	Wanted []rsg.Constant // constants that formulas name

	Names         bool      // of entities are wanted
	SkipDamaged   bool      // damaged records are left out
	IgnoreUnknown bool      // facts of text about what the model does not declare are left out
	First         int       // position of the first subgraph
	Stdin         io.Reader // where a path is "-"
}

// opener opens the sources of a set.
type opener struct {
	*Task
	*Set
}

// Open opens .rsg and .db files, also .gz, .zst and .bz2; globs; manifests of shards; directories; pipes; or "-". The caller
// closes the set. The error is a *subgraph.SchemaError, a *PathError, or one that matches subgraph.ErrCorrupt.
func Open(t Task, paths []string) (*Set, error) {
	o := opener{&t, &Set{first: t.First}}
	if err := o.expand(paths); err != nil {
		return nil, err
	}
	for _, path := range o.Files {
		src, err := o.source(path)
		if err != nil {
			return nil, errors.Join(err, o.Close())
		}
		o.sources = append(o.sources, src)
	}
	return o.Set, nil
}

// source opens one file or pipe. What it opens is closed with the set, even where the error is not nil.
func (o opener) source(path string) (*source, error) {
	if path == "-" {
		if o.Stdin == nil {
			return nil, &PathError{Path: path, Err: errNoStream}
		}
		return o.pipe(o.Stdin, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		o.closers = append(o.closers, f)
		return o.pipe(f, path)
	}
	defer f.Close()
	head := make([]byte, magicBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if rsg.IsStream(head[:n]) {
		src, err := o.mapped(path)
		if err == nil || !o.SkipDamaged || !errors.Is(err, subgraph.ErrCorrupt) {
			return src, err
		}
	}
	return o.archive(f, path)
}

// mapped opens an .rsg file with random access.
func (o opener) mapped(path string) (*source, error) {
	file, err := rsg.OpenFile(path, o.readerOptions())
	if err != nil {
		return nil, err
	}
	o.closers = append(o.closers, file)
	schema, err := subgraph.NewMap(o.Model, path, file.Schema())
	if err != nil {
		return nil, err
	}
	return mapped(file, schema), nil
}

// archive opens a file that has to be read from its beginning: text, an archive, or a damaged .rsg file.
func (o opener) archive(f *os.File, path string) (*source, error) {
	_, schema, err := o.newReader(f, path)
	if err != nil {
		return nil, err
	}
	return sequential(func() (reader, io.Closer, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, &PathError{Path: path, Err: cause(err)}
		}
		r, _, err := o.newReader(f, path)
		if err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
		return r, f, nil
	}, schema, false, o.SkipDamaged), nil
}

// pipe opens a pipe at once, since its head says what it holds.
func (o opener) pipe(pipe io.Reader, path string) (*source, error) {
	in := bufio.NewReader(pipe)
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil, &PathError{Path: path, Err: errNoData}
	}
	r, schema, err := o.newReader(in, path)
	if err != nil {
		return nil, err
	}
	return sequential(func() (reader, io.Closer, error) { return r, nil, nil }, schema, true, o.SkipDamaged), nil
}

// newReader begins to read an .rsg stream, its archive, or text, and returns the map of its schema: for text the model's.
func (o opener) newReader(in io.Reader, path string) (reader, *subgraph.Map, error) {
	r, isStream, err := sniff(in, path)
	if err != nil {
		return nil, nil, &PathError{Path: path, Err: cause(err)}
	}
	if !isStream {
		text, err := facts.NewReader(r, path, o.Model.Schema)
		if err != nil {
			return nil, nil, err
		}
		if o.IgnoreUnknown {
			text.IgnoreUnknown()
		}
		return between(o.Model, path, o.Model.Schema, reader(text))
	}
	records, err := rsg.NewReader(r, path, o.readerOptions())
	if err != nil {
		return nil, nil, err
	}
	return between(o.Model, path, records.Schema(), reader(records))
}

// between returns a reader with the map of its schema.
func between(m subgraph.ModelSchema, path string, schema *mln.Schema, r reader) (reader, *subgraph.Map, error) {
	b, err := subgraph.NewMap(m, path, schema)
	return r, b, err
}

// readerOptions asks for the constants that the model names. Workers complete the subgraphs where they have to.
func (o opener) readerOptions() rsg.ReaderOptions {
	schema := o.Model.Schema
	opt := rsg.ReaderOptions{Names: o.Names || schema.HasNumbers(), SkipDamaged: o.SkipDamaged, Shared: true}
	for t, constants := range o.Model.Constants {
		for _, c := range constants {
			opt.Wanted = append(opt.Wanted, rsg.Constant{Type: schema.Types[t], Name: c})
		}
	}
	opt.Wanted = append(opt.Wanted, o.Wanted...)
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
func (o opener) expand(paths []string) error {
	for _, path := range paths {
		found := []string{path}
		info, err := os.Stat(path)
		switch {
		case path == "-" && slices.Contains(o.Files, path):
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
				o.Files = append(o.Files, path)
				continue
			}
			inside, err := o.streamsIn(path)
			if err != nil {
				return err
			}
			o.Files = append(o.Files, inside...)
		}
	}
	if len(o.Files) == 0 {
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
func (o opener) streamsIn(path string) ([]string, error) {
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
func unpackedName(name string) string { return strings.TrimSuffix(name, input.Packing(name)) }

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
func (o opener) shardsOf(path string) ([]string, error) {
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
		if !o.SkipDamaged {
			if err := s.CheckSize(info.Size()); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	o.Manifests = append(o.Manifests, path)
	return files, nil
}
