package rsg_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// social is a schema with every role and arities one to three.
func social() *mln.Schema {
	return &mln.Schema{
		Types: []string{"person", "thing"},
		Predicates: []mln.Predicate{
			{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence},
			{Name: "bought", Args: []int{0, 1, 0}, Role: mln.RoleEvidence},
			{Name: "smokes", Args: []int{0}, Role: mln.RoleTarget},
			{Name: "likes", Args: []int{0, 1}, Role: mln.RoleListed},
			{Name: "owns", Args: []int{0, 1}, Role: mln.RoleEvidence},
		},
	}
}

// builder wraps a Builder with names for arguments.
type builder struct {
	*subgraph.Builder
	schema *mln.Schema
}

func newBuilder(schema *mln.Schema) builder {
	return builder{Builder: subgraph.NewBuilder(schema), schema: schema}
}

func (b builder) state(truth subgraph.Truth, pred string, names ...string) {
	p := b.schema.Predicate(pred)
	args := make([]uint32, len(names))
	for i, name := range names {
		args[i] = b.Entity(b.schema.Predicates[p].Args[i], name)
	}
	b.Add(p, args, truth)
}

func (b builder) finish(tb testing.TB) *subgraph.Subgraph {
	tb.Helper()
	s, err := b.Finish()
	check.OK(tb, err)
	return s
}

// samples are three small subgraphs that share entities, the second one without facts.
func samples(tb testing.TB) []*subgraph.Subgraph {
	tb.Helper()
	b := newBuilder(social())
	b.Reset("s0", "Anna", 1)
	b.state(subgraph.True, "friends", "Bob", "Anna")
	b.state(subgraph.True, "friends", "Anna", "Bob")
	b.state(subgraph.True, "friends", "Anna", "Anna")
	b.state(subgraph.True, "smokes", "Anna")
	b.state(subgraph.Unknown, "smokes", "Bob")
	b.state(subgraph.True, "bought", "Bob", "Cake", "Anna")
	b.state(subgraph.True, "bought", "Anna", "Tea", "Bob")
	out := []*subgraph.Subgraph{b.finish(tb)}
	b.Reset("the \"second\"", "", -1)
	b.Entity(1, "Tea")
	out = append(out, b.finish(tb))
	b.Reset("s2", "Tea", 0)
	b.state(subgraph.True, "likes", "Dora", "Cake")
	b.state(subgraph.False, "likes", "Bob", "Tea")
	b.state(subgraph.Unknown, "likes", "Bob", "a small \\ thing")
	b.state(subgraph.False, "smokes", "Dora")
	out = append(out, b.finish(tb))
	for i, s := range out {
		s.Index = i
	}
	return out
}

// random returns a subgraph with entities from a shared pool.
func random(tb testing.TB, b builder, rng *rand.Rand, i, facts int) *subgraph.Subgraph {
	tb.Helper()
	name := func(typ int) string { return fmt.Sprintf("%c%d", "PT"[typ], rng.IntN(4*facts+i+1)) }
	center := ""
	if rng.IntN(2) == 0 {
		center = name(0)
	}
	b.Reset(fmt.Sprint("s", i), center, rng.IntN(4)-1)
	stated := map[string]bool{}
	for range facts {
		pred := rng.IntN(len(b.schema.Predicates))
		p := b.schema.Predicates[pred]
		names := make([]string, len(p.Args))
		for c, typ := range p.Args {
			names[c] = name(typ)
		}
		if key := fmt.Sprint(pred, names); !stated[key] {
			stated[key] = true
			truth := subgraph.True
			if p.Role.IsTarget() {
				truth += subgraph.Truth(rng.IntN(3))
			}
			b.state(truth, p.Name, names...)
		}
	}
	s := b.finish(tb)
	s.Index = i
	return s
}

func encode(tb testing.TB, schema *mln.Schema, opt rsg.WriterOptions, list ...*subgraph.Subgraph) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := rsg.NewWriter(&out, schema, opt)
	check.OK(tb, err)
	for _, s := range list {
		check.OK(tb, w.Write(s))
	}
	check.OK(tb, w.Close())
	return out.Bytes()
}

// readPipe reads a stream to its end or to the first error.
func readPipe(data []byte, opt rsg.ReaderOptions) ([]*subgraph.Subgraph, error) {
	r, err := rsg.NewReader(bytes.NewReader(data), "x.rsg", opt)
	if err != nil {
		return nil, err
	}
	var out []*subgraph.Subgraph
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
}

// readFile reads the same through the index.
func readFile(data []byte, opt rsg.ReaderOptions) ([]*subgraph.Subgraph, error) {
	f, err := rsg.Open(data, "x.rsg", opt)
	if err != nil {
		return nil, err
	}
	var out []*subgraph.Subgraph
	for i := range f.Len() {
		s, err := f.At(i)
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

var readers = map[string]func([]byte, rsg.ReaderOptions) ([]*subgraph.Subgraph, error){
	"pipe": readPipe, "mapped": readFile,
}

// sameNames compares domains by their size and names.
var sameNames = cmp.Comparer(func(x, y subgraph.Domain) bool {
	if x.Size != y.Size {
		return false
	}
	for i := range uint32(x.Size) {
		if x.Names.Name(i) != y.Names.Name(i) {
			return false
		}
		if id, ok := y.Names.Lookup(x.Names.Name(i)); !ok || id != i {
			return false
		}
	}
	return true
})

func diff(got, want []*subgraph.Subgraph) string { return cmp.Diff(want, got, sameNames) }
