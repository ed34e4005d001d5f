package report

import (
	"context"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Survey describes the contents of a stream, for the predicates that the model declares.
type Survey struct {
	Subgraphs  int
	Folds      map[int]int // subgraphs by fold; empty if the stream names no folds
	Entities   []int64     // by type, summed over subgraphs
	Predicates []PredicateSurvey
	moments    []moment // for subgraphs with a time
}

// moment holds the number of query atoms with known truth of a subgraph, and its time.
type moment struct {
	at              resolwe.Time
	atoms, positive int
}

func (m moment) compare(o moment) int { return m.at.Compare(o.at) }

// PredicateSurvey describes a predicate: its facts, summed over subgraphs.
type PredicateSurvey struct {
	Declaration string
	Target      bool
	Facts       int64 // stated true
	Denied      int64 // for a target: false query atoms
	Unknown     int64 // for a target: query atoms with unknown truth
	Without     int   // subgraphs without a fact
	Having      int64 // entities that are the first argument of a fact
	sizes       []int // for a target: query atoms with known truth, by subgraph
}

// Size returns the smallest, the median and the largest number of query atoms with known truth in a subgraph.
func (p *PredicateSurvey) Size() (least, median, most int) {
	n := len(p.sizes)
	if n == 0 {
		return 0, 0, 0
	}
	slices.Sort(p.sizes)
	return p.sizes[0], p.sizes[n/2], p.sizes[n-1]
}

// span returns the first and the last time of the subgraphs, both unknown if they have none.
func (d *Survey) span() (first, last resolwe.Time) {
	if len(d.moments) == 0 {
		return first, last
	}
	return slices.MinFunc(d.moments, moment.compare).at, slices.MaxFunc(d.moments, moment.compare).at
}

// survey reads the stream.
func (r *Report) survey(ctx context.Context, s *resolwe.Stream) error {
	if err := r.Model.Predicts(); err != nil {
		return err
	}
	schema, d := r.Model.Schema, &r.Data
	d.Folds, d.Entities = map[int]int{}, make([]int64, len(schema.Types))
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
			d.Entities[i] += int64(sub.Domains[i].Size)
		}
		moment := moment{at: sub.Time}
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
				moment.atoms, moment.positive = moment.atoms+atoms+rel.True.Len(), moment.positive+rel.True.Len()
			} else {
				for k, id := range rel.True.Cols[0] {
					if k == 0 || id != rel.True.Cols[0][k-1] {
						p.Having++
					}
				}
			}
		}
		if moment.at.Known {
			d.moments = append(d.moments, moment)
		}
		return nil
	})
}
