package facttables

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/grow"
)

// Subgraphs returns the subgraphs in their order. Errors are an *[Error], as where a fact is stated twice, of the system, or of the context.
func (f *Facts) Subgraphs(ctx context.Context) iter.Seq2[*subgraph.Subgraph, error] {
	return func(yield func(*subgraph.Subgraph, error) bool) {
		g := newGrouper(f)
		err := g.groups(func(group []uint32, records []byte) error {
			for _, id := range group {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				n := f.heads[id].bytes
				s, err := g.subgraph(ctx, id, records[:n])
				if err != nil {
					return err
				}
				if !yield(s, nil) {
					return errStopped
				}
				records = records[n:]
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

var errStopped = errors.New("stopped")

// grouper puts the records of a subgraph together.
type grouper struct {
	*Facts
	order    []uint32 // subgraphs
	build    *subgraph.Builder
	entities []domain // by type
	stated   []int    // by predicate: facts of the subgraph that its tables must have
	args     []uint32
}

// domain is the entities of a type.
type domain struct {
	dict  *table.Dict
	order []uint32 // entities, as they come in a subgraph without positions
	known []known  // by entity
	found []uint64 // the entities of the subgraph at hand: position, then rank
	local []uint32 // by place in found: the local id
}

// known is what is known of an entity.
type known struct {
	rank  uint32 // its place in order
	place uint32 // one more than its place in found, 0 if the subgraph at hand lacks it
}

func newGrouper(f *Facts) *grouper {
	g := &grouper{Facts: f, build: subgraph.NewBuilder(f.schema), stated: make([]int, len(f.schema.Predicates))}
	for id := range f.names.Len() {
		g.order = append(g.order, uint32(id))
	}
	slices.SortFunc(g.order, func(a, b uint32) int {
		x, y := &f.heads[a], &f.heads[b]
		return cmp.Or(cmp.Compare(x.position, y.position), x.time.Compare(y.time), strings.Compare(f.names.Name(a), f.names.Name(b)))
	})
	for t := range f.entities {
		d := domain{dict: &f.entities[t], order: ordered(&f.entities[t], f.schema.IsNumber(t))}
		d.known = make([]known, len(d.order))
		for i, id := range d.order {
			d.known[id].rank = uint32(i)
		}
		g.entities = append(g.entities, d)
	}
	return g
}

// ordered returns the ids of names in the order of the numbers that they are, or of their bytes.
func ordered(d *table.Dict, numbers bool) []uint32 {
	type key struct {
		first uint64 // of bytes behind what all names begin with, or of a number
		id    uint32
	}
	keys := make([]key, d.Len())
	same := ""
	if len(keys) > 0 {
		same = d.Name(0)
	}
	for i := range keys {
		for name := d.Name(uint32(i)); !strings.HasPrefix(name, same); {
			same = same[:len(same)-1]
		}
	}
	for i := range keys {
		name := d.Name(uint32(i))
		if keys[i].id = uint32(i); numbers {
			v, _ := mln.ParseNumber(name)
			b := math.Float64bits(v)
			keys[i].first = b ^ (uint64(int64(b)>>63) | 1<<63)
			continue
		}
		var head [8]byte
		copy(head[:], name[len(same):])
		keys[i].first = binary.BigEndian.Uint64(head[:])
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return strings.Compare(d.Name(a.id), d.Name(b.id))
	})
	ids := make([]uint32, len(keys))
	for i := range keys {
		ids[i] = keys[i].id
	}
	return ids
}

// groups calls do for groups of consecutive subgraphs, with their records one subgraph after the other. What a group takes in memory is bounded
// unless it is one subgraph.
func (g *grouper) groups(do func(group []uint32, records []byte) error) (err error) {
	var groups [][]uint32
	of := make([]int, len(g.order))     // by subgraph: its group
	next := make([]int64, len(g.order)) // by subgraph: the offset in the group of its next record
	var sizes []int64                   // by group
	for i, begin := 0, 0; i < len(g.order); i++ {
		id, last := g.order[i], len(sizes)-1
		if last < 0 || sizes[last]+g.heads[id].bytes > g.group {
			groups, sizes, last, begin = append(groups, nil), append(sizes, 0), last+1, i
		}
		groups[last] = g.order[begin : i+1]
		of[id], next[id] = last, sizes[last]
		sizes[last] += g.heads[id].bytes
	}
	parts, err := g.divide(of, sizes)
	if err != nil {
		return err
	}
	defer parts.close()
	for i, group := range groups {
		records := make([]byte, sizes[i])
		err := g.each(parts.reader(i), func(record []byte) error {
			at := &next[binary.LittleEndian.Uint32(record)]
			*at += int64(copy(records[*at:], record))
			return nil
		})
		if err == nil {
			err = do(group, records)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parts are the records of groups, one after the other.
type parts struct {
	all     io.ReaderAt
	file    *os.File // that holds them; nil where it is not theirs
	offsets []int64
}

func (p *parts) reader(group int) io.Reader {
	return io.NewSectionReader(p.all, p.offsets[group], p.offsets[group+1]-p.offsets[group])
}

func (p *parts) close() {
	if p.file != nil {
		_ = p.file.Close()
		_ = os.Remove(p.file.Name()) // it may be removed already
	}
}

// divide puts the records of each group together, as they come.
func (g *grouper) divide(of []int, sizes []int64) (_ *parts, err error) {
	p := &parts{all: &g.records, offsets: make([]int64, len(sizes)+1)}
	for i, n := range sizes {
		p.offsets[i+1] = p.offsets[i] + n
	}
	if len(sizes) <= 1 {
		return p, nil
	}
	if p.file, err = os.CreateTemp("", "resolwe-*"); err != nil {
		return nil, err
	}
	_ = os.Remove(p.file.Name()) // so that a kill leaves nothing, where open files can be removed
	p.all = p.file
	out := make([]*bufio.Writer, len(sizes))
	for i := range out {
		out[i] = bufio.NewWriterSize(io.NewOffsetWriter(p.file, p.offsets[i]), 64<<10)
	}
	err = g.each(g.records.Reader(), func(record []byte) error {
		_, err := out[of[binary.LittleEndian.Uint32(record)]].Write(record)
		return err
	})
	for _, w := range out {
		err = cmp.Or(err, w.Flush())
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// each calls do for each record, which is valid during the call.
func (g *grouper) each(in io.Reader, do func(record []byte) error) error {
	const header = 8
	buffer := bufio.NewReaderSize(in, 1<<20)
	for {
		start, err := buffer.Peek(header)
		if len(start) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := buffer.Peek(header + 4*g.words(start))
		if err != nil {
			return err
		}
		if err := do(record); err != nil {
			return err
		}
		_, _ = buffer.Discard(len(record))
	}
}

// words returns how many words stand behind the first two of a record.
func (g *grouper) words(record []byte) int {
	if t := int(binary.LittleEndian.Uint32(record[4:]) >> 2); t < len(g.schema.Predicates) {
		return len(g.schema.Predicates[t].Args)
	}
	return 2 // an entity and its position
}

// subgraph builds a subgraph from its records, in which it replaces entities by their places among those found.
func (g *grouper) subgraph(ctx context.Context, id uint32, records []byte) (*subgraph.Subgraph, error) {
	h := &g.heads[id]
	g.build.Reset(g.names.Name(id), h.center, h.fold)
	g.build.At(h.time)
	g.domains(records)
	clear(g.stated)
	for rest := records; len(rest) > 0; rest = rest[8+4*g.words(rest):] {
		what := binary.LittleEndian.Uint32(rest[4:])
		pred, truth := int(what>>2), subgraph.Truth(what&3)
		if pred >= len(g.stated) {
			continue
		}
		g.args = g.args[:0]
		for k, typ := range g.schema.Predicates[pred].Args {
			g.args = append(g.args, g.entities[typ].local[binary.LittleEndian.Uint32(rest[8+4*k:])])
		}
		g.build.Add(pred, g.args, truth)
		if truth != subgraph.False || g.schema.Predicates[pred].Role.IsTarget() {
			g.stated[pred]++
		}
	}
	s, err := g.build.Finish()
	if c, ok := errors.AsType[*subgraph.ConflictError](err); ok {
		return nil, cmp.Or(g.repeated(ctx, g.schema.Predicate(c.Predicate), g.names.Name(id)), err)
	}
	if err != nil {
		return nil, err
	}
	for pred, n := range g.stated {
		for _, t := range s.Relations[pred].Tables() {
			n -= t.Len()
		}
		if n > 0 {
			if err := g.repeated(ctx, pred, s.Name); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// domains states the entities of a subgraph in their order.
func (g *grouper) domains(records []byte) {
	for rest := records; len(rest) > 0; rest = rest[8+4*g.words(rest):] {
		t := int(binary.LittleEndian.Uint32(rest[4:])>>2) - len(g.schema.Predicates)
		if t >= 0 {
			g.entities[t].find(rest[8:], binary.LittleEndian.Uint32(rest[12:]))
			continue
		}
		for k, typ := range g.schema.Predicates[t+len(g.schema.Predicates)].Args {
			g.entities[typ].find(rest[8+4*k:], none)
		}
	}
	for t := range g.entities {
		g.build.Domain(t, &subgraph.DictNames{Dict: g.entities[t].dict, IDs: g.entities[t].sort()})
	}
}

// find replaces an entity by its place in found, at the least position that is given.
func (d *domain) find(entity []byte, position uint32) {
	k := &d.known[binary.LittleEndian.Uint32(entity)]
	key := uint64(position)<<32 | uint64(k.rank)
	if k.place == 0 {
		d.found = append(d.found, key)
		k.place = uint32(len(d.found))
	}
	at := k.place - 1
	d.found[at] = min(d.found[at], key)
	binary.LittleEndian.PutUint32(entity, at)
}

// sort returns what was found in its order, and forgets it but for local.
func (d *domain) sort() []uint32 {
	slices.Sort(d.found)
	d.local = grow.To(d.local, len(d.found))
	ids := make([]uint32, len(d.found))
	for i, key := range d.found {
		id := d.order[uint32(key)]
		ids[i] = id
		d.local[d.known[id].place-1] = uint32(i)
		d.known[id].place = 0
	}
	d.found = d.found[:0]
	return ids
}

// repeated reads the files of a predicate again to find the rows that state a fact of a subgraph twice.
func (f *Facts) repeated(ctx context.Context, pred int, sub string) error {
	decl := &f.schema.Predicates[pred]
	first := map[string]mln.Position{}
	for _, part := range f.files {
		if part.table != decl.Name {
			continue
		}
		r, err := f.open(ctx, part, pred)
		if err != nil {
			return err
		}
		err = r.each(ctx, func() error {
			if name, _ := r.cell(columnSubgraph); string(name) != sub {
				return nil
			}
			f.begin(0, pred, 0)
			for k, typ := range decl.Args {
				if err := f.name(r, r.args[k], typ); err != nil {
					return err
				}
			}
			record := string(f.resolve())
			f.pending.records = f.pending.records[:0]
			at, twice := first[record]
			if first[record] = r.At(0); !twice {
				return nil
			}
			return &Error{Pos: r.At(0), Message: fmt.Sprintf("subgraph %s has this fact already, at line or row %d of %s; state each fact once (SELECT DISTINCT)",
				clip(sub), at.Line, at.File)}
		})
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}
