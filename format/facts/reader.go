package facts

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// Reader reads the subgraphs of one file, one at a time. Of the subgraphs returned it keeps only the names, to detect repeated ones. It is
// not safe for concurrent use.
type Reader struct {
	scan       *scanner
	schema     *mln.Schema
	predicates map[string]int
	ignored    map[string]bool // predicates that were left out; nil if unknown ones are errors
	repeats    bool            // names may be repeated
	build      *subgraph.Builder
	index      int                 // index of the subgraph being read
	head       header              // header of that subgraph
	implied    bool                // no @subgraph line has been read
	stray      *InputError         // at the first entry of an implied subgraph
	entities   []map[string]uint32 // local ids in the subgraph, by type
	statements []mark              // positions of the subgraph's facts, in order
	args       []uint32            // scratch of a fact
	names      map[string]mark     // positions of the names of subgraphs
	err        error               // if set, what Next returns from now on
}

// header is the content of a @subgraph line.
type header struct {
	name, center string
	fold         int
	time         subgraph.Time
	later        bool // the name is repeated
}

// NewReader returns a reader of facts about the predicates of a schema, which it keeps. The input is plain text or a gzip, zstd or bzip2
// archive, whatever its name. The path is used in messages; without .gz, .zst, .bz2 and .db its base name becomes the name of the subgraph
// in a file without @subgraph lines; "-" is standard input. Errors are *CorruptError or those of r.
func NewReader(r io.Reader, path string, schema *mln.Schema) (*Reader, error) {
	if path == "-" {
		path = "stdin"
	}
	scan, err := newScanner(r, path)
	if err != nil {
		return nil, err
	}
	f := &Reader{
		scan:       scan,
		schema:     schema,
		predicates: make(map[string]int, len(schema.Predicates)),
		build:      subgraph.NewBuilder(schema),
		head:       header{name: baseName(path), fold: -1},
		implied:    true,
		names:      map[string]mark{},
	}
	for i, p := range schema.Predicates {
		f.predicates[p.Name] = i
	}
	return f, nil
}

// IgnoreUnknown makes the reader skip facts of predicates, and entities of types, that the schema lacks, instead of returning an error.
// What it skips declares no entity, but must still be well formed.
func (r *Reader) IgnoreUnknown() {
	r.ignored = map[string]bool{}
}

// AllowRepeats makes the reader mark a subgraph with an earlier one's name as Later, instead of returning an error.
func (r *Reader) AllowRepeats() { r.repeats = true }

// Ignored returns the names of the predicates whose facts were skipped, sorted.
func (r *Reader) Ignored() []string { return slices.Sorted(maps.Keys(r.ignored)) }

// baseName returns the name of the subgraph in a file without @subgraph lines.
func baseName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".bz2", ".db"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.ToValidUTF8(cmp.Or(name, filepath.Base(path)), "\uFFFD")
}

// Next returns the next subgraph, in memory of its own, and io.EOF after the last one. Other errors are an [InputError] for malformed text,
// a *CorruptError for a damaged archive, or come from the underlying reader; every later call returns the same error.
func (r *Reader) Next() (*subgraph.Subgraph, error) {
	if r.err != nil {
		return nil, r.err
	}
	s, err := r.read()
	if err != nil {
		r.err = r.scan.blame(err)
		if damage, ok := errors.AsType[*CorruptError](r.err); ok {
			damage.Record = r.index
		}
		return nil, r.err
	}
	return s, nil
}

// read reads up to the @subgraph line of the next subgraph.
func (r *Reader) read() (*subgraph.Subgraph, error) {
	r.begin()
	for {
		next, err := r.line()
		switch {
		case errors.Is(err, io.EOF):
			r.err = io.EOF
			return r.finish()
		case err != nil:
			return nil, err
		case next == nil:
			continue
		case r.stray != nil:
			r.stray.Msg = fmt.Sprintf("this stands before the first @subgraph line, line %d", r.scan.row)
			return nil, *r.stray
		case !r.implied:
			s, err := r.finish()
			r.head = *next
			return s, err
		}
		r.head, r.implied = *next, false
		r.begin()
	}
}

// begin discards the previous subgraph.
func (r *Reader) begin() {
	r.build.Reset(r.head.name, r.head.center, r.head.fold)
	r.build.At(r.head.time)
	r.statements = r.statements[:0]
	r.entities = make([]map[string]uint32, len(r.schema.Types))
	for i := range r.entities {
		r.entities[i] = map[string]uint32{}
	}
}

func (r *Reader) finish() (*subgraph.Subgraph, error) {
	s, err := r.build.Finish()
	if err != nil {
		return nil, r.conflict(err)
	}
	s.Index, s.Later = r.index, r.head.later
	r.index++
	return s, nil
}

// line reads a line that is not empty. It returns the header if it is a @subgraph line.
func (r *Reader) line() (*header, error) {
	if err := r.scan.load(); err != nil {
		return nil, err
	}
	start := r.scan.pos
	if r.scan.take('@') {
		switch word := r.scan.word(); string(word) {
		case "subgraph":
			return r.subgraphLine()
		case "entity":
			r.markStray(start)
			return nil, r.entityLine()
		}
		return nil, r.scan.fault(start, "expected a fact, @subgraph or @entity")
	}
	r.markStray(start)
	return nil, r.fact()
}

// markStray records the first entry of a file, which is an error if a @subgraph line follows.
func (r *Reader) markStray(offset int) {
	if r.implied && r.stray == nil {
		stray := r.scan.fault(offset, "")
		r.stray = &stray
	}
}

// conflict adds the positions to the error for an atom with two truth values. The line of the later statement is no longer in memory, so
// the message shows only the statement.
func (r *Reader) conflict(err error) error {
	c, ok := errors.AsType[*subgraph.ConflictError](err)
	if !ok {
		return err
	}
	atom := atomText(c.Predicate, c.Args)
	text, _ := printable.Excerpt(truthMark(c.Truths[1])+atom, 0)
	return InputError{Diagnostic: lex.Diagnostic{
		Pos: r.scan.position(r.statements[c.Second]),
		Msg: fmt.Sprintf("%s is stated %v, but %v at %v\n%s\n^",
			clip(atom), c.Truths[1], c.Truths[0], r.scan.position(r.statements[c.First]), text),
	}}
}
