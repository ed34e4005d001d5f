package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/archive"
	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/input"
)

// Task holds the parts of a model and of the options that are needed to open sources.
type Task struct {
	Model  subgraph.ModelSchema
	Wanted []rsg.Constant // the model's constants, whose names are kept in any case

	Names         bool      // keep the names of entities
	SkipDamaged   bool      // skip damaged records
	IgnoreUnknown bool      // skip text facts of predicates and types that the model does not declare
	First         int       // position of the first subgraph
	Stdin         io.Reader // for a path "-"
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

// source opens one file or pipe. Anything it opens is closed with the set, even if the error is not nil.
func (o opener) source(path string) (*source, error) {
	if path == "-" {
		if o.Stdin == nil {
			return nil, &PathError{Path: path, Err: errNoStream}
		}
		return o.pipe(o.Stdin, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, NewPathError(path, err)
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		o.closers = append(o.closers, f)
		return o.pipe(f, path)
	}
	defer f.Close()
	head := make([]byte, magicBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, NewPathError(path, err)
	}
	if rsg.IsStream(head[:n]) {
		src, err := o.mapped(path)
		if err == nil || !o.SkipDamaged || !errors.Is(err, subgraph.ErrCorrupt) {
			return src, err
		}
	}
	return o.archive(f, path)
}

// mapped opens an .rsg file for random access.
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

// archive opens a file that must be read from its beginning: text, an archive, or a damaged .rsg file.
func (o opener) archive(f *os.File, path string) (*source, error) {
	_, schema, err := o.newReader(f, path)
	if err != nil {
		return nil, err
	}
	return sequential(func() (reader, io.Closer, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, NewPathError(path, err)
		}
		r, _, err := o.newReader(f, path)
		if err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
		return r, f, nil
	}, schema, o.damaged()), nil
}

// pipe opens a pipe at once, since its head says what it contains.
func (o opener) pipe(pipe io.Reader, path string) (*source, error) {
	t := &tape{in: pipe}
	o.closers = append(o.closers, t)
	in := bufio.NewReader(t.reader())
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil, &PathError{Path: path, Err: errNoData}
	}
	first, schema, err := o.newReader(in, path)
	if err != nil {
		return nil, err
	}
	src := sequential(func() (r reader, _ io.Closer, err error) {
		if r, first = first, nil; r == nil {
			r, _, err = o.newReader(t.reader(), path)
		} else if !t.kept {
			err = t.Close()
		}
		return r, nil, err
	}, schema, o.damaged())
	src.pipe = t
	return src, nil
}

// newReader begins to read an .rsg stream, an archive of one, or text, and returns the map of its schema, which for text is the
// model's. If the contents do not tell, the name decides.
func (o opener) newReader(in io.Reader, path string) (reader, *subgraph.Map, error) {
	content, err := archive.NewReader(in, path)
	var head []byte
	if err == nil {
		head, err = content.Peek(magicBytes)
	}
	var r reader
	schema := o.Model.Schema
	switch {
	case errors.Is(err, subgraph.ErrCorrupt):
		return nil, nil, err
	case err != nil && !errors.Is(err, io.EOF):
		return nil, nil, NewPathError(path, err)
	case !rsg.IsStream(head) && filepath.Ext(unpackedName(path)) != streamExt: // which is one, or damaged
		text, err := facts.NewReader(content, path, schema)
		if err != nil {
			return nil, nil, err
		}
		if r = text; o.IgnoreUnknown {
			text.IgnoreUnknown()
		}
	default:
		records, err := rsg.NewReader(content, path, o.readerOptions())
		if err != nil {
			return nil, nil, err
		}
		r, schema = records, records.Schema()
	}
	b, err := subgraph.NewMap(o.Model, path, schema)
	return r, b, err
}

// damaged returns the function that is told of skipped damage, nil if none is to be skipped.
func (o opener) damaged() func(error) {
	if !o.SkipDamaged {
		return nil
	}
	return o.Damage.Add
}

// readerOptions requests the constants that the model names. Workers complete the subgraphs if necessary.
func (o opener) readerOptions() rsg.ReaderOptions {
	schema := o.Model.Schema
	return rsg.ReaderOptions{
		Names: o.Names || schema.HasNumbers(), Wanted: o.Wanted, SkipDamaged: o.SkipDamaged, Damaged: o.damaged(), Shared: true,
	}
}

// PathError says that a path does not lead to a stream.
type PathError struct {
	Path string
	Err  error
}

// NewPathError returns the error of a path, without the path that an error of the file system repeats.
func NewPathError(path string, err error) *PathError {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &PathError{Path: path, Err: err}
}

// Error names the path.
func (e *PathError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

var (
	errNoStream = errors.New("no .rsg or .db file")
	errTwice    = errors.New("given twice")
	errNoData   = fmt.Errorf("%w: no data; the command that writes them may have failed", subgraph.ErrCorrupt)
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
				return NewPathError(path, err)
			}
			slices.Sort(matches)
			found = matches
		}
		for _, path := range found {
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

// streamsIn lists the streams in a folder, in the order of its manifest, or else in byte order of their names. What is no folder is a
// stream itself.
func (o opener) streamsIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if isFolder := err == nil && info.IsDir(); path == "-" || !isFolder {
		return []string{path}, nil
	}
	manifest := filepath.Join(path, shards.ManifestName)
	if _, err := os.Stat(manifest); err == nil {
		found, err := o.shardsOf(manifest)
		if !errors.Is(err, shards.ErrFormat) { // otherwise it is somebody else's file
			return found, err
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, NewPathError(path, err)
	}
	var out []string
	for _, e := range entries {
		if ext := filepath.Ext(unpackedName(e.Name())); !e.IsDir() && (ext == streamExt || ext == ".db") {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, &PathError{Path: path, Err: errNoStream}
	}
	return out, nil
}

// streamExt is the extension of a binary stream.
const streamExt = ".rsg"

// unpackedName returns the name of a file without the extension of its compression.
func unpackedName(name string) string { return strings.TrimSuffix(name, input.Packing(name)) }

// magicBytes is how many bytes suffice to identify a file's format.
const magicBytes = 8

// shardsOf returns the files of the shards that a manifest lists, in its order. Unless damage is to be skipped, they must have the
// sizes that it states.
func (o opener) shardsOf(path string) ([]string, error) {
	m, err := shards.ReadFile(path)
	if errors.As(err, new(*os.PathError)) {
		return nil, NewPathError(path, err)
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
			return nil, NewPathError(files[i], err)
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
