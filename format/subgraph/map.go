package subgraph

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
)

// ModelSchema is the part of a model that a [Map] depends on.
type ModelSchema struct {
	Schema *mln.Schema
	Center bool // the model uses @center
}

// SchemaError says that a stream does not fit a model.
type SchemaError struct {
	Path    string
	Reasons []string
}

// Error gives all reasons.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s does not fit the model: %s", e.Path, strings.Join(e.Reasons, "; "))
}

// CenterError reports a subgraph without a center for a model that uses it.
type CenterError struct{ Path, Subgraph string }

// Error names the subgraph.
func (e *CenterError) Error() string {
	return fmt.Sprintf("%s: subgraph %s has no center, but the model uses @center", e.Path, e.Subgraph)
}

// Map converts the subgraphs of one source to the schema of a model, which may have fewer predicates and types, and a different order. It is
// safe for concurrent use.
type Map struct {
	Path string // of the source, for messages

	model ModelSchema
	preds []int // by predicate of the model, the source's index; nil if they are the same
	types []int // by type of the model, the source's index, -1 if it has none
}

// NewMap compares the schema of a source with the model's, and returns the map between them. The error is a *SchemaError.
func NewMap(m ModelSchema, path string, schema *mln.Schema) (*Map, error) {
	b := &Map{Path: path, model: m}
	if schema == m.Schema {
		return b, nil
	}
	e := &SchemaError{Path: path}
	for _, p := range m.Schema.Predicates {
		at := schema.Predicate(p.Name)
		b.preds = append(b.preds, at)
		if at < 0 {
			e.Reasons = append(e.Reasons, "it has no predicate "+p.Name)
			if near := lex.Suggest(p.Name, schema.PredicateNames()); near != "" {
				e.Reasons[len(e.Reasons)-1] += fmt.Sprintf(" (but %s)", near)
			}
			continue
		}
		if have, want := schema.Declaration(schema.Predicates[at]), m.Schema.Declaration(p); have != want {
			e.Reasons = append(e.Reasons, fmt.Sprintf("it has %s, the model %s", have, want))
		}
	}
	for t, name := range m.Schema.Types {
		at := schema.Type(name)
		b.types = append(b.types, at)
		if at < 0 {
			continue
		}
		if have, want := schema.TypeText(at), m.Schema.TypeText(t); have != want {
			e.Reasons = append(e.Reasons, fmt.Sprintf("it has the type %s, the model %s", have, want))
		}
	}
	if len(e.Reasons) > 0 {
		return nil, e
	}
	return b, nil
}

// Projection is memory for a subgraph as a model sees it. The zero value is empty.
type Projection struct {
	sub       Subgraph
	relations []Relation
	domains   []Domain
	shared    Shared
}

// Project returns a subgraph, at a position in the stream, in the model's schema. Relations are in the order of that schema, and domains
// include the constants. Relations that were shared stay shared. The result borrows from s and lives in the memory of v. The error is a
// *CenterError.
func (b *Map) Project(v *Projection, s *Subgraph, index int, constants *Constants) (*Subgraph, error) {
	if b.model.Center && s.Center == "" && !s.Later {
		return nil, &CenterError{Path: b.Path, Subgraph: s.Name}
	}
	v.sub = *s
	v.sub.Index = index
	if b.preds != nil {
		v.relations, v.domains = pick(v.relations, s.Relations, b.preds), pick(v.domains, s.Domains, b.types)
		v.sub.Relations, v.sub.Domains, v.sub.Shared = v.relations, v.domains, b.shared(v, s.Shared)
	}
	if len(constants.types) > 0 {
		v.sub.Domains = slices.Clone(v.sub.Domains)
		for _, t := range constants.types {
			v.sub.Domains[t] = extended(v.sub.Domains[t], constants.lists[t], constants.index[t])
		}
	}
	return &v.sub, nil
}

// pick returns the elements at the given places, zero for -1, in the memory of dst if it suffices.
func pick[T any](dst, from []T, places []int) []T {
	dst = slices.Grow(dst[:0], len(places))
	for _, at := range places {
		var x T
		if at >= 0 {
			x = from[at]
		}
		dst = append(dst, x)
	}
	return dst
}

// shared converts what a subgraph shares, nil if nothing, to the model's schema.
func (b *Map) shared(v *Projection, s *Shared) *Shared {
	if s == nil {
		return nil
	}
	out := &v.shared
	out.Induced = pick(out.Induced, s.Induced, b.preds)
	if !slices.Contains(out.Induced, true) {
		return nil
	}
	out.Background, out.Counts = b.background(s.Background), pick(out.Counts, s.Counts, b.preds)
	out.Lacks = pick(out.Lacks, s.Lacks, b.types)
	out.ToBackground, out.FromBackground = pick(out.ToBackground, s.ToBackground, b.types), pick(out.FromBackground, s.FromBackground, b.types)
	return out
}

// background converts a background graph to the model's schema. It returns the same value for the same graph.
func (b *Map) background(of *Background) *Background {
	view, known := of.views.Load(b)
	if !known {
		view, _ = of.views.LoadOrStore(b, &Background{
			Sizes: pick(nil, of.Sizes, b.types), Relations: pick(nil, of.Relations, b.preds), Has: pick(nil, of.Has, b.preds),
		})
	}
	return view.(*Background)
}

// Constants are the names that belong to domains in every subgraph.
type Constants struct {
	lists [][]string         // by type
	index []map[string]int32 // by type: places in its list
	types []int              // that have any
}

// NewConstants returns constants by type, without duplicates.
func NewConstants(lists [][]string) *Constants {
	out := &Constants{lists: lists, index: make([]map[string]int32, len(lists))}
	for t, list := range lists {
		if len(list) == 0 {
			continue
		}
		out.types, out.index[t] = append(out.types, t), make(map[string]int32, len(list))
		for i, name := range list {
			out.index[t][name] = int32(i) // #nosec G115 -- a text has fewer
		}
	}
	return out
}

// extended adds missing constants to a domain.
func extended(d Domain, list []string, index map[string]int32) Domain {
	more := &moreNames{base: d.Names, size: uint32(d.Size), index: index, ids: make([]uint32, len(list))}
	for i, c := range list {
		id, known := uint32(0), false
		if d.Names != nil {
			id, known = d.Names.Lookup(c)
		}
		if !known {
			id = uint32(d.Size + len(more.added))
			more.added = append(more.added, c)
		}
		more.ids[i] = id
	}
	if more.added == nil {
		return d
	}
	return Domain{Size: d.Size + len(more.added), Names: more}
}

// moreNames is a domain's names followed by those constants that it lacks.
type moreNames struct {
	base  Names
	size  uint32
	added []string
	index map[string]int32 // of constants in ids
	ids   []uint32
}

// Name returns the name of a local id.
func (n *moreNames) Name(id uint32) string {
	if id < n.size {
		return n.base.Name(id)
	}
	return n.added[id-n.size]
}

// Lookup returns the local id of a name.
func (n *moreNames) Lookup(name string) (uint32, bool) {
	if i, ok := n.index[name]; ok {
		return n.ids[i], true
	}
	if n.base == nil {
		return 0, false
	}
	return n.base.Lookup(name)
}
