package report

import (
	"context"
	"fmt"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/render"
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

// course draws the share of true atoms over time, or returns nil if subgraphs do not have different times.
func (d *Survey) course() *plot {
	if first, last := d.span(); first == last {
		return nil
	}
	slices.SortStableFunc(d.moments, moment.compare)
	n := min(20, len(d.moments))
	p := newPlot("course", "True atoms over time", "subgraphs in the order of time, in equal parts", "share of true atoms", float64(n), 0, 1)
	p.XTicks = nil
	for i := range n {
		part := d.moments[i*len(d.moments)/n : (i+1)*len(d.moments)/n]
		atoms, positive := 0, 0
		for _, m := range part {
			atoms, positive = atoms+m.atoms, positive+m.positive
		}
		share := float64(positive) / float64(max(1, atoms))
		title := fmt.Sprintf("%v to %v: %s of %s", part[0].at, part[len(part)-1].at, render.Percent(share), render.Count(atoms, "atom", "atoms"))
		p.bar(float64(i), float64(i+1), share, title)
		p.Desc += title + "; "
		if i%((n+3)/4) == 0 {
			p.XTicks = append(p.XTicks, tick{At: decimal(p.x.place(float64(i) + .5)), Label: part[0].at.String()[:len("2006-01-02")]})
		}
	}
	return p
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
