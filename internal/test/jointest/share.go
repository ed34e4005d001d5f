package jointest

import (
	"cmp"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Share returns the subgraphs without their common part. A base contains the union of their tuples for each binary evidence predicate, or
// for those that accept, if not nil, accepts. A relation is induced if it consists of exactly the base's tuples over its subgraph's
// entities.
func Share(schema *mln.Schema, subs []*subgraph.Subgraph, accept func(pred int) bool) []*subgraph.Subgraph {
	b := &sharer{schema: schema, ids: make([]map[string]uint32, len(schema.Types))}
	for typ := range b.ids {
		b.ids[typ] = map[string]uint32{}
	}
	out := make([]*subgraph.Subgraph, len(subs))
	for i, s := range subs {
		out[i] = b.view(s)
	}
	b.base.Relations = make([]subgraph.Relation, len(schema.Predicates))
	b.base.Has = make([]bool, len(schema.Predicates))
	for typ := range b.ids {
		b.base.Sizes = append(b.base.Sizes, len(b.ids[typ]))
	}
	for _, s := range out {
		b.invert(s.Shared)
	}
	for pred, p := range schema.Predicates {
		if len(p.Args) == 2 && p.Role == mln.RoleEvidence && (accept == nil || accept(pred)) {
			b.share(out, pred)
		}
	}
	return out
}

// sharer builds a base.
type sharer struct {
	schema *mln.Schema
	base   subgraph.Background
	ids    []map[string]uint32 // by type and name
}

// view copies a subgraph and names its entities in the base.
func (b *sharer) view(s *subgraph.Subgraph) *subgraph.Subgraph {
	out := *s
	out.Relations = slices.Clone(s.Relations)
	out.Shared = &subgraph.Shared{
		Background: &b.base, Induced: make([]bool, len(s.Relations)), Counts: make([]int, len(s.Relations)),
		ToBackground: make([][]uint32, len(s.Domains)), FromBackground: make([][]uint32, len(s.Domains)),
		Lacks: make([][]uint32, len(s.Domains)),
	}
	for typ, d := range s.Domains {
		for id := range uint32(d.Size) {
			name := d.Names.Name(id)
			if _, ok := b.ids[typ][name]; !ok {
				b.ids[typ][name] = uint32(len(b.ids[typ]))
			}
			out.Shared.ToBackground[typ] = append(out.Shared.ToBackground[typ], b.ids[typ][name])
		}
	}
	return &out
}

func (b *sharer) invert(sh *subgraph.Shared) {
	for typ, n := range b.base.Sizes {
		sh.FromBackground[typ] = make([]uint32, n)
		for id := range sh.FromBackground[typ] {
			sh.FromBackground[typ][id] = subgraph.NoEntity
		}
		for local, id := range sh.ToBackground[typ] {
			sh.FromBackground[typ][id] = uint32(local)
		}
		for id, local := range sh.FromBackground[typ] {
			if local == subgraph.NoEntity {
				sh.Lacks[typ] = append(sh.Lacks[typ], uint32(id))
			}
		}
	}
}

// share moves a predicate to the base, and removes it from subgraphs where it is induced.
func (b *sharer) share(subs []*subgraph.Subgraph, pred int) {
	args := b.schema.Predicates[pred].Args
	type pair = [2]uint32
	union := map[pair]bool{}
	for _, s := range subs {
		t, to := &s.Relations[pred].True, s.Shared.ToBackground
		for i := range t.Len() {
			union[pair{to[args[0]][t.Cols[0][i]], to[args[1]][t.Cols[1][i]]}] = true
		}
	}
	all := make([]pair, 0, len(union))
	for p := range union {
		all = append(all, p)
	}
	slices.SortFunc(all, func(x, y pair) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	t := subgraph.Table{Cols: make([][]uint32, 2)}
	for _, p := range all {
		t.Cols[0], t.Cols[1] = append(t.Cols[0], p[0]), append(t.Cols[1], p[1])
	}
	t.BuildIndex(b.base.Sizes[args[0]], b.base.Sizes[args[1]])
	b.base.Relations[pred].True, b.base.Has[pred] = t, true
	for _, s := range subs {
		n, from := 0, s.Shared.FromBackground
		for _, p := range all {
			if from[args[0]][p[0]] != subgraph.NoEntity && from[args[1]][p[1]] != subgraph.NoEntity {
				n++
			}
		}
		if n == s.Relations[pred].True.Len() {
			s.Shared.Induced[pred], s.Shared.Counts[pred] = true, n
			s.Relations[pred].True = subgraph.Table{Cols: make([][]uint32, 2)}
		}
	}
}
