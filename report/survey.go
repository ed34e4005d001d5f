package report

import (
	"context"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Survey is what a stream holds, of the predicates that the model declares.
type Survey struct {
	Subgraphs  int
	Folds      map[int]int // subgraphs by fold; none where the stream names none
	Types      []TypeSurvey
	Predicates []PredicateSurvey
}

// TypeSurvey is of a type: entities, added up over subgraphs.
type TypeSurvey struct {
	Name     string
	Entities int64
}

// PredicateSurvey is of a predicate: facts, added up over subgraphs.
type PredicateSurvey struct {
	Declaration string
	Target      bool
	Facts       int64 // stated true
	Denied      int64 // of a target: query atoms that are false
	Unknown     int64 // of a target: query atoms of unknown truth
	Without     int   // subgraphs without a fact
	sizes       []int // of a target: query atoms of known truth, by subgraph
}

// Size returns the least, the median and the largest number of query atoms of known truth in a subgraph.
func (p *PredicateSurvey) Size() (least, median, most int) {
	n := len(p.sizes)
	if n == 0 {
		return 0, 0, 0
	}
	slices.Sort(p.sizes)
	return p.sizes[0], p.sizes[n/2], p.sizes[n-1]
}

// survey reads the stream.
func (r *Report) survey(ctx context.Context, s *resolwe.Stream) error {
	if err := r.Model.Predicts(); err != nil {
		return err
	}
	schema, d := r.Model.Schema, &r.Data
	d.Folds = map[int]int{}
	for t := range schema.Types {
		d.Types = append(d.Types, TypeSurvey{Name: schema.TypeText(t)})
	}
	for _, p := range schema.Predicates {
		isTarget := p.Role.IsTarget()
		p.Role = mln.RoleEvidence
		d.Predicates = append(d.Predicates, PredicateSurvey{Declaration: schema.Declaration(p), Target: isTarget})
	}
	return resolwe.Each(ctx, s, r.options.Begin("survey", s.Len()), func(sub *subgraph.Subgraph) error {
		d.Subgraphs++
		if sub.Fold >= 0 {
			d.Folds[sub.Fold]++
		}
		for i := range sub.Domains {
			d.Types[i].Entities += int64(sub.Domains[i].Size)
		}
		for i := range sub.Relations {
			rel, p := &sub.Relations[i], &d.Predicates[i]
			p.Facts += int64(rel.True.Len())
			p.Unknown += int64(rel.Unknown.Len())
			if rel.True.Len() == 0 {
				p.Without++
			}
			if p.Target {
				atoms := rel.False.Len()
				if schema.Predicates[i].Role == mln.RoleTarget {
					atoms = 1
					for _, t := range schema.Predicates[i].Args {
						atoms *= sub.Domains[t].Size
					}
					atoms -= rel.True.Len() + rel.Unknown.Len()
				}
				p.Denied += int64(atoms)
				p.sizes = append(p.sizes, atoms+rel.True.Len())
			}
		}
		return nil
	})
}
