package discovering

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/features"
)

// The sample of subgraphs grows until it has so many true and so many false query atoms of each target predicate, or so many facts.
const (
	enoughAtoms = 200
	mostFacts   = 256 << 20 / factBytes
	factBytes   = 16 // roughly, of a fact in memory, with its share of the indices
)

// sampleSize is the size of a subgraph, or of several.
type sampleSize struct {
	facts   int64
	targets [][2]int64 // by target predicate: false and true query atoms
}

// sizeOf returns the size of a subgraph.
func sizeOf(schema *mln.Schema, sub *subgraph.Subgraph) (size sampleSize) {
	for i, p := range schema.Predicates {
		r := &sub.Relations[i]
		for _, t := range r.Tables() {
			size.facts += int64(t.Len())
		}
		of := [2]int64{int64(r.False.Len()), int64(r.True.Len())}
		switch p.Role {
		case mln.RoleTarget:
			of[0] = int64(typed(&p, sub) - r.True.Len() - r.Unknown.Len())
		case mln.RoleListed:
		case mln.RoleEvidence:
			continue
		}
		size.targets = append(size.targets, of)
	}
	return size
}

// typed returns how many atoms of a predicate have the right types, but at most 1<<31.
func typed(p *mln.Predicate, sub *subgraph.Subgraph) int {
	atoms := 1
	for _, t := range p.Args {
		atoms = min(atoms*sub.Domains[t].Size, 1<<31)
	}
	return atoms
}

func (s *sampleSize) add(o *sampleSize) {
	s.facts += o.facts
	if s.targets == nil {
		s.targets = make([][2]int64, len(o.targets))
	}
	for i, of := range o.targets {
		s.targets[i][0] += of[0]
		s.targets[i][1] += of[1]
	}
}

// isEnough reports whether a sample tells each target's true atoms from its false ones.
func (s *sampleSize) isEnough() bool {
	return s.targets != nil && !slices.ContainsFunc(s.targets, func(of [2]int64) bool { return min(of[0], of[1]) < enoughAtoms })
}

// sample returns subgraphs of a stream, those with the smallest hash of seed and name, and the ratio of all subgraphs to these: at least
// so many, and more until the sample is large enough.
func (d *discovering) sample(ctx context.Context, s *run.Stream) (*run.Stream, int, error) {
	entries, err := s.Entries(ctx)
	if err != nil || len(entries) <= d.opt.Subgraphs {
		return s, 1, err
	}
	slices.SortFunc(entries, func(a, b run.Entry) int {
		return cmp.Or(cmp.Compare(features.Hash(d.opt.Seed, a.Name), features.Hash(d.opt.Seed, b.Name)), strings.Compare(a.Name, b.Name))
	})
	positions := func(entries []run.Entry) (out []int) {
		for _, e := range entries {
			out = append(out, e.Index)
		}
		slices.Sort(out)
		return out
	}
	var all sampleSize
	n := 0
	for end := d.opt.Subgraphs; n < len(entries); end *= 2 {
		some := entries[n:min(end, len(entries))]
		sizes, err := d.sizes(ctx, s.Pick(positions(some)))
		if err != nil {
			return nil, 0, err
		}
		for _, e := range some {
			if size, ok := sizes[e.Index]; ok { // else it was skipped, as it is damaged
				if n >= d.opt.Subgraphs && (all.isEnough() || all.facts+size.facts > mostFacts) {
					return s.Pick(positions(entries[:n])), (len(entries) + n - 1) / n, nil
				}
				all.add(&size)
			}
			n++
		}
	}
	return s, 1, nil
}

// sizes returns the sizes of subgraphs, by position.
func (d *discovering) sizes(ctx context.Context, s *run.Stream) (map[int]sampleSize, error) {
	out := map[int]sampleSize{}
	err := run.Each(ctx, s, d.part("sample", s.Len()), func(sub *subgraph.Subgraph) error {
		out[sub.Index] = sizeOf(d.model.Schema, sub)
		return nil
	})
	return out, err
}
