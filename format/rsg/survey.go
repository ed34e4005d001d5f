package rsg

import (
	"context"

	"resolwe/format/origin"
	"resolwe/format/subgraph"
)

// Survey summarises a stream.
type Survey struct {
	Bytes      int64             `json:"bytes"`
	Subgraphs  int               `json:"subgraphs"`
	Folds      map[int]int       `json:"folds"` // subgraphs by fold
	Types      []TypeSurvey      `json:"types"`
	Predicates []PredicateSurvey `json:"predicates"`
	Largest    struct {
		Subgraph string `json:"subgraph"`
		Bytes    int64  `json:"bytes"`
	} `json:"largest"`
	Shared *SharedSurvey  `json:"shared,omitempty"` // nil if subgraphs share nothing
	Origin *origin.Origin `json:"origin,omitempty"` // nil if the stream does not say what it was made of
}

// TypeSurvey counts the distinct entities of a type.
type TypeSurvey struct {
	Name     string `json:"name"`
	Entities int    `json:"entities"`
}

// PredicateSurvey counts the facts stated with a predicate.
type PredicateSurvey struct {
	Declaration string `json:"declaration"` // as in a task file
	True        int    `json:"true"`
	False       int    `json:"false"`
	Unknown     int    `json:"unknown"`
	Shared      int    `json:"shared,omitempty"` // subgraphs that share the relation
}

// SharedSurvey counts the data that subgraphs share, which the stream does not repeat.
type SharedSurvey struct {
	Bases     int   `json:"bases"`
	Bytes     int64 `json:"bytes"`     // of the bases
	Subgraphs int   `json:"subgraphs"` // that use them
}

// surveyed is the number of bytes of a mapped stream that Survey reads before releasing them.
const surveyed = 16 << 20

// Survey sums up the stream, subgraph by subgraph; progress is called after each.
func (f *File) Survey(ctx context.Context, progress func(int)) (*Survey, error) {
	schema := f.Schema()
	out := &Survey{Bytes: f.Bytes(), Subgraphs: f.Len(), Folds: map[int]int{}, Origin: f.Origin()}
	for t := range schema.Types {
		out.Types = append(out.Types, TypeSurvey{schema.TypeText(t), f.Entities(t)})
	}
	for _, p := range schema.Predicates {
		out.Predicates = append(out.Predicates, PredicateSurvey{Declaration: schema.Declaration(p)})
	}
	freed := int64(0)
	var base *subgraph.Background // the last one
	for i := range f.Len() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		entry := f.Entry(i)
		if entry.Fold >= 0 {
			out.Folds[entry.Fold]++
		}
		if entry.Bytes > out.Largest.Bytes {
			out.Largest.Subgraph, out.Largest.Bytes = entry.Name, entry.Bytes
		}
		s, err := f.At(i)
		if err != nil {
			return nil, err
		}
		if entry.Offset-freed > surveyed {
			f.Release(freed, entry.Offset)
			freed = entry.Offset
		}
		for k := range s.Relations {
			r, p := &s.Relations[k], &out.Predicates[k]
			p.True += r.True.Len()
			p.False += r.False.Len()
			p.Unknown += r.Unknown.Len()
		}
		if s.Shared != nil {
			out.share(s.Shared, s.Shared.Background != base)
			base = s.Shared.Background
		}
		progress(1)
	}
	return out, nil
}

// share adds a subgraph that uses a base; another reports whether the base differs from the previous one.
func (v *Survey) share(s *subgraph.Shared, another bool) {
	if v.Shared == nil {
		v.Shared = &SharedSurvey{}
	}
	v.Shared.Subgraphs++
	if another {
		v.Shared.Bases++
		v.Shared.Bytes += s.Background.Bytes()
	}
	for k, induced := range s.Induced {
		if induced {
			v.Predicates[k].True += s.Counts[k]
			v.Predicates[k].Shared++
		}
	}
}
